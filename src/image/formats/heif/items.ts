/** The items of a HEIF file: where their bytes lie, what describes them, what they refer to (ISO/IEC 14496-12, 8.11). */
import { joined } from "../../../joined.ts";
import { PARTS } from "../../../limits/parts.ts";
import { tooManyParts } from "../../containers/walk.ts";
import { type Box, Boxes, childrenOf, damaged, Fields, fullBox, unsupported } from "./bytes.ts";
import type { Item, Items, Reference } from "./item.ts";
import { Readings } from "./readings.ts";
import { readTracks } from "./track.ts";

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
  const meta = topLevel(bytes, "meta");
  const boxes = meta ? childrenOf(fullBox(meta).fields.rest(), LISTED) : {};
  if (!boxes.pitm || (boxes.hdlr && handlerOf(boxes.hdlr) !== "pict")) {
    const moov = topLevel(bytes, "moov");
    if (!moov) throw unsupported("it has no still picture");
    return readTracks(bytes, moov);
  }
  const properties = readProperties(boxes.iprp ?? NOTHING);
  const types = readTypes(boxes.iinf ?? NOTHING);
  const items = new Map<number, Item>();
  const item = (id: number) => {
    const known = items.get(id) ?? { id, type: types.get(id) ?? fail(), properties: [], ...properties.get(id) };
    items.set(id, known);
    return known;
  };
  const locations = boxes.iloc && new Locations(boxes.iloc);
  if (locations) checkPieces(locations, bytes.length);
  const store = new ItemBytes(locations, bytes, boxes.idat ?? NOTHING);
  const readings = new Readings(bytes.length);
  return {
    primary: item(readPrimary(boxes.pitm)),
    item,
    references: boxes.iref ? readReferences(boxes.iref) : [],
    preferredTo: (other) => preferredTo(boxes.grpl ?? NOTHING, other),
    length: ({ id }) => store.length(id),
    data: ({ id }) => store.data(id),
    countReading: (length) => readings.count(length),
  };
}

/** The boxes of a list of items that are read. */
const LISTED = ["hdlr", "pitm", "iinf", "iloc", "iprp", "iref", "grpl", "idat"] as const;
const NOTHING = new Uint8Array(0);

function fail(): never {
  throw damaged();
}

