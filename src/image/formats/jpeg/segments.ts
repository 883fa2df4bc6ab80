/** The marker segments of a JPEG file before its first scan (ITU-T T.81, annex B). */
import { joined } from "../../../joined.ts";
import { PARTS } from "../../../limits/parts.ts";
import { Walk } from "../../containers/walk.ts";

/** The names that segments of XMP and of ICC profiles begin with. */
export const XMP_NAME = "http://ns.adobe.com/xap/1.0/\0";
export const PROFILE_NAME = "ICC_PROFILE\0";
/** What a segment holds, beside the two bytes of its length. */
export const MAX_PAYLOAD_BYTES = 0xffff - 2;

export const SCAN = 0xda;
/** A marker and the length of what follows it. */
const HEADER_BYTES = 4;

/** The segments before the first scan, up to the first that is none. */
export class Segments extends Walk {
  constructor(bytes: Uint8Array) {
    super(bytes, PARTS.segments, 2);
  }

  /** The second byte of the marker. */
  get code(): number {
    return this.bytes[this.at + 1]!;
  }

  begins(name: string): boolean {
    for (let at = 0; at < name.length; at++) if (this.bytes[this.start + at] !== name.charCodeAt(at)) return false;
    return this.start + name.length <= this.end;
  }

  /** What follows a name that the segment begins with; undefined behind another. */
  contentBehind(name: string): Uint8Array | undefined {
    return this.begins(name) ? this.bytes.subarray(this.start + name.length, this.end) : undefined;
  }

  protected read(from: number): boolean {
    const { bytes } = this;
    let at = from;
    // Any number of fill bytes may stand before a marker.
    while (bytes[at] === 0xff && bytes[at + 1] === 0xff) at++;
    const length = (bytes[at + 2]! << 8) | bytes[at + 3]!;
    const isWhole = length >= 2 && at + 2 + length <= bytes.length;
    if (bytes[at] !== 0xff || bytes[at + 1] === SCAN || !isWhole) return false;
    this.at = at;
    this.start = at + HEADER_BYTES;
    this.end = at + 2 + length;
    return true;
  }
}

const APP0 = 0xe0;

/** Where the JFIF segment ends, or the beginning where there is none: what is said of a picture goes there. */
export function behindJfif(bytes: Uint8Array): number {
  const first = new Segments(bytes);
  return first.next() && first.code === APP0 ? first.end : 2;
}

/** The first segment of a code that begins with a name; undefined where there is none. */
export function segmentNamed(bytes: Uint8Array, code: number, name: string): Segments | undefined {
  const segments = new Segments(bytes);
  while (segments.next()) if (segments.code === code && segments.begins(name)) return segments;
  return undefined;
}

/** A segment that begins with a name; undefined where there is too much for one. */
export function namedSegment(code: number, name: string, content: Uint8Array): Uint8Array | undefined {
  const length = name.length + content.length;
  if (length > MAX_PAYLOAD_BYTES) return undefined;
  const size = length + 2;
  return joined([Uint8Array.of(0xff, code, size >> 8, size & 255), new TextEncoder().encode(name), content]);
}

const [FIRST_FRAME, FIRST_RESTART, LAST_EMPTY] = [0xc0, 0xd0, 0xd9];

/** A file that is cut short without the segment that it ends in: nothing of tables of which a part is missing can be used. */
export function withoutCutSegment(bytes: Uint8Array): Uint8Array {
  const least = Math.max(0, bytes.length - HEADER_BYTES - MAX_PAYLOAD_BYTES);
  for (let at = bytes.length - 2; at >= least; at--) {
    const code = bytes[at + 1]!;
    if (bytes[at] !== 0xff || code < FIRST_FRAME || code === 0xff) continue;
    if (code >= FIRST_RESTART && code <= LAST_EMPTY) continue;
    const length = at + HEADER_BYTES <= bytes.length ? (bytes[at + 2]! << 8) | bytes[at + 3]! : Infinity;
    return at + 2 + length > bytes.length ? bytes.subarray(0, at) : bytes;
  }
  return bytes;
}
