/**
 * What stands out of a picture: edges, saturated colors, colors of skin, and contrast to what is around, each as far as it
 * is above its mean over the picture, and colors as far as they are above those around them: neither a sky nor sand is a
 * subject. The features are those of J. Wagner's smartcrop (2014) and, for contrast between a place and its surroundings,
 * of L. Itti, C. Koch and E. Niebur, "A model of saliency-based visual attention for rapid scene analysis" (1998); the
 * weights are our own.
 */
import type { Size } from "../pixels/geometry.ts";
import type { Point } from "../pixels/gravity.ts";
import { bestWindow, type Grid } from "./window.ts";

/** Cells along the longest side: a region that is worth looking at is larger than one. */
const GRID = 64;
/** The difference between neighbors, of 255, at which a cell is as full of edges as can be. */
const FULL_EDGE = 48;
/** The direction of skin's color in RGB, whatever its brightness, how near a color must come, and how bright it must be. */
const SKIN = [0.78, 0.57, 0.44] as const;
const SKIN_LENGTH = Math.hypot(...SKIN);
const SKIN_COSINE = 0.985;
const SKIN_DARKEST = 0.2;
const WEIGHTS = { edge: 1.5, saturation: 1, skin: 0.5, contrast: 1 } as const;
/** How much less what lies in a corner counts than what lies in the middle, where photographers put what matters. */
const CORNER_LOSS = 0.4;
/** Less than this, and less than so many times what is usual in the picture, stands out to nobody. */
const LEAST = 0.1;
const LEAST_RATIO = 2;
const ROUNDS = 4;

/**
 * The middle of what stands out most, or of a part of the picture that holds most of it; undefined when nothing does.
 * @param pixels RGBA8, opaque
 * @param part shares of the sides
 */
export function standoutOf(pixels: Uint8Array, size: Size, part?: Size): Point | undefined {
  const map = saliencyOf(pixels, size);
  const reach = Math.max(1, Math.round(Math.max(map.width, map.height) / 10));
  const around = meansAround(map, reach);
  const peak = peakOf(around);
  const usual = meanOf(around.values);
  const most = around.values[peak] ?? 0;
  if (most < LEAST || most < usual * LEAST_RATIO) return undefined;
  if (part) return bestWindow(map, meanOf(map.values), part);
  let point = { x: peak % map.width, y: Math.floor(peak / map.width) };
  for (let round = 0; round < ROUNDS; round++) point = middleAround(map, point, reach * 1.5, usual);
  return { x: (point.x + 0.5) / map.width, y: (point.y + 0.5) / map.height };
}

/** Milliseconds for so many pixels. */
export function saliencyMs(pixels: number): number {
  return 1 + pixels * 2e-5;
}

function saliencyOf(pixels: Uint8Array, size: Size): Grid {
  const { red, green, blue, edge } = cellsOf(pixels, size);
  const { width, height } = edge;
  const count = width * height;
  const [saturation, skin, contrast] = [new Float32Array(count), new Float32Array(count), new Float32Array(count)];
  const radius = Math.max(1, Math.round(Math.max(width, height) / 4));
  const surroundings = [red, green, blue].map((channel) => meansAround(channel, radius, true).values);
  for (let at = 0; at < count; at++) {
    const [r, g, b] = [red.values[at]!, green.values[at]!, blue.values[at]!];
    saturation[at] = Math.max(r, g, b) - Math.min(r, g, b);
    skin[at] = skinOf(r, g, b);
    const [aroundR, aroundG, aroundB] = surroundings.map((values) => values[at]!) as [number, number, number];
    contrast[at] = Math.hypot(r - aroundR, g - aroundG, b - aroundB);
  }
  const features = {
    edge: edge.values,
    saturation: aboveSurroundings({ width, height, values: saturation }, radius),
    skin: aboveSurroundings({ width, height, values: skin }, radius),
    contrast,
  };
  const values = new Float32Array(count);
  for (const [name, weight] of Object.entries(WEIGHTS) as [keyof typeof WEIGHTS, number][]) {
    const mean = meanOf(features[name]);
    for (let at = 0; at < count; at++) values[at] = values[at]! + weight * Math.max(0, features[name][at]! - mean);
  }
  return { width, height, values };
}

/** How much more of a feature each cell has than what is around it. */
function aboveSurroundings(feature: Grid, radius: number): Float32Array {
  const around = meansAround(feature, radius, true).values;
  return feature.values.map((value, at) => Math.max(0, value - around[at]!));
}

/** How much like skin a color is, from 0 to 1. */
function skinOf(r: number, g: number, b: number): number {
  const length = Math.hypot(r, g, b);
  if (length < SKIN_DARKEST) return 0;
  const cosine = (r * SKIN[0] + g * SKIN[1] + b * SKIN[2]) / (length * SKIN_LENGTH);
  return Math.max(0, (cosine - SKIN_COSINE) / (1 - SKIN_COSINE));
}

