/**
 * The platform's cache in front of the Worker, where the operator has switched it on (`[cache]` in wrangler.toml): a hit
 * there does not reach the Worker. Answers are known there by their addresses, and forgotten by their tags.
 */
import { DELIVERY_CACHE_SECONDS } from "../limits/delivery.ts";
import { causesOf, logLine } from "../log.ts";

/** A message of the queue: the answers of this delivery are to be forgotten in front. */
export interface ForgetMessage {
  readonly kind: "forget";
  readonly id: string;
}

/** What an answer can be forgotten by. */
export function tagsOf(delivery: string, key: string): string {
  const [, , original = ""] = key.split("/");
  return `${delivery},${delivery}-${original}`;
}

/**
 * Makes the cache forget all answers of a delivery that has changed. Isolates know deliveries for a minute, and what they
 * answer meanwhile is kept as before: when it is over, the answers are forgotten once more.
 */
export async function forgetAddresses(env: Env, cache: CacheContext | undefined, id: string): Promise<void> {
  if (!cache) return;
  await forgetInFront(cache, id).catch((error: unknown) =>
    logLine("error", { event: "purge", causes: causesOf(error) }),
  );
  await env.QUEUE.send({ kind: "forget", id } satisfies ForgetMessage, { delaySeconds: DELIVERY_CACHE_SECONDS + 1 });
}

/** @throws Error when the platform refuses, which bounds how often a Worker may do this */
export async function forgetInFront(cache: CacheContext | undefined, id: string): Promise<void> {
  const outcome = await cache?.purge({ tags: [id] });
  if (outcome?.success === false) {
    const codes = outcome.errors.map(({ code }) => code).join(", ");
    throw new Error(`The cache in front was not purged: ${codes}`);
  }
}
