/** A WebP file without what its picture does not need, everything else byte for byte (RFC 9649, section 2). */
import { joined } from "../../../joined.ts";
import { chunksOf, RIFF_HEADER_BYTES } from "./container.ts";
import { MARK_ID } from "./mark.ts";

const NEEDED: ReadonlySet<string> = new Set(["VP8X", "ICCP", "ANIM", "ANMF", "ALPH", "VP8 ", "VP8L", MARK_ID]);
/** EXIF and XMP, in the first byte of VP8X. */
const METADATA_FLAGS = 0x08 | 0x04;
const CHUNK_HEADER_BYTES = 8;

/** Leaves out EXIF, XMP, unknown chunks and what follows the last one. A file that is cut short stays as it is. */
export function strip(bytes: Uint8Array): Uint8Array {
  const pieces: Uint8Array[] = [bytes.slice(0, RIFF_HEADER_BYTES)];
  for (const { id, padded, payload, cut } of chunksOf(bytes.subarray(RIFF_HEADER_BYTES))) {
    if (cut || padded.length < CHUNK_HEADER_BYTES + payload.length + (payload.length & 1)) return bytes;
    if (NEEDED.has(id)) pieces.push(id === "VP8X" ? withoutMetadataFlags(padded) : padded);
  }
  const file = joined(pieces);
  new DataView(file.buffer).setUint32(4, file.length - 8, true);
  return file;
}

function withoutMetadataFlags(chunk: Uint8Array): Uint8Array {
  const changed = chunk.slice();
  changed[CHUNK_HEADER_BYTES]! &= ~METADATA_FLAGS;
  return changed;
}
