/**
 * The platform's cache in front of the bucket, of each place its own. Answers are known there by the canonical request and
 * the delivery's edition, so that a purge makes all places forget. Where the platform has no such cache, on its shared
 * domain for one, nothing is found and nothing kept.
 */
import { shortHash } from "./results.ts";

/** The name of an answer; `shape` tells apart what differs in headers alone. */
export async function edgeName(base: string, key: string, edition: number, shape: string): Promise<Request> {
  return new Request(`${base}/edge/${edition}/${key}/${await shortHash(shape)}`);
}

export async function fromEdge(name: Request): Promise<Response | undefined> {
  return caches.default.match(name);
}

/** Keeps an answer for as long as its Cache-Control says. */
export async function keepAtEdge(name: Request, answer: Response): Promise<void> {
  await caches.default.put(name, answer);
}
