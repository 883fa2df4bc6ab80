/**
 * The mark of a WebP file: a chunk of our own behind the others, which readers have to ignore (RFC 9649, section 2.7).
 */
import { joined } from "../../../joined.ts";
import type { Marker } from "../../format.ts";
import { chunksOf, parseWebp, RIFF_HEADER_BYTES } from "./container.ts";
import { isOpaque } from "./decode.ts";
import { vp8x } from "./mux.ts";

/** The name of the chunk. */
export const MARK_ID = "DRKM";

function write(bytes: Uint8Array, score: number): Uint8Array {
  const file = parseWebp(bytes);
  const { width, height } = file;
  const extended = chunksOf(bytes.subarray(RIFF_HEADER_BYTES)).next().value?.id === "VP8X";
  // Only the extended layout has room for chunks of others.
  const head = extended ? [] : [vp8x({ width, height, alpha: !isOpaque(file), animated: false })];
  const chunk = Uint8Array.of(...new TextEncoder().encode(MARK_ID), 1, 0, 0, 0, score, 0);
  const marked = joined([
    bytes.slice(0, RIFF_HEADER_BYTES),
    ...head,
    ...Array.from(chunksOf(bytes.subarray(RIFF_HEADER_BYTES)), ({ padded }) => padded),
    chunk,
  ]);
  new DataView(marked.buffer).setUint32(4, marked.length - 8, true);
  return marked;
}

function read(bytes: Uint8Array): number | undefined {
  for (const { id, payload } of chunksOf(bytes.subarray(RIFF_HEADER_BYTES))) if (id === MARK_ID) return payload[0];
  return undefined;
}

export const mark: Marker = { write, read };
