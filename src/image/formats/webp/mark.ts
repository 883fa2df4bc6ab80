/**
 * The mark of a WebP file: a chunk of our own behind the others, which readers have to ignore (RFC 9649, section 2.7).
 */
import { joined } from "../../../joined.ts";
import type { Marker } from "../../codec/format.ts";
import { chunksOf, parseWebp, RIFF_HEADER_BYTES } from "./container.ts";
import { isOpaque } from "./decode.ts";
import { vp8x } from "./mux.ts";

/** The name of the chunk. */
export const MARK_ID = "DRKM";

function write(bytes: Uint8Array, score: number): Uint8Array {
  const file = parseWebp(bytes);
  const { width, height } = file;
  const pieces: Uint8Array[] = [bytes.slice(0, RIFF_HEADER_BYTES)];
  const chunks = chunksOf(bytes);
  while (chunks.next()) {
    // Only the extended layout has room for chunks of others.
    const isPlain = pieces.length === 1 && !chunks.is("VP8X");
    if (isPlain) pieces.push(vp8x({ width, height, alpha: !isOpaque(file), animated: false }));
    pieces.push(chunks.whole);
  }
  const chunk = Uint8Array.of(...new TextEncoder().encode(MARK_ID), 1, 0, 0, 0, score, 0);
  const marked = joined([...pieces, chunk]);
  new DataView(marked.buffer).setUint32(4, marked.length - 8, true);
  return marked;
}

function read(bytes: Uint8Array): number | undefined {
  const chunks = chunksOf(bytes);
  while (chunks.next()) if (chunks.is(MARK_ID)) return chunks.payload[0];
  return undefined;
}

export const mark: Marker = { write, read };
