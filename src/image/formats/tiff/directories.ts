/** Which picture of a TIFF file is read: the first that is no reduced one, or of a camera's RAW file its largest preview. */
import { readHeader } from "../../../../wasm/jpeg/header.ts";
import { ApiError } from "../../../errors.ts";
import { MAX_READINGS, PARTS } from "../../../limits/parts.ts";
import { type Entry, ENTRY_BYTES, Tiff } from "../../metadata/directories.ts";
import type { Orientation } from "../../pixels/geometry.ts";
import { type Inner, isForeignRaw, largestJpeg, tiffIn } from "./raw.ts";
import { mendedRows, type Overlay } from "./strips.ts";

/** TIFF 6.0, section 8; TIFF/EP (ISO 12234-2); DNG 1.7, chapter 4. */
const TAG = {
  newSubfileType: 254,
  subfileType: 255,
  width: 256,
  height: 257,
  compression: 259,
  photometric: 262,
  stripOffsets: 273,
  orientation: 274,
  stripByteCounts: 279,
  subdirectories: 330,
  jpegOffset: 513,
  jpegLength: 514,
  dngVersion: 50_706,
} as const;

const SHORT = 3;
/** A color filter array, and what is left of one when every pixel has all colors. */
const RAW_SAMPLES: ReadonlySet<number> = new Set([32_803, 34_892]);
/** Compressions in which cameras write them: of Sony, Nikon, Samsung, Kodak, Pentax. */
const RAW_COMPRESSIONS: ReadonlySet<number> = new Set([32_767, 32_770, 34_713, 65_000, 65_535]);
const JPEG_COMPRESSIONS: ReadonlySet<number> = new Set([6, 7]);
/** Bits of NewSubfileType: a reduced picture, and a mask of another one. */
const REDUCED = 1;
const MASK = 4;
/** What the older SubfileType says of a reduced picture. */
const OLD_REDUCED = 2;
/** Directories that are looked at; cameras write up to eight. */
const MAX_DIRECTORIES = 64;

/** Where the picture of a file is. */
export type Place =
  /** In the directory at that place; 0 is the first one. */
  | { readonly kind: "directory"; readonly at: number; readonly mended?: Overlay | undefined }
  /** In a JPEG file inside, which the tag of the first directory says how to turn, or else its own. */
  | { readonly kind: "preview"; readonly file: Uint8Array; readonly orientation: Orientation | undefined };

interface Directory {
  readonly at: number;
  /** The first number of a tag. */
  number(tag: number): number | undefined;
  /** Where the numbers of a tag lie in the file, and how many bytes they have. */
  value(tag: number): { readonly at: number; readonly bytes: number } | undefined;
  /** How many numbers a tag has. */
  count(tag: number): number;
}

/** @throws ApiError 415 for a RAW file that has no preview */
export function placeOf(bytes: Uint8Array): Place {
  if (isForeignRaw(bytes)) return foreignPreview(bytes);
  const tiff = Tiff.of(bytes);
  const directories = tiff ? directoriesOf(tiff) : [];
  if (isRaw(bytes, directories)) return previewOf(bytes, directories);
  const [first] = directories;
  const full = directories.find((directory) => isFull(directory)) ?? first;
  const mended = tiff && full ? mendedRows(full, tiff.little) : undefined;
  return { kind: "directory", at: !full || full === first ? 0 : full.at, mended };
}

function isRaw(bytes: Uint8Array, directories: readonly Directory[]): boolean {
  const isCanon = bytes[8] === 0x43 && bytes[9] === 0x52 && bytes[10] === 2;
  return (
    (isCanon && directories.length > 0) ||
    directories.some(
      (directory) =>
        RAW_SAMPLES.has(directory.number(TAG.photometric) ?? 0) ||
        RAW_COMPRESSIONS.has(directory.number(TAG.compression) ?? 0) ||
        directory.count(TAG.dngVersion) > 0,
    )
  );
}

function isFull(directory: Directory): boolean {
  const kind = directory.number(TAG.newSubfileType) ?? 0;
  const isReduced = (kind & REDUCED) !== 0 || directory.number(TAG.subfileType) === OLD_REDUCED;
  return !isReduced && (kind & MASK) === 0 && (directory.number(TAG.width) ?? 0) > 0;
}

