/** Effects that mix a pixel with its neighbors. Each comes with the bytes it holds at most. */
import type { Effect } from "../stream.ts";
import { effectPeakBytes, openEffect } from "./instance.ts";

/** Up to here a Gaussian is applied as it is, which takes work that grows with it. */
export const MAX_GAUSSIAN_SIGMA = 6;

/** A Gaussian with a standard deviation of `sigma` pixels, up to `MAX_GAUSSIAN_SIGMA`; edges are extended. */
export function openGaussian(width: number, height: number, sigma: number, opaque: boolean): Effect {
  return openEffect(width, width, (exports) => exports.gaussian_open(width, height, sigma, opaque ? 1 : 0));
}

export function gaussianPeakBytes(width: number, sigma: number): number {
  const reach = Math.ceil(3.3 * sigma);
  const samples = width * 4 + 64;
  return effectPeakBytes(width, width, 2 * reach + 8, samples * 2) + (samples + 8 * reach) * 2 + samples;
}

/** The mean of (2 radius + 1) squared pixels; a whole radius of at most 127. */
export function openBox(width: number, height: number, radius: number): Effect {
  return openEffect(width, width, (exports) => exports.box_open(width, height, radius));
}

export function boxPeakBytes(width: number, radius: number): number {
  return effectPeakBytes(width, width, 2 * radius + 2, width * 8) + width * 16;
}

/** The mean of the pixels whose centers are within `radius`, from 1 to 32. */
export function openDisc(width: number, height: number, radius: number, opaque: boolean): Effect {
  return openEffect(width, width, (exports) => exports.disc_open(width, height, radius, opaque ? 1 : 0));
}

export function discPeakBytes(width: number, radius: number): number {
  return effectPeakBytes(width, width, 2 * radius + 1, (width + 2 * (radius + 1)) * 8) + width * 6 + 128;
}

/** The sum of the weights of all taps. */
export const TAPS_WHOLE = 32_768;

/** One pixel of a scattered filter: its place relative to the result, and its weight of `TAPS_WHOLE`. */
export interface Tap {
  readonly x: number;
  readonly y: number;
  readonly weight: number;
}

/** A weighted mean of at most 127 scattered pixels; the weights add up to `TAPS_WHOLE` and none is that. */
export function openTaps(width: number, height: number, taps: readonly Tap[], opaque: boolean): Effect {
  const values = Int32Array.from(taps.flatMap(({ x, y, weight }) => [x, y, weight]));
  return openEffect(width, width, (exports, table) =>
    exports.taps_open(width, height, table(values), taps.length, opaque ? 1 : 0),
  );
}

export function tapsPeakBytes(width: number, taps: readonly Tap[]): number {
  const reachX = Math.max(...taps.map(({ x }) => Math.abs(x)));
  const reachY = Math.max(...taps.map(({ y }) => Math.abs(y)));
  return effectPeakBytes(width, width, 2 * reachY + 1, (width + 2 * reachX) * 8) + width * 3 + taps.length * 32;
}

/** Samples of a zoom. */
export const ZOOM_SAMPLES = 4;

/** The mean of `ZOOM_SAMPLES` pixels on the way to the center, each `ratio` times as far from it as the one before. */
export function openZoom(
  { width, height, opaque }: { width: number; height: number; opaque: boolean },
  ratio: number,
): Effect {
  return openEffect(width, width, (exports) => exports.zoom_open(width, height, ratio, opaque ? 1 : 0));
}

export function zoomPeakBytes(width: number, height: number, ratio: number): number {
  const reach = (height / 2) * (1 - ratio ** (ZOOM_SAMPLES - 1));
  const places = (ZOOM_SAMPLES - 1) * width * 8;
  const rows = (ZOOM_SAMPLES - 1) * (width + 4) * 8;
  return effectPeakBytes(width, width, Math.min(height, reach + 4), (width + 4) * 4) + places + rows;
}

/** The median of (2 radius + 1) squared pixels, by channel; a whole radius from 1 to 127. */
export function openMedian(width: number, height: number, radius: number, opaque: boolean): Effect {
  return openEffect(width, width, (exports) => exports.median_open(width, height, radius, opaque ? 1 : 0));
}

export function medianPeakBytes(width: number, radius: number): number {
  const counts = radius > 2 ? width * 4 * 272 : 0;
  return effectPeakBytes(width, width, 2 * radius + 2, (width + 12) * 4) + counts;
}

/** Adds `amount` times the luma that a Gaussian of `sigma` pixels (up to 10) takes away. */
export function openSharpen(width: number, height: number, sigma: number, amount: number, opaque: boolean): Effect {
  return openEffect(width, width, (exports) => exports.sharpen_open(width, height, sigma, amount, opaque ? 1 : 0));
}

export function sharpenPeakBytes(width: number, sigma: number): number {
  const reach = Math.ceil(3 * sigma);
  const planes = (width + 2 * reach + 8) * 8;
  return effectPeakBytes(width, width, 2 * reach + 1, width * 4 + 16 + planes) + planes + 64;
}

/** Cells of `cell` by `cell` pixels, each its mean; a whole number from 2 to 256. */
export function openPixellate(width: number, height: number, cell: number): Effect {
  return openEffect(width, width, (exports) => exports.pixellate_open(width, height, cell));
}

export function pixellatePeakBytes(width: number): number {
  return effectPeakBytes(width, width, 256, 0) + width * 12 + 16;
}
