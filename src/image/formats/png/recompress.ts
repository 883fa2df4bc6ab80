/** A smaller file of the same samples: colors, depth and profile keep their meaning, nothing is converted. */
import { parallel, type Estimate } from "../../../../wasm/estimate.ts";
import { COLOR_TYPE, type PngHeader, SAMPLES } from "../../../../wasm/pixels/png-header.ts";
import { pngReaderEstimate } from "../../../../wasm/pixels/png-reader.ts";
import { PNG_WINDOW_ROWS } from "../../../../wasm/pixels/png-writer.ts";
import type { TimeSlice } from "../../../scheduler/time-slice.ts";
import { changesOf, detailOf } from "../../codec/complexity.ts";
import type { Facts, Recompressor } from "../../codec/format.ts";
import { ownTimeSlice, paced } from "../../codec/metered-rows.ts";
import { type Picture, stillPicture } from "../../pixels/picture.ts";
import { coversCanvas, framesEstimate, readFrames } from "./animation.ts";
import { assembleMeanwhile } from "./assemble.ts";
import { Chunks, TYPE } from "./chunks.ts";
import { compress } from "./compress.ts";
import { type PngFile, readFile } from "./header.ts";
import { compressionFor } from "./levels.ts";
import { hasAlpha, openPng, openRows, tableOf, wholeOf } from "./read.ts";
import type { Samples } from "./representation.ts";
import { sixteenBitStrategy, sixteenBitStrategyEstimate } from "./sixteen-bit.ts";
import { animationEstimate, writeAnimation } from "./write-animation.ts";
import { stillEstimate, writeStill } from "./write.ts";

/** Whoever asks for the same pixels in fewer bytes is ready to wait a little longer. */
const EFFORT = 0.7;

/** Chunks that say what the colors mean. */
const COLOR_CHUNKS: ReadonlySet<number> = new Set([
  TYPE.gAMA,
  TYPE.cHRM,
  TYPE.sRGB,
  TYPE.iCCP,
  TYPE.cICP,
  TYPE.mDCV,
  TYPE.cLLI,
]);

/** Whether a chunk says so, and with a right checksum: others say nothing, and keep some readers out of the file. */
export function isColor(chunk: Pick<Chunks, "type" | "isIntact">): boolean {
  return COLOR_CHUNKS.has(chunk.type) && chunk.isIntact;
}

export const recompress: Recompressor = {
  estimate(bytes, facts) {
    const extent = { ...facts, opaque: !facts.alpha, changes: changesOf(facts, facts), detail: detailOf(facts, facts) };
    const written = facts.frames > 1 ? animationEstimate(extent, EFFORT) : stillEstimate(extent, EFFORT);
    const writing = { bytes: written.bytes, ms: written.ms * shareOf(facts) };
    if (facts.frames > 1) return parallel(pngReaderEstimate(facts), framesEstimate(facts), writing);
    const still = parallel(pngReaderEstimate(facts), writing);
    return isWide(bytes) ? { bytes: still.bytes, ms: still.ms + wideEstimate(facts).ms } : still;
  },
  run: (bytes, _facts, _settings, timeSlice) => rewrite(bytes, timeSlice),
};

/** Bits of a pixel that estimates of writing are for. */
const USUAL_DEPTH = 24;
/** Pixels of fewer bits take less to be compressed, but can be written in more ways, which are tried. */
const LEAST_SHARE = 1 / 3;

function shareOf({ depth }: Facts): number {
  return Math.min(1, LEAST_SHARE + ((1 - LEAST_SHARE) * depth) / USUAL_DEPTH);
}

/**
 * Writes a PNG file again; null when it holds what we cannot write, which is an animation of 16 bits.
 * @throws ApiError 422 when it is damaged
 */
async function rewrite(bytes: Uint8Array, timeSlice: TimeSlice): Promise<Uint8Array | null> {
  const { gamma: _, ...file } = readFile(bytes);
  const colorChunks = colorChunksOf(bytes);
  const options = { effort: EFFORT, colorChunks, samples: samplesOf(file), ...orderOf(file) };
  if (file.depth === 16 && (file.frames.length > 0 || !(await isNarrow(bytes, file, timeSlice)))) {
    return file.frames.length > 0 ? null : rewriteWide(bytes, file, colorChunks, timeSlice);
  }
  const picture = pictureOf(bytes, file);
  return picture.frames > 1 ? writeAnimation(picture, options, timeSlice) : writeStill(picture, options, timeSlice);
}

