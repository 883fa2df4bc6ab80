/** A smaller file of the same samples: colors, depth and profile keep their meaning, nothing is converted. */
import {
  COLOR_TYPE,
  type FilterStrategy,
  PNG_WINDOW_ROWS,
  type PngHeader,
  SAMPLES,
} from "../../../../wasm/pixels/png.ts";
import type { Picture } from "../../picture.ts";
import { coversCanvas, readFrames } from "./animation.ts";
import { chunkAt, SIGNATURE, TYPE } from "./chunks.ts";
import { compress } from "./compress.ts";
import { type PngFile, readFile } from "./header.ts";
import { hasAlpha, openPng, openRows, tableOf } from "./read.ts";
import type { Samples } from "./representation.ts";
import { levelFor, TRIAL_LEVEL } from "./tuning.ts";
import { writeAnimation } from "./write-animation.ts";
import { assemble, writeStill } from "./write.ts";

const WIDE_STRATEGIES: readonly [FilterStrategy, ...FilterStrategy[]] = ["sum", "none", "paeth", "entropy"];

/** Chunks that say what the colors mean. */
export const COLOR_CHUNKS: ReadonlySet<number> = new Set([
  TYPE.gAMA,
  TYPE.cHRM,
  TYPE.sRGB,
  TYPE.iCCP,
  TYPE.cICP,
  TYPE.mDCV,
  TYPE.cLLI,
]);

/**
 * Writes a PNG file again; null when it holds what we cannot write, which is an animation of 16 bits.
 * @throws ApiError 422 when it is damaged
 */
export function rewrite(bytes: Uint8Array, effort: number): Uint8Array | null {
  const { gamma: _, ...file } = readFile(bytes);
  const colorChunks = colorChunksOf(bytes);
  const options = { effort, colorChunks, samples: samplesOf(file), ...orderOf(file) };
  if (file.depth === 16 && (file.frames.length > 0 || !isNarrow(bytes, file))) {
    return file.frames.length > 0 ? null : rewriteWide(bytes, file, colorChunks, effort);
  }
  const picture = pictureOf(bytes, file);
  return picture.frames > 1 ? writeAnimation(picture, options) : writeStill(picture, options);
}

function pictureOf(bytes: Uint8Array, file: PngFile): Picture {
  const { width, height, frames, loops } = file;
  const size = {
    width,
    height,
    loops,
    frames: Math.max(1, frames.length),
    opaque: !hasAlpha(file) && coversCanvas(file),
  };
  if (frames.length > 0) return { ...size, open: () => readFrames(bytes, file) };
  return {
    ...size,
    *open() {
      const rows = openRows(bytes, file, file.dataOffset, file);
      try {
        yield { delayMs: 0, rows };
      } finally {
        rows.close();
      }
    },
  };
}

/** A profile is for gray or for colors; a picture under it must stay what it is. */
function samplesOf({ embeddedProfile, type }: PngFile): Samples {
  if (!embeddedProfile) return "any";
  return type === COLOR_TYPE.gray || type === COLOR_TYPE.grayAlpha ? "gray" : "color";
}

function orderOf(file: PngFile): { order?: Uint8Array } {
  const order = file.type === COLOR_TYPE.palette && tableOf(file, undefined);
  return order ? { order } : {};
}

function colorChunksOf(bytes: Uint8Array): Uint8Array[] {
  const chunks: Uint8Array[] = [];
  let offset: number = SIGNATURE.length;
  for (let chunk = chunkAt(bytes, offset); chunk && chunk.type !== TYPE.IDAT; chunk = chunkAt(bytes, offset)) {
    if (COLOR_CHUNKS.has(chunk.type)) chunks.push(bytes.subarray(offset, chunk.end));
    offset = chunk.end;
  }
  return chunks;
}

/** Whether 8 bits hold every 16-bit sample. */
function isNarrow(bytes: Uint8Array, file: PngFile): boolean {
  const reader = openPng(bytes, file, file.dataOffset, file);
  try {
    while (reader.read(16)) if (!reader.isExact()) return false;
    return true;
  } finally {
    reader.close();
  }
}

/** 16-bit samples as they are, filtered and compressed again. */
function rewriteWide(bytes: Uint8Array, file: PngFile, colorChunks: Uint8Array[], effort: number): Uint8Array {
  const { type, depth, width, height, transparency } = file;
  const representation = { type, depth };
  const write = (strategy: FilterStrategy, level: number) =>
    compress({ representation, strategy, level }, file, storedBands(bytes, file), "stored");
  const trials = WIDE_STRATEGIES.map((strategy) => {
    const bytesMade = write(strategy, TRIAL_LEVEL).reduce((sum, piece) => sum + piece.length, 0);
    return { strategy, bytesMade };
  });
  const best = trials.reduce((a, b) => (b.bytesMade < a.bytesMade ? b : a));
  const pieces = write(best.strategy, levelFor(width * height * 2, effort));
  const key = transparency ? [transparencyChunk(bytes)] : [];
  return assemble(representation, file, [...colorChunks, ...key], pieces);
}

function* storedBands(bytes: Uint8Array, file: PngFile): Iterable<Uint8Array> {
  const reader = openPng(bytes, file, file.dataOffset, file, true);
  try {
    for (let band = reader.read(PNG_WINDOW_ROWS); band; band = reader.read(PNG_WINDOW_ROWS)) yield band;
  } finally {
    reader.close();
  }
}

function transparencyChunk(bytes: Uint8Array): Uint8Array {
  let offset: number = SIGNATURE.length;
  for (let chunk = chunkAt(bytes, offset); chunk; chunk = chunkAt(bytes, offset)) {
    if (chunk.type === TYPE.tRNS) return bytes.subarray(offset, chunk.end);
    offset = chunk.end;
  }
  return new Uint8Array(0);
}

/** Bits per pixel as they are stored. */
export function bitsPerPixel({ type, depth }: Pick<PngHeader, "type" | "depth">): number {
  return SAMPLES[type] * depth;
}
