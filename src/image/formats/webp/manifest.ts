/** Manifest stores in WebP files: the chunk C2PA (C2PA 2.2, A.3.5). */
import type { FoundStore, ManifestCarrier } from "../../provenance/carrier.ts";
import { MAX_STORE_BYTES } from "../../provenance/limits.ts";
import { chunksOf, RIFF_HEADER_BYTES } from "./container.ts";
import { chunkOf, extended } from "./extended.ts";

function find(bytes: Uint8Array): FoundStore | undefined {
  const chunks = chunksOf(bytes);
  while (chunks.next()) {
    if (!chunks.is("C2PA")) continue;
    const { payload, isShort, at, end } = chunks;
    const start = RIFF_HEADER_BYTES + at;
    const isRead = !isShort && payload.length <= MAX_STORE_BYTES;
    const length = Math.min(RIFF_HEADER_BYTES + end, bytes.length) - start;
    return { store: isRead ? payload : null, ranges: [{ start, length }] };
  }
  return undefined;
}

function write(bytes: Uint8Array, store: Uint8Array): Uint8Array {
  return extended(bytes, 0, { behind: [chunkOf("C2PA", store)] });
}

export const manifest: ManifestCarrier = { find, write };
