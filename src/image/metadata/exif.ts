/** What is kept of EXIF data. */
import type { Orientation } from "../pixels/geometry.ts";
import { type Directory, type Entry, ENTRY_BYTES, type Field, swapped, Tiff, writeDirectories } from "./directories.ts";
import type { MetadataOption } from "./metadata-option.ts";
import { COPYRIGHT, EXIF_FIELDS, FIRST_DIRECTORY, NO_FIELDS, OUTDATED, SERIAL_NUMBERS, TAG } from "./tags.ts";

/** What a marker segment of JPEG holds beside its length and `Exif\0\0`. */
const MAX_EXIF_BYTES = 0xffff - 2 - 6;
/** What JPEG, and some writers of other formats, put in front. */
const PREFIX = [0x45, 0x78, 0x69, 0x66, 0, 0];

const SHORT = 3;

type Kept = Exclude<MetadataOption, "none">;

/** TIFF data without what JPEG puts in front of it. */
export function withoutPrefix(exif: Uint8Array): Uint8Array {
  return PREFIX.every((byte, at) => exif[at] === byte) ? exif.subarray(PREFIX.length) : exif;
}

/** What is kept of EXIF data; undefined where that is nothing. */
export function keptExif(exif: Uint8Array, option: Kept): Uint8Array | undefined {
  const tiff = Tiff.of(withoutPrefix(exif));
  if (!tiff) return undefined;
  if (option !== "all" || tiff.bytes.length > MAX_EXIF_BYTES || hasRawThumbnail(tiff)) return written(tiff, option);
  const kept = inPlace(tiff);
  return kept && holdsPicture(kept) ? written(tiff, option) : kept;
}

/** What is kept of the first directory of a TIFF file, maker notes excepted: their offsets would be wrong. */
export function exifOfFile(file: Uint8Array, option: Kept): Uint8Array | undefined {
  const tiff = Tiff.like(file);
  return tiff ? written(tiff, option) : undefined;
}

function written(tiff: Tiff, option: Kept): Uint8Array | undefined {
  const entries = tiff.entries(tiff.first);
  const below = new Map<number, Directory>();
  const add = (tag: number, keeps: (entry: Entry) => boolean) => {
    const pointer = entries.find((entry) => entry.tag === tag);
    const at = pointer ? tiff.pointer(pointer) : 0;
    if (at !== 0) below.set(tag, { fields: unique(tiff.entries(at).filter(keeps)), below: new Map() });
  };
  if (option !== "copyright") add(TAG.exifDirectory, ({ tag }) => isExifField(tag, option));
  if (option === "all") add(TAG.gpsDirectory, () => true);
  const allowed = option === "copyright" ? COPYRIGHT : FIRST_DIRECTORY;
  const fields = unique(entries.filter(({ tag }) => allowed.has(tag)));
  return writeDirectories({ fields, below }, tiff.little, MAX_EXIF_BYTES) ?? undefined;
}

/**
 * EXIF data as fields of the first directory of a TIFF file, in the file's order of bytes, without maker notes: what they
 * point to would be elsewhere.
 */
export function exifForFile(exif: Uint8Array, little: boolean): Directory {
  const tiff = Tiff.of(withoutPrefix(exif));
  if (!tiff) return { fields: [], below: new Map() };
  const entries = tiff.entries(tiff.first);
  const fieldsOf = (found: readonly Entry[]) =>
    unique(found).map((field) => (tiff.little === little ? field : swapped(field)));
  const below = new Map<number, Directory>();
  for (const pointer of entries) {
    if (pointer.tag !== TAG.exifDirectory && pointer.tag !== TAG.gpsDirectory) continue;
    const inner = tiff.entries(tiff.pointer(pointer));
    const kept = pointer.tag === TAG.gpsDirectory ? inner : inner.filter(({ tag }) => isExifField(tag, "all"));
    below.set(pointer.tag, { fields: fieldsOf(kept), below: new Map() });
  }
  return { fields: fieldsOf(entries.filter(({ tag }) => FIRST_DIRECTORY.has(tag))), below };
}

function isExifField(tag: number, option: Kept): boolean {
  if (tag < EXIF_FIELDS.first || tag > EXIF_FIELDS.last) return false;
  if (NO_FIELDS.has(tag) || OUTDATED.has(tag)) return false;
  return option === "all" || !SERIAL_NUMBERS.has(tag);
}

/** The first of each tag: a directory must not have two. */
function unique(entries: readonly Entry[]): Field[] {
  return [...new Map(entries.toReversed().map((entry) => [entry.tag, entry])).values()];
}

/**
 * The same data, every value where it was, since maker notes refer to each other by places that nobody else knows. What
 * is outdated is taken out of its directory, and so is the one with the thumbnail.
 */
