/** What a search does, told step by step to whoever asks for it: `npm run explain`. Nobody does in production. */
import type { Estimate } from "../../../wasm/estimate.ts";
import type { EncodeSettings } from "../codec/writer.ts";

/** Which picture a probe is of: the whole one, or tiles of it. */
export type ProbedPart = "sample" | "whole";

/** Why an attempt is not made. */
export type NotMade = "no memory" | "no time" | "cannot beat the best so far" | "a search overran its estimate";

export type TraceEvent =
  /** Work on a result begins: what follows is about it, until the next begins. */
  | { readonly kind: "result"; readonly name: string }
  | { readonly kind: "attempt"; readonly format: string; readonly name: string; readonly estimate: Estimate }
  | {
      readonly kind: "not made";
      readonly format: string;
      readonly name: string;
      readonly estimate: Estimate;
      readonly why: NotMade;
    }
  /** A file was encoded, to be judged or to stay. */
  | {
      readonly kind: "encoded";
      readonly part: ProbedPart;
      readonly settings: EncodeSettings;
      readonly bytes: number;
    }
  /** A rendition was judged, one that was encoded or one that an encoder showed without a file. */
  | {
      readonly kind: "judged";
      readonly part: ProbedPart;
      readonly quality: number;
      /** Of the metric alone; absent where the second opinion said enough. */
      readonly score?: number;
      /** The stricter of both opinions, in points of the score. */
      readonly points: number;
    }
  | {
      readonly kind: "ended";
      /** What came of an attempt: a file, or why there is none. */
      readonly came: "a file" | "larger than another format" | "no file" | "overrun" | "refused";
      readonly bytes?: number | undefined;
      readonly score?: number | undefined;
      readonly isFinal?: boolean | undefined;
    };

/** Called with each step when it is done, the thread in hand: it must not wait. */
export type Trace = (event: TraceEvent) => void;
