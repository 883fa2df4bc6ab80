/**
 * Writes HEIF files of one still picture (ISO/IEC 23008-12, ISO/IEC 23000-22): coded whole or as a grid, with alpha.
 */
import { joined } from "../../../joined.ts";
import { P3_CODE_POINTS, type Space } from "../../color/space.ts";
import type { Size } from "../../pixels/geometry.ts";
import { ascii, box, boxHeader, ByteList, fullBox, uint16, uint32, uint8 } from "./boxes.ts";

/** One kind of samples, color or alpha, of a picture to be written. */
export interface CodedLayer {
  /** The property that configures the decoder, without its box header. */
  readonly config: Uint8Array;
  /** Per channel, one number each. */
  readonly bits: readonly number[];
  /** Row by row; one where the picture is coded whole. The same array may stand for several tiles. */
  readonly tiles: readonly Uint8Array[];
}

/** What the values of samples mean. */
interface Colors {
  /** ISO/IEC 23091-2. */
  readonly primaries: number;
  readonly transfer: number;
  readonly matrix: number;
  readonly fullRange: boolean;
  /** The ICC profile of colors that no numbers stand for. */
  readonly profile?: Uint8Array | undefined;
}

export interface HeifImage extends Size, Colors {
  /** `hvc1` or `av01`. */
  readonly itemType: string;
  /** `hvcC` or `av1C`. */
  readonly configType: string;
  /** The major brand first. */
  readonly brands: readonly [string, ...string[]];
  /** The size of each coded picture; together they cover the picture, and may reach beyond it. */
  readonly tile: Size;
  /**
   * Whether the picture is a grid of tiles with halved chroma. Otherwise it is one coded picture of the size of a tile, of
   * which the left top is shown.
   */
  readonly grid: boolean;
  readonly color: CodedLayer;
  readonly alpha?: CodedLayer | undefined;
}

/** An item of a file, its number being its place among them, counted from 1. */
export interface WrittenItem {
  readonly type: string;
  /** The media type of an item of the type `mime`. */
  readonly contentType?: string;
  readonly hidden: boolean;
  readonly data: Uint8Array;
  readonly properties: readonly WrittenProperty[];
}

export interface WrittenProperty {
  /** With its box header. */
  readonly box: Uint8Array;
  readonly essential: boolean;
}

/** From the number of an item to those of others. */
export interface WrittenReference {
  readonly type: string;
  readonly from: number;
  readonly to: readonly number[];
}

/** Items that belong together in some way, by their numbers. */
interface WrittenGroup {
  readonly type: string;
  readonly members: readonly number[];
}

/** What seven bits can number. */
const MAX_PROPERTIES = 127;
export const ALPHA_URN = "urn:mpeg:mpegB:cicp:systems:auxiliary:alpha";

/** The items of a picture that is written, and how they belong together. */
export interface WrittenItems {
  readonly items: readonly WrittenItem[];
  readonly references: readonly WrittenReference[];
  readonly groups?: readonly WrittenGroup[];
  readonly primary: number;
}

/**
 * A profile in its box, in the three boxes around that, which are made twice since places of items depend on their length, and
 * in the file.
 */
export const PROFILE_COPIES = 8;

/** @returns the file */
export function writeHeif(image: HeifImage): Uint8Array {
  return joined(itemPieces(image.brands, itemsOf(image)));
}

export function itemsOf(image: HeifImage): WrittenItems {
  const items: WrittenItem[] = [];
  const references: WrittenReference[] = [];
  const primary = addLayer(items, references, image, image.color, colorProperties(image));
  if (image.alpha) {
    const alpha = addLayer(items, references, image, image.alpha, [
      { box: fullBox("auxC", 0, 0, ascii(`${ALPHA_URN}\0`)), essential: true },
    ]);
    references.push({ type: "auxl", from: alpha, to: [primary] });
  }
  return { items, references, primary };
}

/** What a file has besides its items. */
export interface WrittenTracks {
  /** In the order of the file; the data of items may be among them. */
  readonly data: readonly Uint8Array[];
  /** The box that says where the data lies, as long wherever that is. */
  readonly moov: (places: Places) => Uint8Array;
}

/** Where data begins in the file. */
export type Places = ReadonlyMap<Uint8Array, number>;

