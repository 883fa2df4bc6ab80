/** Pictures laid one over the other on a canvas (`iovl`, ISO/IEC 23008-12, 6.6.2.2). */
import { parallel, type Estimate, estimated } from "../../../../wasm/estimate.ts";
import { conversionEstimate, toSrgb } from "../../codec/convert-colors.ts";
import type { Box as Region, Size } from "../../pixels/geometry.ts";
import type { Rows } from "../../pixels/rows.ts";
import { damaged, Fields, unsupported } from "./bytes.ts";
import type { Codec } from "./codec.ts";
import type { Item, Items } from "./item.ts";
import { readItems } from "./items.ts";
import { colorProfileOf, colorspaceOf, derivedFrom, type HeifPicture, pictureOf, sourcesOf } from "./picture.ts";
import { sizeOf, type Transform, transformOf } from "./properties.ts";
import { BAND_ROWS, type Decoder, pictureEstimate, regionRows } from "./rows.ts";

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
  const pictures = new Map<number, HeifPicture>();
  const [first, ...others] = places.map(({ id, x, y }) => {
    // A picture may lie in many places.
    const picture = pictures.get(id) ?? pictureOf(items, items.item(id), codec);
    pictures.set(id, picture);
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
  const places = sources.map((id) => ({ id, x: signed(), y: signed() }));
  // A place without a picture: a part is missing.
  if (fields.left > 0) throw damaged();
  return { fill, canvas, places };
}

/** What laying one pixel over another takes, the band's own included. */
const LAY_NANOSECONDS = 6;

/** The estimate of reading what a file shows, whatever region of it is wanted. */
export function imageEstimate(image: HeifPicture | Overlay, codec: Codec): Estimate {
  return "parts" in image ? overlayEstimate(image, codec) : pictureEstimate(image, codec);
}

/** All parts may lie beside each other, and are then decoded in turns. */
function overlayEstimate({ parts, crop }: Overlay, codec: Codec): Estimate {
  const pictures = parts.map(({ picture }) => picture);
  const pixels = pictures.reduce((sum, picture) => sum + picture.crop.width * picture.crop.height, 0);
  const laid = estimated(crop.width * 4 * BAND_ROWS, pixels + crop.width * crop.height, LAY_NANOSECONDS);
  const drawn = pictures.map((picture) => {
    const profile = colorProfileOf(picture);
    return parallel(pictureEstimate(picture, codec), conversionEstimate(picture.crop, profile ? { profile } : {}));
  });
  return parallel(laid, ...drawn);
}

/** @param region whole pixels of the canvas */
export function overlayRows({ parts, fill }: Overlay, decoder: Decoder, region: Region): Rows {
  const band = new Uint8Array(region.width * 4 * BAND_ROWS);
  const pixels = new Uint32Array(band.buffer);
  const [color = 0] = new Uint32Array(Uint8Array.from(fill).buffer);
  const drawn = parts.flatMap((part) => drawnPart(part, decoder, region) ?? []);
  let y = 0;
  return {
    width: region.width,
    height: region.height,
    opaque: fill[3] === 255,
    async read(max) {
      const rows = Math.min(max, BAND_ROWS, region.height - y);
      if (rows === 0) return null;
      pixels.fill(color);
      for (const part of drawn) await part.draw(band, y, rows);
      y += rows;
      return band.subarray(0, rows * region.width * 4);
    },
    close() {
      for (const part of drawn) part.close();
    },
  };
}

interface DrawnPart {
  /** Lays its rows over those of a band that begins at `y` of the region. */
  draw(band: Uint8Array, y: number, rows: number): Promise<void>;
  close(): void;
}

/** Undefined for a part that has no pixel in the region. */
function drawnPart({ picture, x, y }: Part, decoder: Decoder, region: Region): DrawnPart | undefined {
  const { crop } = picture;
  const left = Math.max(x, region.x);
  const top = Math.max(y, region.y);
  const right = Math.min(x + crop.width, region.x + region.width);
  const bottom = Math.min(y + crop.height, region.y + region.height);
  if (left >= right || top >= bottom) return undefined;
  const own = { x: crop.x + left - x, y: crop.y + top - y, width: right - left, height: bottom - top };
  const [from, end] = [top - region.y, bottom - region.y];
  const open = () => toSrgb(regionRows(picture, decoder, own), colorProfileOf(picture), colorspaceOf(picture));
  let rows: Rows | undefined;
  return {
    async draw(band, bandTop, bandRows) {
      const bandEnd = Math.min(end, bandTop + bandRows);
      for (let row = Math.max(from, bandTop); row < bandEnd;) {
        rows ??= open();
        const read = await rows.read(bandEnd - row);
        if (!read) throw damaged();
        layRows(band, read, { stride: own.width * 4, opaque: rows.opaque }, (line) => {
          return ((row + line - bandTop) * region.width + left - region.x) * 4;
        });
        row += read.length / (own.width * 4);
      }
      // What no later row needs is freed before the next part is decoded.
      if (bandEnd === end) rows?.close();
    },
    close: () => rows?.close(),
  };
}

/** Lays rows over those of a band. @param placeOf where each begins in the band */
function layRows(
  band: Uint8Array,
  rows: Uint8Array,
  { stride, opaque }: { readonly stride: number; readonly opaque: boolean },
  placeOf: (line: number) => number,
): void {
  for (let line = 0; line * stride < rows.length; line++) {
    const above = rows.subarray(line * stride, (line + 1) * stride);
    const to = placeOf(line);
    if (opaque) band.set(above, to);
    else layOver(band.subarray(to, to + stride), above);
  }
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
