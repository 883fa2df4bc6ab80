/** Effects that look at one pixel at a time, and at its place. */
import { parallel, type Estimate, estimated } from "../estimate.ts";
import { Handle } from "../handle.ts";
import { type Effect, WINDOW_ROWS } from "../stream.ts";
import { effectBytes, effects, openEffect } from "./instance.ts";

type Rgba = readonly [red: number, green: number, blue: number, alpha: number];

interface Size {
  /** Pixels. */
  readonly width: number;
  /** Pixels. */
  readonly height: number;
}

function pointwiseEstimate({ width, height }: Size, nanoseconds: number): Estimate {
  const bytes = effectBytes(width, width, WINDOW_ROWS, width * 4) + width * 4 + 16_384;
  return estimated(bytes, width * height, nanoseconds);
}

/** Entries of a table of gains: one for each 1,024th of luma, both ends included. */
export const GAINS = 1_025;

export interface Tone {
  /** 256 levels for red, then green, then blue: 0 to 255, not rounded. */
  readonly levels: Float32Array;
  /** `GAINS` factors by luma, applied to all three channels; a color is not lifted past its brightest channel. */
  readonly gains?: Float32Array | undefined;
  /** -1 to 1: how much further from its gray a color is, the more the duller it is. */
  readonly vibrance: number;
  /** Three rows of four: factors of red, green and blue, and an offset in levels. */
  readonly matrix: readonly number[];
}

export function openTone({ width, height }: Size, { levels, gains, vibrance, matrix }: Tone): Effect {
  const table = new Float32Array(3 * 256 + GAINS + 12 + 2);
  table.set(levels);
  if (gains) table.set(gains, 3 * 256);
  table.set(matrix, 3 * 256 + GAINS);
  table.set([vibrance, gains ? 1 : 0], 3 * 256 + GAINS + 12);
  return openEffect(width, width, (exports, put) => exports.tone_open(width, height, put(table)));
}

const TONE_NANOSECONDS = 7;

export function toneEstimate(size: Size): Estimate {
  return pointwiseEstimate(size, TONE_NANOSECONDS);
}

export interface Replacement {
  /** CIELAB under D65. */
  readonly from: readonly [lightness: number, a: number, b: number];
  readonly to: Rgba;
  /** CIELAB units. */
  readonly tolerance: number;
  /** Linear light, 0 to 1, of each of the 256 levels. */
  readonly linear: Float32Array;
}

export function openReplacement({ width, height }: Size, { from, to, tolerance, linear }: Replacement): Effect {
  const table = Float32Array.from([...from, ...to, tolerance, ...linear]);
  return openEffect(width, width, (exports, put) => exports.replace_open(width, height, put(table)));
}

/** Halfway between a pixel of a photograph, which takes 24, and one that is transparent or like its neighbors, 7. */
const REPLACEMENT_NANOSECONDS = 14;

export function replacementEstimate(size: Size): Estimate {
  return pointwiseEstimate(size, REPLACEMENT_NANOSECONDS);
}

/** In the order of halftone.c. */
export const SCREENS = ["dot", "line", "circular", "hatched", "cmyk"] as const;
export type Screen = (typeof SCREENS)[number];

/** Entries of a table of thresholds: one for each 1,024th of the screen function's value, both ends included. */
export const THRESHOLDS = 1_025;

export interface Halftone {
  readonly screen: Screen;
  /** Pixels from one dot or line to the next. */
  readonly period: number;
  /** Degrees, clockwise. */
  readonly angle: number;
  /** How steeply light follows the tone at the edge of a dot; 1 is the softest. */
  readonly slope: number;
  /** `THRESHOLDS` tones, 0 to 1. */
  readonly thresholds: Float32Array;
}

export function openHalftone({ width, height }: Size, halftone: Halftone): Effect {
  const { screen, period, angle, slope, thresholds } = halftone;
  const table = Float32Array.from([SCREENS.indexOf(screen), period, angle / 360, slope, ...thresholds]);
  return openEffect(width, width, (exports, put) => exports.halftone_open(width, height, put(table)));
}