/** A file of these items, in pieces of which those of the items are their own. @throws RangeError when they have more properties than can be told apart */
export function itemPieces(
  brands: HeifImage["brands"],
  written: WrittenItems,
  tracks?: WrittenTracks,
): readonly Uint8Array[] {
  const ftyp = box("ftyp", ascii(brands[0]), uint32(0), ...brands.map(ascii));
  const data = [...new Set([...(tracks?.data ?? []), ...written.items.map((item) => item.data)])];
  const described = (places: Places) => [metaBox(written, places), ...(tracks ? [tracks.moov(places)] : [])];
  // The places of data depend on the length of what says them.
  const draft = described(new Map());
  const dataAt = draft.reduce((sum, { length }) => sum + length, ftyp.length + 8);
  return [ftyp, ...described(placesFrom(dataAt, data)), boxHeader("mdat", data), ...data];
}

/** @param start where the first piece of data begins */
export function placesFrom(start: number, data: readonly Uint8Array[]): Places {
  const places = new Map<Uint8Array, number>();
  let at = start;
  for (const piece of data) {
    places.set(piece, at);
    at += piece.length;
  }
  return places;
}

/** Code points of ISO/IEC 23091-2 for primaries and transfer: those of sRGB, and what is said where a profile says it. */
const SRGB_CODE_POINTS = { primaries: 1, transfer: 13 } as const;
const UNSPECIFIED = { primaries: 2, transfer: 2 } as const;

/** What a file says of the colors of a space. */
export function colorsIn(space: Space | undefined): Pick<HeifImage, "primaries" | "transfer" | "profile"> {
  if (!space) return SRGB_CODE_POINTS;
  if (space.codePoints) return space.codePoints;
  return space.isP3 ? P3_CODE_POINTS : { ...UNSPECIFIED, profile: space.profile };
}

/** They take precedence over what is said in a bitstream (ISO/IEC 23000-22, 7.3.6.4). */
export function colorProperties({ primaries, transfer, matrix, fullRange, profile }: Colors): WrittenProperty[] {
  const numbers = joined([uint16(primaries), uint16(transfer), uint16(matrix), uint8(fullRange ? 0x80 : 0)]);
  const coded = { box: box("colr", ascii("nclx"), numbers), essential: false };
  return profile ? [{ box: box("colr", ascii("prof"), profile), essential: false }, coded] : [coded];
}

/** Adds the items of a layer and returns the number of the one that is the whole. */
function addLayer(
  items: WrittenItem[],
  references: WrittenReference[],
  { tile, grid, width, height, itemType, configType }: HeifImage,
  { config, bits, tiles }: CodedLayer,
  own: readonly WrittenProperty[],
): number {
  const coded = [
    { box: box(configType, config), essential: true },
    { box: ispe(tile), essential: false },
    { box: fullBox("pixi", 0, 0, uint8(bits.length), ...bits.map(uint8)), essential: false },
  ];
  if (!grid) {
    const [data] = tiles;
    if (!data) throw new RangeError("nothing was encoded");
    return items.push({
      type: itemType,
      hidden: false,
      data,
      properties: [...coded, ...own, ...aperture(tile, { width, height })],
    });
  }
  const columns = Math.ceil(width / tile.width);
  // Sides of a grid have to be even where chroma is halved (ISO/IEC 23000-22, 7.3.11.4).
  const even = { width: width + (width & 1), height: height + (height & 1) };
  const whole = items.push({
    type: "grid",
    hidden: false,
    data: gridOf(Math.ceil(height / tile.height), columns, even),
    properties: [
      { box: ispe(even), essential: false },
      ...coded.slice(2),
      ...own,
      ...aperture(even, { width, height }),
    ],
  });
  const to = tiles.map((data) => items.push({ type: itemType, hidden: true, data, properties: coded }));
  references.push({ type: "dimg", from: whole, to });
  return whole;
}

/** What is shown of a picture that is larger, at its left and top. */
function aperture(coded: Size, shown: Size): WrittenProperty[] {
  if (coded.width === shown.width && coded.height === shown.height) return [];
  const offset = (of: number, in_: number) => [uint32(of - in_), uint32(2)];
  const clap = box(
    "clap",
    uint32(shown.width),
    uint32(1),
    uint32(shown.height),
    uint32(1),
    ...offset(shown.width, coded.width),
    ...offset(shown.height, coded.height),
  );
  return [{ box: clap, essential: true }];
}

