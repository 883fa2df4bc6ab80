/** What the maker notes of Apple's phones say of the light of a picture. */
import { type Entry, Tiff } from "./directories.ts";
import { withoutPrefix } from "./exif.ts";
import { TAG } from "./tags.ts";

/** What the notes begin with; a directory in the order of Motorola follows, and places count from here. */
const HEADER = "Apple iOS\0\0\u0001MM";
const HEADROOM = 33;
const GAIN = 48;
const SIGNED_RATIONAL = 10;

/**
 * By how many times brighter than white a picture gets with its gain map; undefined where no notes say it. The numbers are
 * those of Apple's documentation ("Applying Apple HDR effect to your photos").
 */
export function makerHeadroom(exif: Uint8Array | undefined): number | undefined {
  const notes = exif && notesIn(exif);
  if (!notes) return undefined;
  const [maker33, maker48] = [rationalOf(notes, HEADROOM), rationalOf(notes, GAIN)];
  // Many pictures have one of both.
  return maker33 === undefined && maker48 === undefined ? undefined : 2 ** stopsOf(maker33 ?? 0, maker48 ?? 0);
}

function stopsOf(maker33: number, maker48: number): number {
  const isLow = maker48 <= 0.01;
  if (maker33 < 1) return isLow ? 1.8 - 20 * maker48 : 1.601 - 0.101 * maker48;
  return isLow ? 3 - 70 * maker48 : 2.303 - 0.303 * maker48;
}

interface Notes {
  readonly tiff: Tiff;
  readonly entries: readonly Entry[];
}

function notesIn(exif: Uint8Array): Notes | undefined {
  const tiff = Tiff.of(withoutPrefix(exif));
  const pointer = tiff?.entries(tiff.first).find(({ tag }) => tag === TAG.exifDirectory);
  const field = pointer && tiff?.entries(tiff.pointer(pointer)).find(({ tag }) => tag === TAG.makerNote);
  if (!field || !HEADER.split("").every((letter, at) => field.value[at] === letter.charCodeAt(0))) return undefined;
  // The places in a TIFF file count from its header, which these notes do not have.
  const bytes = field.value.slice();
  bytes.set([0x4d, 0x4d, 0, 42]);
  const notes = Tiff.of(bytes);
  return notes ? { tiff: notes, entries: notes.entries(HEADER.length) } : undefined;
}

function rationalOf({ tiff, entries }: Notes, wanted: number): number | undefined {
  const entry = entries.find(({ tag, type, count }) => tag === wanted && type === SIGNED_RATIONAL && count === 1);
  if (!entry) return undefined;
  const value = tiff.view.getInt32(entry.valueAt) / tiff.view.getInt32(entry.valueAt + 4);
  return Number.isFinite(value) ? value : undefined;
}