/** The first box of a type at the top of a file, which may end within another box. */
export function topLevel(bytes: Uint8Array, type: string): Uint8Array | undefined {
  let found: Uint8Array | undefined;
  const boxes = new Boxes(bytes, { lenient: true });
  // All of them are counted: a file may be made of nothing but boxes behind what is sought.
  while (boxes.next()) if (boxes.is(type)) found ??= boxes.isCut ? fail() : boxes.content;
  return found;
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

/** The type of each item. Those that many items have are one string. */
function readTypes(iinf: Uint8Array): ReadonlyMap<number, string> {
  const { version, fields } = fullBox(iinf);
  const count = fields.number(version === 0 ? 2 : 4);
  if (count > PARTS.items.most) throw tooManyParts(PARTS.items);
  const list = fields.rest();
  const view = new DataView(list.buffer, list.byteOffset, list.length);
  const names = new Map<number, string>();
  const types = new Map<number, string>();
  const entries = new Boxes(list, { parts: PARTS.items });
  for (let left = count; left > 0 && entries.next(); left--) {
    const at = entries.start;
    // Versions 0 and 1 are for items that are not pictures.
    if (!entries.is("infe") || list[at]! < 2) continue;
    const idBytes = list[at] === 2 ? 2 : 4;
    // Version and flags, the number, and that of a key.
    const typeAt = at + 4 + idBytes + 2;
    if (typeAt + 4 > entries.end) throw damaged();
    const type = view.getUint32(typeAt);
    const name = names.get(type) ?? new Fields(list.subarray(typeAt)).type();
    names.set(type, name);
    types.set(idBytes === 2 ? view.getUint16(at + 4) : view.getUint32(at + 4), name);
  }
  return types;
}

/**
 * Where the bytes of each item of a list lie. What the list says of an item is read when it is asked for: until then, nothing
 * is kept but where that stands.
 */
export class Locations {
  private readonly iloc: Uint8Array;
  private readonly version: number;
  private readonly sizes: readonly [offset: number, length: number, base: number, index: number];
  private readonly places = new Map<number, number>();
  /** The items that may lie in more than one piece, each once however often it is listed. */
  readonly several = new Set<number>();

  /** @throws ApiError 422 when the list is damaged, or its pieces are too many */
  constructor(iloc: Uint8Array) {
    const { version, fields } = fullBox(iloc);
    const packed = fields.number(2);
    this.iloc = iloc;
    this.version = version;
    this.sizes = [packed >> 12, (packed >> 8) & 15, (packed >> 4) & 15, version === 0 ? 0 : packed & 15];
    if (version > 2 || this.sizes.some((size) => size > 8)) throw damaged();
    const view = new DataView(iloc.buffer, iloc.byteOffset, iloc.length);
    let left = fields.number(version < 2 ? 2 : 4);
    let total = 0;
    for (let at = iloc.length - fields.left; left > 0; left--) {
      const pieces = at + this.headBytes <= iloc.length ? view.getUint16(at + this.headBytes - 2) : fail();
      total += 1 + pieces;
      if (total > PARTS.extents.most) throw tooManyParts(PARTS.extents);
      const id = version < 2 ? view.getUint16(at) : view.getUint32(at);
      this.places.set(id, at);
      if (pieces > 1) this.several.add(id);
      at += this.headBytes + pieces * this.pieceBytes;
      if (at > iloc.length) throw damaged();
    }
  }

  /** Undefined where the list says nothing of an item, or that its bytes lie in another file, which is never opened. */
  get(id: number): Location | undefined {
    const at = this.places.get(id);
    if (at === undefined) return undefined;
    const [offsetBytes, lengthBytes, baseBytes, indexBytes] = this.sizes;
    const fields = new Fields(this.iloc.subarray(at));
    fields.piece(this.idBytes);
    const construction = this.version === 0 ? 0 : fields.number(2) & 15;
    // A reference to another file, and 0 for this one.
    const isElsewhere = fields.number(2) !== 0;
    const base = fields.number(baseBytes);
    if (isElsewhere || construction > 1) return undefined;
    const extents = Array.from({ length: fields.number(2) }, () => {
      fields.number(indexBytes);
      return { offset: base + fields.number(offsetBytes), length: fields.number(lengthBytes) };
    });
    return { construction, extents };
  }

  delete(id: number): void {
    this.places.delete(id);
  }

  private get idBytes(): number {
    return this.version < 2 ? 2 : 4;
  }

  /** What is said of an item before its pieces: number, construction, data reference, base and how many there are. */
  private get headBytes(): number {
    return this.idBytes + (this.version === 0 ? 0 : 2) + 2 + this.sizes[2] + 2;
  }

  private get pieceBytes(): number {
    const [offsetBytes, lengthBytes, , indexBytes] = this.sizes;
    return offsetBytes + lengthBytes + indexBytes;
  }
}

/**
 * Pieces have to be put together, item by item: those of one cannot be more than the file, unless they overlap. Items may
 * share pieces: of a picture in layers each layer is one with those below it.
 */
function checkPieces(locations: Locations, fileBytes: number): void {
  for (const id of locations.several) {
    let left = fileBytes;
    for (const { offset, length } of locations.get(id)?.extents ?? [])
      left -= length || Math.max(0, fileBytes - offset);
    if (left < 0) throw damaged();
  }
}

/** The properties of each item, in the order in which they are associated with it. */
function readProperties(iprp: Uint8Array): Map<number, Pick<Item, "properties" | "unknown">> {
  const { ipco } = childrenOf(iprp, ["ipco"]);
  const known = new KnownProperties(ipco ?? NOTHING);
  const properties = new Map<number, Pick<Item, "properties" | "unknown">>();
  let total = 0;
  const boxes = new Boxes(iprp);
  while (boxes.next()) {
    if (!boxes.is("ipma")) continue;
    readAssociations(boxes.content, (id, indexes, essential) => {
      // An item without properties counts, too: it takes three bytes of the file.
      total += 1 + indexes.length;
      if (total > PARTS.associations.most) throw tooManyParts(PARTS.associations);
      if (properties.has(id)) return;
      const unknown = known.all(essential).find(({ type }) => !UNDERSTOOD.has(type))?.type;
      properties.set(id, { properties: known.all(indexes), unknown: unknown && printable(unknown) });
    });
  }
  return properties;
}

/** Properties that are read, and those that say what does not change a picture: how it is coded, or is to be shown. */
const UNDERSTOOD: ReadonlySet<string> = new Set(
  (
    "ispe pixi colr pasp clap irot imir auxC auxi hvcC av1C a1op a1lx lsel clli mdcv cclv amve reve ndwt tmap " +
    "rloc udes altt crtt mdft free skip"
  ).split(" "),
);

/** A type of four characters as a message may have it. */
function printable(type: string): string {
  return /^[\w ]{4}$/.test(type) ? `\`${type}\`` : "that it does not name";
}

/** The properties that items may have: until one is asked for, nothing is kept but where it begins. */
class KnownProperties {
  private readonly ipco: Uint8Array;
  private readonly places: number[] = [];
  private readonly boxes = new Map<number, Box>();

  constructor(ipco: Uint8Array) {
    this.ipco = ipco;
    const walk = new Boxes(ipco, { parts: PARTS.properties });
    while (walk.next()) this.places.push(walk.at);
  }

  /** Properties by their numbers, of which the first is 1 and 0 stands for none. */
  all(indexes: readonly number[]): readonly Box[] {
    return indexes.filter((index) => index > 0).map((index) => this.boxes.get(index) ?? this.read(index));
  }

  private read(index: number): Box {
    const place = this.places[index - 1] ?? fail();
    const walk = new Boxes(this.ipco.subarray(place));
    walk.next();
    const { box } = walk;
    this.boxes.set(index, box);
    return box;
  }
}

function readAssociations(
  ipma: Uint8Array,
  found: (id: number, indexes: readonly number[], essential: readonly number[]) => void,
): void {
  const { version, flags, fields } = fullBox(ipma);
  const count = fields.number(4);
  for (let read = 0; read < count; read++) {
    const id = fields.number(version < 1 ? 2 : 4);
    const length = fields.number(1);
    // The highest bit says whether a reader has to understand the property.
    const [bytes, bit] = flags & 1 ? [2, 0x8000] : [1, 0x80];
    const numbers = Array.from({ length }, () => fields.number(bytes));
    const essential = numbers.filter((number) => number & bit).map((number) => number - bit);
    found(
      id,
      numbers.map((number) => number & (bit - 1)),
      essential,
    );
  }
}

function readReferences(iref: Uint8Array): Reference[] {
  const { version, fields } = fullBox(iref);
  const idBytes = version === 0 ? 2 : 4;
  const references: Reference[] = [];
  let named = 0;
  const boxes = new Boxes(fields.rest(), { parts: PARTS.references });
  while (boxes.next()) {
    const reference = new Fields(boxes.content);
    const from = reference.number(idBytes);
    const length = reference.number(2);
    named += length;
    if (named > 2 * PARTS.items.most) throw tooManyParts({ ...PARTS.references, most: 2 * PARTS.items.most });
    const to: number[] = [];
    for (let left = length; left > 0; left--) to.push(reference.number(idBytes));
    references.push({ type: boxes.type, from, to });
  }
  return references;
}

/** The items that stand before another one in a group `altr` (ISO/IEC 14496-12, 8.18.3). */
function preferredTo(grpl: Uint8Array, other: number): ReadonlySet<number> {
  const preferred = new Set<number>();
  let left: number = PARTS.items.most;
  const groups = new Boxes(grpl, { parts: PARTS.groups });
  while (groups.next()) {
    if (!groups.is("altr")) continue;
    const { fields } = fullBox(groups.content);
    // The number of the group itself.
    fields.number(4);
    const before: number[] = [];
    for (let count = fields.number(4); count > 0; count--) {
      if (left-- === 0) throw tooManyParts(PARTS.items);
      const member = fields.number(4);
      if (member === other) {
        for (const one of before) preferred.add(one);
        break;
      }
      before.push(member);
    }
  }
  return preferred;
}

/** The bytes of items, which are joined where an item lies in several pieces. */
class ItemBytes {
  private readonly locations: Locations | undefined;
  private readonly file: Uint8Array;
  private readonly idat: Uint8Array;
  /** The item that was joined last: a grid mostly names an item again before it names another. */
  private last: { readonly id: number; readonly bytes: Uint8Array } | undefined;

  constructor(locations: Locations | undefined, file: Uint8Array, idat: Uint8Array) {
    this.locations = locations;
    this.file = file;
    this.idat = idat;
  }

  /** The sum of the pieces, of which none is touched. */
  length(id: number): number {
    const { extents, source } = this.placeOf(id);
    return extents.reduce((sum, extent) => {
      const { from, to } = rangeOf(extent, source.length);
      return sum + to - from;
    }, 0);
  }

  data(id: number): Uint8Array {
    if (this.last?.id === id) return this.last.bytes;
    const { extents, source } = this.placeOf(id);
    const pieces = extents.map((extent) => {
      const { from, to } = rangeOf(extent, source.length);
      return source.subarray(from, to);
    });
    const [first] = pieces;
    if (!first) throw damaged();
    if (pieces.length === 1) return first;
    const bytes = joined(pieces);
    this.last = { id, bytes };
    return bytes;
  }

  private placeOf(id: number) {
    const { construction, extents } = this.locations?.get(id) ?? fail();
    return { extents, source: construction === 0 ? this.file : this.idat };
  }
}

/** Where a piece lies in what it is a piece of. @throws ApiError 422 where it reaches beyond the end */
function rangeOf({ offset, length }: Extent, end: number): { readonly from: number; readonly to: number } {
  const to = length === 0 ? end : offset + length;
  if (offset > end || to > end) throw damaged();
  return { from: offset, to };
}
