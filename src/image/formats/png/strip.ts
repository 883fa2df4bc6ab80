/** A PNG file without what its picture does not need, everything else byte for byte. */
import { ofPieces, type Stripped } from "../../containers/stripped.ts";
import { Chunks, SIGNATURE, TYPE } from "./chunks.ts";
import { isColor } from "./recompress.ts";

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
export function strip(bytes: Uint8Array): Stripped | null {
  return ofPieces(bytes, (keep) => {
    keep(bytes.subarray(0, SIGNATURE.length));
    const chunks = new Chunks(bytes);
    while (chunks.next()) {
      const { type } = chunks;
      if (chunks.isCut) return false;
      if (PIXEL_CHUNKS.has(type) || isColor(chunks)) keep(chunks.whole);
      if (type === TYPE.IEND) break;
    }
    return true;
  });
}