/** The mean color of each cell, from 0 to 1, and how many edges it has. */
function cellsOf(pixels: Uint8Array, size: Size): Record<"red" | "green" | "blue" | "edge", Grid> {
  const side = Math.max(1, Math.ceil(Math.max(size.width, size.height) / GRID));
  const [width, height] = [Math.ceil(size.width / side), Math.ceil(size.height / side)];
  const grid = (): Grid => ({ width, height, values: new Float32Array(width * height) });
  const cells = { red: grid(), green: grid(), blue: grid(), edge: grid() };
  const [red, green, blue, edge] = [cells.red.values, cells.green.values, cells.blue.values, cells.edge.values];
  const counts = new Float32Array(width * height);
  const above = new Int32Array(size.width);
  for (let y = 0, at = 0; y < size.height; y++) {
    const row = Math.floor(y / side) * width;
    let left = 0;
    for (let x = 0; x < size.width; x++, at += 4) {
      const cell = row + Math.floor(x / side);
      const [r, g, b] = [pixels[at]!, pixels[at + 1]!, pixels[at + 2]!];
      const luma = (77 * r + 150 * g + 29 * b) >> 8;
      const step = (x > 0 ? Math.abs(luma - left) : 0) + (y > 0 ? Math.abs(luma - above[x]!) : 0);
      left = luma;
      above[x] = luma;
      red[cell] = red[cell]! + r;
      green[cell] = green[cell]! + g;
      blue[cell] = blue[cell]! + b;
      edge[cell] = edge[cell]! + step;
      counts[cell] = counts[cell]! + 1;
    }
  }
  for (let cell = 0; cell < counts.length; cell++) {
    const scale = 1 / (counts[cell]! * 255);
    red[cell] = red[cell]! * scale;
    green[cell] = green[cell]! * scale;
    blue[cell] = blue[cell]! * scale;
    edge[cell] = Math.min(1, edge[cell]! / (counts[cell]! * FULL_EDGE));
  }
  return cells;
}

/**
 * For each cell the mean of the cells that are no farther than `radius` along either side, by sums over corners.
 * @param isCentered as many cells on one side as on the other, also near an edge: there nothing stands out of a gradient
 */
function meansAround({ width, height, values }: Grid, radius: number, isCentered = false): Grid {
  const stride = width + 1;
  const sums = new Float64Array(stride * (height + 1));
  for (let y = 0; y < height; y++) {
    let row = 0;
    for (let x = 0; x < width; x++) {
      row += values[y * width + x]!;
      sums[(y + 1) * stride + x + 1] = sums[y * stride + x + 1]! + row;
    }
  }
  const means = new Float32Array(width * height);
  for (let y = 0; y < height; y++) {
    const up = isCentered ? Math.min(radius, y, height - 1 - y) : radius;
    const [top, bottom] = [Math.max(0, y - up), Math.min(height, y + up + 1)];
    for (let x = 0; x < width; x++) {
      const aside = isCentered ? Math.min(radius, x, width - 1 - x) : radius;
      const [left, right] = [Math.max(0, x - aside), Math.min(width, x + aside + 1)];
      const sum =
        sums[bottom * stride + right]! -
        sums[top * stride + right]! -
        sums[bottom * stride + left]! +
        sums[top * stride + left]!;
      means[y * width + x] = sum / ((bottom - top) * (right - left));
    }
  }
  return { width, height, values: means };
}

/** The cell with the highest value; of two alike, the one nearer to the middle. */
function peakOf({ width, height, values }: Grid): number {
  let [peak, most] = [0, -1];
  for (const [at, value] of values.entries()) {
    const dx = ((at % width) + 0.5) / width - 0.5;
    const dy = (Math.floor(at / width) + 0.5) / height - 0.5;
    const weighted = value * (1 - CORNER_LOSS * 2 * (dx * dx + dy * dy));
    if (weighted > most) [peak, most] = [at, weighted];
  }
  return peak;
}

/** The center of mass of what is above the usual around a point. */
function middleAround({ width, height, values }: Grid, { x: cx, y: cy }: Point, reach: number, usual: number): Point {
  let [mass, sumX, sumY] = [0, 0, 0];
  for (let y = Math.max(0, Math.ceil(cy - reach)); y <= Math.min(height - 1, cy + reach); y++) {
    for (let x = Math.max(0, Math.ceil(cx - reach)); x <= Math.min(width - 1, cx + reach); x++) {
      const above = Math.max(0, values[y * width + x]! - usual);
      mass += above;
      sumX += above * x;
      sumY += above * y;
    }
  }
  return mass > 0 ? { x: sumX / mass, y: sumY / mass } : { x: cx, y: cy };
}

function meanOf(values: Float32Array): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
