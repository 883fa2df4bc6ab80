/** Many requests, a few at once, and again where the service has no place for one. */
import { Refusal } from "./request.js";

/** An isolate of the service works on few pictures at a time: more requests would wait there. */
const AT_ONCE = 2;
const MOST_TRIES = 8;
/** Seconds, where the service does not say how long. */
const WAIT = 2;
const MOST_WAIT = 60;
/** Too many requests of this account, or no place for this one: both pass. */
const PASSING = [429, 503];

/**
 * Whether a request was refused for now alone.
 * @param {unknown} error
 * @returns {error is Refusal}
 */
function isBusy(error) {
  return error instanceof Refusal && PASSING.includes(error.status);
}

/**
 * Resolves after so many milliseconds, and sooner where nobody waits any more.
 * @param {number} milliseconds
 * @param {AbortSignal} signal
 */
export async function sleepFor(milliseconds, signal) {
  /** @type {PromiseWithResolvers<void>} */
  const { promise, resolve } = Promise.withResolvers();
  const timer = setTimeout(resolve, milliseconds);
  signal.addEventListener("abort", () => resolve(), { once: true });
  await promise;
  clearTimeout(timer);
  signal.throwIfAborted();
}

/**
 * Works on all items, in order, a few at once.
 * @template Item
 * @param {readonly Item[]} items
 * @param {(item: Item) => Promise<void>} work
 * @param {AbortSignal} signal
 */
export async function workOnAll(items, work, signal) {
  const waiting = [...items];
  const worker = async () => {
    for (let item = waiting.shift(); item !== undefined && !signal.aborted; item = waiting.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}

/**
 * Asks again, as late as the service says, where it was too busy.
 * @template Answer
 * @param {() => Promise<Answer>} ask
 * @param {{ onWait: (seconds: number) => void, sleep: (milliseconds: number) => Promise<void> }} how
 * @returns {Promise<Answer>}
 */
export async function patiently(ask, { onWait, sleep }) {
  for (let tries = 1; ; tries += 1) {
    try {
      return await ask();
    } catch (error) {
      if (!isBusy(error) || tries === MOST_TRIES) throw error;
      const seconds = Math.min(error.retryAfter ?? WAIT * tries, MOST_WAIT);
      onWait(seconds);
      await sleep(seconds * 1000);
    }
  }
}
