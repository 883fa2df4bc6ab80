/**
 * The colors that a picture is made of: k-means in OKLab (B. Ottosson, "A perceptual color space for image processing",
 * 2020), begun with the most frequent color and then the one that is farthest from all before it, weighted by how often
 * it occurs. So the same picture gives the same colors every time.
 */
import { fromLinear, toLinear } from "../color/light.ts";
import type { Small } from "../steps/analysis.ts";

export interface Share {
  /** `#rrggbb` */
  readonly color: string;
  /** Of what is not transparent, from 0 to 1. */
  readonly share: number;
}

type Color = readonly [lightness: number, a: number, b: number];

interface Counted {
  readonly at: Color;
  readonly weight: number;
}

const MOST_COLORS = 6;
/** Colors that are nearer to each other than this look like one; black and white are 1 apart. */
const SAME = 0.07;
const ROUNDS = 8;
/** What is less of the picture is no color of it. */
const LEAST_SHARE = 0.005;
/** Bits of a channel that tell colors apart before they are grouped. */
const BITS = 5;

/** The colors of a picture, at most six, those with the largest share first; none of one that is transparent. */
export function colorsOf({ pixels }: Pick<Small, "pixels">): Share[] {
  const counted = histogramOf(pixels);
  const total = counted.reduce((sum, { weight }) => sum + weight, 0);
  let centers = startOf(counted);
  let groups: Counted[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    groups = meansOf(counted, centers);
    centers = groups.map(({ at }) => at);
  }
  return groups
    .map(({ at, weight }) => ({ color: hexOf(at), share: Math.round((weight / total) * 1000) / 1000 }))
    .filter(({ share }) => share >= LEAST_SHARE)
    .toSorted((one, other) => other.share - one.share);
}

/** Milliseconds for so many pixels. */
export function colorsMs(pixels: number): number {
  return 2 + pixels * 3e-4;
}

/** The mean colors of the cells of a cube of colors, and how much of the picture lies in each. */
function histogramOf(pixels: Uint8Array): Counted[] {
  const cells = new Map<number, [red: number, green: number, blue: number, weight: number]>();
  for (let at = 0; at < pixels.length; at += 4) {
    const weight = pixels[at + 3]! / 255;
    if (weight === 0) continue;
    const [red, green, blue] = [pixels[at]!, pixels[at + 1]!, pixels[at + 2]!];
    const drop = 8 - BITS;
    const name = ((red >> drop) << (2 * BITS)) | ((green >> drop) << BITS) | (blue >> drop);
    const cell = cells.get(name);
    if (!cell) cells.set(name, [red * weight, green * weight, blue * weight, weight]);
    else {
      cell[0] += red * weight;
      cell[1] += green * weight;
      cell[2] += blue * weight;
      cell[3] += weight;
    }
  }
  return [...cells.values()].map(([red, green, blue, weight]) => ({
    at: okLab(red / weight, green / weight, blue / weight),
    weight,
  }));
}

/** Where the groups begin: colors that are no two the same, at most MOST_COLORS. */
function startOf(counted: readonly Counted[]): Color[] {
  const centers: Color[] = [];
  while (centers.length < MOST_COLORS) {
    let [best, bestWorth]: [Counted | undefined, number] = [undefined, 0];
    for (const one of counted) {
      const distance = centers.reduce((least, center) => Math.min(least, distanceOf(center, one.at)), 1);
      const worth = distance < SAME ? 0 : one.weight * distance;
      if (worth > bestWorth) [best, bestWorth] = [one, worth];
    }
    if (!best) break;
    centers.push(best.at);
  }
  return centers;
}

/** The mean of all that lies nearest to each center, without the centers that have nothing or have come together. */
function meansOf(counted: readonly Counted[], centers: readonly Color[]): Counted[] {
  const sums = centers.map(() => [0, 0, 0, 0] as [number, number, number, number]);
  for (const { at, weight } of counted) {
    let [nearest, least] = [0, Number.POSITIVE_INFINITY];
    for (let index = 0; index < centers.length; index++) {
      const distance = distanceOf(centers[index]!, at);
      if (distance >= least) continue;
      nearest = index;
      least = distance;
    }
    const sum = sums[nearest]!;
    for (const channel of [0, 1, 2] as const) sum[channel] += at[channel] * weight;
    sum[3] += weight;
  }
  const means: Counted[] = [];
  for (const [lightness, a, b, weight] of sums) {
    if (weight === 0) continue;
    const at = [lightness / weight, a / weight, b / weight] as const;
    const same = means.findIndex((other) => distanceOf(other.at, at) < SAME);
    const other = means[same];
    if (other) means[same] = joined(other, { at, weight });
    else means.push({ at, weight });
  }
  return means;
}

function joined(one: Counted, other: Counted): Counted {
  const weight = one.weight + other.weight;
  const mean = (channel: 0 | 1 | 2) => (one.at[channel] * one.weight + other.at[channel] * other.weight) / weight;
  return { at: [mean(0), mean(1), mean(2)], weight };
}

/** Not by `Math.hypot`, which takes ten times as long. */
function distanceOf(one: Color, other: Color): number {
  return Math.sqrt((one[0] - other[0]) ** 2 + (one[1] - other[1]) ** 2 + (one[2] - other[2]) ** 2);
}

function okLab(red: number, green: number, blue: number): Color {
  const [r, g, b] = [toLinear(red / 255), toLinear(green / 255), toLinear(blue / 255)];
  const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  return [
    0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
    1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
    0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s,
  ];
}

function hexOf([lightness, a, b]: Color): string {
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  const channels = [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ];
  return `#${channels.map((light) => levelOf(light).toString(16).padStart(2, "0")).join("")}`;
}

function levelOf(light: number): number {
  return Math.round(Math.min(1, Math.max(0, fromLinear(light))) * 255);
}
