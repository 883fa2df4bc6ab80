/** Reads the frames of an APNG as full canvases (APNG 1.0, now part of the PNG specification). */
import { type Estimate, estimated, serial } from "../../../../wasm/estimate.ts";
import { Band } from "../../../../wasm/pixels/band.ts";
import type { TimeSlice } from "../../../scheduler/time-slice.ts";
import type { Facts } from "../../codec/format.ts";
import { BAND_ROWS, bandsOf } from "../../pixels/bands.ts";
import type { Box, Size } from "../../pixels/geometry.ts";
import type { Frame } from "../../pixels/picture.ts";
import { canvasRows } from "../canvas-rows.ts";
import { BLEND, DISPOSE, type FrameHeader, type PngFile } from "./header.ts";
import { hasAlpha, openRows } from "./read.ts";

/** Every frame of the animation in order; one canvas is held, which the next frame changes. */
export async function* readFrames(bytes: Uint8Array, file: PngFile, timeSlice: TimeSlice): AsyncGenerator<Frame> {
  const { width, height, frames } = file;
  const canvas = new Uint8Array(width * height * 4);
  const shown = {
    width,
    height,
    rows: (y: number, count: number) => canvas.subarray(y * width * 4, (y + count) * width * 4),
  };
  for (const [index, frame] of frames.entries()) {
    // APNG: what was there before the first frame is nothing.
    const dispose = index === 0 && frame.dispose === DISPOSE.previous ? DISPOSE.background : frame.dispose;
    const before = dispose === DISPOSE.previous ? copyOf(canvas, width, frame.box) : null;
    await draw(canvas, bytes, file, frame, timeSlice);
    yield { delayMs: frame.delayMs, rows: canvasRows(shown, isOpaque(file)) };
    await timeSlice.spend(restoreEstimate(frame.box).ms);
    if (dispose === DISPOSE.background) restore(canvas, width, frame.box, null);
    if (before) restore(canvas, width, frame.box, before);
  }
}

/** Bringing a pixel of a frame, once it is decompressed, onto the canvas: in place of what is there, or over it. */
const DRAW_NANOSECONDS = 6;
/** Copying or clearing a pixel of the canvas. */
const COPY_NANOSECONDS = 1;

/**
 * The estimate of reading all frames, besides the decoder: the canvas, a saved region where one will be put back, and the
 * bands that lie over each other.
 */
export function framesEstimate({ width, height, frames, later }: Facts): Estimate {
  const canvases = later?.restores === true ? 2 : 1;
  const bytes = canvases * width * height * 4 + 2 * width * 4 * BAND_ROWS;
  const drawn = width * height + (later?.pixels ?? width * height * (frames - 1));
  return serial(estimated(bytes, drawn, DRAW_NANOSECONDS), restoreEstimate({ width: drawn, height: 1 }));
}

/** Whether a frame is followed by what was there before it. The first never is: there was nothing. */
export function restores({ frames }: PngFile): boolean {
  return frames.some(({ dispose }, index) => index > 0 && dispose === DISPOSE.previous);
}

function restoreEstimate({ width, height }: Size): Estimate {
  return estimated(0, width * height, COPY_NANOSECONDS);
}

/** Whether no frame shows a pixel with an alpha below 255. */
function isOpaque(file: PngFile): boolean {
  return !hasAlpha(file) && coversCanvas(file);
}

/** Whether the canvas stays without holes, given that the frames have none. */
export function coversCanvas({ width, height, frames }: PngFile): boolean {
  const first = frames[0];
  if (!first) return true;
  const whole = first.box.width === width && first.box.height === height;
  return (
    whole &&
    frames.every((frame, index) => frame.dispose === DISPOSE.none || (index > 0 && frame.dispose === DISPOSE.previous))
  );
}

/** Decodes a frame onto the canvas. */
async function draw(
  canvas: Uint8Array,
  bytes: Uint8Array,
  file: PngFile,
  { box, blend, dataOffset }: FrameHeader,
  timeSlice: TimeSlice,
): Promise<void> {
  const rows = openRows(bytes, { file, dataOffset, size: box }, timeSlice);
  const over = blend === BLEND.over && !rows.opaque;
  const bands = over ? { base: new Band(box.width), top: new Band(box.width) } : null;
  const stride = box.width * 4;
  try {
    let to = (box.y * file.width + box.x) * 4;
    for await (const band of bandsOf(rows, { rows: BAND_ROWS, nanoseconds: DRAW_NANOSECONDS, timeSlice })) {
      for (let from = 0; from < band.length; from += stride, to += file.width * 4) {
        const row = band.subarray(from, from + stride);
        const below = canvas.subarray(to, to + stride);
        below.set(bands ? bands.base.load(below).composite(bands.top.load(row), 255).pixels : row);
      }
    }
  } finally {
    bands?.base.close();
    bands?.top.close();
    rows.close();
  }
}

function copyOf(canvas: Uint8Array, width: number, box: Box): Uint8Array {
  const copy = new Uint8Array(box.width * box.height * 4);
  for (let row = 0; row < box.height; row++) {
    const from = ((box.y + row) * width + box.x) * 4;
    copy.set(canvas.subarray(from, from + box.width * 4), row * box.width * 4);
  }
  return copy;
}

/** Puts a copied region back, or clears it. */
function restore(canvas: Uint8Array, width: number, box: Box, copy: Uint8Array | null): void {
  const stride = box.width * 4;
  for (let row = 0; row < box.height; row++) {
    const to = ((box.y + row) * width + box.x) * 4;
    if (copy) canvas.set(copy.subarray(row * stride, (row + 1) * stride), to);
    else canvas.fill(0, to, to + stride);
  }
}