/** The largest JPEG file of 8 bits that a directory points to, or where that is a thumbnail at most, the largest of all. */
function previewOf(bytes: Uint8Array, directories: readonly Directory[]): Place {
  let largest: Inner | undefined;
  // Directories may name the same bytes again and again.
  let left = MAX_READINGS * bytes.length;
  for (const directory of directories) {
    const file = jpegIn(bytes, directory);
    left -= file?.length ?? 0;
    if (left < 0) break;
    const pixels = file ? pixelsOf(file) : 0;
    if (file && pixels > (largest?.pixels ?? 0)) largest = { file, pixels };
  }
  const known = largest?.pixels ?? 0;
  const hidden = known <= THUMBNAIL_PIXELS ? largestJpeg(bytes, pixelsOf) : undefined;
  return turned(hidden && hidden.pixels > known ? hidden : largest, directories);
}

/** Makers of cameras have thumbnails where TIFF has them, and larger previews among notes of their own. */
const THUMBNAIL_PIXELS = 320 * 240;

/** Of a camera's file that is not TIFF: its JPEG files are found by how they begin. */
function foreignPreview(bytes: Uint8Array): Place {
  const tiff = tiffIn(bytes);
  return turned(largestJpeg(bytes, pixelsOf), tiff ? directoriesOf(tiff) : []);
}

/** @throws ApiError 415 where there is no preview */
function turned(preview: Inner | undefined, directories: readonly Directory[]): Place {
  if (!preview) {
    throw new ApiError(415, "The file is a camera's RAW file without a JPEG preview, and RAW is not decoded");
  }
  const turn = directories[0]?.number(TAG.orientation) ?? 0;
  return {
    kind: "preview",
    file: preview.file,
    orientation: turn >= 1 && turn <= 8 ? (turn as Orientation) : undefined,
  };
}

function jpegIn(bytes: Uint8Array, directory: Directory): Uint8Array | undefined {
  const isStrip =
    JPEG_COMPRESSIONS.has(directory.number(TAG.compression) ?? 0) && directory.count(TAG.stripOffsets) === 1;
  const start = directory.number(TAG.jpegOffset) ?? (isStrip ? directory.number(TAG.stripOffsets) : undefined);
  const length = directory.number(TAG.jpegLength) ?? (isStrip ? directory.number(TAG.stripByteCounts) : undefined);
  if (start === undefined || !length || start + length > bytes.length) return undefined;
  return bytes[start] === 0xff && bytes[start + 1] === 0xd8 ? bytes.subarray(start, start + length) : undefined;
}

/** 0 for what is no picture that is shown: the samples of a sensor are often lossless JPEG. */
function pixelsOf(file: Uint8Array, mostSegments: number = PARTS.segments.most): number {
  try {
    const { width, height, lossless, precision } = readHeader(file, mostSegments);
    return lossless || precision !== 8 ? 0 : width * height;
  } catch {
    return 0;
  }
}

/** The directories of a file, one after the other, each before those below it. */
function directoriesOf(tiff: Tiff): readonly Directory[] {
  const found: Directory[] = [];
  const seen = new Set<number>();
  const waiting = [tiff.first];
  for (let at = waiting.shift(); at !== undefined && found.length < MAX_DIRECTORIES; at = waiting.shift()) {
    if (seen.has(at)) continue;
    seen.add(at);
    const entries = tiff.entries(at);
    if (entries.length === 0) continue;
    found.push(directoryOf(tiff, at, entries));
    const below = entries.find(({ tag }) => tag === TAG.subdirectories);
    waiting.unshift(...(below ? numbersOf(tiff, below) : []));
    waiting.push(nextOf(tiff, at));
  }
  return found;
}

function directoryOf(tiff: Tiff, at: number, entries: readonly Entry[]): Directory {
  const entry = (wanted: number) => entries.find(({ tag }) => tag === wanted);
  return {
    at,
    number(tag) {
      const own = entry(tag);
      return own && numbersOf(tiff, own, 1)[0];
    },
    value(tag) {
      const own = entry(tag);
      return own && { at: own.valueAt, bytes: own.value.length };
    },
    count: (tag) => entry(tag)?.count ?? 0,
  };
}

/** Where the next directory lies; 0 where there is none. */
function nextOf({ view, little }: Tiff, at: number): number {
  const end = at + 2 + view.getUint16(at, little) * ENTRY_BYTES;
  return end + 4 <= view.byteLength ? view.getUint32(end, little) : 0;
}

/** The numbers of an entry, `most` at most; none where it has others than whole ones of two or four bytes. */
function numbersOf({ little }: Tiff, { type, count, value }: Entry, most = MAX_DIRECTORIES): number[] {
  const size = type === SHORT ? 2 : type === LONG || type === IFD ? 4 : 0;
  if (size === 0) return [];
  const view = new DataView(value.buffer, value.byteOffset, value.length);
  return Array.from({ length: Math.min(count, most) }, (_, index) =>
    size === 2 ? view.getUint16(index * 2, little) : view.getUint32(index * 4, little),
  );
}

const LONG = 4;
const IFD = 13;
