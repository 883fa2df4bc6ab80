/** Answers of others, which may never end. */

/**
 * Hands on the pieces of a body that has at most so many bytes. The piece that goes beyond is left out, and the rest is not
 * read: the body is canceled.
 * @returns whether that was all of the body
 */
export async function readUpTo(
  { body }: Response,
  mostBytes: number,
  take: (piece: Uint8Array) => void,
): Promise<boolean> {
  let length = 0;
  // Leaving the loop cancels the body.
  for await (const piece of (body ?? []) as AsyncIterable<Uint8Array>) {
    length += piece.length;
    if (length > mostBytes) return false;
    take(piece);
  }
  return true;
}
