/** What drawing takes, and how much of a picture is drawn at a time, so that others have their turn in between. */
import { Fuel } from "../../../../wasm/fuel/fuel.ts";
import { type Price, priced } from "../../../../wasm/price.ts";
import type { Facts } from "../../format.ts";
import type { Size } from "../../geometry.ts";
import type { Demands } from "./demands.ts";

/** Drawn at a time at most: a picture of any size needs no more memory than a strip of it. */
export const STRIP_BYTES = 32 << 20;
/** A strip is one call into the renderer; one of a drawing with layers has so many pixels, whatever it takes. */
const STRIP_PIXELS = 1 << 20;
/** What such a call should take: with an error of half as much again it is no longer than 0.1 seconds. */
const STRIP_MS = 60;
/** Of the renderer: its code's tables, both fonts, paths. */
const BASE_BYTES = 24 << 20;
/** Points of paths in all strips together; each strip takes 0.1 microseconds for a point, wherever it lies. */
const MAX_REPEATED = 20_000_000;
/** Of a row, should one alone be more than a strip. */
const LEAST_ROW_PIXEL_BYTES = 200;
/** Trees of a document in both representations, per byte of text. */
export const TREE_BYTES = 30;

/** A document is parsed and cleaned here, and counted before it is drawn, in so much for each byte of text. */
export const CLEANING_NANOSECONDS = 250;
const COUNTING_NANOSECONDS = 150;
/** What the renderer takes to read a document at least. */
const LEAST_READING_MS = 3;
/** It reads a point in 350 ns, and draws its part of the picture in 1,000 to 2,000. */
const POINT_NANOSECONDS = 1_850;
/** Of reading and drawing once, what comes before anything is drawn; and what each strip takes besides its pixels. */
const READING_SHARE = 1 / 2;
const STRIP_SHARE = 1 / 25;
/**
 * A pixel with one or two shapes, the layer of the whole drawing included; with each level of layers; and with an embedded
 * picture.
 */
const PLAIN_NANOSECONDS = 90;
const LAYER_NANOSECONDS = 100;
const PICTURE_NANOSECONDS = 300;

/**
 * What drawing may take, whatever its price: filters and layers that cover the picture are not in it, and take the
 * longer the larger the picture is. Drawings of up to 400 pixels take a third of what they may with these.
 */
const UNPRICED_LEAST_MS = 700;
const UNPRICED_PIXEL_NANOSECONDS = 1_500;
const UNPRICED_MOST_MS = 1_600;
/** What drawing may take of its price, which is that of the slowest drawings. */
const PRICE_FACTOR = 2;

/** What facts say about the work of drawing a document of so many bytes. */
export function drawingFacts(bytes: number, { repeated, imagePixels, nesting }: Demands) {
  const nanoseconds = bytes * (CLEANING_NANOSECONDS + COUNTING_NANOSECONDS) + repeated * POINT_NANOSECONDS;
  return {
    decodeBytes: BASE_BYTES + STRIP_BYTES + bytes * TREE_BYTES + imagePixels * 8,
    decodeMs: LEAST_READING_MS + nanoseconds / 1e6,
    decodePixelNanoseconds:
      PLAIN_NANOSECONDS + nesting * LAYER_NANOSECONDS + (imagePixels > 0 ? PICTURE_NANOSECONDS : 0),
  } satisfies Partial<Facts>;
}

type Work = Pick<Facts, "decodeMs" | "decodePixelNanoseconds">;

/** Of a picture of so many pixels. A strip has a row at least. */
export function drawingPrice(facts: Facts, { width, height }: Size): Price {
  const { decodeBytes = 0, decodeMs = 0, decodePixelNanoseconds = 0 } = facts;
  const pixels = width * height;
  const drawing = priced(decodeBytes + width * LEAST_ROW_PIXEL_BYTES, pixels, decodePixelNanoseconds);
  const strips = Math.ceil(pixels / stripPixels(facts, pixels));
  return { ...drawing, ms: drawing.ms + decodeMs * (1 + strips * STRIP_SHARE) };
}

/** What drawing a picture of this size may take of the processor. */
export function drawingFuel(facts: Facts, size: Size): Fuel {
  const unpriced = UNPRICED_LEAST_MS + (size.width * size.height * UNPRICED_PIXEL_NANOSECONDS) / 1e6;
  return new Fuel(Math.min(UNPRICED_MOST_MS, unpriced) + drawingPrice(facts, size).ms * PRICE_FACTOR);
}

/** Milliseconds before anything is drawn. */
function readingMs({ decodeMs = 0 }: Work): number {
  return decodeMs * READING_SHARE;
}

function fixedMs({ decodeMs = 0 }: Work): number {
  return decodeMs * STRIP_SHARE;
}

function pixelNanoseconds(facts: Work, pixels: number): number {
  const { decodeMs = 0, decodePixelNanoseconds = 0 } = facts;
  return decodePixelNanoseconds + ((decodeMs - readingMs(facts)) * 1e6) / pixels;
}

/** Pixels of a strip that takes `STRIP_MS`; where that is not to be had, as many as take what a strip takes besides. */
function stripPixels(facts: Work, pixels: number): number {
  const fixed = fixedMs(facts);
  const drawingMs = Math.max(STRIP_MS - fixed, fixed);
  return Math.max(1, Math.min(STRIP_PIXELS, (drawingMs * 1e6) / pixelNanoseconds(facts, pixels)));
}

/**
 * Rows of the strips of a picture, all strips but the last having as many; null where all strips together would take too
 * long.
 */
export function stripRows(facts: Work, { pixelBytes, repeated, nesting }: Demands, { width, height }: Size) {
  const fewest = stripsOf(Math.min(STRIP_PIXELS, STRIP_BYTES / pixelBytes), width, height);
  const most = Math.floor(MAX_REPEATED / repeated);
  if (fewest > most) return null;
  // Drawn by less at a time, layers are too far from most strips.
  const wanted = nesting > 0 ? fewest : stripsOf(stripPixels(facts, width * height), width, height);
  return Math.ceil(height / Math.min(most, Math.max(fewest, wanted)));
}

function stripsOf(pixels: number, width: number, height: number): number {
  return Math.ceil(height / Math.max(1, Math.floor(pixels / width)));
}
