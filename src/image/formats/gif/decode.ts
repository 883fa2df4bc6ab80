import {
  bandsPeakBytes,
  canvasPeakBytes,
  FrameBands,
  FrameCanvas,
  type FrameOptions,
} from "../../../../wasm/gif/reader.ts";
import type { Decoded, Demand, Facts } from "../../format.ts";
import type { Box } from "../../geometry.ts";
import type { Rows } from "../../rows.ts";
/** Rows out of GIF files: stills in bands, animations on a canvas. */
import { canvasRows } from "../canvas-rows.ts";
import { damaged, type GifFile, type GifFrame, subBlocks } from "./container.ts";

/** The frames of a file; one at a time, each must be closed or read to its end before the next. */
export function* openFrames(bytes: Uint8Array, file: GifFile, { box }: Demand): Generator<Decoded> {
  const [first] = file.frames;
  if (file.frames.length > 1 || !first || first.interlaced) {
    yield* openCanvas(bytes, file, box);
    return;
  }
  const rows = bandRows(bytes, file, first);
  try {
    yield { delayMs: first.delayMs, rows, box };
  } finally {
    rows.close();
  }
}

function bandRows(bytes: Uint8Array, file: GifFile, frame: GifFrame): Rows {
  const { width, height } = file;
  const bands = guard(() => new FrameBands(width, height, optionsOf(bytes, frame)));
  return {
    width,
    height,
    opaque: isOpaque(file),
    read: (max) => guard(() => bands.read(max)),
    close: () => bands.close(),
  };
}

function* openCanvas(bytes: Uint8Array, file: GifFile, box: Box): Generator<Decoded> {
  const canvas = guard(() => new FrameCanvas(file.width, file.height));
  const opaque = isOpaque(file);
  let previous: GifFrame | undefined;
  try {
    for (const frame of file.frames) {
      if (previous) dispose(canvas, previous);
      const area = clipped(frame, canvas);
      if (frame.disposal === "restore") guard(() => canvas.save(area));
      if (area.width > 0 && area.height > 0) guard(() => canvas.draw(optionsOf(bytes, frame)));
      previous = frame;
      yield { delayMs: frame.delayMs, rows: canvasRows(canvas, opaque), box };
    }
  } finally {
    canvas.close();
  }
}

function dispose(canvas: FrameCanvas, frame: GifFrame): void {
  if (frame.disposal === "clear") canvas.clear(clipped(frame, canvas));
  if (frame.disposal === "restore") canvas.restore(clipped(frame, canvas));
}

function clipped({ x, y, width, height }: Box, canvas: { width: number; height: number }): Box {
  const left = Math.min(x, canvas.width);
  const top = Math.min(y, canvas.height);
  return {
    x: left,
    y: top,
    width: Math.min(width, canvas.width - left),
    height: Math.min(height, canvas.height - top),
  };
}

function optionsOf(bytes: Uint8Array, frame: GifFrame): FrameOptions {
  const blocks = subBlocks(bytes, frame.dataOffset);
  let rest = new Uint8Array(0);
  return {
    ...frame,
    input(max) {
      if (rest.length === 0) rest = (blocks.next().value as Uint8Array<ArrayBuffer> | undefined) ?? rest;
      if (rest.length === 0) return null;
      const piece = rest.subarray(0, max);
      rest = rest.subarray(max);
      return piece;
    },
  };
}

/** Whether no frame of the file can show a transparent pixel. */
export function isOpaque({ width, height, frames }: GifFile): boolean {
  const [first] = frames;
  const covered = first?.x === 0 && first.y === 0 && first.width >= width && first.height >= height;
  if (!covered || first.transparent >= 0) return false;
  return frames.every(
    ({ disposal }, index) =>
      index + 1 === frames.length || disposal === "keep" || (disposal === "restore" && index > 0),
  );
}

/** Bytes that decoding holds at most. */
export function decodePeakBytes({ width, height, frames, interlaced }: Facts): number {
  return frames > 1 || interlaced ? canvasPeakBytes(width, height) : bandsPeakBytes(width);
}

function guard<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw damaged(error);
  }
}
