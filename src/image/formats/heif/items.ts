/** The items of a HEIF file: where their bytes lie, what describes them, what they refer to (ISO/IEC 14496-12, 8.11). */
import { joined } from "../../../joined.ts";
import { type Box, boxesOf, damaged, Fields, fullBox, unsupported } from "./bytes.ts";
import type { Group, Item, Items, Reference } from "./item.ts";
import { readTracks } from "./track.ts";

/** 64 x 64 is the smallest tile that MIAF allows; the largest picture there may be has 27,000 of them. */
const MAX_ITEMS = 32_768;
/** Pieces of items, all together: an item is rarely in more than one. */
const MAX_EXTENTS = 2 * MAX_ITEMS;

interface Extent {
  readonly offset: number;
  /** 0 is up to the end. */
  readonly length: number;
}

export interface Location {
  /** 0: offsets count from the start of the file; 1: from the start of the `idat` box. */
  readonly construction: number;
  readonly extents: readonly Extent[];
}

/**
 * Reads what the `meta` box at the top of a file says of its items; where there are none, the first frame of a track.
 * @throws ApiError 422 when there is neither, or it is damaged
 */
export function readItems(bytes: Uint8Array): Items {
  const boxes = new Map<string, Uint8Array>();
  const meta = topLevel(bytes, "meta");
  for (const { type, payload } of meta ? boxesOf(fullBox(meta).fields.rest()) : []) {
    if (!boxes.has(type)) boxes.set(type, payload);
  }
  const box = (type: string) => boxes.get(type) ?? new Uint8Array(0);
  if (!boxes.has("pitm") || (boxes.has("hdlr") && handlerOf(box("hdlr")) !== "pict")) {
    const moov = topLevel(bytes, "moov");
    if (!moov) throw unsupported("it has no still picture");
    return readTracks(bytes, moov);
  }
  const properties = readProperties(box("iprp"));
  const items = new Map<number, Item>();
  for (const { id, type } of readEntries(box("iinf"))) {
    items.set(id, { id, type, properties: properties.get(id) ?? [] });
  }
  const item = (id: number) => items.get(id) ?? fail();
  const locations = readLocations(box("iloc"));
  checkPieces(locations, bytes.length);
  return {
    primary: item(readPrimary(box("pitm"))),
    item,
    references: boxes.has("iref") ? readReferences(box("iref")) : [],
    groups: () => readGroups(box("grpl")),
    data: ({ id }) => bytesAt(locations.get(id) ?? fail(), bytes, box("idat")),
  };
}

function fail(): never {
  throw damaged();
}

/** The first box of a type at the top of a file, which may end within another box. */
export function topLevel(bytes: Uint8Array, type: string): Uint8Array | undefined {
  for (const box of boxesOf(bytes, true)) {
    if (box.type === type) return box.cut ? fail() : box.payload;
  }
  return undefined;
}

function handlerOf(hdlr: Uint8Array): string {
  const { fields } = fullBox(hdlr);
  fields.number(4);
  return fields.type();
}

function readPrimary(pitm: Uint8Array): number {
  const { version, fields } = fullBox(pitm);
  return fields.number(version === 0 ? 2 : 4);
}

function* readEntries(iinf: Uint8Array): Generator<{ id: number; type: string }> {
  const { version, fields } = fullBox(iinf);
  const count = fields.number(version === 0 ? 2 : 4);
  if (count > MAX_ITEMS) throw unsupported("it has too many parts");
  let read = 0;
  for (const { type, payload } of boxesOf(fields.rest())) {
    if (read++ === count) return;
    const entry = fullBox(payload);
    // Versions 0 and 1 are for items that are not pictures.
    if (type !== "infe" || entry.version < 2) continue;
    const id = entry.fields.number(entry.version === 2 ? 2 : 4);
    entry.fields.number(2);
    yield { id, type: entry.fields.type() };
  }
}

