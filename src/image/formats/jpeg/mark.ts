/** The mark of a JPEG file: densities in its JFIF segment, which say that pixels are square whatever their number. */

/** Where the segment has units and densities (JFIF 1.02): a length, a name and a version stand before them. */
const JFIF = [0xff, 0xd8, 0xff, 0xe0] as const;
const UNITS_AT = 13;
/** Nobody writes so many without a unit. */
const BASE = 200;

function hasSegment(bytes: Uint8Array): boolean {
  return bytes.length > UNITS_AT + 5 && JFIF.every((byte, at) => bytes[at] === byte);
}

/** Files without a JFIF segment stay as they are. */
export function mark(bytes: Uint8Array, score: number): Uint8Array {
  if (!hasSegment(bytes)) return bytes;
  const marked = bytes.slice();
  const density = BASE + score;
  marked.set([0, density >> 8, density & 255, density >> 8, density & 255], UNITS_AT);
  return marked;
}

export function markOf(bytes: Uint8Array): number | undefined {
  if (!hasSegment(bytes) || bytes[UNITS_AT] !== 0) return undefined;
  const [x, y] = [1, 3].map((at) => (bytes[UNITS_AT + at]! << 8) | bytes[UNITS_AT + at + 1]!);
  return x === y && x! > BASE && x! <= BASE + 100 ? x! - BASE : undefined;
}
