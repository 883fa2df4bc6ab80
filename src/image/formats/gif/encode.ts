/** Rows into GIF files: the pixels of stills and of what changes in animations, in palettes of at most 256 colors. */
import { canvasBytes, type Colors } from "../../../../wasm/gif/canvas.ts";
import { FrameWriter, writerPeakBytes } from "../../../../wasm/gif/writer.ts";
import { coordinatesOf, Remapper } from "../../../../wasm/quantize/quantize.ts";
import { ApiError } from "../../../errors.ts";
import { joined } from "../../../joined.ts";
import type { EncodeSettings } from "../../format.ts";
import type { Size } from "../../geometry.ts";
import { firstFrame, type Picture } from "../../picture.ts";
import { bandsOf, choosePalette, quantized, quantizePeakBytes } from "../../quantize.ts";
import { graphicControl, header, imageDescriptor, indexBits, loopExtension, TRAILER } from "./blocks.ts";
import { type Manner, type Step, STEP_CANVASES, stepsOf } from "./steps.ts";
import { type Tuning, tuningFor } from "./tuning.ts";

const MAX_COLORS = 256;
const MAX_SIDE = 0xffff;
/** Image data below this has never filled its code table. */
const FULL_TABLE_BYTES = 5_000;

/** @throws ApiError 422 when the picture is too large for the format or has no frame */
export function encodeGif(picture: Picture, settings: EncodeSettings): Uint8Array {
  const { width, height } = picture;
  if (width > MAX_SIDE || height > MAX_SIDE)
    throw new ApiError(422, `GIF holds at most ${MAX_SIDE} pixels on each side`);
  const tuning = tuningFor(settings);
  return picture.frames > 1 ? encodeAnimation(picture, tuning) : encodeStill(picture, tuning);
}

/** The file of a picture whose pixels are exactly kept; null where GIF cannot hold it, or not without much work. */
export function encodeExactly(picture: Picture): Uint8Array | null {
  const tuning = tuningFor({ lossless: true, quality: 100, progressive: false, effort: 1 });
  if (picture.frames === 1) {
    return choosePalette(picture, tuning.reduction).exact ? encodeStill(picture, tuning) : null;
  }
  const prepared = prepareExactly(picture, tuning);
  return prepared && writeAnimation(picture, prepared, tuning);
}

/** Bytes that encoding holds at most, the result included: noise takes 12 bits a pixel, twice while it is joined. */
export function encodePeakBytes(picture: Size & { frames: number }): number {
  const { width, height, frames } = picture;
  const pixels = width * height;
  const common = quantizePeakBytes(picture) + writerPeakBytes(pixels, frames > 1);
  if (frames === 1) return common + pixels * 3;
  return common + STEP_CANVASES * canvasBytes(width, height) + pixels * 3 + Math.ceil(pixels * frames * 0.8);
}

function encodeStill(picture: Picture, { reduction, tolerance, patience }: Tuning): Uint8Array {
  const { width, height } = picture;
  const { palette, exact } = choosePalette(picture, reduction);
  const writer = new FrameWriter(width * height, false);
  try {
    const dither = exact ? 0 : reduction.dither;
    const remapper = new Remapper({ width, height: 0, sharp: true, palette, dither });
    try {
      let filled = 0;
      for (const band of bandsOf(firstFrame(picture))) {
        const indices = remapper.indices(band).slice();
        writer.indices(filled, indices.length).set(indices);
        filled += indices.length;
      }
    } finally {
      remapper.close();
    }
    if (tolerance > 0) writer.setColors(coordinatesOf(palette));
    const transparent = transparentIn(palette);
    const options = { count: width * height, minSize: indexBits(palette.length / 4), transparent, tolerance };
    const data = smallest(writer, options, patience);
    const control = transparent >= 0 ? [graphicControl(0, null, transparent)] : [];
    const box = { x: 0, y: 0, width, height };
    return joined([header(picture, palette), ...control, imageDescriptor(box, null), ...data, TRAILER]);
  } finally {
    writer.close();
  }
}

type Options = Omit<Parameters<FrameWriter["encode"]>[0], "patience">;

/** The smallest image data of those that the patiences give. */
function smallest(writer: FrameWriter, options: Options, patience: Tuning["patience"]): Uint8Array[] {
  let best = writer.encode({ ...options, patience: patience[0] });
  for (const other of patience.slice(1)) {
    const data = writer.encode({ ...options, patience: other });
    if (lengthOf(data) < lengthOf(best)) best = data;
  }
  return best;
}

function lengthOf(parts: readonly Uint8Array[]): number {
  return parts.reduce((sum, part) => sum + part.length, 0);
}

function transparentIn(palette: Uint8Array): number {
  for (let index = 0; index < palette.length / 4; index++) if (palette[index * 4 + 3] === 0) return index;
  return -1;
}