function inPlace(original: Tiff): Uint8Array | undefined {
  const tiff = Tiff.of(original.bytes.slice());
  if (!tiff || tiff.entries(tiff.first).length === 0) return undefined;
  const pointer = tiff.entries(tiff.first).find(({ tag }) => tag === TAG.exifDirectory);
  const end = withoutThumbnail(tiff);
  removeOutdated(tiff, tiff.first);
  if (pointer) removeOutdated(tiff, tiff.pointer(pointer));
  return tiff.bytes.subarray(0, end);
}

/**
 * Whether data may hold a picture: the beginning of a JPEG file, as maker notes have previews. It would show what the
 * original did, whatever was done with the picture since.
 */
function holdsPicture(data: Uint8Array): boolean {
  for (let at = data.indexOf(0xff); at >= 0 && at + 2 < data.length; at = data.indexOf(0xff, at + 1)) {
    if (data[at + 1] === 0xd8 && data[at + 2] === 0xff) return true;
  }
  return false;
}

/** Whether the directory behind the first has a thumbnail that is no JPEG file, in strips that lie anywhere. */
function hasRawThumbnail(tiff: Tiff): boolean {
  const next = endOfFirst(tiff);
  if (next + 4 > tiff.bytes.length) return false;
  return tiff.entries(tiff.view.getUint32(next, tiff.little)).some(({ tag }) => tag === TAG.stripOffsets);
}

/** Where the first directory says where the next one is. */
function endOfFirst({ bytes, view, little, first }: Tiff): number {
  return first + 2 > bytes.length ? bytes.length : first + 2 + view.getUint16(first, little) * ENTRY_BYTES;
}

/** Forgets all directories behind the first. @returns where the data ends without the thumbnail */
function withoutThumbnail(tiff: Tiff): number {
  const { bytes, view, little } = tiff;
  const next = endOfFirst(tiff);
  if (next + 4 > bytes.length) return bytes.length;
  const entries = tiff.entries(view.getUint32(next, little));
  view.setUint32(next, 0, little);
  const number = (tag: number) => {
    const entry = entries.find((one) => one.tag === tag);
    return entry ? tiff.pointer(entry) : 0;
  };
  const [at, length] = [number(TAG.thumbnailOffset), number(TAG.thumbnailLength)];
  if (at < next + 4 || length === 0 || at + length > bytes.length) return bytes.length;
  bytes.fill(0, at, at + length);
  return at + length >= bytes.length - 1 ? at : bytes.length;
}

function removeOutdated({ bytes, view, little }: Tiff, directory: number): void {
  if (directory < 8 || directory + 2 > bytes.length) return;
  let count = view.getUint16(directory, little);
  const tableEnd = directory + 2 + count * ENTRY_BYTES;
  if (tableEnd + 4 > bytes.length) return;
  for (let index = count - 1; index >= 0; index--) {
    const at = directory + 2 + index * ENTRY_BYTES;
    if (!OUTDATED.has(view.getUint16(at, little))) continue;
    // The number of the next directory moves up with the entries behind.
    bytes.copyWithin(at, at + ENTRY_BYTES, directory + 2 + count * ENTRY_BYTES + 4);
    count--;
  }
  view.setUint16(directory, count, little);
}

/** EXIF data with an orientation tag: its first directory, which has none, is written again behind all else. */
export function exifWithOrientation(exif: Uint8Array, orientation: Orientation): Uint8Array {
  const tiff = Tiff.of(exif);
  if (!tiff) return exif;
  const { little, first } = tiff;
  const count = tiff.view.getUint16(first, little);
  const at = exif.length + (exif.length & 1);
  const bytes = new Uint8Array(at + 2 + (count + 1) * ENTRY_BYTES + 4);
  bytes.set(exif);
  const view = new DataView(bytes.buffer);
  view.setUint32(4, at, little);
  view.setUint16(at, count + 1, little);
  const tags = Array.from({ length: count }, (_, index) => view.getUint16(first + 2 + index * ENTRY_BYTES, little));
  const before = tags.filter((tag) => tag < TAG.orientation).length;
  const place = at + 2 + before * ENTRY_BYTES;
  bytes.copyWithin(at + 2, first + 2, first + 2 + before * ENTRY_BYTES);
  bytes.copyWithin(place + ENTRY_BYTES, first + 2 + before * ENTRY_BYTES, first + 2 + count * ENTRY_BYTES);
  view.setUint16(place, TAG.orientation, little);
  view.setUint16(place + 2, SHORT, little);
  view.setUint32(place + 4, 1, little);
  view.setUint16(place + 8, orientation, little);
  return bytes;
}
