/** An address that was admitted, and what answering it needs. */
import type { Settings } from "../env.ts";
import type { Stopwatch } from "../image/pixels/stopwatch.ts";
import type { Pipeline } from "../pipeline/edges.ts";
import type { Caller } from "../scheduler/caller.ts";
import type { Canonical } from "./canonical.ts";
import type { LookAhead } from "./look-ahead.ts";
import type { OpenedDelivery } from "./records.ts";
import type { ResultFacts } from "./results.ts";
import type { Located } from "./sources.ts";

export interface Order {
  /** Milliseconds since 1970. */
  readonly askedAt: number;
  readonly delivery: OpenedDelivery;
  readonly located: Located;
  /** The source in plain text. */
  readonly source: string;
  readonly canonical: Canonical;
  /** The name of the result's object. */
  readonly key: string;
  /** A draft will not do. */
  readonly needsFinal: boolean;
  /** Nothing but the delivery's rules for anonymous clients lets it in: what is made for it is bounded by the hour. */
  readonly isUnsigned: boolean;
}

export interface ServePorts {
  readonly env: Env;
  readonly settings: Settings;
  readonly pipeline: Pipeline;
  /** Keeps the isolate alive until work is done that the answer does not wait for. */
  readonly defer: (work: Promise<unknown>) => void;
  readonly stopwatch?: Stopwatch;
  /** Who asks, and waits. */
  readonly caller: Caller;
  /** The look for the result, where it has begun. */
  readonly ahead: LookAhead;
}

/** Whether a result that is kept answers an order: it was not purged, and is no draft where that will not do. */
export function isUsable(
  { delivery, needsFinal }: { readonly delivery: Pick<OpenedDelivery, "purgedAt">; readonly needsFinal: boolean },
  { readAt, rendition }: ResultFacts,
): boolean {
  return readAt >= delivery.purgedAt && (!needsFinal || rendition === "final");
}
