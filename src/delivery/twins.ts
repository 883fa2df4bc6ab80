/**
 * One picture under several addresses: a final is known by the bytes of its original as well, so that a second address of
 * the same bytes and the same request takes the result that is there, without work and without a credit.
 */
import { baseName } from "../files.ts";
import { isUsable, type Order } from "./order.ts";
import type { FoundOriginal } from "./original.ts";
import { findSameFinal, putResult, type ResultFacts, type Shelf, type StoredResult } from "./results.ts";

/** What of an order tells whether a result answers it. */
type Asking = Pick<Order, "key"> & { readonly delivery: Pick<Order["delivery"], "purgedAt"> };

/** The final of the same bytes and the same request under another address; undefined when there is none. */
export async function findTwin(
  shelf: Shelf,
  { key, delivery }: Asking,
  { hash }: Pick<FoundOriginal, "hash">,
): Promise<StoredResult | undefined> {
  const twin = await findSameFinal(shelf, key, hash);
  if (!twin || isUsable({ delivery, needsFinal: true }, twin.facts)) return twin;
  await twin.object.body.cancel();
  return undefined;
}

/**
 * Keeps a twin as the result of another address.
 * @param found the original at this address; it stays the caller's
 * @returns the facts of the result, which is in the bucket now; undefined when it was purged meanwhile
 */
export async function adoptTwin(
  shelf: Shelf,
  { key }: Pick<Asking, "key">,
  found: Omit<FoundOriginal, "original"> & { readonly original: { readonly name: string } },
  twin: StoredResult,
): Promise<ResultFacts | undefined> {
  const { readAt, validators, caching, original } = found;
  const { caching: _, ...same } = twin.facts;
  const facts = {
    ...same,
    readAt,
    validators,
    ...(caching && { caching }),
    checkedAt: Date.now(),
    name: namedLike(original.name, same.name),
  };
  return (await putResult(shelf, key, twin.object.body, facts)) ? facts : undefined;
}

/** The name of an original with the extension of a result. */
function namedLike(original: string, result: string): string {
  const stem = baseName(original).replace(/\.[^.]*$/, "");
  const extension = /\.[^.]*$/.exec(result)?.[0] ?? "";
  return stem === "" ? result : stem + extension;
}
