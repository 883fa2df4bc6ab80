/** Writes still pictures. */
import { COLOR_TYPE, type FilterStrategy, pngWriterPeakBytes } from "../../../../wasm/pixels/png.ts";
import type { Size } from "../../geometry.ts";
import { joined } from "../../joined.ts";
import type { Picture } from "../../picture.ts";
import { makeChunk, SIGNATURE, TYPE, viewOf } from "./chunks.ts";
import { compress } from "./compress.ts";
import { bandsOfPixels, type Limits, type Look, lookAt, type Representation } from "./representation.ts";
import { type Choice, choose, levelFor, TRIAL_LEVEL } from "./tuning.ts";

export interface WriteOptions extends Limits {
  /** 0 to 1. */
  readonly effort: number;
  /** Chunks that say what the colors mean, to stand before the palette. */
  readonly colorChunks?: readonly Uint8Array[];
}

/** How trials of one picture are written: as the first of them turned out smallest. */
export interface Usual {
  manner?: { readonly index: number; readonly strategy: FilterStrategy };
}

interface TrialOptions {
  readonly movedFor?: FilterStrategy | undefined;
  readonly usual?: Usual | undefined;
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
export function writeTrial(picture: Picture, { movedFor, usual }: TrialOptions = {}): Uint8Array {
  const look = lookAt(picture);
  try {
    const { representation, strategy, index } = trialChoice(look, picture, { movedFor, usual });
    if (usual) usual.manner = { index, strategy };
    const choice = { representation, strategy, level: TRIAL_LEVEL };
    return assemble(representation, picture, [], compress(choice, picture, look.bands()));
  } finally {
    look.close();
  }
}

/** The filter that samples were moved for, or what was best before, or now, or is usually. */
function trialChoice(
  look: Look,
  { width, height }: Size,
  { movedFor, usual }: TrialOptions,
): Omit<Choice, "level"> & { index: number } {
  const { representations } = look;
  const { manner } = usual ?? {};
  const known = manner && representations[manner.index];
  if (known) return { representation: known, ...manner };
  const pixels = width * height;
  if (!movedFor && pixels <= (usual ? LARGE_PIXELS : SMALL_PIXELS)) {
    const { representation, strategy } = choose(look, { width, pixels }, { effort: TRIAL_EFFORT });
    return { representation, strategy, index: representations.indexOf(representation) };
  }
  const [representation] = representations;
  return { representation, strategy: movedFor ?? (representation.palette ? "none" : "sum"), index: 0 };
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