/** Where the bytes of each item of a list lie. */
export function readLocations(iloc: Uint8Array): Map<number, Location> {
  const { version, fields } = fullBox(iloc);
  const sizes = fields.number(2);
  const [offsetBytes, lengthBytes, baseBytes] = [sizes >> 12, (sizes >> 8) & 15, (sizes >> 4) & 15];
  const indexBytes = version === 0 ? 0 : sizes & 15;
  if (version > 2 || [offsetBytes, lengthBytes, baseBytes, indexBytes].some((size) => size > 8)) throw damaged();
  const count = fields.number(version < 2 ? 2 : 4);
  const locations = new Map<number, Location>();
  let total = 0;
  for (let read = 0; read < count; read++) {
    const id = fields.number(version < 2 ? 2 : 4);
    const construction = version === 0 ? 0 : fields.number(2) & 15;
    // A reference to another file, which this service never opens, and 0 for this one.
    const elsewhere = fields.number(2) !== 0;
    const base = fields.number(baseBytes);
    const extents = Array.from({ length: bounded(fields.number(2), (total += 1)) }, () => {
      total++;
      fields.number(indexBytes);
      return { offset: base + fields.number(offsetBytes), length: fields.number(lengthBytes) };
    });
    if (!elsewhere && construction < 2) locations.set(id, { construction, extents });
  }
  return locations;
}

function bounded(count: number, total: number): number {
  if (total + count > MAX_EXTENTS) throw unsupported("it has too many parts");
  return count;
}

/**
 * Pieces have to be put together, item by item: those of all items cannot be more than the file, unless they overlap.
 */
function checkPieces(locations: ReadonlyMap<number, Location>, fileBytes: number): void {
  let left = fileBytes;
  for (const { extents } of locations.values()) {
    if (extents.length < 2) continue;
    for (const { offset, length } of extents) left -= length || Math.max(0, fileBytes - offset);
  }
  if (left < 0) throw damaged();
}

/** The properties of each item, in the order in which they are associated with it. */
function readProperties(iprp: Uint8Array): Map<number, readonly Box[]> {
  const boxes = [...boxesOf(iprp)];
  const container = boxes.find(({ type }) => type === "ipco");
  const known = container ? [...boxesOf(container.payload)] : [];
  const properties = new Map<number, readonly Box[]>();
  for (const { type, payload } of boxes) {
    if (type !== "ipma") continue;
    for (const { id, indexes } of readAssociations(payload)) {
      if (!properties.has(id)) properties.set(id, propertiesAt(indexes, known));
    }
  }
  return properties;
}

function propertiesAt(indexes: readonly number[], known: readonly Box[]): readonly Box[] {
  // 0 stands for none.
  return indexes.filter((index) => index > 0).map((index) => known[index - 1] ?? fail());
}

function* readAssociations(ipma: Uint8Array): Generator<{ id: number; indexes: readonly number[] }> {
  const { version, flags, fields } = fullBox(ipma);
  const count = fields.number(4);
  for (let read = 0; read < count; read++) {
    const id = fields.number(version < 1 ? 2 : 4);
    const length = fields.number(1);
    // The highest bit says whether a reader has to understand the property.
    const indexes = Array.from({ length }, () => (flags & 1 ? fields.number(2) & 0x7fff : fields.number(1) & 0x7f));
    yield { id, indexes };
  }
}

function readReferences(iref: Uint8Array): Reference[] {
  const { version, fields } = fullBox(iref);
  const idBytes = version === 0 ? 2 : 4;
  return [...boxesOf(fields.rest())].map(({ type, payload }) => {
    const reference = new Fields(payload);
    const from = reference.number(idBytes);
    const to = Array.from({ length: reference.number(2) }, () => reference.number(idBytes));
    return { type, from, to };
  });
}

/** ISO/IEC 14496-12, 8.18.3. */
function readGroups(grpl: Uint8Array): Group[] {
  return [...boxesOf(grpl)].map(({ type, payload }) => {
    const { fields } = fullBox(payload);
    // The number of the group itself.
    fields.number(4);
    const members = Array.from({ length: Math.min(fields.number(4), MAX_ITEMS) }, () => fields.number(4));
    return { type, members };
  });
}

function bytesAt({ construction, extents }: Location, file: Uint8Array, idat: Uint8Array): Uint8Array {
  const source = construction === 0 ? file : idat;
  const pieces = extents.map(({ offset, length }) => {
    const end = length === 0 ? source.length : offset + length;
    if (offset > source.length || end > source.length) throw damaged();
    return source.subarray(offset, end);
  });
  const [first] = pieces;
  if (!first) throw damaged();
  if (pieces.length === 1) return first;
  return joined(pieces);
}
