/**
 * Metadata of HEIF files taken out, and put back, in place. Offsets in a `moov` box count from the start of the file, so
 * nothing moves: bytes become zeros, and what described them takes a name that readers pass over.
 */
import { ApiError } from "../../../errors.ts";
import { PARTS } from "../../../limits/parts.ts";
import type { Parts } from "../../containers/walk.ts";
import { type Box, Boxes, damaged, fullBox } from "./bytes.ts";
import { type Location, Locations } from "./items.ts";
import { merged, meets, type Range } from "./ranges.ts";
import type { WrittenItem } from "./write.ts";

/** What items of metadata are called once they are blank: both are names of unused space (ISO/IEC 14496-12, 8.1.2). */
const BLANK_NAMES: ReadonlyMap<string, string> = new Map([
  ["Exif", "free"],
  ["mime", "skip"],
  ["uri ", "free"],
]);
/** Boxes that say nothing of how pictures look, where a file, its tracks and its list of items may have them. */
const IDLE = new Set(["free", "skip", "uuid", "udta", "xml ", "bxml"]);
/** Boxes at the top of a file that hold data for others. */
const DATA = new Set(["mdat", ...IDLE]);
/** Lists of items that are read: a file has its own and one for each track, of which few have more than two. */
const MAX_LISTS = 8;
/** Boxes of a film, each in the one before, on the way to where its frames lie. */
const BELOW: ReadonlyMap<string, string> = new Map([
  ["moov", "trak"],
  ["trak", "mdia"],
  ["mdia", "minf"],
  ["minf", "stbl"],
]);

interface PlacedBox extends Box {
  /** From the start of the header to the end. */
  readonly at: Range;
  /** Where the payload begins. */
  readonly start: number;
}

/** An item that describes the picture. */
export type Description = Pick<WrittenItem, "type" | "contentType" | "data">;

/** An entry in a list of items. */
interface Entry {
  readonly type: string;
  readonly typeAt: number;
  /** Empty where the item is not of the type `mime`, or was not before it became blank. */
  readonly contentType: string;
  /** Where its bytes lie; none where that is not in this file, or not said. */
  readonly ranges: readonly Range[];
}

/** What is to be done with a file. */
interface Marks {
  /** What becomes blank in any case. */
  readonly idle: Range[];
  /** What becomes blank unless some of it is kept. */
  readonly told: Range[];
  /** What is needed, whatever else is said of it. */
  readonly kept: Range[];
  /** What is to be written where a type stands. */
  readonly names: Map<number, string>;
  lists: number;
}

/** The file with its metadata overwritten by zeros; as it is where there is none, or it is damaged. */
export function blanked(bytes: Uint8Array): Uint8Array {
  return orAsItIs(bytes, () => {
    const marks: Marks = { idle: [], told: [], kept: [], names: new Map(), lists: 0 };
    const boxes = new PlacedBoxes(bytes, bytes, { lenient: true });
    while (boxes.next()) markBox(bytes, boxes.placed, marks);
    if (marks.names.size + marks.idle.length + marks.told.length === 0) return bytes;
    const kept = merged(marks.kept);
    const copy = bytes.slice();
    const told = marks.told.filter((range) => !meets(kept, range));
    for (const [at, name] of marks.names) copy.set(new TextEncoder().encode(name), at);
    for (const { from, to } of merged([...marks.idle, ...told])) copy.fill(0, from, to);
    return copy;
  });
}

/**
 * The file with descriptions of its picture in place of those that were made blank, as far as they fit. What stays free
 * is spaces behind XMP and zeros behind EXIF.
 */
export function refilled(bytes: Uint8Array, descriptions: readonly Description[]): Uint8Array {
  return orAsItIs(bytes, () => {
    const meta = metaOf(bytes);
    const copy = bytes.slice();
    for (const { type, contentType = "", data } of descriptions) {
      const entry = meta && blankEntry(bytes, meta, { type, contentType });
      const [range, ...others] = entry?.ranges ?? [];
      if (!entry || !range || others.length > 0 || range.to - range.from < data.length) continue;
      if (bytes.subarray(range.from, range.to).some((byte) => byte !== 0)) continue;
      copy.fill(type === "mime" ? 0x20 : 0, range.from, range.to).set(data, range.from);
      copy.set(new TextEncoder().encode(type), entry.typeAt);
    }
    return copy;
  });
}

function metaOf(bytes: Uint8Array): PlacedBox | undefined {
  const boxes = new PlacedBoxes(bytes, bytes, { lenient: true });
  while (boxes.next()) if (boxes.is("meta")) return boxes.placed;
  return undefined;
}

/** The first item that was made blank and can hold a description again. */
function blankEntry(
  file: Uint8Array,
  meta: PlacedBox,
  { type, contentType }: Required<Pick<Description, "type" | "contentType">>,
): Entry | undefined {
  let found: Entry | undefined;
  eachEntry(file, meta, (entry) => {
    if (entry.type === BLANK_NAMES.get(type) && entry.contentType === contentType) found ??= entry;
  });
  return found;
}

function orAsItIs(bytes: Uint8Array, change: () => Uint8Array): Uint8Array {
  try {
    return change();
  } catch (error) {
    if (error instanceof ApiError) return bytes;
    throw error;
  }
}

/** The boxes of a container that is a view of the file, and where they lie in it. */
class PlacedBoxes extends Boxes {
  private readonly offset: number;

  constructor(file: Uint8Array, container: Uint8Array, options?: { parts?: Parts; lenient?: boolean }) {
    super(container, options);
    this.offset = container.byteOffset - file.byteOffset;
  }

  get placed(): PlacedBox {
    const { offset, box } = this;
    const start = offset + this.start;
    return { ...box, at: { from: offset + this.at, to: start + box.payload.length }, start };
  }
}

