/** The picture that a HEIF file shows: its tiles, its alpha channel, and how both lie. */
import { isHighDynamicRange } from "../../color/code-points.ts";
import type { Box as Region, Orientation, Size } from "../../pixels/geometry.ts";
import { damaged, Fields, unsupported } from "./bytes.ts";
import type { Coded, Codec, CodedHeaders } from "./codec.ts";
import type { Item, Items } from "./item.ts";
import { profileOf } from "./profile.ts";
import { type Colors, colorsOf, find, isAlpha, layersOf, sizeOf, transformOf } from "./properties.ts";

/** One picture, or a grid of coded ones of equal size. */
export interface Layer extends Size {
  /** Tiles of one row. */
  readonly columns: number;
  readonly tileCount: number;
  /** The size of every tile; those at the right and at the bottom may reach beyond the picture. */
  readonly tileSize: Size;
  /** The headers of the first tile. */
  readonly headers: CodedHeaders;
  /** The bytes of the largest tile with its configuration, and of all. */
  readonly largestBytes: number;
  readonly totalBytes: number;
  /** @throws ApiError 422 when its bytes are not there */
  tile(index: number): Coded;
}

export interface HeifPicture {
  readonly color: Layer;
  /** The alpha channel; it has the size of the colors. */
  readonly alpha: Layer | undefined;
  /** The colors were multiplied by the alpha. */
  readonly premultiplied: boolean;
  readonly colors: Colors;
  /** What is shown of the layers, in whole pixels. */
  readonly crop: Region;
  /** How what is shown must be turned to be upright. */
  readonly orientation: Orientation;
}

/**
 * The picture of an item that is coded, or a grid.
 * @throws ApiError 422 when it is damaged, or of a kind that is not supported
 */
export function pictureOf(items: Items, whole: Item, codec: Codec): HeifPicture {
  const { item, properties } = derivedFrom(items, whole);
  const color = readLayer(items, item, codec);
  const alphaItem = alphaOf(items, item);
  const alphaTiles = alphaItem ? undefined : alphasOfTiles(items, item);
  const alpha = alphaItem
    ? readLayer(items, alphaItem, codec, color.tileSize)
    : alphaTiles && tiledLayer(items, alphaTiles, codec, { ...color, likely: color.tileSize });
  if (alpha && (alpha.width !== color.width || alpha.height !== color.height)) {
    throw unsupported("its alpha channel has another size");
  }
  const [multiplied, by] = alphaTiles ? [sourcesOf(items, item)[0], alphaTiles[0]] : [item.id, alphaItem];
  const premultiplied = items.references.some(
    ({ type, from, to }) => type === "prem" && from === multiplied && by !== undefined && to.includes(by.id),
  );
  return { color, alpha, premultiplied, colors: readColors(items, item), ...transformOf(properties, color) };
}

/** An identity derivation stands for another item, and adds transformations to its own. */
export function derivedFrom(items: Items, item: Item) {
  if (item.type !== "iden") return { item, properties: item.properties };
  const source = items.item(sourcesOf(items, item)[0] ?? 0);
  if (source.type === "iden") throw unsupported("it is derived from other pictures");
  return { item: source, properties: [...source.properties, ...item.properties] };
}

export function sourcesOf({ references }: Items, item: Item): readonly number[] {
  return references.find(({ type, from }) => type === "dimg" && from === item.id)?.to ?? [];
}

/** The item that is the alpha channel of another. */
export function alphaOf(items: Items, master: Item): Item | undefined {
  const seen = new Set<number>();
  for (const { type, from, to } of items.references) {
    if (type !== "auxl" || seen.has(from) || !to.includes(master.id)) continue;
    seen.add(from);
    const item = items.item(from);
    if (isAlpha(item.properties)) return item;
  }
  return undefined;
}

/** The alpha channels of a grid's tiles, where the grid has none of its own and each of them has one. */
function alphasOfTiles(items: Items, grid: Item): readonly Item[] | undefined {
  if (grid.type !== "grid") return undefined;
  const found = new Map<number, Item>();
  for (const { type, from, to } of items.references) {
    if (type !== "auxl") continue;
    const item = items.item(from);
    if (isAlpha(item.properties)) for (const id of to) if (!found.has(id)) found.set(id, item);
  }
  const alphas = sourcesOf(items, grid).flatMap((id) => found.get(id) ?? []);
  return alphas.length > 0 && alphas.length === sourcesOf(items, grid).length ? alphas : undefined;
}

/** The colors of a grid are its own, or else those of its tiles. */
function readColors(items: Items, item: Item): Colors {
  const colors = colorsOf(item.properties);
  const [tile] = item.type === "grid" ? sourcesOf(items, item) : [];
  if (tile === undefined || (colors.samples && colors.profile)) return colors;
  const below = colorsOf(items.item(tile).properties);
  // The numbers of the tiles say how they are coded, whatever profile the grid has.
  if (colors.samples || colors.profile) return { ...colors, samples: colors.samples ?? below.samples };
  return below;
}

