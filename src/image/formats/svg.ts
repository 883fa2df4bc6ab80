/** SVG: drawn by resvg at the size that is wanted, or handed on as SVG, cleaned. */
import { priced } from "../../../wasm/price.ts";
import type { Breath } from "../breath.ts";
import { type Demand, type Facts, format } from "../format.ts";
import type { Box, Size } from "../geometry.ts";
import { resample } from "../resample.ts";
import type { Rows } from "../rows.ts";
import { guarded } from "./guard.ts";
import { SVG } from "./optional.ts";
import { cleanSvg } from "./svg/clean.ts";
import { demandsOf } from "./svg/demands.ts";
import { damaged, parseSvg, plainSvg } from "./svg/document.ts";
import { drawSvg } from "./svg/resvg.ts";
import { sizeOf } from "./svg/size.ts";

/** Drawn at a time at most: a picture of any size needs no more memory than a strip of it. */
const STRIP_BYTES = 32 << 20;
/** A strip is one call into the renderer, of about 0.1 seconds for a plain drawing. */
const STRIP_PIXELS = 1 << 20;
/** Bytes that the renderer holds: its code's tables, both fonts, paths. */
const BASE_BYTES = 24 << 20;
/** Bytes for each pixel of a row, should one alone be more than a strip. */
const LEAST_ROW_PIXEL_BYTES = 200;
/** Trees of a document in both representations, per byte of text. */
const TREE_BYTES = 30;

/** Parsed here and cleaned, for each byte of text. */
const CLEANING_NANOSECONDS = 150;
/** What the renderer takes to read a document, which it does for every strip. */
const LEAST_READING_MS = 3;
const READING_NANOSECONDS = 650;
/**
 * Drawing a pixel of a plain document; and so much more for each millisecond of reading, for there is more to be drawn.
 */
const PLAIN_NANOSECONDS = 60;
const NANOSECONDS_PER_READING_MS = 20;

export const svg = format({
  ...SVG,
  summary:
    "Drawn at the size that is wanted, text included; compressed (SVGZ) too; without operations it stays SVG, cleaned of scripts.",
  can: { alpha: true, animation: false, quality: false, lossless: true, web: true },

  read: {
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
        decodeMs: LEAST_READING_MS + (bytes.length * READING_NANOSECONDS) / 1e6,
      } satisfies Facts;
    },

    // A strip has a row at least.
    price(facts, { width, height }) {
      const { decodeBytes = 0 } = facts;
      const drawing = priced(decodeBytes + width * LEAST_ROW_PIXEL_BYTES, width * height, pixelNanoseconds(facts));
      const readings = Math.ceil((width * height) / STRIP_PIXELS);
      return { ...drawing, ms: drawing.ms + readings * readingMs(facts) };
    },

    async *open(bytes, facts, demand, breath) {
      const rows = drawnRows(bytes, facts, demand, breath);
      const { width, height } = rows;
      yield { delayMs: 0, rows, box: { x: 0, y: 0, width, height } };
    },
  },

  recompress: {
    price(bytes) {
      const { length } = plainSvg(bytes);
      return priced(length * TREE_BYTES, length, CLEANING_NANOSECONDS);
    },
    run: async (bytes) => new TextEncoder().encode(cleanSvg(parseSvg(bytes))),
  },
});

function readingMs({ decodeMs = LEAST_READING_MS }: Facts): number {
  return decodeMs;
}

function pixelNanoseconds(facts: Facts): number {
  return PLAIN_NANOSECONDS + readingMs(facts) * NANOSECONDS_PER_READING_MS;
}

/** The wanted region, drawn at the size at which it is used, be it smaller or larger than the document says. */
function drawnRows(bytes: Uint8Array, facts: Facts, { box, ...wanted }: Demand, breath: Breath): Rows {
  const root = parseSvg(bytes);
  const { filters, pixelBytes } = demandsOf(root);
  const text = cleanSvg(root);
  const width = Math.max(1, Math.round(wanted.width));
  const height = Math.max(1, Math.round(wanted.height));
  const drawing = { text, facts, breath };
  if (!filters) {
    return strips(drawing, box, { width, height }, Math.min(STRIP_PIXELS, STRIP_BYTES / pixelBytes));
  }

  // What lies beyond an edge would be missing in the filter: the picture is drawn in one piece, if need be a smaller
  // one.
  const full = { width: (facts.width * width) / box.width, height: (facts.height * height) / box.height };
  const factor = Math.min(1, Math.sqrt(STRIP_BYTES / pixelBytes / (full.width * full.height)));
  const size = { width: Math.ceil(full.width * factor), height: Math.ceil(full.height * factor) };
  const whole = strips(drawing, { x: 0, y: 0, ...pick(facts) }, size, Infinity);
  const [scaleX, scaleY] = [size.width / facts.width, size.height / facts.height];
  const region = { x: box.x * scaleX, y: box.y * scaleY, width: box.width * scaleX, height: box.height * scaleY };
  return resample(whole, { box: region, width, height, kernel: "linear" });
}

function pick({ width, height }: Size): Size {
  return { width, height };
}

interface Drawing {
  readonly text: string;
  readonly facts: Facts;
  readonly breath: Breath;
}

/** An area of the document at a size, as many rows at a time as have `most` pixels. */
function strips({ text, facts, breath }: Drawing, area: Box, { width, height }: Size, most: number): Rows {
  const stripRows = Math.max(1, Math.min(height, Math.floor(most / width)));
  let held: { readonly pixels: Uint8Array; readonly start: number; readonly end: number } | undefined;
  let y = 0;
  return {
    width,
    height,
    opaque: false,
    async read(max) {
      if (y === height) return null;
      if (!held || y === held.end) {
        const end = Math.min(height, y + stripRows);
        await breath.spend(readingMs(facts) + ((end - y) * width * pixelNanoseconds(facts)) / 1e6);
        const scale = area.height / height;
        const strip = { ...area, y: area.y + y * scale, height: (end - y) * scale };
        const document = placed(text, facts, strip, { width, height: end - y });
        held = { pixels: guarded(() => drawSvg(document, width, end - y), damaged), start: y, end };
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
