/** A file without what its picture does not need: nothing of it is copied before somebody wants to have it. */
export interface Stripped {
  readonly length: number;
  /** Bytes that `file` takes besides those of the original; none where it is a view of them. */
  readonly copiedBytes: number;
  /** The file, a view of the original where that will do. */
  readonly file: () => Uint8Array;
}

/** The original, of which nothing is left out. */
export function asItIs(bytes: Uint8Array): Stripped {
  return { length: bytes.length, copiedBytes: 0, file: () => bytes };
}

/** A copy of so many bytes, made when it is asked for. */
export function copied(length: number, file: () => Uint8Array): Stripped {
  return { length, copiedBytes: length, file };
}

/**
 * Tells `keep` the pieces that stay of an original, one after the other: views of it, or the little that is written anew.
 * @returns false when the file cannot be told apart
 */
type Walk = (keep: (piece: Uint8Array) => void) => boolean;

/**
 * The pieces of an original that a walk finds. It is walked once more when they are wanted: a list of them could take many
 * times the memory of the file, which may be millions of empty pieces.
 * @returns null when the file cannot be told apart: nobody knows what is in the rest of it
 */
export function ofPieces(original: Uint8Array, walk: Walk): Stripped | null {
  let [start, length] = [0, 0];
  let areAdjacent = true;
  const isKnown = walk((piece) => {
    if (length === 0) start = piece.byteOffset;
    areAdjacent &&= piece.buffer === original.buffer && piece.byteOffset === start + length;
    length += piece.length;
  });
  if (!isKnown) return null;
  if (!areAdjacent) return copied(length, () => joinedBy(walk, length));
  return { length, copiedBytes: 0, file: () => new Uint8Array(original.buffer, start, length) };
}

function joinedBy(walk: Walk, length: number): Uint8Array {
  const file = new Uint8Array(length);
  let at = 0;
  walk((piece) => {
    file.set(piece, at);
    at += piece.length;
  });
  return file;
}
