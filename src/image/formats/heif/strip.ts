/** A HEIF file without what its picture does not need: EXIF, XMP, thumbnails, other pictures, maps of depth and gain. */
import { ApiError } from "../../../errors.ts";
import { joined } from "../../../joined.ts";
import { copied, type Stripped } from "../../containers/stripped.ts";
import { blanked, type Description, refilled } from "./blank.ts";
import { brandsOf } from "./brands.ts";
import { copiedItems, neededBy } from "./copy.ts";
import { readItems, topLevel } from "./items.ts";
import { itemPieces } from "./write.ts";

/** Brands of what is left out. */
const LEFT_OUT = new Set(["tmap", "avis", "msf1", "hevc", "hevx"]);

/**
 * The primary item, what it is made of and its alpha, byte for byte, in a new file. In a file that moves or is beyond what
 * this writes, metadata becomes blank where it is; a damaged one stays as it is.
 */
export function strip(bytes: Uint8Array): Stripped {
  const pieces = written(bytes, []);
  if (!pieces) return copied(bytes.length, () => blanked(bytes));
  // What an item has in several places is copied to be written: that does not stay before it is.
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  return copied(length, () => joined(written(bytes, []) ?? [bytes]));
}

/** A file that was stripped, with items that describe the picture, as far as there is room for them. */
export function withDescriptions(bytes: Uint8Array, descriptions: readonly Description[]): Uint8Array {
  const pieces = written(bytes, descriptions);
  return pieces ? joined(pieces) : refilled(bytes, descriptions);
}

/** The pieces of a new file; null where none can be written. */
function written(bytes: Uint8Array, descriptions: readonly Description[]): readonly Uint8Array[] | null {
  try {
    const [major, ...brands] = brandsOf(bytes);
    if (!major || topLevel(bytes, "moov")) return null;
    const items = readItems(bytes);
    const { items: all, references } = copiedItems(items, neededBy(items, items.primary));
    for (const description of descriptions) {
      const from = all.push({ ...description, hidden: true, properties: [] });
      references.push({ type: "cdsc", from, to: [1] });
    }
    const left = brands.filter((brand) => !LEFT_OUT.has(brand) && brand !== major);
    return itemPieces([major, ...left], { items: all, references, primary: 1 });
  } catch (error) {
    if (error instanceof ApiError || error instanceof RangeError) return null;
    throw error;
  }
}
