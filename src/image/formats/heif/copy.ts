/** Items of a HEIF file as they are written into another, byte for byte. */
import { box } from "./boxes.ts";
import { type Box, unsupported } from "./bytes.ts";
import type { Item, Items } from "./item.ts";
import { isAlpha } from "./properties.ts";
import type { WrittenItem, WrittenProperty, WrittenReference } from "./write.ts";

/** What a reader has to understand (ISO/IEC 23008-12, 6.5; AV1 in HEIF, 2.3). */
const ESSENTIAL = new Set(["hvcC", "av1C", "clap", "irot", "imir", "lsel", "a1op"]);

/** Items of a file that is written; pictures of 100 megapixels in the tiles of phones are 400. */
const MAX_COPIES = 2_048;

/**
 * Items and what they say of each other, numbered in their order.
 * @param kept the one that is shown first
 * @throws ApiError 422 when they are too many, or share more bytes than the file warrants
 * @param propertiesOf what describes an item; absent: what does in the file
 */
export function copiedItems(
  items: Items,
  kept: ReadonlySet<Item>,
  propertiesOf: (item: Item) => readonly Box[] = ({ properties }) => properties,
): { readonly items: WrittenItem[]; readonly references: WrittenReference[] } {
  if (kept.size > MAX_COPIES) throw unsupported("it is made of too many items to be written anew");
  const [shown] = kept;
  const numbers = new Map([...kept].map((item, index) => [item.id, index + 1]));
  // Items may share bytes, and each is written with all of its own.
  for (const item of kept) items.countReading(items.length(item));
  const boxes = new Map<Box, WrittenProperty>();
  const copies = [...kept].map((item) => ({
    type: item.type,
    hidden: item !== shown && !isAlpha(item.properties),
    data: items.data(item),
    properties: propertiesOf(item).map((property) => {
      // Items share what describes them, and it may be as long as the file.
      const { type, payload } = property;
      const written = boxes.get(property) ?? { box: box(type, payload), essential: ESSENTIAL.has(type) };
      boxes.set(property, written);
      return written;
    }),
  }));
  const said = new Set<string>();
  const references = items.references.flatMap(({ type, from, to }) => {
    const number = numbers.get(from);
    if (number === undefined || to.some((id) => !numbers.has(id)) || said.has(`${type}${from}`)) return [];
    // There is one of a type for an item; of others the first counts.
    said.add(`${type}${from}`);
    return [{ type, from: number, to: to.map((id) => numbers.get(id) ?? 0) }];
  });
  return { items: copies, references };
}

/** The item, those that it is derived from, and the alpha of all of them. */
export function neededBy(items: Items, primary: Item): Set<Item> {
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
