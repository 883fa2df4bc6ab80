/**
 * Gain maps in HEIF files: an item that is derived from the picture and its map (`tmap`, ISO/IEC 23008-12 with ISO 21496-1), or
 * an auxiliary picture as Apple's phones write it.
 */
import { ApiError } from "../../../errors.ts";
import { joined } from "../../../joined.ts";
import { isHighDynamicRange, profileOfCodePoints } from "../../color/code-points.ts";
import { APPLE_GAIN_MAP, readApple } from "../../gain-map/apple.ts";
import { type GainMap, MAX_GAIN_MAP_BYTES } from "../../gain-map/gain-map.ts";
import { readIso } from "../../gain-map/iso.ts";
import { gainsOfTransfer } from "../../gain-map/transfer.ts";
import { composeOrientations, invertOrientation } from "../../pixels/geometry.ts";
import { uint16 } from "./boxes.ts";
import { type Box, fullBox } from "./bytes.ts";
import { copiedItems, neededBy } from "./copy.ts";
import type { Item, Items } from "./item.ts";
import { readItems } from "./items.ts";
import { metadata } from "./metadata.ts";
import { derivedFrom } from "./picture.ts";
import { colorsOf, find, isAlpha, orientationOf, turnsOf } from "./properties.ts";
import { type HeifImage, itemPieces, type WrittenItems } from "./write.ts";

/** What describes the values of a map; how it lies is said anew. */
const OF_VALUES = new Set(["hvcC", "av1C", "ispe", "pixi", "clap", "colr", "lsel", "a1op"]);
/** Code points of primaries and transfer that say nothing (ISO/IEC 23091-2). */
const UNSPECIFIED = 2;
/** Bytes of a description of colors by numbers: four letters, three numbers, and the range. */
const NCLX_BYTES = 11;
/** Gains are applied to light, and nothing but the primaries of a profile matters to them. */
const LINEAR = 8;

/**
 * The gain map of a file.
 * @param brands of a file of the map alone
 */
export function readGainMap(bytes: Uint8Array, brands: HeifImage["brands"]): GainMap | undefined {
  try {
    const items = readItems(bytes);
    const { item } = derivedFrom(items, items.primary);
    const { profile, transfer } = colorsOf(item.properties);
    if (!profile && transfer !== undefined && isHighDynamicRange(transfer)) return pictureMap(items, item, brands);
    return standardMap(items, brands) ?? appleMap(items, brands, bytes);
  } catch (error) {
    if (error instanceof ApiError || error instanceof RangeError) return undefined;
    throw error;
  }
}

/**
 * The map of a picture of high dynamic range, which is made of the picture. One that the file has brings it to ordinary screens
 * in another way than this service does.
 */
function pictureMap(items: Items, item: Item, brands: HeifImage["brands"]): GainMap | undefined {
  const { transfer, primaries } = colorsOf(item.properties);
  const isMultiplied = items.references.some(({ type, from }) => type === "prem" && from === item.id);
  const meaning = isMultiplied || transfer === undefined ? undefined : gainsOfTransfer(transfer);
  const colors = profileOfPrimaries(primaries);
  const file = meaning && colors && fileOf(items, item, brands);
  return file && { file, ...meaning, ...colors, isPicture: true };
}

function profileOfPrimaries(primaries = UNSPECIFIED): Pick<GainMap, "profile" | "primaries"> | undefined {
  const profile = profileOfCodePoints(primaries, LINEAR, false);
  return profile instanceof Uint8Array ? { profile, primaries } : undefined;
}