function pictureOf(bytes: Uint8Array, file: PngFile): Picture {
  const { width, height, frames, loops } = file;
  const opaque = !hasAlpha(file) && coversCanvas(file);
  if (frames.length === 0) {
    const { ms } = pngReaderEstimate({ ...file, depth: bitsPerPixel(file) });
    return stillPicture({ width, height, opaque }, (timeSlice) => {
      const own = ownTimeSlice(timeSlice);
      return paced(openRows(bytes, wholeOf(file), own), ms, timeSlice, own);
    });
  }
  return {
    width,
    height,
    opaque,
    loops,
    frames: frames.length,
    open: (timeSlice) => readFrames(bytes, file, timeSlice),
  };
}

/** A profile is for gray or for colors; a picture under it must stay what it is. */
function samplesOf({ embeddedProfile, chunkProfile, type }: PngFile): Samples {
  if (!embeddedProfile && !chunkProfile) return "any";
  return type === COLOR_TYPE.gray || type === COLOR_TYPE.grayAlpha ? "gray" : "color";
}

function orderOf(file: PngFile): { order?: Uint8Array } {
  const order = file.type === COLOR_TYPE.palette && tableOf(file, undefined);
  return order ? { order } : {};
}

function colorChunksOf(bytes: Uint8Array): Uint8Array[] {
  const kept: Uint8Array[] = [];
  const chunks = new Chunks(bytes);
  while (chunks.next() && chunks.type !== TYPE.IDAT) if (isColor(chunks)) kept.push(chunks.whole);
  return kept;
}

/** Whether 8 bits hold every 16-bit sample. */
async function isNarrow(bytes: Uint8Array, file: PngFile, timeSlice: TimeSlice): Promise<boolean> {
  const reader = openPng(bytes, wholeOf(file), timeSlice);
  try {
    for (let band = await reader.read(16); band; band = await reader.read(16)) {
      if (!reader.isExact()) return false;
      await timeSlice.spend(readEstimate(file, 16).ms);
    }
    return true;
  } finally {
    reader.close();
  }
}

/** The estimate of reading so many rows. */
function readEstimate(file: PngFile, rows: number): Estimate {
  const codedBytes = (file.codedBytes * rows) / file.height;
  return pngReaderEstimate({ ...file, depth: bitsPerPixel(file), height: rows, codedBytes });
}

// ---- samples of 16 bits, as they are ----

/** 16-bit samples as they are, filtered and compressed again; pixels are twice as large as others. */
async function rewriteWide(bytes: Uint8Array, file: PngFile, colorChunks: Uint8Array[], timeSlice: TimeSlice) {
  const { type, depth, width, height, transparency } = file;
  const representation = { type, depth };
  const source = () => ({ width, height, bands: storedBands(bytes, file, timeSlice), input: "stored" }) as const;
  const strategy = await sixteenBitStrategy((tried, compression) =>
    compress({ representation, strategy: tried, ...compression }, source(), timeSlice),
  );
  const choice = { representation, strategy, ...compressionFor(width * height * 2, EFFORT) };
  const key = transparency ? [transparencyChunk(bytes)] : [];
  return assembleMeanwhile(choice, source(), [...colorChunks, ...key], timeSlice);
}

/** Where IHDR says how many bits a sample has. */
const DEPTH_AT = 24;

function isWide(bytes: Uint8Array): boolean {
  return bytes[DEPTH_AT] === 16;
}

/** The estimate of reading and compressing wide samples for every strategy; the memory is that of writing others. */
function wideEstimate(facts: Facts): Estimate {
  const pixels = facts.width * facts.height * 2;
  return sixteenBitStrategyEstimate(pixels, pngReaderEstimate(facts), 1);
}

async function* storedBands(bytes: Uint8Array, file: PngFile, timeSlice: TimeSlice): AsyncIterable<Uint8Array> {
  const reader = openPng(bytes, wholeOf(file), timeSlice, "stored");
  try {
    for (let band = await reader.read(PNG_WINDOW_ROWS); band; band = await reader.read(PNG_WINDOW_ROWS)) {
      yield band;
      await timeSlice.spend(readEstimate(file, PNG_WINDOW_ROWS).ms);
    }
  } finally {
    reader.close();
  }
}

function transparencyChunk(bytes: Uint8Array): Uint8Array {
  const chunks = new Chunks(bytes);
  while (chunks.next()) if (chunks.type === TYPE.tRNS && chunks.isIntact) return chunks.whole;
  return new Uint8Array(0);
}

/** Bits per pixel as they are stored. */
export function bitsPerPixel({ type, depth }: Pick<PngHeader, "type" | "depth">): number {
  return SAMPLES[type] * depth;
}
