/** What drawing takes, and how much of a picture is drawn at a time. */
import { type Estimate, estimated } from "../../../../wasm/estimate.ts";
import { Fuel } from "../../../../wasm/fuel/fuel.ts";
import type { Facts } from "../../codec/format.ts";
import type { Size } from "../../pixels/geometry.ts";
import type { Demands } from "./demands.ts";
import { LEAST_READING_BYTES, type Marks, readingEstimate } from "./weight.ts";

/** Pixels that are drawn at a time: a picture of any size needs no more memory than a strip of it. */
const STRIP_PIXELS = 1 << 19;
/** A strip of a drawing with many layers holds so much at most. */
const STRIP_BYTES = 32 << 20;
/** A picture with filters, which is drawn in one piece: what holds more is drawn smaller. */
const FILTERED_BYTES = 56 << 20;
/** Of the renderer: its code's tables, two fonts, stacks. */
const BASE_BYTES = 3 << 20;
/** The renderer's trees: an element as often as it is used, an attribute, and a letter of text and paths. */
const NODE_BYTES = 340;
const ATTRIBUTE_BYTES = 48;
const LETTER_BYTES = 11;
/** Tiles of patterns are as large as the renderer lets them be (`MAX_TILE_PIXELS` in its patch), with a layer of each. */
const MAX_TILE_PIXELS = 1 << 21;
const TILE_PIXEL_BYTES = 8;
/** A picture in a drawing, while it is decoded, with smaller ones of it. */
const IMAGE_PIXEL_BYTES = 12;
/** Points of paths in all strips together: each strip looks at every path, wherever it lies. */
const MAX_REPEATED = 60_000_000;

/** A document is counted in so much for each byte of text, once it has been read. */
const COUNTING_NANOSECONDS = 150;
/** What the renderer takes to read a document at least. */
const LEAST_READING_MS = 2;
/** To read a point and to draw its part of a small picture. */
const POINT_NANOSECONDS = 600;
/** What each strip takes of that again. */
const STRIP_SHARE = 1 / 25;
/** A pixel with one or two shapes; with each level of layers, masks and paths that cut off; with an embedded picture. */
const PLAIN_NANOSECONDS = 15;
const LAYER_NANOSECONDS = 20;
const PICTURE_NANOSECONDS = 60;
/** A filter of a few primitives, whose regions cover the picture. */
const FILTER_NANOSECONDS = 100;

/**
 * What drawing may take, in milliseconds of the slowest code; that of the renderer is counted as one to three times what
 * it takes. Long strokes, filters, and layers that cover the picture are not in the estimate, and take the longer the larger
 * the picture is. No estimate makes a refusal late: what is refused has taken MOST_MS at most.
 */
const UNESTIMATED_LEAST_MS = 1_500;
const UNESTIMATED_PIXEL_NANOSECONDS = 1_500;
const UNESTIMATED_MOST_MS = 3_000;
const ESTIMATE_FACTOR = 4;
const MOST_MS = 4_000;

/** Of drawings with filters, and of others, how many pixels are drawn at a time. */
export function pixelsAtOnce({ pixelBytes, primitives }: Demands): number {
  return primitives > 0 ? FILTERED_BYTES / pixelBytes : Math.min(STRIP_PIXELS, STRIP_BYTES / pixelBytes);
}

/** What facts say about the work of drawing a document with these marks. */
export function drawingFacts(marks: Marks, demands: Demands) {
  const { repeated, imagePixels, nesting, primitives, nodes } = demands;
  const reading = readingEstimate(marks);
  // What was read is written anew as text before the renderer reads that.
  const { letters, attributes } = marks;
  const trees = Math.max(
    reading.bytes - LEAST_READING_BYTES,
    nodes * NODE_BYTES + attributes * ATTRIBUTE_BYTES + letters * LETTER_BYTES,
  );
  const nanoseconds = letters * COUNTING_NANOSECONDS + repeated * POINT_NANOSECONDS;
  return {
    decodeBytes: BASE_BYTES + trees + imagePixels * IMAGE_PIXEL_BYTES,
    decodeMs: LEAST_READING_MS + reading.ms + nanoseconds / 1e6,
    decodePixelNanoseconds:
      PLAIN_NANOSECONDS +
      nesting * LAYER_NANOSECONDS +
      (imagePixels > 0 ? PICTURE_NANOSECONDS : 0) +
      (primitives > 0 ? FILTER_NANOSECONDS : 0),
    drawn: { pixels: pixelsAtOnce(demands), pixelBytes: demands.pixelBytes, tiles: demands.tiles },
  } satisfies Partial<Facts>;
}

/** Of a picture of so many pixels. A strip has a row at least. */
export function drawingEstimate(facts: Facts, { width, height }: Size): Estimate {
  const { decodeBytes = 0, decodeMs = 0, decodePixelNanoseconds = 0, drawn } = facts;
  const pixels = width * height;
  const { pixels: atOnce, pixelBytes, tiles } = drawn ?? { pixels, pixelBytes: 0, tiles: 0 };
  const strip = Math.max(width, Math.min(pixels, atOnce));
  const tileBytes = Math.min(pixels * tiles, MAX_TILE_PIXELS) * TILE_PIXEL_BYTES;
  const drawing = estimated(decodeBytes + strip * pixelBytes + tileBytes, pixels, decodePixelNanoseconds);
  return { ...drawing, ms: drawing.ms + decodeMs * (1 + Math.ceil(pixels / strip) * STRIP_SHARE) };
}

/** What drawing a picture of this size may take of the processor. */
export function drawingFuel(facts: Facts, size: Size): Fuel {
  const unestimated = UNESTIMATED_LEAST_MS + (size.width * size.height * UNESTIMATED_PIXEL_NANOSECONDS) / 1e6;
  const ms = Math.min(UNESTIMATED_MOST_MS, unestimated) + drawingEstimate(facts, size).ms * ESTIMATE_FACTOR;
  return new Fuel(Math.min(MOST_MS, ms));
}

/**
 * Rows of the strips of a picture, all strips but the last having as many; null where all strips together would take too
 * long.
 */
export function stripRows(demands: Demands, { width, height }: Size): number | null {
  const rows = Math.min(height, Math.max(1, Math.floor(pixelsAtOnce(demands) / width)));
  return Math.ceil(height / rows) * demands.repeated > MAX_REPEATED ? null : rows;
}