function ispe({ width, height }: Size): Uint8Array {
  return fullBox("ispe", 0, 0, uint32(width), uint32(height));
}

/** ISO/IEC 23008-12, 6.6.2.3. */
function gridOf(rows: number, columns: number, { width, height }: Size): Uint8Array {
  const long = width > 0xffff || height > 0xffff;
  const size = long ? uint32 : uint16;
  return joined([uint8(0), uint8(long ? 1 : 0), uint8(rows - 1), uint8(columns - 1), size(width), size(height)]);
}

function metaBox({ items, references, groups = [], primary }: WrittenItems, places: Places) {
  return fullBox(
    "meta",
    0,
    0,
    fullBox("hdlr", 0, 0, uint32(0), ascii("pict"), new Uint8Array(12), uint8(0)),
    fullBox("pitm", 0, 0, uint16(primary)),
    locations(items, places),
    fullBox("iinf", 0, 0, uint16(items.length), entriesOf(items)),
    propertiesBox(items),
    ...(references.length > 0 ? [fullBox("iref", 0, 0, ...references.map(referenceBox))] : []),
    ...(groups.length > 0 ? [box("grpl", ...groups.map(groupBox(items.length + 1)))] : []),
  );
}

/** Boxes `infe`, of version 2. */
function entriesOf(items: readonly WrittenItem[]): Uint8Array {
  const list = new ByteList();
  items.forEach(({ type, contentType, hidden }, index) => {
    const media = contentType === undefined ? "" : `${contentType}\0`;
    list.number(ENTRY_BYTES + media.length, 4);
    list.letters("infe");
    list.number(0x0200_0000 | (hidden ? 1 : 0), 4);
    list.number(index + 1, 2);
    list.number(0, 2);
    list.letters(`${type}\0${media}`);
  });
  return list.bytes;
}

/** Of `infe` without a media type: the header of a full box, two numbers, a type, and an empty name. */
const ENTRY_BYTES = 12 + 4 + 4 + 1;

function locations(items: readonly WrittenItem[], places: Places): Uint8Array {
  const list = new ByteList();
  items.forEach(({ data }, index) => {
    list.number(index + 1, 2);
    list.number(0, 2);
    list.number(1, 2);
    list.number(places.get(data) ?? 0, 4);
    list.number(data.length, 4);
  });
  return fullBox("iloc", 0, 0, uint8(0x44), uint8(0), uint16(items.length), list.bytes);
}

function propertiesBox(items: readonly WrittenItem[]): Uint8Array {
  const numbers = new Map<string, number>();
  const boxes: Uint8Array[] = [];
  const shared = new Map<Uint8Array, number>();
  const numberOf = ({ box: bytes }: WrittenProperty) => {
    const known = shared.get(bytes);
    if (known !== undefined) return known;
    const key = bytes.join();
    const number = numbers.get(key) ?? boxes.push(bytes);
    if (number > MAX_PROPERTIES) throw new RangeError("too many properties");
    numbers.set(key, number);
    shared.set(bytes, number);
    return number;
  };
  const associations = new ByteList();
  items.forEach(({ properties }, index) => {
    associations.number(index + 1, 2);
    associations.number(properties.length, 1);
    for (const property of properties) associations.number(numberOf(property) | (property.essential ? 0x80 : 0), 1);
  });
  const ipma = fullBox("ipma", 0, 0, uint32(items.length), associations.bytes);
  return box("iprp", box("ipco", ...boxes), ipma);
}

function referenceBox({ type, from, to }: WrittenReference): Uint8Array {
  const list = new ByteList();
  list.number(from, 2);
  list.number(to.length, 2);
  for (const number of to) list.number(number, 2);
  return box(type, list.bytes);
}

/** ISO/IEC 14496-12, 8.18.3. @param first number of a group: none may be that of an item */
function groupBox(first: number): (group: WrittenGroup, index: number) => Uint8Array {
  return ({ type, members }, index) =>
    fullBox(type, 0, 0, uint32(first + index), uint32(members.length), ...members.map(uint32));
}
