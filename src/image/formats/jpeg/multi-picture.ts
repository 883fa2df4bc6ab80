/** Files of several JPEG pictures, one after the other, and the index in the first of them (CIPA DC-007). */
import { segmentNamed } from "./segments.ts";

const APP2 = 0xe2;
const NAME = "MPF\0";
const NAME_BYTES = 4;
/** A marker and the length of its segment. */
const HEADER_BYTES = 4;
const LITTLE = 0x4949;
const FIRST_DIRECTORY_AT = 4;
const FIELD_BYTES = 12;
const PICTURE_BYTES = 16;
const TAG = { version: 0xb000, count: 0xb001, pictures: 0xb002 };
const TYPE = { long: 4, bytes: 7 };
/** Cameras write two to four. */
const MAX_PICTURES = 8;

/** The pictures of a file but for the first, as far as its index and the file agree. */
export function otherPictures(bytes: Uint8Array): readonly Uint8Array[] {
  const segment = segmentNamed(bytes, APP2, NAME);
  if (!segment) return [];
  const from = segment.start + NAME_BYTES;
  const index = bytes.subarray(from, segment.end);
  return placesIn(index).flatMap(({ offset, length }) => {
    const picture = bytes.subarray(from + offset, from + offset + length);
    return from + offset > segment.end && picture.length === length && isPicture(picture) ? [picture] : [];
  });
}

/** The first picture of a file, with nothing of those that its index knows behind it. */
export function firstPicture(bytes: Uint8Array): Uint8Array {
  const starts = otherPictures(bytes).map(({ byteOffset }) => byteOffset - bytes.byteOffset);
  return starts.length === 0 ? bytes : bytes.subarray(0, Math.min(...starts));
}

export function isPicture(bytes: Uint8Array): boolean {
  return bytes[0] === 0xff && bytes[1] === 0xd8 && bytes[2] === 0xff;
}

/** Where an index says that pictures but for the first are, from its own beginning; empty where it is damaged. */
function placesIn(index: Uint8Array): readonly { readonly offset: number; readonly length: number }[] {
  const view = new DataView(index.buffer, index.byteOffset, index.byteLength);
  try {
    const little = view.getUint16(0) === LITTLE;
    const directory = view.getUint32(FIRST_DIRECTORY_AT, little);
    const fields = view.getUint16(directory, little);
    for (let field = 0; field < fields; field++) {
      const at = directory + 2 + field * FIELD_BYTES;
      if (view.getUint16(at, little) !== TAG.pictures) continue;
      const count = Math.min(MAX_PICTURES, view.getUint32(at + 4, little) / PICTURE_BYTES);
      const first = view.getUint32(at + 8, little);
      return Array.from({ length: Math.max(0, Math.floor(count) - 1) }, (_, other) => {
        const place = first + (other + 1) * PICTURE_BYTES;
        return { length: view.getUint32(place + 4, little), offset: view.getUint32(place + 8, little) };
      });
    }
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
  }
  return [];
}

/** Bytes of the segment that `indexSegment` makes. */
export const INDEX_SEGMENT_BYTES = HEADER_BYTES + NAME_BYTES + 82;

/**
 * The index of a file of two pictures.
 * @param at where the segment will be
 * @param first bytes of the first picture, with this segment in it
 * @param second bytes of the other one, which follows it
 */
export function indexSegment(at: number, first: number, second: number): Uint8Array {
  const segment = new Uint8Array(INDEX_SEGMENT_BYTES);
  segment.set([0xff, APP2, 0, INDEX_SEGMENT_BYTES - 2]);
  segment.set(new TextEncoder().encode(NAME), HEADER_BYTES);
  const from = HEADER_BYTES + NAME_BYTES;
  const view = new DataView(segment.buffer, from);
  const field = (number: number, tag: number, type: number, count: number, value: number) => {
    const place = 10 + number * FIELD_BYTES;
    view.setUint16(place, tag);
    view.setUint16(place + 2, type);
    view.setUint32(place + 4, count);
    view.setUint32(place + 8, value);
  };
  // "MM", 42, and the directory behind it.
  view.setUint32(0, 0x4d4d_002a);
  view.setUint32(FIRST_DIRECTORY_AT, 8);
  view.setUint16(8, 3);
  field(0, TAG.version, TYPE.bytes, 4, 0x3031_3030);
  field(1, TAG.count, TYPE.long, 1, 2);
  const pictures = 10 + 3 * FIELD_BYTES + 4;
  field(2, TAG.pictures, TYPE.bytes, 2 * PICTURE_BYTES, pictures);
  // A JPEG file that stands for the whole, and one of no kind that the index has a number for.
  view.setUint32(pictures, 0x0003_0000);
  view.setUint32(pictures + 4, first);
  view.setUint32(pictures + PICTURE_BYTES + 4, second);
  view.setUint32(pictures + PICTURE_BYTES + 8, first - at - from);
  return segment;
}