/** The profile that says what the colors of a picture mean; undefined where they are sRGB. */
export function colorProfileOf({ color, colors }: HeifPicture): Uint8Array | undefined {
  return colors.profile ?? profileOf(colors.primaries, colors.transfer, color.headers.chroma === "gray");
}

/** Whether the profile stands for a transfer function of high dynamic range. */
export function isOfHighDynamicRange({ colors: { profile, transfer } }: HeifPicture): boolean {
  return !profile && transfer !== undefined && isHighDynamicRange(transfer);
}

/** `Gray`, `RGB` or `YCbCr`. */
export function colorspaceOf({ color, colors }: HeifPicture): string {
  if (color.headers.chroma === "gray") return "Gray";
  const rgb = colors.samples ? colors.samples.matrix === 0 : color.headers.rgb;
  return rgb ? "RGB" : "YCbCr";
}

/** @param likely the size of coded pictures that do not say theirs, as some writers leave it out of alpha */
function readLayer(items: Items, item: Item, codec: Codec, likely?: Size): Layer {
  if (codec.itemTypes.includes(item.type)) {
    return layerOf(items, codec, [item], 1, { size: codedSize(item, likely), likely });
  }
  if (item.type !== "grid") throw unsupported("its coding is not supported");
  const { rows, columns, ...size } = readGrid(items.data(item));
  const tiles = sourcesOf(items, item).map((id) => items.item(id));
  if (tiles.length !== rows * columns) throw damaged();
  const declared = sizeOf(item.properties);
  if (declared && !isSize(declared, size)) throw damaged();
  return tiledLayer(items, tiles, codec, { ...size, columns, likely });
}

/** A layer of tiles of equal size, each of which is needed for it. */
function tiledLayer(
  items: Items,
  tiles: readonly Item[],
  codec: Codec,
  { columns, likely, ...all }: Size & { readonly columns: number; readonly likely: Size | undefined },
): Layer {
  if (tiles.some((tile) => !codec.itemTypes.includes(tile.type))) throw damaged();
  const size = { width: all.width, height: all.height };
  const rows = tiles.length / columns;
  const layer = layerOf(items, codec, tiles, columns, { size, likely });
  const { width, height } = layer.tileSize;
  const covers = columns * width >= size.width && rows * height >= size.height;
  const needed = (columns - 1) * width < size.width && (rows - 1) * height < size.height;
  if (!covers || !needed || [...new Set(tiles)].some((tile) => !isSize(codedSize(tile, likely), layer.tileSize)))
    throw damaged();
  return layer;
}

/** ISO/IEC 23008-12, 6.6.2.3. */
function readGrid(data: Uint8Array): Size & { readonly rows: number; readonly columns: number } {
  const fields = new Fields(data);
  if (fields.number(1) !== 0) throw damaged();
  const sizeBytes = fields.number(1) & 1 ? 4 : 2;
  const rows = fields.number(1) + 1;
  const columns = fields.number(1) + 1;
  const width = fields.number(sizeBytes);
  return { rows, columns, width, height: fields.number(sizeBytes) };
}

interface Sizes {
  /** Of the layer. */
  readonly size: Size;
  /** Of tiles that do not say theirs. */
  readonly likely: Size | undefined;
}

function layerOf(items: Items, codec: Codec, tiles: readonly Item[], columns: number, { size, likely }: Sizes): Layer {
  const configOf = (item: Item | undefined) => {
    const config = item && find(item.properties, codec.configType);
    if (!item || !config) throw damaged();
    requireKnown(item);
    return { item, config };
  };
  const tile = (index: number) => {
    const { item, config } = configOf(tiles[index]);
    return { config, payload: items.data(item), layers: layersOf(item.properties, codedSize(item, likely)) };
  };
  let largestBytes = 0;
  let totalBytes = 0;
  const lengths = new Map<Item, number>();
  for (const one of tiles) {
    // An item is looked at once, however many places it has.
    const length = lengths.get(one) ?? configOf(one).config.length + items.length(one);
    lengths.set(one, length);
    // A decoder is given the configuration with every tile.
    items.countReading(length);
    largestBytes = Math.max(largestBytes, length);
    totalBytes += length;
  }
  const tileSize = tiles[0] ? codedSize(tiles[0], likely) : size;
  const headers = codec.headers(tile(0));
  if (!isSize(headers, tileSize)) throw damaged();
  return { ...size, columns, tileCount: tiles.length, tileSize, headers, largestBytes, totalBytes, tile };
}

/** Refuses a picture with a property that a reader has to understand, and this one does not (ISO/IEC 23008-12, 9.3). */
function requireKnown({ unknown }: Item): void {
  if (unknown !== undefined) throw unsupported(`it has the essential property ${unknown}`);
}

function codedSize(item: Item, likely?: Size): Size {
  const size = sizeOf(item.properties) ?? likely;
  if (!size) throw damaged();
  return size;
}

function isSize(one: Size, other: Size): boolean {
  return one.width === other.width && one.height === other.height;
}
