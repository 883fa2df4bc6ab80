/** A WebP file without what its picture does not need, everything else byte for byte (RFC 9649, section 2). */
import { ofPieces, type Stripped } from "../../containers/stripped.ts";
import { chunksOf, RIFF_HEADER_BYTES } from "./container.ts";
import { MARK_ID } from "./mark.ts";

const NEEDED: ReadonlySet<string> = new Set(["VP8X", "ICCP", "ANIM", "ANMF", "ALPH", "VP8 ", "VP8L", MARK_ID]);
/** EXIF and XMP, in the first byte of VP8X. */
const METADATA_FLAGS = 0x08 | 0x04;
const CHUNK_HEADER_BYTES = 8;

/** Leaves out EXIF, XMP, unknown chunks and what follows the last one. Null for a file whose picture is cut short. */
export function strip(bytes: Uint8Array): Stripped | null {
  let length = RIFF_HEADER_BYTES;
  walkChunks(bytes, (chunk) => (length += chunk.length));
  const header = headerFor(bytes, length);
  return ofPieces(bytes, (keep) => {
    keep(header);
    return walkChunks(bytes, keep);
  });
}

/** The chunks that are needed. Returns false when one of them is cut short: nothing follows it. */
function walkChunks(bytes: Uint8Array, keep: (chunk: Uint8Array) => void): boolean {
  const chunks = chunksOf(bytes);
  while (chunks.next()) {
    if (chunks.isCut) return !NEEDED.has(chunks.id);
    if (NEEDED.has(chunks.id)) keep(chunks.is("VP8X") ? withoutMetadataFlags(chunks.whole) : chunks.whole);
  }
  return true;
}

/** The header of the file, for one of so many bytes. */
function headerFor(bytes: Uint8Array, length: number): Uint8Array {
  const header = bytes.subarray(0, RIFF_HEADER_BYTES);
  const size = (of: Uint8Array) => new DataView(of.buffer, of.byteOffset);
  if (size(header).getUint32(4, true) === length - 8) return header;
  const changed = header.slice();
  size(changed).setUint32(4, length - 8, true);
  return changed;
}

function withoutMetadataFlags(chunk: Uint8Array): Uint8Array {
  if ((chunk[CHUNK_HEADER_BYTES]! & METADATA_FLAGS) === 0) return chunk;
  const changed = chunk.slice();
  changed[CHUNK_HEADER_BYTES]! &= ~METADATA_FLAGS;
  return changed;
}
