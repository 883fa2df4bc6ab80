/** Reads the frames of an APNG as full canvases (APNG 1.0, now part of the PNG specification). */
import { Band } from "../../../../wasm/pixels/band.ts";
import { BAND_ROWS } from "../../band.ts";
import type { Box, Size } from "../../geometry.ts";
import type { Frame } from "../../picture.ts";
import type { Rows } from "../../rows.ts";
import { BLEND, DISPOSE, type FrameHeader, type PngFile } from "./header.ts";
import { openRows } from "./read.ts";

/** Every frame of the animation in order; one canvas is held, which the next frame changes. */
export function* readFrames(bytes: Uint8Array, file: PngFile): Iterable<Frame> {
  const canvas = new Uint8Array(file.width * file.height * 4);
  for (const [index, frame] of file.frames.entries()) {
    // APNG: what was there before the first frame is nothing.
    const dispose = index === 0 && frame.dispose === DISPOSE.previous ? DISPOSE.background : frame.dispose;
    const before = dispose === DISPOSE.previous ? copyOf(canvas, file.width, frame.box) : null;
    draw(canvas, bytes, file, frame);
    yield { delayMs: frame.delayMs, rows: canvasRows(canvas, file) };
    if (dispose === DISPOSE.background) restore(canvas, file.width, frame.box, null);
    if (before) restore(canvas, file.width, frame.box, before);
  }
}

/** Bytes of memory that reading frames holds at most, besides the decoder: the canvas, and a saved region. */
export function framesPeakBytes({ width, height }: Size): number {
  return 2 * width * height * 4 + 2 * width * 4 * BAND_ROWS;
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
function draw(canvas: Uint8Array, bytes: Uint8Array, file: PngFile, { box, blend, dataOffset }: FrameHeader): void {
  const rows = openRows(bytes, file, dataOffset, box);
  const over = blend === BLEND.over && !rows.opaque;
  const bands = over ? { base: new Band(box.width), top: new Band(box.width) } : null;
  const stride = box.width * 4;
  try {
    let to = (box.y * file.width + box.x) * 4;
    for (let band = rows.read(BAND_ROWS); band; band = rows.read(BAND_ROWS)) {
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

function canvasRows(canvas: Uint8Array, { width, height, ...file }: PngFile): Rows {
  const stride = width * 4;
  let y = 0;
  return {
    width,
    height,
    opaque: file.transparency === undefined && (file.type & 4) === 0 && coversCanvas({ width, height, ...file }),
    read(max) {
      if (y === height) return null;
      const from = y;
      y = Math.min(height, y + max);
      return canvas.subarray(from * stride, y * stride);
    },
    close: () => {},
  };
}
