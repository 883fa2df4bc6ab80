/**
 * What comes with a request of another Worker: pictures besides its own, to be laid on it, which it has as streams, and who
 * keeps the result.
 */
import type { Encoded } from "../files.ts";
import { isolateBudget } from "../scheduler/budget.ts";
import type { HeldBytes } from "../scheduler/held-bytes.ts";
import { readRaw } from "../source/raw.ts";
import { callerOf } from "./caller.ts";
import type { AppContext } from "./context.ts";

type Pictures = ReadonlyMap<string, ReadableStream<Uint8Array>>;

/**
 * Takes the result in place of the answer's body. A request whose result cannot be kept fails, and costs nothing.
 * @param made which nobody else has use for
 */
export type Keep = (made: Encoded) => Promise<void>;

/** Only code of ours can put pictures here: nothing that a caller sends does. */
const given = new WeakMap<Request, { readonly pictures: Pictures; readonly keep: Keep | undefined }>();

/** The request, with pictures that it may name as saved watermarks, and with whoever keeps its result. */
export function withDrawn(request: Request, pictures: Pictures, keep?: Keep): Request {
  given.set(request, { pictures, keep });
  return request;
}

/** Who keeps the result of a request; undefined where it is the answer's body. */
export function keeperOf(request: Request): Keep | undefined {
  return given.get(request)?.keep;
}

/** Whether a request came from another Worker by the entrance of images: its pictures go nowhere else. */
export function isFromWorker(request: Request): boolean {
  return given.has(request);
}

type ReadWatermark = (accountId: string, id: string) => Promise<HeldBytes>;

/** Reads what came with the request, and else what is saved. */
export function drawnOr(c: AppContext, saved: ReadWatermark): ReadWatermark {
  const pictures = given.get(c.req.raw)?.pictures;
  return async (accountId, id) => {
    const body = pictures?.get(id);
    if (!body) return saved(accountId, id);
    const request = new Request(c.req.url.replace(/\?.*$/, ""), { method: "POST", body });
    const { original } = await readRaw(request, { memory: isolateBudget, caller: () => callerOf(c) });
    return original;
  };
}
