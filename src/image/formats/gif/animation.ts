/** Animations into GIF files: what changes from frame to frame, in the palette of the file or in palettes of frames. */
import { parallel, held, type Estimate, serial, times } from "../../../../wasm/estimate.ts";
import { type Colors, colorsEstimate, lookEstimate } from "../../../../wasm/gif/canvas.ts";
import { encodeEstimate, FrameWriter } from "../../../../wasm/gif/writer.ts";
import { coordinatesOf } from "../../../../wasm/quantize/remapper.ts";
import { ApiError } from "../../../errors.ts";
import { joined } from "../../../joined.ts";
import type { TimeSlice } from "../../../scheduler/time-slice.ts";
import { changingPart, fullness } from "../../codec/complexity.ts";
import type { Extent, Picture } from "../../pixels/picture.ts";
import {
  graphicControl,
  header,
  imageDescriptor,
  indexBits,
  lengthOf,
  loopExtension,
  TRAILER,
  transparentIn,
} from "./blocks.ts";
import { MAX_COLORS, ownPalette, prepareEstimate, type Prepared } from "./prepare.ts";
import { type Step, stepsOf, stepsEstimate } from "./steps.ts";
import type { Tuning } from "./tuning.ts";

/** Image data below this has never filled its code table. */
const FULL_TABLE_BYTES = 5_000;
/**
 * Bytes that a frame takes as a file for each of its pixels, at most: a good half in the end, and more while it is
 * joined.
 */
const FRAME_RATIO = 0.8;
/**
 * A frame is written in two palettes at most, in each of them solid or not, and by two patiences; usually less often.
 */
const ATTEMPTS = 4;
/** Where a pixel may be what was there before, strings are looked for along two ways. */
const CHOICES = 1.6;

/**
 * The estimate of preparing and writing an animation: canvases and files of frames.
 * @param isExact no pixel may change, so that only what was there before is a choice
 */
export function animationEstimate(picture: Extent, { isExact }: { readonly isExact: boolean }): Estimate {
  const { width, height, frames } = picture;
  const pixels = width * height;
  const encoding = encodeEstimate(pixels, !isExact, fullness(picture));
  const attempt = serial(colorsEstimate(width, height), isExact ? times(CHOICES, encoding) : encoding);
  const work = serial(
    prepareEstimate(picture),
    stepsEstimate(picture),
    times(frames * ATTEMPTS * changingPart(picture), attempt),
  );
  return parallel(held(pixels * frames * FRAME_RATIO), work);
}

/** The file of an animation as it was prepared. */
export async function writeAnimation(
  picture: Picture,
  prepared: Prepared,
  tuning: Tuning,
  timeSlice: TimeSlice,
): Promise<Uint8Array> {
  const { source, options, palette } = prepared;
  const parts = [header(picture, palette), loopExtension(picture.loops)];
  const writer = new FrameWriter(picture.width * picture.height, true);
  const writing = { writer, tuning, detail: fullness(picture), timeSlice };
  try {
    for await (const step of stepsOf(source, options, timeSlice))
      parts.push(...(await frameParts(step, palette, writing)));
    return joined([...parts, TRAILER]);
  } finally {
    writer.close();
  }
}

/** A frame in the palette of the file or in its own, whichever is smaller. */
async function frameParts(step: Step, global: Uint8Array, writing: Writing): Promise<Uint8Array[]> {
  const shared = await written(step, global, null, writing);
  await writing.timeSlice.spend(colorsEstimate(step.box.width, step.box.height).ms);
  const own = ownPalette(step, MAX_COLORS);
  const shorter = own && indexBits(own.length / 4) < indexBits(global.length / 4);
  const separate = own && (shorter || !shared) ? await written(step, own, own, writing) : null;
  if (separate && shared) return lengthOf(separate) < lengthOf(shared) ? separate : shared;
  const parts = separate ?? shared;
  if (!parts) throw new ApiError(422, "The animation has a frame with too many colors for GIF");
  return parts;
}

interface Writing {
  readonly writer: FrameWriter;
  readonly tuning: Tuning;
  readonly detail: number;
  readonly timeSlice: TimeSlice;
}

/** A frame in a palette, which is its own if it is `local`; null where a color is missing. */
async function written(
  { before, after, box, disposal, delayMs }: Step,
  palette: Uint8Array,
  local: Uint8Array | null,
  { writer, tuning, detail, timeSlice }: Writing,
): Promise<Uint8Array[] | null> {
  const { tolerance, patience } = tuning;
  const pause = () => timeSlice.spend(lookEstimate(box.width, box.height).ms);
  await pause();
  const transparent = spareIndex(palette, after.colors(box, before));
  const attempt = async (solid: boolean, tired: number): Promise<Uint8Array[] | null> => {
    await pause();
    const colors = before.cut(after, box, { palette, transparent, solid }, writer);
    const options = { count: box.width * box.height, minSize: indexBits(colors), transparent, tolerance, detail };
    return colors === 0 ? null : writer.encode({ ...options, patience: tired }, timeSlice);
  };
  if (tolerance > 0) writer.setColors(coordinatesOf(palette));
  let data = await attempt(false, patience[0]);
  if (!data) return null;
  let solid = false;
  const choose = (other: Uint8Array[] | null): boolean => {
    const better = other !== null && lengthOf(other) < lengthOf(data!);
    if (better) data = other;
    return better;
  };
  if (transparent >= 0) solid = choose(await attempt(true, patience[0]));
  if (lengthOf(data) > FULL_TABLE_BYTES) for (const other of patience.slice(1)) choose(await attempt(solid, other));
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
