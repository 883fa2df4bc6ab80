/** Pictures laid one over the other on a canvas (`iovl`, ISO/IEC 23008-12, 6.6.2.2). */
import { toSrgb } from "../../color/convert.ts";
import type { Box as Region, Size } from "../../geometry.ts";
import type { Rows } from "../../rows.ts";
import { damaged, Fields, unsupported } from "./bytes.ts";
import type { Codec } from "./codec.ts";
import { type Item, type Items, readItems } from "./items.ts";
import { colorProfileOf, colorspaceOf, derivedFrom, type HeifPicture, pictureOf, sourcesOf } from "./picture.ts";
import { sizeOf, type Transform, transformOf } from "./properties.ts";
import { BAND_ROWS, peakBytes, regionRows } from "./rows.ts";

/** Every one may hold a decoder of its own while it is drawn; files in use have two or three. */
const MAX_PARTS = 32;

interface Part {
  readonly picture: HeifPicture;
  /** Where its left top lies on the canvas; may be outside. */
  readonly x: number;
  readonly y: number;
}

export interface Overlay extends Transform {
  readonly canvas: Size;
  /** RGBA in sRGB, 8 bits each: what shows where no part lies. */
  readonly fill: readonly [red: number, green: number, blue: number, alpha: number];
  /** The undermost first. */
  readonly parts: readonly [Part, ...Part[]];
}

/**
 * What a file shows, thumbnails and everything else left aside: one picture, or several on a canvas.
 * @throws ApiError 422 when the file is damaged, or its picture of a kind that is not supported
 */
export function readImage(bytes: Uint8Array, codec: Codec): HeifPicture | Overlay {
  const items = readItems(bytes);
  const { item, properties } = derivedFrom(items, items.primary);
  if (item.type !== "iovl") return pictureOf(items, items.primary, codec);
  const { fill, canvas, places } = readPlaces(items, item);
  const declared = sizeOf(item.properties);
  if (declared && (declared.width !== canvas.width || declared.height !== canvas.height)) throw damaged();
  const [first, ...others] = places.map(({ id, x, y }) => {
    const picture = pictureOf(items, items.item(id), codec);
    if (picture.orientation !== 1) throw unsupported("it is made of pictures that are turned");
    return { picture, x, y };
  });
  if (!first) throw damaged();
  return { canvas, fill, parts: [first, ...others], ...transformOf(properties, canvas) };
}

function readPlaces(items: Items, item: Item) {
  if (items.references.some(({ type, to }) => type === "auxl" && to.includes(item.id))) {
    throw unsupported("it is made of several pictures and an alpha channel");
  }
  const fields = new Fields(items.data(item));
  if (fields.number(1) !== 0) throw damaged();
  const long = (fields.number(1) & 1) === 1;
  const level = () => Math.round(fields.number(2) / 257);
  const fill = [level(), level(), level(), level()] as const;
  const unsigned = () => fields.number(long ? 4 : 2);
  const signed = () => (long ? fields.signed() : (fields.number(2) << 16) >> 16);
  const canvas = { width: unsigned(), height: unsigned() };
  const sources = sourcesOf(items, item);
  if (sources.length > MAX_PARTS) throw unsupported("it has too many parts");
  return { fill, canvas, places: sources.map((id) => ({ id, x: signed(), y: signed() })) };
}

/** Bytes that reading an overlay holds at most: all of its parts may lie beside each other. */
export function overlayPeakBytes({ parts, crop }: Overlay, codec: Codec): number {
  return parts.reduce((sum, { picture }) => sum + peakBytes(picture, codec), crop.width * 4 * BAND_ROWS);
}

/** @param region whole pixels of the canvas */
export function overlayRows({ parts, fill }: Overlay, codec: Codec, region: Region): Rows {
  const band = new Uint8Array(region.width * 4 * BAND_ROWS);
  const pixels = new Uint32Array(band.buffer);
  const [color = 0] = new Uint32Array(Uint8Array.from(fill).buffer);
  const drawn = parts.flatMap((part) => drawnPart(part, codec, region) ?? []);
  let y = 0;
  return {
    width: region.width,
    height: region.height,
    opaque: fill[3] === 255,
    read(max) {
      const rows = Math.min(max, BAND_ROWS, region.height - y);
      if (rows === 0) return null;
      pixels.fill(color);
      for (const part of drawn) part(band, y, rows);
      y += rows;
      return band.subarray(0, rows * region.width * 4);
    },
    close() {
      for (const part of drawn) part(band, region.height, 0);
    },
  };
}

/** Lays its rows over those of a band that begins at `y` of the region; frees what it holds beyond its last row. */
type DrawPart = (band: Uint8Array, y: number, rows: number) => void;

/** Undefined for a part that has no pixel in the region. */
function drawnPart({ picture, x, y }: Part, codec: Codec, region: Region): DrawPart | undefined {
  const { crop } = picture;
  const left = Math.max(x, region.x);
  const top = Math.max(y, region.y);
  const right = Math.min(x + crop.width, region.x + region.width);
  const bottom = Math.min(y + crop.height, region.y + region.height);
  if (left >= right || top >= bottom) return undefined;
  const own = { x: crop.x + left - x, y: crop.y + top - y, width: right - left, height: bottom - top };
  const [from, end] = [top - region.y, bottom - region.y];
  let rows: Rows | undefined;
  return (band, bandTop, bandRows) => {
    for (let row = Math.max(from, bandTop); row < Math.min(end, bandTop + bandRows);) {
      rows ??= toSrgb(regionRows(picture, codec, own), colorProfileOf(picture), colorspaceOf(picture));
      const read = rows.read(Math.min(end, bandTop + bandRows) - row);
      if (!read) throw damaged();
      for (let at = 0; at < read.length; at += own.width * 4, row++) {
        const to = ((row - bandTop) * region.width + left - region.x) * 4;
        const above = read.subarray(at, at + own.width * 4);
        if (rows.opaque) band.set(above, to);
        else layOver(band.subarray(to, to + above.length), above);
      }
    }
    if (rows && bandTop + bandRows >= end) {
      rows.close();
      rows = undefined;
    }
  };
}

/** Source over destination, both with straight alpha (W3C Compositing and Blending Level 1, 5.1). */
function layOver(below: Uint8Array, above: Uint8Array): void {
  for (let at = 0; at < above.length; at += 4) {
    const alpha = above[at + 3]!;
    if (alpha === 0) continue;
    const rest = (below[at + 3]! * (255 - alpha)) / 255;
    const sum = alpha + rest;
    for (let channel = at; channel < at + 3; channel++) {
      below[channel] = Math.round((above[channel]! * alpha + below[channel]! * rest) / sum);
    }
    below[at + 3] = Math.round(sum);
  }
}