const HALFTONE_NANOSECONDS: Readonly<Record<Screen, number>> = {
  dot: 8,
  line: 5,
  circular: 12,
  hatched: 6,
  cmyk: 20,
};

export function halftoneEstimate(size: Size, screen: Screen): Estimate {
  return pointwiseEstimate(size, HALFTONE_NANOSECONDS[screen]);
}

/** A circle, in pixels. */
export interface Eye {
  readonly x: number;
  readonly y: number;
  readonly radius: number;
}

/** Takes the red out of red pupils; a little further than the circles go, and only where there is red. */
export function openEyes({ width, height }: Size, eyes: readonly Eye[]): Effect {
  const table = Float32Array.from(eyes.flatMap(({ x, y, radius }) => [x, y, radius]));
  return openEffect(width, width, (exports, put) => exports.eyes_open(width, height, put(table), eyes.length));
}

/** A pixel that is handed on; one that is near an eye; an eye that a row is not near to. */
const EYES_NANOSECONDS = { pixel: 0.5, near: 12, far: 1 };

export function eyesEstimate(size: Size, eyes: readonly Eye[]): Estimate {
  const near = eyes.reduce((pixels, { radius }) => pixels + (3 * radius) ** 2, 0);
  return parallel(
    pointwiseEstimate(size, EYES_NANOSECONDS.pixel),
    estimated(eyes.length * 12, near, EYES_NANOSECONDS.near),
    estimated(0, eyes.length * size.height, EYES_NANOSECONDS.far),
  );
}

/** A rectangle with elliptic corners, in pixels. */
export interface Shape {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
  readonly radiusX: number;
  readonly radiusY: number;
}

export interface Frame {
  /** Outside of it is `background`. */
  readonly outer: Shape;
  readonly background: Rgba;
  /** Inside `outer` but outside of this, the picture is painted over. */
  readonly inner?: { readonly shape: Shape; readonly paint: Rgba };
}

export function openFrame({ width, height }: Size, { outer, background, inner }: Frame): Effect {
  const shape = (of: Shape) => [of.left, of.top, of.right, of.bottom, of.radiusX, of.radiusY];
  const paint = inner?.paint ?? [0, 0, 0, 0];
  const table = [...shape(outer), ...shape(inner?.shape ?? outer), ...background, ...paint, inner ? 1 : 0];
  return openEffect(width, width, (exports, put) => exports.frame_open(width, height, put(Float32Array.from(table))));
}

const FRAME_NANOSECONDS = 3;

export function frameEstimate(size: Size): Estimate {
  return pointwiseEstimate(size, FRAME_NANOSECONDS);
}

export interface Overlay {
  /**
   * Rows of the base, laid under rows of the overlay that begin at pixel `x` of it; a view valid until the next call.
   */
  blend(base: Uint8Array, over: Uint8Array, x: number): Uint8Array;
  close(): void;
}

/** At most `WINDOW_ROWS` rows at a time; `opacity` 0 to 1 is multiplied with the alpha of the overlay. */
export function openOverlay(width: number, overWidth: number, opacity: number): Overlay {
  const baseBytes = width * 4 * WINDOW_ROWS;
  const handle = new Handle(
    effects,
    (exports) => exports.malloc(baseBytes + overWidth * 4 * WINDOW_ROWS),
    (exports, pointer) => exports.free(pointer),
  );
  return {
    blend(base, over, x) {
      const at = handle.pointer;
      handle.bytes(at, base.length).set(base);
      handle.bytes(at + baseBytes, over.length).set(over);
      const rows = over.length / (overWidth * 4);
      handle.call((exports) => exports.overlay_rows(at, width, x, at + baseBytes, overWidth, rows, opacity));
      return handle.bytes(at, base.length);
    },
    close: () => handle.close(),
  };
}

const OVERLAY_NANOSECONDS = 8;

/** The estimate of laying all of a picture on another. */
export function overlayEstimate({ width }: Size, over: Size): Estimate {
  return estimated((width + over.width) * 4 * WINDOW_ROWS, over.width * over.height, OVERLAY_NANOSECONDS);
}