/** Goes as far as nothing is damaged. */
function whereWhole(step: () => void): void {
  try {
    step();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
  }
}

/** Marks a box at the top of a file. */
function markBox(file: Uint8Array, box: PlacedBox, marks: Marks): void {
  const { type, at, start, cut } = box;
  if (cut && !DATA.has(type)) throw damaged();
  if (type === "meta") markList(file, box, marks);
  else keep(marks, DATA.has(type) ? { from: at.from, to: start } : at);
  if (type === "moov") markFilm(file, box, marks);
  if (IDLE.has(type)) free(box, marks, marks.told);
}

/** No list of items is needed to show a film. One that is QuickTime's, which has none, goes as well. */
function markFilm(file: Uint8Array, container: PlacedBox, marks: Marks): void {
  const boxes = new PlacedBoxes(file, container.payload);
  while (boxes.next()) {
    const box = boxes.placed;
    if (box.type === "meta") whereWhole(() => markItems(file, box, marks));
    if (box.type === "meta" || IDLE.has(box.type)) free(box, marks);
    if (box.type === "stco" || box.type === "co64") markChunks(box, marks);
    if (box.type === BELOW.get(container.type)) markFilm(file, box, marks);
  }
}

/** Notes what is needed: ranges that touch the one before become one with it. */
function keep({ kept }: Marks, range: Range): void {
  const last = kept.at(-1);
  if (!last || range.from > last.to || range.to < last.from) kept.push(range);
  else kept[kept.length - 1] = { from: Math.min(last.from, range.from), to: Math.max(last.to, range.to) };
}

function free({ type, at, start }: PlacedBox, { idle, names }: Marks, ranges = idle): void {
  if (type !== "free") names.set(at.from + 4, "free");
  if (start < at.to) ranges.push({ from: start, to: at.to });
}

/** Metadata does not lie where frames begin. */
function markChunks({ type, payload }: PlacedBox, marks: Marks): void {
  const { fields } = fullBox(payload);
  const count = fields.number(4);
  for (let read = 0; read < count; read++) {
    const from = fields.number(type === "co64" ? 8 : 4);
    keep(marks, { from, to: from + 1 });
  }
}

/** The list of items at the top of a file stays, but for what in it says nothing of pictures. */
function markList(file: Uint8Array, meta: PlacedBox, marks: Marks): void {
  markItems(file, meta, marks);
  let { from } = meta.at;
  const boxes = childrenOf(file, meta);
  while (boxes.next()) {
    const box = boxes.placed;
    if (IDLE.has(box.type)) free(box, marks);
    if (box.type !== "idat") continue;
    keep(marks, { from, to: box.start });
    from = box.at.to;
  }
  keep(marks, { from, to: meta.at.to });
}

function markItems(file: Uint8Array, meta: PlacedBox, marks: Marks): void {
  const { told, names } = marks;
  if (marks.lists++ >= MAX_LISTS) throw damaged();
  eachEntry(file, meta, ({ type, typeAt, ranges }) => {
    const name = BLANK_NAMES.get(type);
    for (const range of ranges) {
      const last = told.at(-1);
      if (name === undefined) keep(marks, range);
      else if (range.from !== last?.from || range.to !== last.to) told.push(range);
    }
    if (name !== undefined) names.set(typeAt, name);
  });
}

function childrenOf(file: Uint8Array, { payload }: PlacedBox): PlacedBoxes {
  return new PlacedBoxes(file, fullBox(payload).fields.rest());
}

/** Tells `visit` the items of a list that have a type. */
function eachEntry(file: Uint8Array, meta: PlacedBox, visit: (entry: Entry) => void): void {
  const found: { iinf?: PlacedBox; iloc?: PlacedBox; idat?: PlacedBox } = {};
  const children = childrenOf(file, meta);
  while (children.next()) {
    for (const name of ["iinf", "iloc", "idat"] as const) if (children.is(name)) found[name] ??= children.placed;
  }
  const { iinf, iloc, idat } = found;
  if (!iinf) return;
  const locations = iloc && new Locations(iloc.payload);
  const { version, fields } = fullBox(iinf.payload);
  fields.number(version === 0 ? 2 : 4);
  const boxes = new PlacedBoxes(file, fields.rest(), { parts: PARTS.items });
  while (boxes.next()) {
    const entry = entryOf(boxes.placed);
    if (!entry) continue;
    const location = locations?.get(entry.id);
    // However often an item is listed, its pieces count once.
    locations?.delete(entry.id);
    visit({ ...entry, ranges: location ? rangesOf(location, file, idat) : [] });
  }
}

function entryOf({ type, payload, start }: PlacedBox): (Omit<Entry, "ranges"> & { readonly id: number }) | undefined {
  const { version, fields } = fullBox(payload);
  // Versions 0 and 1 are for items that are not pictures, and have no type.
  if (type !== "infe" || version < 2) return undefined;
  const idBytes = version === 2 ? 2 : 4;
  const id = fields.number(idBytes);
  fields.number(2);
  const typeAt = start + 4 + idBytes + 2;
  const itemType = fields.type();
  fields.text();
  const isMime = itemType === "mime" || itemType === BLANK_NAMES.get("mime");
  return { id, type: itemType, typeAt, contentType: isMime ? fields.text() : "" };
}

function rangesOf({ construction, extents }: Location, file: Uint8Array, idat: PlacedBox | undefined): Range[] {
  const source = construction === 0 ? { from: 0, to: file.length } : { from: idat?.start ?? 0, to: idat?.at.to ?? 0 };
  return extents.map(({ offset, length }) => {
    const from = Math.min(source.from + offset, source.to);
    return { from, to: length === 0 ? source.to : Math.min(from + length, source.to) };
  });
}
