/** Files of cameras that are not quite TIFF: how they are recognized, and the JPEG files inside. */
import { readHeader } from "../../../../wasm/jpeg/header.ts";
import { PARTS } from "../../../limits/parts.ts";
import { Tiff } from "../../metadata/directories.ts";
import { brandsOf } from "../heif/brands.ts";

/** Olympus (two versions in either order), Panasonic and Leica; Fujifilm; Sigma; Minolta; Canon before 2004. */
const SIGNATURES = ["IIRO", "IIRS", "MMOR", "IIU\0", "FUJIFILMCCD-RAW", "FOVb", "\0MRM", "II\u001A\0\0\0HEAPCCDR"];
/** The brand of Canon's CR3, a file in boxes (ISO/IEC 14496-12). */
const CANON_BRAND = "crx ";

/** Whether a file is of a camera, in a format of its own. */
export function isForeignRaw(head: Uint8Array): boolean {
  const text = String.fromCharCode(...head.subarray(0, 16));
  return SIGNATURES.some((signature) => text.startsWith(signature)) || brandsOf(head)[0] === CANON_BRAND;
}

/** The box in which Canon has the first directory of the EXIF data; its name stands in front of TIFF data. */
const CANON_TIFF = "CMT1";
const FIRST_BYTES = 64 << 10;
const TIFF_BYTES = 64 << 10;

/** The TIFF data of a file whose own structure is another one, or a variant of TIFF; null where there is none. */
export function tiffIn(bytes: Uint8Array): Tiff | null {
  if (brandsOf(bytes.subarray(0, FIRST_BYTES))[0] !== CANON_BRAND) return Tiff.like(bytes);
  const text = new TextDecoder("latin1").decode(bytes.subarray(0, FIRST_BYTES));
  const at = text.indexOf(CANON_TIFF);
  return at < 0 ? null : Tiff.of(bytes.subarray(at + CANON_TIFF.length, at + CANON_TIFF.length + TIFF_BYTES));
}

/** Beginnings of JPEG files that are looked at; samples of a sensor look like one every 16 million bytes. */
const MAX_BEGINNINGS = 64;
/** Segments of each: all of them together have no more than the header of one file may have. */
const SEGMENTS_OF_BEGINNING = PARTS.segments.most / MAX_BEGINNINGS;
/** Bytes of a JPEG file in front of its first scan that are looked at: EXIF data with a thumbnail, and a profile. */
const MAX_HEADER_BYTES = 256 << 10;

/** A JPEG file inside of another file. */
export interface Inner {
  readonly file: Uint8Array;
  readonly pixels: number;
}

/**
 * The largest JPEG file that lies anywhere in the bytes, for structures that are not known here. Takes about a nanosecond
 * a byte.
 * @param pixelsOf the pixels of a file that begins like this, of so many segments at most before its first scan; 0 where it
 *   is none, or none that is shown
 */
export function largestJpeg(
  bytes: Uint8Array,
  pixelsOf: (head: Uint8Array, mostSegments: number) => number,
): Inner | undefined {
  let largest: { readonly from: number; readonly pixels: number } | undefined;
  let left = MAX_BEGINNINGS;
  for (let at = 2; at < bytes.length && left > 0; at++) {
    if (bytes[at] !== 0xff || bytes[at - 1] !== 0xd8 || bytes[at - 2] !== 0xff) continue;
    left--;
    const from = at - 2;
    const pixels = pixelsOf(bytes.subarray(from, from + MAX_HEADER_BYTES), SEGMENTS_OF_BEGINNING);
    if (pixels > (largest?.pixels ?? 0)) largest = { from, pixels };
  }
  return largest && { file: wholeFile(bytes.subarray(largest.from)), pixels: largest.pixels };
}

/** A JPEG file without what follows its end, which is looked for behind the header of its first scan. */
function wholeFile(bytes: Uint8Array): Uint8Array {
  for (let at = bytes.length - readHeader(bytes).codedBytes; at + 1 < bytes.length; at++) {
    if (bytes[at] === 0xff && bytes[at + 1] === 0xd9) return bytes.subarray(0, at + 2);
  }
  return bytes;
}
