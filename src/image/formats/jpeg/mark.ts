/**
 * The mark of a JPEG file: a comment of six bytes behind the application segments, with the CRC-32 of all that follows of its
 * picture.
 * Editors keep comments, but not what follows them.
 */
import { zlib } from "../../../../wasm/zlib.ts";
import { joined } from "../../../joined.ts";
import type { Marker } from "../../codec/format.ts";
import { firstPicture } from "./multi-picture.ts";
import { Segments } from "./segments.ts";

const COMMENT = 0xfe;
const TAG = 0xda;
const LENGTH_BYTES = 2;
const PAYLOAD_BYTES = 6;

function write(bytes: Uint8Array, score: number): Uint8Array {
  const at = endOfApplications(bytes);
  const segment = Uint8Array.of(0xff, COMMENT, 0, LENGTH_BYTES + PAYLOAD_BYTES, TAG, score, 0, 0, 0, 0);
  const rest = bytes.subarray(at);
  new DataView(segment.buffer).setUint32(6, zlib().crc32(rest));
  return joined([bytes.subarray(0, at), segment, rest]);
}

function read(bytes: Uint8Array): number | undefined {
  const segments = new Segments(bytes);
  while (segments.next()) {
    const payload = segments.code === COMMENT ? segments.content : undefined;
    if (payload && looksLikeMark(payload))
      return isMark(payload, firstPicture(bytes).subarray(segments.end)) ? payload[1] : undefined;
  }
  return undefined;
}

/**
 * Whether the payload of a comment may be a mark. Only the first of a file that does is looked at closely: to compare
 * all that follows with the checksum of each would take time squared.
 */
export function looksLikeMark(payload: Uint8Array): boolean {
  return payload.length === PAYLOAD_BYTES && payload[0] === TAG;
}

/** Whether the payload of a comment is the mark of what follows it. */
export function isMark(payload: Uint8Array, rest: Uint8Array): boolean {
  return (
    looksLikeMark(payload) && new DataView(payload.buffer, payload.byteOffset + 2).getUint32(0) === zlib().crc32(rest)
  );
}

export const mark: Marker = { write, read };

function endOfApplications(bytes: Uint8Array): number {
  let at = 2;
  const segments = new Segments(bytes);
  while (segments.next()) if (segments.code >= 0xe0 && segments.code <= 0xef) at = segments.end;
  return at;
}
