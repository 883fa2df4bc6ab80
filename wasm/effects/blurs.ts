/** Effects that mix a pixel with its neighbors. Each comes with its estimate. */
import { type Estimate, estimated } from "../estimate.ts";
import type { Effect } from "../stream.ts";
import { effectBytes, openEffect } from "./instance.ts";

/** What most of these effects are opened on. */
export interface Extent {
  /** Pixels. */
  readonly width: number;
  /** Pixels. */
  readonly height: number;
  /** No pixel has an alpha below 255: three channels are enough, and they need not be premultiplied. */
  readonly opaque: boolean;
}

/** What a pixel takes in nanoseconds, and what every row, column or pixel more that an effect reaches to adds to it. */
interface Nanoseconds {
  readonly pixel: number;
  readonly reach: number;
}

/** The estimate of an effect on all pixels, by its figures for opaque and for other pictures. */
function effectEstimate(
  bytes: number,
  { width, height, opaque }: Extent,
  figures: { readonly opaque: Nanoseconds; readonly translucent: Nanoseconds },
  reach = 0,
): Estimate {
  const figure = opaque ? figures.opaque : figures.translucent;
  return estimated(bytes, width * height, figure.pixel + figure.reach * reach);
}

/** Up to here a Gaussian is applied as it is, which takes work that grows with it. */
export const MAX_GAUSSIAN_SIGMA = 6;

/** A Gaussian with a standard deviation of `sigma` pixels, up to `MAX_GAUSSIAN_SIGMA`; edges are extended. */
export function openGaussian({ width, height, opaque }: Extent, sigma: number): Effect {
  return openEffect(width, width, (exports) => exports.gaussian_open(width, height, sigma, opaque ? 1 : 0));
}

const GAUSSIAN = { opaque: { pixel: 1.2, reach: 0.35 }, translucent: { pixel: 6, reach: 0.5 } };

export function gaussianEstimate(extent: Extent, sigma: number): Estimate {
  const { width } = extent;
  const reach = Math.ceil(3.3 * sigma);
  const samples = width * 4 + 64;
  const bytes = effectBytes(width, width, 2 * reach + 8, samples * 2) + (samples + 8 * reach) * 2 + samples;
  return effectEstimate(bytes, extent, GAUSSIAN, reach);
}

/** The mean of (2 radius + 1) squared pixels; a whole radius of at most 127. */
export function openBox({ width, height }: Extent, radius: number): Effect {
  return openEffect(width, width, (exports) => exports.box_open(width, height, radius));
}

const BOX_NANOSECONDS = 7;

export function boxEstimate({ width, height }: Extent, radius: number): Estimate {
  const bytes = effectBytes(width, width, 2 * radius + 2, width * 8) + width * 16;
  return estimated(bytes, width * height, BOX_NANOSECONDS);
}

/** The mean of the pixels whose centers are within `radius`, from 1 to 32. */
export function openDisc({ width, height, opaque }: Extent, radius: number): Effect {
  return openEffect(width, width, (exports) => exports.disc_open(width, height, radius, opaque ? 1 : 0));
}

const DISC = { opaque: { pixel: 3.5, reach: 0.35 }, translucent: { pixel: 9, reach: 1.9 } };