function standardMap(items: Items, brands: HeifImage["brands"]): GainMap | undefined {
  const { primary } = items;
  const preferred = items.preferredTo(primary.id);
  const derived = items.references.find(
    ({ type, from, to }) => type === "dimg" && to.length === 2 && to[0] === primary.id && preferred.has(from),
  );
  const [, map] = derived?.to ?? [];
  const item = derived && items.item(derived.from);
  if (!item || item.type !== "tmap" || map === undefined) return undefined;
  const data = items.data(item);
  const terms = data[0] === 0 ? readIso(data.subarray(1)) : undefined;
  const file = terms && fileOf(items, items.item(map), brands);
  if (!terms || !file) return undefined;
  if (terms.inBaseColors) return { file, terms };
  const [own, base] = [colorsOf(item.properties), colorsOf(primary.properties)];
  const isSame = !own.profile && !base.profile && own.primaries === base.primaries;
  if (isSame) return { file, terms: { ...terms, inBaseColors: true } };
  const colors = own.profile ? { profile: own.profile.slice() } : profileOfPrimaries(own.primaries);
  // What is to be applied in colors that nobody knows would be applied in others.
  return colors && { file, terms, ...colors };
}

function appleMap(items: Items, brands: HeifImage["brands"], bytes: Uint8Array): GainMap | undefined {
  const { primary, references } = items;
  const from = references
    .filter(({ type, to }) => type === "auxl" && to.includes(primary.id))
    .map((reference) => items.item(reference.from))
    .find(({ properties }) => auxiliaryType(properties) === APPLE_GAIN_MAP);
  if (!from) return undefined;
  const described = references
    .filter(({ type, to }) => type === "cdsc" && to.includes(from.id))
    .map((reference) => items.item(reference.from))
    .find(({ type }) => type === "mime");
  const meaning = readApple(described && items.data(described), () => metadata.read(bytes).exif);
  const file = meaning && fileOf(items, from, brands);
  return file && { file, ...meaning };
}

function auxiliaryType(properties: readonly Box[]): string | undefined {
  const auxC = find(properties, "auxC");
  return auxC && fullBox(auxC).fields.text();
}

/** A file of the values of a map, lying as the picture is stored; undefined where it would be too large. */
function fileOf(items: Items, map: Item, brands: HeifImage["brands"]): Uint8Array | undefined {
  const shown = orientationOf(map.properties);
  const picture = orientationOf(derivedFrom(items, items.primary).properties);
  const turns = turnsOf(composeOrientations(shown, invertOrientation(picture)));
  const copies = valueItems(items, map, turns);
  const length = copies.items.reduce((sum, { data }) => sum + data.length, 0);
  if (length > MAX_GAIN_MAP_BYTES) return undefined;
  return joined(itemPieces(brands, { ...copies, primary: 1 }));
}

/** The items of a map in a file of its own. */
export function valuesOf(file: Uint8Array): Pick<WrittenItems, "items" | "references"> {
  const items = readItems(file);
  return valueItems(items, items.primary, []);
}

/** A map and what it is made of, with nothing that describes colors. @param turns said of the map besides */
function valueItems(items: Items, map: Item, turns: readonly Box[]) {
  // Thousands of tiles share what describes them.
  const known = new Map<Box, Box[]>();
  const plain = (property: Box) => {
    const found = known.get(property) ?? withoutMeaning(property);
    known.set(property, found);
    return found;
  };
  const own = ({ properties }: Item) => properties.filter(({ type }) => OF_VALUES.has(type)).flatMap(plain);
  const needed = [...neededBy(items, map)].filter((item) => item === map || !isAlpha(item.properties));
  return copiedItems(items, new Set(needed), (item) => (item === map ? [...own(item), ...turns] : own(item)));
}

/** Values of a map are numbers and no colors: of these, nothing stays but how the numbers are coded. */
function withoutMeaning(property: Box): Box[] {
  const { type, payload } = property;
  if (type !== "colr") return [property];
  if (String.fromCharCode(...payload.subarray(0, 4)) !== "nclx") return [];
  const nothing = joined([uint16(UNSPECIFIED), uint16(UNSPECIFIED)]);
  return [{ ...property, payload: joined([payload.subarray(0, 4), nothing, payload.subarray(8, NCLX_BYTES)]) }];
}
