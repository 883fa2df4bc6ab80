/** The mark of a GIF file: a comment of two bytes before its end. */
import { joined } from "../../joined.ts";
import { TRAILER } from "./blocks.ts";

const BLOCK = [0x21, 0xfe, 2, 0xda] as const;
/** The block with the score and its terminator, and the trailer behind it. */
const MARK_BYTES = BLOCK.length + 3;

export function mark(bytes: Uint8Array, score: number): Uint8Array {
  return joined([bytes.subarray(0, -1), Uint8Array.of(...BLOCK, score, 0), TRAILER]);
}

export function markOf(bytes: Uint8Array): number | undefined {
  const at = bytes.length - MARK_BYTES;
  return isMark(bytes, at) && bytes.at(-1) === TRAILER[0] ? bytes[at + BLOCK.length] : undefined;
}

/** Whether a mark begins at `at`. */
export function isMark(bytes: Uint8Array, at: number): boolean {
  return BLOCK.every((byte, index) => bytes[at + index] === byte) && bytes[at + BLOCK.length + 1] === 0;
}
