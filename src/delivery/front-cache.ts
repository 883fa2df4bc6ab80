/**
 * The platform's cache in front of the Worker, where the operator has switched it on (`[cache]` in wrangler.toml), or in
 * front of the Worker at whose host pictures are: a hit there does not reach this one. Answers are known there by their
 * addresses, and forgotten by their tags.
 */
import { DELIVERY_CACHE_SECONDS } from "../limits/delivery.ts";
import { causesOf, logLine } from "../log.ts";

/** A message of the queue: the answers of this delivery are to be forgotten in front. */
export interface ForgetMessage {
  readonly kind: "forget";
  readonly id: string;
}

/** The Worker at whose host pictures are, as this one is bound to it. */
export interface Door {
  /** @throws Error when the platform refuses */
  forget(id: string): Promise<void>;
}

/** No configuration of the repository has it: it comes of the settings of a deployment. */
function doorOf(env: object): Door | undefined {
  return (env as { readonly PICTURES?: Door }).PICTURES;
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
  if (!cache && !doorOf(env)) return;
  await forgetInFront(env, cache, id).catch((error: unknown) =>
    logLine("error", { event: "purge", causes: causesOf(error) }),
  );
  await env.QUEUE.send({ kind: "forget", id } satisfies ForgetMessage, { delaySeconds: DELIVERY_CACHE_SECONDS + 1 });
}

/**
 * Makes each cache forget that is in front.
 * @throws Error when the platform refuses, which bounds how often a Worker may do this
 */
export async function forgetInFront(env: object, cache: CacheContext | undefined, id: string): Promise<void> {
  await Promise.all([forgetTag(cache, id), doorOf(env)?.forget(id)]);
}

/** @throws Error when the platform refuses */
export async function forgetTag(cache: CacheContext | undefined, id: string): Promise<void> {
  const outcome = await cache?.purge({ tags: [id] });
  if (outcome?.success === false) {
    const codes = outcome.errors.map(({ code }) => code).join(", ");
    throw new Error(`The cache in front was not purged: ${codes}`);
  }
}
