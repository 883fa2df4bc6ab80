/** Pictures that come with a request besides its own, to be laid on it: from another Worker, which has them as streams. */
import { isolateBudget } from "../scheduler/budget.ts";
import type { HeldBytes } from "../scheduler/held-bytes.ts";
import { readRaw } from "../source/raw.ts";
import { callerOf } from "./caller.ts";
import type { AppContext } from "./context.ts";

type Pictures = ReadonlyMap<string, ReadableStream<Uint8Array>>;

/** Only code of ours can put pictures here: nothing that a caller sends does. */
const given = new WeakMap<Request, Pictures>();

/** The request, with pictures that it may name as saved watermarks. */
export function withDrawn(request: Request, pictures: Pictures): Request {
  given.set(request, pictures);
  return request;
}

/** Whether a request came from another Worker by the entrance of images: its pictures go nowhere else. */
export function isFromWorker(request: Request): boolean {
  return given.has(request);
}

type ReadWatermark = (accountId: string, id: string) => Promise<HeldBytes>;

/** Reads what came with the request, and else what is saved. */
export function drawnOr(c: AppContext, saved: ReadWatermark): ReadWatermark {
  const pictures = given.get(c.req.raw);
  return async (accountId, id) => {
    const body = pictures?.get(id);
    if (!body) return saved(accountId, id);
    const request = new Request(c.req.url.replace(/\?.*$/, ""), { method: "POST", body });
    const { original } = await readRaw(request, { memory: isolateBudget, caller: () => callerOf(c) });
    return original;
  };
}
