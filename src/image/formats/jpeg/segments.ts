/** The marker segments of a JPEG file before its first scan (ITU-T T.81, annex B). */
import { joined } from "../../../joined.ts";

/** The names that segments of XMP and of ICC profiles begin with. */
export const XMP_NAME = "http://ns.adobe.com/xap/1.0/\0";
export const PROFILE_NAME = "ICC_PROFILE\0";
/** What a segment holds, beside the two bytes of its length. */
export const MAX_PAYLOAD_BYTES = 0xffff - 2;

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

/** What follows a name in a payload; undefined behind another. */
export function contentBehind(name: string, payload: Uint8Array): Uint8Array | undefined {
  for (let at = 0; at < name.length; at++) if (payload[at] !== name.charCodeAt(at)) return undefined;
  return payload.subarray(name.length);
}

/** A segment that begins with a name; undefined where there is too much for one. */
export function namedSegment(code: number, name: string, content: Uint8Array): Uint8Array | undefined {
  const length = name.length + content.length;
  if (length > MAX_PAYLOAD_BYTES) return undefined;
  const size = length + 2;
  return joined([Uint8Array.of(0xff, code, size >> 8, size & 255), new TextEncoder().encode(name), content]);
}
