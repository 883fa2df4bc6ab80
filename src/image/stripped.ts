/** A file without what its picture does not need: nothing of it is copied before somebody wants to have it. */
import { joined } from "../joined.ts";

export interface Stripped {
  readonly length: number;
  /** Bytes that `file` takes besides those of the original; none where it is a view of them. */
  readonly copiedBytes: number;
  /** The file, a view of the original where that will do. */
  readonly file: () => Uint8Array;
}

/** The original, which has nothing that is left out, or cannot be read. */
export function asItIs(bytes: Uint8Array): Stripped {
  return { length: bytes.length, copiedBytes: 0, file: () => bytes };
}

/** A copy of so many bytes, made when it is asked for. */
export function copied(length: number, file: () => Uint8Array): Stripped {
  return { length, copiedBytes: length, file };
}

/** Pieces that stay of an original, one after the other: views of it, or the little that is written anew. */
export function ofPieces(pieces: readonly Uint8Array[]): Stripped {
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  const [first] = pieces;
  if (!first || !areAdjacent(pieces)) return copied(length, () => joined(pieces));
  return { length, copiedBytes: 0, file: () => new Uint8Array(first.buffer, first.byteOffset, length) };
}

function areAdjacent(pieces: readonly Uint8Array[]): boolean {
  return pieces.every((piece, index) => {
    const before = pieces[index - 1];
    return !before || (piece.buffer === before.buffer && piece.byteOffset === before.byteOffset + before.length);
  });
}