function encodeAnimation(picture: Picture, tuning: Tuning): Uint8Array {
  return writeAnimation(picture, prepareExactly(picture, tuning) ?? prepareReduced(picture, tuning), tuning);
}

function writeAnimation(picture: Picture, prepared: Prepared, tuning: Tuning): Uint8Array {
  const { source, manner, palette } = prepared;
  const parts = [header(picture, palette), loopExtension(picture.loops)];
  const writer = new FrameWriter(picture.width * picture.height, true);
  try {
    for (const step of stepsOf(source, manner)) parts.push(...frameParts(step, palette, writer, tuning));
    return joined([...parts, TRAILER]);
  } finally {
    writer.close();
  }
}

interface Prepared {
  readonly source: Picture;
  readonly manner: Manner;
  /** Of the file. */
  readonly palette: Uint8Array;
}

/** Ways to cut an animation into frames: the first for which colors suffice. */
const WAYS = [
  { free: true, cropped: false },
  { free: false, cropped: false },
  { free: false, cropped: true },
] as const;

/** The picture itself, if the colors that each frame brings fit into a palette. */
function prepareExactly(picture: Picture, tuning: Tuning): Prepared | null {
  for (const way of WAYS) {
    const manner = { ...way, tolerance: tuning.drift };
    const palette = exactPalette(picture, manner, tuning.reduction.colors);
    if (palette) return { source: picture, manner, palette };
  }
  return null;
}

/** The picture in the colors of one palette for all frames. */
function prepareReduced(picture: Picture, tuning: Tuning): Prepared {
  const reduction = { ...tuning.reduction, colors: Math.min(MAX_COLORS - 1, tuning.reduction.colors) };
  const choice = choosePalette(picture, reduction);
  const manner = { ...WAYS[0], tolerance: tuning.drift };
  return { source: quantized(picture, choice, reduction), manner, palette: withTransparent(choice.palette) };
}

/**
 * All colors of an animation, or those of its first frame if all are too many; null if those of some frame are. What
 * most frames need comes first: a frame that does without the rest has shorter codes.
 */
function exactPalette(picture: Picture, manner: Manner, most: number): Uint8Array | null {
  const frames = new Map<number, number>();
  let first: Uint8Array | undefined;
  let largest = 0;
  for (const step of stepsOf(picture, manner)) {
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
function ownPalette({ before, after, box }: Step, most: number): Uint8Array | null {
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

/** A frame in the palette of the file or in its own, whichever is smaller. */
function frameParts(step: Step, global: Uint8Array, writer: FrameWriter, tuning: Tuning): Uint8Array[] {
  const shared = written(step, global, null, writer, tuning);
  const own = ownPalette(step, MAX_COLORS);
  const shorter = own && indexBits(own.length / 4) < indexBits(global.length / 4);
  const separate = own && (shorter || !shared) ? written(step, own, own, writer, tuning) : null;
  if (separate && shared) return lengthOf(separate) < lengthOf(shared) ? separate : shared;
  const parts = separate ?? shared;
  if (!parts) throw new ApiError(422, "The animation has a frame with too many colors for GIF");
  return parts;
}

function written(
  { before, after, box, disposal, delayMs }: Step,
  palette: Uint8Array,
  local: Uint8Array | null,
  writer: FrameWriter,
  { tolerance, patience }: Tuning,
): Uint8Array[] | null {
  const transparent = spareIndex(palette, after.colors(box, before));
  const attempt = (solid: boolean, tired: number): Uint8Array[] | null => {
    const colors = before.cut(after, box, { palette, transparent, solid }, writer);
    const options = { count: box.width * box.height, minSize: indexBits(colors), transparent, tolerance };
    return colors === 0 ? null : writer.encode({ ...options, patience: tired });
  };
  if (tolerance > 0) writer.setColors(coordinatesOf(palette));
  let data = attempt(false, patience[0]);
  if (!data) return null;
  let solid = false;
  const choose = (other: Uint8Array[] | null): boolean => {
    const better = other !== null && lengthOf(other) < lengthOf(data!);
    if (better) data = other;
    return better;
  };
  if (transparent >= 0) solid = choose(attempt(true, patience[0]));
  if (lengthOf(data) > FULL_TABLE_BYTES) for (const other of patience.slice(1)) choose(attempt(solid, other));
  const plain = delayMs === 0 && disposal === "keep" && transparent < 0;
  const control = plain ? [] : [graphicControl(delayMs, disposal, transparent)];
  return [...control, imageDescriptor(box, local), ...data];
}

/** An index that can be transparent in a frame: one whose color it does not bring. -1 if there is none, or no need. */
function spareIndex(palette: Uint8Array, { palette: used, unchanged }: Colors): number {
  if (!unchanged) return -1;
  const transparent = transparentIn(palette);
  if (transparent >= 0 || !used) return transparent;
  const taken = new Set(new Uint32Array(used.buffer));
  return new Uint32Array(palette.buffer).findIndex((color) => !taken.has(color));
}
