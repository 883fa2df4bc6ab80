/**
 * One picture under several addresses: a final is known by the bytes of its original as well, so that a second address of
 * the same bytes and the same request takes the result that is there, without work and without a credit.
 */
import { baseName } from "../files.ts";
import { isUsable, type Order } from "./order.ts";
import type { FoundOriginal } from "./original.ts";
import { findSameFinal, putResult, type ResultFacts, type Shelf } from "./results.ts";

/** What of an order tells whether a result answers it. */
type Asking = Pick<Order, "key"> & { readonly delivery: Pick<Order["delivery"], "purgedAt"> };

/**
 * Keeps the final of the same bytes and the same request as the result of another address.
 * @param found the original at this address; it stays the caller's
 * @returns the facts of the result, which is in the bucket now; undefined when there is none
 */
export async function adoptTwin(
  shelf: Shelf,
  { key, delivery }: Asking,
  found: Omit<FoundOriginal, "original"> & { readonly original: { readonly name: string } },
): Promise<ResultFacts | undefined> {
  const twin = await findSameFinal(shelf, key, found.hash);
  if (!twin) return undefined;
  if (!isUsable({ delivery, needsFinal: true }, twin.facts)) {
    await twin.object.body.cancel();
    return undefined;
  }
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
