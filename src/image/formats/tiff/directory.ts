/** How many entries the directories of a TIFF file say they have (TIFF 6.0, section 2; BigTIFF). */
import { PARTS } from "../../../limits/parts.ts";
import { tooManyParts } from "../../containers/walk.ts";

const LITTLE = 0x49;
const BIG_VERSION = 43;
/** Of BigTIFF, whose header and number of entries are longer than those of TIFF. */
const LONGEST_HEADER_BYTES = 16;
const LONGEST_COUNT_BYTES = 8;

/**
 * libtiff compares every entry that it does not know with all the others: 4,096 of them, which it allows, take 200 ms.
 * @param other the place of another directory that is read after the first; 0 where none is
 * @throws ApiError 422 when one of them has more entries than any file has
 */
export function checkEntries(bytes: Uint8Array, other: number): void {
  if (bytes.length < LONGEST_HEADER_BYTES) return;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const little = bytes[0] === LITTLE;
  const isBig = view.getUint16(2, little) === BIG_VERSION;
  const first = isBig ? Number(view.getBigUint64(8, little)) : view.getUint32(4, little);
  for (const at of [first, other]) {
    if (at + LONGEST_COUNT_BYTES > bytes.length) continue;
    const count = isBig ? Number(view.getBigUint64(at, little)) : view.getUint16(at, little);
    if (at > 0 && count > PARTS.entries.most) throw tooManyParts(PARTS.entries);
  }
}
