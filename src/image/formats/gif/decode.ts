/** Rows out of GIF files: stills in bands, animations on a canvas. */
import { parallel, held, type Estimate, times } from "../../../../wasm/estimate.ts";
import {
  bandsBytes,
  canvasEstimate,
  drawEstimate,
  FrameBands,
  FrameCanvas,
  type FrameOptions,
} from "../../../../wasm/gif/reader.ts";
import type { TimeSlice } from "../../../scheduler/time-slice.ts";
import type { Decoded, Demand, Facts } from "../../codec/format.ts";
import { guarded, guardedAsync } from "../../codec/guard.ts";
import type { Box } from "../../pixels/geometry.ts";
import type { Rows } from "../../pixels/rows.ts";
import { canvasRows } from "../canvas-rows.ts";
import { damaged, type GifFile, type GifFrame, SubBlocks } from "./container.ts";

/** The frames of a file; one at a time, each must be closed or read to its end before the next. */
export async function* openFrames(
  bytes: Uint8Array,
  file: GifFile,
  { box }: Pick<Demand, "box">,
  timeSlice: TimeSlice,
): AsyncGenerator<Decoded> {
  const [first] = file.frames;
  if (file.frames.length > 1 || !first || first.interlaced) {
    yield* openCanvas(bytes, file, box, timeSlice);
    return;
  }
  const rows = bandRows(bytes, file, first);
  try {
    yield { delayMs: first.delayMs, rows, box };
  } finally {
    rows.close();
  }
}

/** The estimate of decoding all frames. */
export function decodeEstimate({ width, height, frames, interlaced, codedBytes, decodeBytes }: Facts): Estimate {
  const frame = drawEstimate(width * height, codedBytes === undefined ? undefined : codedBytes / frames);
  if (frames === 1 && !interlaced) return parallel(held(bandsBytes(width)), frame);
  const { bytes, ms } = times(frames, parallel(canvasEstimate(width, height), frame));
  return { bytes: decodeBytes ?? bytes, ms };
}

/** Bytes that drawing the frames of a file on a canvas holds: the canvas, and the largest rectangle that is restored. */
export function canvasBytes({ width, height, frames }: GifFile): number {
  const restored = frames.map((frame) => {
    const area = clipped(frame, { width, height });
    return frame.disposal === "restore" ? area.width * area.height : 0;
  });
  return canvasEstimate(width, height, Math.max(...restored)).bytes;
}

function bandRows(bytes: Uint8Array, file: GifFile, frame: GifFrame): Rows {
  const { width, height } = file;
  const bands = guarded(() => new FrameBands(width, height, optionsOf(bytes, frame)), damaged);
  return {
    width,
    height,
    opaque: isOpaque(file),
    read: async (max) => guarded(() => bands.read(max), damaged),
    close: () => bands.close(),
  };
}

async function* openCanvas(bytes: Uint8Array, file: GifFile, box: Box, timeSlice: TimeSlice): AsyncGenerator<Decoded> {
  const canvas = guarded(() => new FrameCanvas(file.width, file.height), damaged);
  const opaque = isOpaque(file);
  let previous: GifFrame | undefined;
  try {
    for (const frame of file.frames) {
      if (previous) await dispose(canvas, previous, timeSlice);
      const area = clipped(frame, canvas);
      if (frame.disposal === "restore") {
        await timeSlice.spend(changeEstimate(area).ms);
        guarded(() => canvas.save(area), damaged);
      }
      if (area.width > 0 && area.height > 0) {
        await guardedAsync(() => canvas.draw(optionsOf(bytes, frame), timeSlice), damaged);
      }
      previous = frame;
      yield { delayMs: frame.delayMs, rows: canvasRows(canvas, opaque), box };
    }
  } finally {
    canvas.close();
  }
}

async function dispose(canvas: FrameCanvas, frame: GifFrame, timeSlice: TimeSlice): Promise<void> {
  const area = clipped(frame, canvas);
  if (frame.disposal !== "keep") await timeSlice.spend(changeEstimate(area).ms);
  if (frame.disposal === "clear") canvas.clear(area);
  if (frame.disposal === "restore") canvas.restore(area);
}

/** The estimate of clearing, remembering or restoring a region. */
function changeEstimate({ width, height }: Box): Estimate {
  return canvasEstimate(width, height);
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
  const blocks = new SubBlocks(bytes, frame.dataOffset);
  let rest: Uint8Array = new Uint8Array(0);
  return {
    ...frame,
    input(max) {
      if (rest.length === 0 && blocks.next()) rest = blocks.content;
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
