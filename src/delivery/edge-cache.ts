/**
 * The platform's cache in front of the bucket, of each place its own. Answers are known there by the canonical request and
 * the delivery's edition, so that a purge makes all places forget. Where the platform has no such cache, on its shared
 * domain for one, nothing is found and nothing kept.
 */
import { STALE_SECONDS } from "../limits/delivery.ts";
import { shortHash } from "./results.ts";

/** The name of an answer; `shape` tells apart what differs in headers alone. */
export async function edgeName(base: string, key: string, edition: number, shape: string): Promise<Request> {
  return new Request(`${base}/edge/${edition}/${key}/${await shortHash(shape)}`);
}

/** By what pages are told that they may show an answer for a while after its time. */
const STALE = /,\s*stale-while-revalidate=\d+/;

/** What is kept under a name, and still good; it says what it said when it was kept. */
export async function fromEdge(name: Request): Promise<Response | undefined> {
  const kept = await caches.default.match(name);
  if (!kept) return undefined;
  const answer = new Response(kept.body, kept);
  answer.headers.set("Cache-Control", cacheControl(answer.headers.get("Cache-Control") ?? ""));
  return answer;
}

/**
 * Keeps an answer for as long as it is good. Caches that know the time after it would give it away meanwhile, and nobody
 * here would ask for what has taken its place.
 */
export async function keepAtEdge(name: Request, answer: Response): Promise<void> {
  const kept = new Response(answer.body, answer);
  kept.headers.set("Cache-Control", (kept.headers.get("Cache-Control") ?? "").replace(STALE, ""));
  await caches.default.put(name, kept);
}

/** What an answer says, of what says for how long it is good. */
export function cacheControl(good: string): string {
  return `${good}, stale-while-revalidate=${STALE_SECONDS}`;
}
