/**
 * Requests that would wait for long in this isolate go to an object of a pool, `maker:<n>`, as they are and before their
 * body is read: the object is a further isolate, which lets the same request in by the same doors. So the answer, a refusal
 * and what is charged are what they would be here.
 *
 * The object may die, or may be as busy. Then the request is done here after all, as long as its body is still there: that
 * of a small one is kept meanwhile, where there is room for it.
 */
import type { Holder } from "../account/keys.ts";
import { MAKER_LINE_MS, SMALL_ORIGINAL_BYTES } from "../limits/isolate.ts";
import { causesOf, logLine } from "../log.ts";
import { count } from "../metrics.ts";
import { isolateBudget } from "../scheduler/budget.ts";
import { busy } from "../scheduler/busy.ts";
import { holderOf } from "./authenticate.ts";
import type { AppContext } from "./context.ts";
import { isFromWorker } from "./drawn.ts";
import { HANDED_OVER, receivedId } from "./handed-over.ts";
import { countHolder } from "./holder.ts";
import { IDEMPOTENCY_KEY } from "./idempotency.ts";
import { wholeOf } from "./inside.ts";

/**
 * Has an object of the pool answer a request that would wait for long.
 * @returns its answer; undefined where the request is to be done here
 * @throws ApiError 503 when the object died, and the body went with it, or nobody knows whether the work was done
 */
export async function handedOver(c: AppContext): Promise<Response | undefined> {
  const holder = await waitingHolder(c);
  if (!holder) return undefined;
  const sent = sentFrom(c);
  const object = c.env.MAKER.getByName(`maker:${Math.floor(Math.random() * c.var.settings.makers)}`);
  try {
    const answer = await object.fetch(sent.request);
    if (answer.status !== 503 || !sent.copy) return await handedOn(c, answer, sent.copy);
    await answer.body?.cancel();
    return takenBack(c, sent.copy, "busy");
  } catch (cause) {
    logLine("error", { id: c.var.id, event: "maker", causes: causesOf(cause) });
    // The object may have come to its end: whoever sent a key for that sends the request again, and finds the answer.
    const isOwed = c.req.header(IDEMPOTENCY_KEY) === undefined && !c.req.raw.signal.aborted;
    if (sent.copy && isOwed) return takenBack(c, sent.copy, "died");
    await sent.copy?.cancel();
    count("handed_over_total", { outcome: "lost" });
    // Counted as a request that costs nothing: whatever it has cost is known where the object was.
    countHolder(c, holder, {});
    throw busy();
  } finally {
    sent.release();
  }
}

/** Who is calling, if more declared work is before the request than it should wait for where there are others to do it. */
async function waitingHolder(c: AppContext): Promise<Holder | undefined> {
  const { makers } = c.var.settings;
  if (makers === 0 || isolateBudget.queuedMs <= MAKER_LINE_MS) return undefined;
  // What is a part of another request is counted as that, of which no object knows.
  const isHandedOver = receivedId(c.req.raw) !== undefined;
  if (wholeOf(c.req.raw) !== undefined || isHandedOver || isFromWorker(c.req.raw)) return undefined;
  // Who has no key is refused here.
  const holder = await holderOf(c).catch(() => null);
  return holder && isolateBudget.waitOf(holder.account.id) > MAKER_LINE_MS ? holder : undefined;
}

interface Sent {
  readonly request: Request;
  /** The body once more, if it is small and there is room for it. */
  readonly copy: ReadableStream<Uint8Array> | undefined;
  readonly release: () => void;
}

function sentFrom(c: AppContext): Sent {
  const { url, method, headers: said, body, signal } = c.req.raw;
  const headers = new Headers(said);
  headers.set(HANDED_OVER, c.var.id);
  const bytes = Number(said.get("content-length") ?? Number.NaN);
  const room = body && bytes <= SMALL_ORIGINAL_BYTES ? isolateBudget.tryTake(bytes) : undefined;
  const [first, copy] = body && room ? body.tee() : [body, undefined];
  const request = new Request(url, { method, headers, body: first, signal });
  return { request, copy, release: () => room?.release() };
}

async function handedOn(c: AppContext, answer: Response, copy: Sent["copy"]): Promise<Response> {
  await copy?.cancel();
  count("handed_over_total", { outcome: "answered" });
  c.set("isElsewhere", true);
  return new Response(answer.body, answer);
}

/** The request is done here, with the body that was kept. */
function takenBack(c: AppContext, body: ReadableStream<Uint8Array>, outcome: string): undefined {
  const { url, method, headers, signal } = c.req.raw;
  count("handed_over_total", { outcome });
  c.req.raw = new Request(url, { method, headers, body, signal });
}
