/** Writes still pictures. */
import { COLOR_TYPE, type FilterStrategy, pngWriterPeakBytes } from "../../../../wasm/pixels/png.ts";
import { joined } from "../../../joined.ts";
import type { Size } from "../../geometry.ts";
import type { Picture } from "../../picture.ts";
import { makeChunk, SIGNATURE, TYPE, viewOf } from "./chunks.ts";
import { compress } from "./compress.ts";
import { bandsOfPixels, type Limits, type Look, lookAt, type Representation } from "./representation.ts";
import { type Choice, choose, levelFor, type Measured, TRIAL_LEVEL } from "./tuning.ts";

export interface WriteOptions extends Limits {
  /** 0 to 1. */
  readonly effort: number;
  /** Chunks that say what the colors mean, to stand before the palette. */
  readonly colorChunks?: readonly Uint8Array[];
  /** What is known of this picture from trials. */
  readonly measured?: Measured;
}

interface TrialOptions {
  readonly movedFor?: FilterStrategy;
  /** Takes up what was found out, for when the picture is written to stay. */
  readonly measured?: Measured;
}

/** The file of a still picture, pixels exact. */
export function writeStill(picture: Picture, options: WriteOptions): Uint8Array {
  const { colorChunks = [] } = options;
  const { width, height } = picture;
  const look = lookAt(picture, options);
  try {
    const choice = choose(look, { width, pixels: width * height }, options);
    return assemble(choice.representation, picture, colorChunks, compress(choice, { width, height }, look.bands()));
  } finally {
    look.close();
  }
}

/** Of larger pictures it takes too long to find the best filter for trials; of the smallest, always worth it. */
const LARGE_PIXELS = 1 << 18;
const SMALL_PIXELS = 1 << 16;
const TRIAL_EFFORT = 0.1;

/** The same in a fraction of the time, and larger. */
export function writeTrial(picture: Picture, options: TrialOptions = {}): Uint8Array {
  const look = lookAt(picture);
  try {
    const choice = trialChoice(look, picture, options);
    const pieces = choice.pieces ?? compress(choice, picture, look.bands());
    return assemble(choice.representation, picture, [], pieces);
  } finally {
    look.close();
  }
}

/** The filter that samples were moved for, or what is best now, perhaps as it was written to find that out. */
function trialChoice(
  look: Look,
  { width, height }: Size,
  { movedFor, measured }: TrialOptions,
): Choice & { readonly pieces?: readonly Uint8Array[] } {
  const pixels = width * height;
  if (!movedFor && pixels <= (measured ? LARGE_PIXELS : SMALL_PIXELS)) {
    const { representation, strategy, tried } = choose(look, { width, pixels }, { effort: TRIAL_EFFORT, measured });
    return tried ?? { representation, strategy, level: TRIAL_LEVEL };
  }
  const [representation] = look.representations;
  return { representation, strategy: movedFor ?? (representation.palette ? "none" : "sum"), level: TRIAL_LEVEL };
}

/** About how many bytes `writeStill` would need for the first frame, found quickly on a sample. */
export function estimateStill(picture: Picture): number {
  const { width, height } = picture;
  const look = lookAt(picture);
  look.close();
  const { representations, sample } = look;
  const size = { width, height: sample.length / (width * 4) };
  const trial = { representation: representations[0], strategy: "sum", level: TRIAL_LEVEL } as const;
  const pieces = compress(trial, size, bandsOfPixels(sample, width));
  return (pieces.reduce((sum, piece) => sum + piece.length, 0) * height) / size.height;
}

/** Bytes of memory that `writeStill` holds at most: a photograph takes about half of its raw size, for a moment twice. */
export function stillPeakBytes({ width, height, opaque }: Size & { opaque: boolean }, effort: number): number {
  const raw = width * height * (opaque ? 3 : 4);
  return Math.ceil(raw * 1.2) + (6 << 20) + pngWriterPeakBytes(width, levelFor(width * height, effort, 0));
}

/** The whole file. */
export function assemble(
  representation: Representation,
  size: Size,
  colorChunks: readonly Uint8Array[],
  pieces: readonly Uint8Array[],
): Uint8Array {
  return joined([
    SIGNATURE,
    ...headerChunks(representation, size, colorChunks),
    ...pieces.map((piece) => makeChunk(TYPE.IDAT, piece)),
    makeChunk(TYPE.IEND),
  ]);
}

/** IHDR, what the colors mean, PLTE and tRNS. */
export function headerChunks(
  { type, depth, palette, key }: Representation,
  { width, height }: Size,
  colorChunks: readonly Uint8Array[],
): Uint8Array[] {
  const header = new Uint8Array(13);
  viewOf(header).setUint32(0, width);
  viewOf(header).setUint32(4, height);
  header.set([depth, type], 8);
  const chunks = [makeChunk(TYPE.IHDR, header), ...colorChunks];
  if (key) {
    const samples = type === COLOR_TYPE.gray ? [0, key[0]] : [0, key[0], 0, key[1], 0, key[2]];
    chunks.push(makeChunk(TYPE.tRNS, Uint8Array.from(samples)));
  }
  if (type !== COLOR_TYPE.palette || !palette) return chunks;
  const colors = palette.length / 4;
  const rgb = Uint8Array.from({ length: colors * 3 }, (_, at) => palette[Math.floor(at / 3) * 4 + (at % 3)]!);
  const alpha = Uint8Array.from({ length: colors }, (_, index) => palette[index * 4 + 3]!);
  const translucent = alpha.findLastIndex((value) => value < 255) + 1;
  chunks.push(makeChunk(TYPE.PLTE, rgb));
  if (translucent > 0) chunks.push(makeChunk(TYPE.tRNS, alpha.subarray(0, translucent)));
  return chunks;
}
