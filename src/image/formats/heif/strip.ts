/** A HEIF file without what its picture does not need: EXIF, XMP, thumbnails, other pictures, maps of depth and gain. */
import { ApiError } from "../../../errors.ts";
import { joined } from "../../../joined.ts";
import { copied, type Stripped } from "../../stripped.ts";
import { blanked, type Description, refilled } from "./blank.ts";
import { box } from "./boxes.ts";
import { brandsOf } from "./brands.ts";
import type { Item, Items } from "./item.ts";
import { readItems, topLevel } from "./items.ts";
import { isAlpha } from "./properties.ts";
import { itemPieces, type WrittenItem, type WrittenReference } from "./write.ts";

/** Brands of what is left out. */
const LEFT_OUT = new Set(["tmap", "avis", "msf1", "hevc", "hevx"]);
/** What a reader has to understand (ISO/IEC 23008-12, 6.5; AV1 in HEIF, 2.3). */
const ESSENTIAL = new Set(["hvcC", "av1C", "clap", "irot", "imir", "lsel", "a1op"]);

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
    const kept = neededBy(items, items.primary);
    const numbers = new Map([...kept].map((item, index) => [item.id, index + 1]));
    const all: WrittenItem[] = [...kept].map((item) => ({
      type: item.type,
      hidden: item !== items.primary && !isAlpha(item.properties),
      data: items.data(item),
      properties: item.properties.map(({ type, payload }) => ({
        box: box(type, payload),
        essential: ESSENTIAL.has(type),
      })),
    }));
    const references: WrittenReference[] = items.references.flatMap(({ type, from, to }) => {
      const number = numbers.get(from);
      const others = to.map((id) => numbers.get(id)).filter((other) => other !== undefined);
      return number === undefined || others.length < to.length ? [] : [{ type, from: number, to: others }];
    });
    for (const description of descriptions) {
      const from = all.push({ ...description, hidden: true, properties: [] });
      references.push({ type: "cdsc", from, to: [1] });
    }
    const left = brands.filter((brand) => !LEFT_OUT.has(brand) && brand !== major);
    return itemPieces([major, ...left], all, references, 1);
  } catch (error) {
    if (error instanceof ApiError || error instanceof RangeError) return null;
    throw error;
  }
}

/** The item, those that it is derived from, and the alpha of all of them. */
function neededBy(items: Items, primary: Item): Set<Item> {
  const sources = new Map<number, number[]>();
  const auxiliaries = new Map<number, number[]>();
  const note = (lists: Map<number, number[]>, of: number, ids: readonly number[]) => {
    const list = lists.get(of) ?? [];
    lists.set(of, list);
    for (const id of ids) list.push(id);
  };
  for (const { type, from, to } of items.references) {
    if (type === "dimg") note(sources, from, to);
    if (type === "auxl") for (const master of to) note(auxiliaries, master, [from]);
  }
  const needed = new Set([primary]);
  for (const { id } of needed) {
    for (const source of sources.get(id) ?? []) needed.add(items.item(source));
    for (const from of auxiliaries.get(id) ?? []) {
      const auxiliary = items.item(from);
      if (isAlpha(auxiliary.properties)) needed.add(auxiliary);
    }
  }
  return needed;
}
