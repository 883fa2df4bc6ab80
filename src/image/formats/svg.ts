/** SVG: drawn by resvg at the size that is wanted, or handed on as SVG, cleaned. */
import { NativeError } from "../../../wasm/load.ts";
import { type Demand, type Facts, format } from "../format.ts";
import type { Box, Size } from "../geometry.ts";
import { resample } from "../resample.ts";
import type { Rows } from "../rows.ts";
import { SVG } from "./optional.ts";
import { cleanSvg } from "./svg/clean.ts";
import { demandsOf } from "./svg/demands.ts";
import { damaged, parseSvg, plainSvg } from "./svg/document.ts";
import { drawSvg } from "./svg/resvg.ts";
import { sizeOf } from "./svg/size.ts";

/** Drawn at a time at most: a picture of any size needs no more memory than a strip of it. */
const STRIP_BYTES = 32 << 20;
const STRIP_PIXELS = 1 << 20;
/** Of the renderer: its code's tables, both fonts, paths. */
const BASE_BYTES = 24 << 20;
/** Of a row, should one alone be more than a strip. */
const LEAST_ROW_PIXEL_BYTES = 200;
/** Trees of a document in both representations, per byte of text. */
const TREE_BYTES = 30;

export const svg = format({
  ...SVG,
  summary:
    "Drawn at the size that is wanted, text included; compressed (SVGZ) too; without operations it stays SVG, cleaned of scripts.",
  can: { alpha: true, animation: false, quality: false, lossless: true, web: true },

  probe(file) {
    const bytes = plainSvg(file);
    const root = parseSvg(bytes);
    const { imagePixels } = demandsOf(root);
    return {
      ...sizeOf(root),
      orientation: 1,
      frames: 1,
      loops: 1,
      alpha: true,
      colorspace: "RGB",
      interlaced: false,
      subsample: "4:4:4",
      depth: 32,
      quality: 100,
      decodeBytes: BASE_BYTES + STRIP_BYTES + bytes.length * TREE_BYTES + imagePixels * 8,
    } satisfies Facts;
  },

  // A strip has a row at least.
  decodePeakBytes: ({ decodeBytes = 0 }, { width }) => decodeBytes + width * LEAST_ROW_PIXEL_BYTES,

  *open(bytes, facts, demand) {
    const rows = drawnRows(bytes, facts, demand);
    const { width, height } = rows;
    yield { delayMs: 0, rows, box: { x: 0, y: 0, width, height } };
  },

  recompress: (bytes) => new TextEncoder().encode(cleanSvg(parseSvg(bytes))),
  recompressPeakBytes: (bytes) => plainSvg(bytes).length * TREE_BYTES,
});

/** The wanted region, drawn at the size at which it is used, be it smaller or larger than the document says. */
function drawnRows(bytes: Uint8Array, facts: Facts, { box, ...wanted }: Demand): Rows {
  const root = parseSvg(bytes);
  const { filters, pixelBytes } = demandsOf(root);
  const text = cleanSvg(root);
  const width = Math.max(1, Math.round(wanted.width));
  const height = Math.max(1, Math.round(wanted.height));
  if (!filters) return strips(text, facts, box, { width, height }, Math.min(STRIP_PIXELS, STRIP_BYTES / pixelBytes));

  // What lies beyond an edge would be missing in the filter: the picture is drawn in one piece, if need be a smaller one.
  const full = { width: (facts.width * width) / box.width, height: (facts.height * height) / box.height };
  const factor = Math.min(1, Math.sqrt(STRIP_BYTES / pixelBytes / (full.width * full.height)));
  const size = { width: Math.ceil(full.width * factor), height: Math.ceil(full.height * factor) };
  const whole = strips(text, facts, { x: 0, y: 0, ...pick(facts) }, size, Infinity);
  const [scaleX, scaleY] = [size.width / facts.width, size.height / facts.height];
  const region = { x: box.x * scaleX, y: box.y * scaleY, width: box.width * scaleX, height: box.height * scaleY };
  return resample(whole, { box: region, width, height, kernel: "linear" });
}

function pick({ width, height }: Size): Size {
  return { width, height };
}

/** An area of the document at a size, as many rows at a time as have `most` pixels. */
function strips(text: string, facts: Facts, area: Box, { width, height }: Size, most: number): Rows {
  const stripRows = Math.max(1, Math.min(height, Math.floor(most / width)));
  let held: { readonly pixels: Uint8Array; readonly start: number; readonly end: number } | undefined;
  let y = 0;
  return {
    width,
    height,
    opaque: false,
    read(max) {
      if (y === height) return null;
      if (!held || y === held.end) {
        const end = Math.min(height, y + stripRows);
        const scale = area.height / height;
        const strip = { ...area, y: area.y + y * scale, height: (end - y) * scale };
        held = { pixels: draw(placed(text, facts, strip, { width, height: end - y }), width, end - y), start: y, end };
      }
      const from = y - held.start;
      y = Math.min(held.end, y + max);
      return held.pixels.subarray(from * width * 4, (y - held.start) * width * 4);
    },
    close() {
      held = undefined;
      y = height;
    },
  };
}

/** A document that shows an area of another, enlarged or reduced to a size. */
function placed(text: string, facts: Facts, { x, y, width, height }: Box, size: Size): string {
  const inner = text.replace(/^<svg[^>]*>/, (tag) => {
    const attributes = tag.replace(/ (?:x|y|width|height)="[^"]*"/g, "");
    const own = / viewBox="/.test(attributes) ? "" : ` viewBox="0 0 ${facts.width} ${facts.height}"`;
    return attributes.replace(/^<svg/, `<svg width="${facts.width}" height="${facts.height}"${own}`);
  });
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="${size.width}" height="${size.height}" ` +
    `viewBox="${x} ${y} ${width} ${height}" preserveAspectRatio="none">${inner}</svg>`
  );
}

function draw(text: string, width: number, height: number): Uint8Array {
  try {
    return drawSvg(text, width, height);
  } catch (error) {
    if (error instanceof NativeError) throw damaged(error);
    throw error;
  }
}
