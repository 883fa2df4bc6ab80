/** The marker segments of a JPEG file before its first scan (ITU-T T.81, annex B). */

const SCAN = 0xda;

export interface Segment {
  readonly code: number;
  /** Where its marker is. */
  readonly start: number;
  readonly payload: Uint8Array;
  /** Where the next marker is. */
  readonly end: number;
}

/** Those before the first scan, up to the first that is none. */
export function* segmentsOf(bytes: Uint8Array): Generator<Segment, undefined> {
  for (let start = 2; bytes[start] === 0xff;) {
    const code = bytes[start + 1]!;
    // Any number of fill bytes may stand before a marker.
    if (code === 0xff) {
      start++;
      continue;
    }
    if (code === SCAN) return;
    const end = start + 2 + ((bytes[start + 2]! << 8) | bytes[start + 3]!);
    if (!(end > start + 3 && end <= bytes.length)) return;
    yield { code, start, payload: bytes.subarray(start + 4, end), end };
    start = end;
  }
}

const APP0 = 0xe0;

/** Where the JFIF segment ends, or the beginning where there is none: what is said of a picture goes there. */
export function behindJfif(bytes: Uint8Array): number {
  const first = segmentsOf(bytes).next().value;
  return first?.code === APP0 ? first.end : 2;
}
