/** The one tag of EXIF that changes the picture. Everything else in it is for others. */
import type { Orientation } from "../pixels/geometry.ts";

const ORIENTATION_TAG = 0x0112;
const ENTRY_BYTES = 12;
const SHORT = 3;
/** What JPEG, and some writers of other formats, put in front. */
const PREFIX = [0x45, 0x78, 0x69, 0x66, 0, 0];

/**
 * The orientation that EXIF data says (a TIFF header and its first directory, with or without `Exif\0\0` in front:
 * EXIF 3.0, 4.6); 1 when it says none or is damaged.
 */
export function exifOrientation(exif: Uint8Array | undefined): Orientation {
  if (!exif) return 1;
  const tiff = PREFIX.every((byte, at) => exif[at] === byte) ? exif.subarray(PREFIX.length) : exif;
  if (tiff.length < 14) return 1;
  const view = new DataView(tiff.buffer, tiff.byteOffset, tiff.length);
  const order = view.getUint16(0);
  if (order !== 0x4949 && order !== 0x4d4d) return 1;
  const little = order === 0x4949;
  const directory = view.getUint32(4, little);
  if (directory + 2 > tiff.length) return 1;
  const entries = view.getUint16(directory, little);
  for (let entry = 0; entry < entries; entry++) {
    const at = directory + 2 + entry * ENTRY_BYTES;
    if (at + ENTRY_BYTES > tiff.length) return 1;
    if (view.getUint16(at, little) !== ORIENTATION_TAG) continue;
    const value = view.getUint16(at + 2, little) === SHORT ? view.getUint16(at + 8, little) : 0;
    return value >= 1 && value <= 8 ? (value as Orientation) : 1;
  }
  return 1;
}

/** EXIF data that says how the picture lies and nothing else, with `Exif\0\0` in front. */
export function exifOf(orientation: Orientation): Uint8Array {
  const header = [0x4d, 0x4d, 0, 42, 0, 0, 0, 8];
  const entry = [ORIENTATION_TAG >> 8, ORIENTATION_TAG & 255, 0, SHORT, 0, 0, 0, 1, 0, orientation, 0, 0];
  return Uint8Array.from([...PREFIX, ...header, 0, 1, ...entry, 0, 0, 0, 0]);
}
