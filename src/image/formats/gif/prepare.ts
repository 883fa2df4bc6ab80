/** How an animation is cut into frames, and which colors its file has, before anything is written. */
import { type Estimate, serial, times } from "../../../../wasm/estimate.ts";
import { colorsEstimate } from "../../../../wasm/gif/canvas.ts";
import type { TimeSlice } from "../../../scheduler/time-slice.ts";
import { changingPart } from "../../codec/complexity.ts";
import { Palettes, quantized } from "../../codec/quantize.ts";
import type { Extent, Picture } from "../../pixels/picture.ts";
import { transparentIn } from "./blocks.ts";
import { type FrameOptions, type Step, stepsOf, stepsEstimate } from "./steps.ts";
import type { Tuning } from "./tuning.ts";

export const MAX_COLORS = 256;

/** How an animation is going to be written. */
export interface Prepared {
  readonly source: Picture;
  readonly options: FrameOptions;
  /** The palette of the file. */
  readonly palette: Uint8Array;
}

/** Ways to cut an animation into frames: the first for which colors suffice. */
const WAYS = [
  { free: true, cropped: false },
  { free: false, cropped: false },
  { free: false, cropped: true },
] as const;

/** The picture itself, if the colors that each frame brings fit into a palette. */
export async function prepareExactly(picture: Picture, tuning: Tuning, timeSlice: TimeSlice): Promise<Prepared | null> {
  for (const way of WAYS) {
    const options = { ...way, tolerance: tuning.drift };
    const palette = await exactPalette(picture, options, tuning.reduction.colors, timeSlice);
    if (palette) return { source: picture, options, palette };
  }
  return null;
}

/** The picture in the colors of one palette for all frames. */
export async function prepareReduced(picture: Picture, tuning: Tuning, timeSlice: TimeSlice): Promise<Prepared> {
  const reduction = { ...tuning.reduction, colors: Math.min(MAX_COLORS - 1, tuning.reduction.colors) };
  const choice = await new Palettes(picture, reduction.sharp).choose(reduction.colors, timeSlice);
  const options = { ...WAYS[0], tolerance: tuning.drift };
  return { source: quantized(picture, choice, reduction), options, palette: withTransparent(choice.palette) };
}

/**
 * All colors of an animation, or those of its first frame if all are too many; null if those of some frame are. What
 * most frames need comes first: a frame that does without the rest has shorter codes.
 */
async function exactPalette(
  picture: Picture,
  options: FrameOptions,
  most: number,
  timeSlice: TimeSlice,
): Promise<Uint8Array | null> {
  const frames = new Map<number, number>();
  let first: Uint8Array | undefined;
  let largest = 0;
  for await (const step of stepsOf(picture, options, timeSlice)) {
    await timeSlice.spend(colorsEstimate(step.box.width, step.box.height).ms);
    const palette = ownPalette(step, most);
    if (!palette) return null;
    first ??= palette;
    largest = Math.max(largest, palette.length / 4);
    if (frames.size > MAX_COLORS) continue;
    for (const color of new Uint32Array(palette.buffer)) frames.set(color, (frames.get(color) ?? 0) + 1);
  }
  const sorted = [...frames].sort(([, one], [, other]) => other - one).map(([color]) => color);
  const solid = sorted.filter((color) => color !== 0);
  if (solid.length > MAX_COLORS) return withTransparent(first ?? new Uint8Array(0));
  // Where one color more would double the table, each frame takes for transparent one that it does not need.
  const full = Number.isInteger(Math.log2(solid.length)) && largest <= solid.length;
  return new Uint8Array(Uint32Array.from(full ? solid : sorted).buffer);
}

/** What a frame needs: the colors that it brings and a transparent one for the rest, or all of its colors; or null. */
export function ownPalette({ before, after, box }: Step, most: number): Uint8Array | null {
  const { palette, unchanged } = after.colors(box, before);
  if (palette && palette.length / 4 + (unchanged ? 1 : 0) <= most)
    return unchanged ? withTransparent(palette) : palette;
  const all = after.colors(box).palette;
  return all && all.length / 4 <= most ? all : null;
}

/** The palette with full transparency in it, unless it is full. */
function withTransparent(palette: Uint8Array): Uint8Array {
  if (transparentIn(palette) >= 0 || palette.length / 4 === MAX_COLORS) return palette;
  const longer = new Uint8Array(palette.length + 4);
  longer.set(palette);
  return longer;
}

/**
 * The estimate of finding out how an animation is kept exactly: the first way that colors suffice for goes through all
 * frames; where they do not, that is seen in the first.
 */
export function prepareEstimate(picture: Extent): Estimate {
  const { width, height, frames } = picture;
  return serial(stepsEstimate(picture), times(frames * changingPart(picture), colorsEstimate(width, height)));
}
