/** A PNG file without what its picture does not need, everything else byte for byte. */
import { ofPieces, type Stripped } from "../../stripped.ts";
import { chunkAt, SIGNATURE, TYPE } from "./chunks.ts";
import { COLOR_CHUNKS } from "./recompress.ts";

const PIXEL_CHUNKS: ReadonlySet<number> = new Set([
  TYPE.IHDR,
  TYPE.PLTE,
  TYPE.tRNS,
  TYPE.IDAT,
  TYPE.IEND,
  TYPE.acTL,
  TYPE.fcTL,
  TYPE.fdAT,
  TYPE.drKM,
]);

/** Leaves out texts, EXIF and all other chunks without pixels or colors, and what follows the last one. */
export function strip(bytes: Uint8Array): Stripped {
  return ofPieces(bytes, (keep) => {
    keep(bytes.subarray(0, SIGNATURE.length));
    let offset: number = SIGNATURE.length;
    for (let chunk = chunkAt(bytes, offset); chunk; chunk = chunkAt(bytes, offset)) {
      if (chunk.end > bytes.length) return false;
      if (PIXEL_CHUNKS.has(chunk.type) || COLOR_CHUNKS.has(chunk.type)) keep(bytes.subarray(offset, chunk.end));
      if (chunk.type === TYPE.IEND) break;
      offset = chunk.end;
    }
    return true;
  });
}
