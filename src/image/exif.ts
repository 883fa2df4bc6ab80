/** The one thing that the engine needs of EXIF: how the picture lies. */
import type { Orientation } from "./geometry.ts";

const ORIENTATION_TAG = 0x0112;
const SHORT = 3;
/** A directory holds at most this many entries in files seen in practice; more is damage. */
const MAX_ENTRIES = 1_000;

/**
 * The orientation that an EXIF block says (EXIF 2.32, section 4.6.4: tag 0x0112 of IFD 0); 1 when it says none or is
 * damaged.
 * @param exif a TIFF structure, with or without the `Exif\0\0` that JPEG and some other writers put in front
 */
export function exifOrientation(exif: Uint8Array): Orientation {
  const start = exif[0] === 0x45 && exif[1] === 0x78 ? 6 : 0;
  const view = new DataView(exif.buffer, exif.byteOffset + start, Math.max(0, exif.length - start));
  if (view.byteLength < 14) return 1;
  const order = view.getUint16(0);
  const little = order === 0x4949;
  if (!little && order !== 0x4d4d) return 1;
  const directory = view.getUint32(4, little);
  if (directory + 2 > view.byteLength) return 1;
  const entries = Math.min(view.getUint16(directory, little), MAX_ENTRIES);
  for (let entry = directory + 2; entry < directory + 2 + 12 * entries && entry + 12 <= view.byteLength; entry += 12) {
    if (view.getUint16(entry, little) !== ORIENTATION_TAG || view.getUint16(entry + 2, little) !== SHORT) continue;
    const value = view.getUint16(entry + 8, little);
    return value >= 1 && value <= 8 ? (value as Orientation) : 1;
  }
  return 1;
}