export function discEstimate(extent: Extent, radius: number): Estimate {
  const { width } = extent;
  const bytes = effectBytes(width, width, 2 * radius + 1, (width + 2 * (radius + 1)) * 8) + width * 6 + 128;
  return effectEstimate(bytes, extent, DISC, radius);
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
export function openTaps({ width, height, opaque }: Extent, taps: readonly Tap[]): Effect {
  const values = Int32Array.from(taps.flatMap(({ x, y, weight }) => [x, y, weight]));
  return openEffect(width, width, (exports, table) =>
    exports.taps_open(width, height, table(values), taps.length, opaque ? 1 : 0),
  );
}

const TAPS = { opaque: { pixel: 2.5, reach: 0.12 }, translucent: { pixel: 7, reach: 0.42 } };

export function tapsEstimate(extent: Extent, taps: readonly Tap[]): Estimate {
  const { width } = extent;
  const reachX = Math.max(...taps.map(({ x }) => Math.abs(x)));
  const reachY = Math.max(...taps.map(({ y }) => Math.abs(y)));
  const bytes = effectBytes(width, width, 2 * reachY + 1, (width + 2 * reachX) * 8) + width * 3 + taps.length * 32;
  return effectEstimate(bytes, extent, TAPS, taps.length);
}

/** Samples of a zoom. */
export const ZOOM_SAMPLES = 4;

/** The mean of `ZOOM_SAMPLES` pixels on the way to the center, each `ratio` times as far from it as the one before. */
export function openZoom({ width, height, opaque }: Extent, ratio: number): Effect {
  return openEffect(width, width, (exports) => exports.zoom_open(width, height, ratio, opaque ? 1 : 0));
}

const ZOOM = { opaque: { pixel: 4, reach: 0 }, translucent: { pixel: 26, reach: 0 } };

export function zoomEstimate(extent: Extent, ratio: number): Estimate {
  const { width, height } = extent;
  const reach = (height / 2) * (1 - ratio ** (ZOOM_SAMPLES - 1));
  const places = (ZOOM_SAMPLES - 1) * width * 8;
  const rows = (ZOOM_SAMPLES - 1) * (width + 4) * 8;
  const bytes = effectBytes(width, width, Math.min(height, reach + 4), (width + 4) * 4) + places + rows;
  return effectEstimate(bytes, extent, ZOOM);
}

/** The median of (2 radius + 1) squared pixels, by channel; a whole radius from 1 to 127. */
export function openMedian({ width, height, opaque }: Extent, radius: number): Effect {
  return openEffect(width, width, (exports) => exports.median_open(width, height, radius, opaque ? 1 : 0));
}

/** Small medians are sorting networks; larger ones move histograms along, which takes the same for any radius. */
const MAX_SORTED_RADIUS = 2;
const SORTED_MEDIAN = { opaque: { pixel: 0, reach: 3.5 }, translucent: { pixel: 6, reach: 3.6 } };
const COUNTED_MEDIAN = { opaque: { pixel: 45, reach: 0 }, translucent: { pixel: 62, reach: 0 } };

export function medianEstimate(extent: Extent, radius: number): Estimate {
  const { width } = extent;
  const sorted = radius <= MAX_SORTED_RADIUS;
  const counts = sorted ? 0 : width * 4 * 272;
  const bytes = effectBytes(width, width, 2 * radius + 2, (width + 12) * 4) + counts;
  return effectEstimate(bytes, extent, sorted ? SORTED_MEDIAN : COUNTED_MEDIAN, radius);
}

/** Adds `amount` times the luma that a Gaussian of `sigma` pixels (up to 10) takes away. */
export function openSharpen({ width, height, opaque }: Extent, sigma: number, amount: number): Effect {
  return openEffect(width, width, (exports) => exports.sharpen_open(width, height, sigma, amount, opaque ? 1 : 0));
}

const SHARPEN = { opaque: { pixel: 4, reach: 0.65 }, translucent: { pixel: 6, reach: 1.3 } };

export function sharpenEstimate(extent: Extent, sigma: number): Estimate {
  const { width } = extent;
  const reach = Math.ceil(3 * sigma);
  const planes = (width + 2 * reach + 8) * 8;
  const bytes = effectBytes(width, width, 2 * reach + 1, width * 4 + 16 + planes) + planes + 64;
  return effectEstimate(bytes, extent, SHARPEN, reach);
}

/** Cells of `cell` by `cell` pixels, each its mean; a whole number from 2 to 256. */
export function openPixellate({ width, height }: Pick<Extent, "width" | "height">, cell: number): Effect {
  return openEffect(width, width, (exports) => exports.pixellate_open(width, height, cell));
}

const PIXELLATE_NANOSECONDS = 2.2;

export function pixellateEstimate({ width, height }: Pick<Extent, "width" | "height">): Estimate {
  return estimated(effectBytes(width, width, 256, 0) + width * 12 + 16, width * height, PIXELLATE_NANOSECONDS);
}
