/** Pictures into GIF files: stills in one palette of at most 256 colors, animations by `animation.ts`. */
import { parallel, held, type Estimate, times } from "../../../../wasm/estimate.ts";
import { encodeEstimate, FrameWriter, writerBytes } from "../../../../wasm/gif/writer.ts";
import { QUANTIZE_WINDOW_ROWS } from "../../../../wasm/quantize/instance.ts";
import { addEstimate } from "../../../../wasm/quantize/palette.ts";
import { coordinatesOf, mapEstimate, Remapper, remapperBytes } from "../../../../wasm/quantize/remapper.ts";
import { ApiError } from "../../../errors.ts";
import { joined } from "../../../joined.ts";
import type { TimeSlice } from "../../../scheduler/time-slice.ts";
import { byDetail, fileShare, fullness } from "../../codec/complexity.ts";
import { type ChosenPalette, Palettes, reducedEstimate } from "../../codec/quantize.ts";
import type { EncodeSettings } from "../../codec/writer.ts";
import { bandsOf } from "../../pixels/bands.ts";
import { type Extent, firstFrame, type Picture } from "../../pixels/picture.ts";
import { animationEstimate, writeAnimation } from "./animation.ts";
import { graphicControl, header, imageDescriptor, indexBits, lengthOf, TRAILER, transparentIn } from "./blocks.ts";
import { MAX_COLORS, prepareExactly, prepareReduced } from "./prepare.ts";
import { shadesEstimate, withoutShades } from "./shades.ts";
import { type Tuning, tuningFor } from "./tuning.ts";

const MAX_SIDE = 0xffff;

/** @throws ApiError 422 when the picture is too large for the format or has no frame */
export async function encodeGif(picture: Picture, settings: EncodeSettings, timeSlice: TimeSlice): Promise<Uint8Array> {
  const { width, height } = picture;
  if (width > MAX_SIDE || height > MAX_SIDE)
    throw new ApiError(422, `GIF holds at most ${MAX_SIDE} pixels on each side`);
  const tuning = tuningFor(settings);
  const sharp = settings.hasEdgesAlone ? picture : withoutShades(picture, timeSlice, settings.tell);
  if (sharp.frames === 1) return encodeStill(sharp, await waysFor(sharp, tuning, timeSlice), tuning, timeSlice);
  const prepared = (await prepareExactly(sharp, tuning, timeSlice)) ?? (await prepareReduced(sharp, tuning, timeSlice));
  return writeAnimation(sharp, prepared, tuning, timeSlice);
}

/** The file of a picture whose pixels are exactly kept; null where GIF cannot hold it, or not without much work. */
export async function encodeExactly(picture: Picture, timeSlice: TimeSlice): Promise<Uint8Array | null> {
  const tuning = tuningFor({ lossless: true, quality: 100, progressive: false, effort: 1 });
  if (picture.frames === 1) {
    const [exact] = await waysFor(picture, tuning, timeSlice);
    return exact.exact ? encodeStill(picture, [exact], tuning, timeSlice) : null;
  }
  const prepared = await prepareExactly(picture, tuning, timeSlice);
  return prepared && writeAnimation(picture, prepared, tuning, timeSlice);
}

/**
 * How many bytes a pixel takes as a file: photographs take 5 to 6 bits, twice while it is joined. What is flat takes one or
 * two.
 */
const RESULT_BYTES_PER_PIXEL = { flat: 0.6, photograph: 1.4 };
/** Image data is made once for each patience, of which there are two at most. */
const ATTEMPTS = 2;

/** As much as is to be told apart in the pixels of a file that has no more than a palette. */
const FEW_COLORS = 0;

/** How often a picture is read: for its colors, and to be written. */
export const READINGS = 2;

/** The same of an animation: in the ways that it may be kept exactly, for its colors, and to be written. */
const ANIMATION_READINGS = 5;

/** The estimate of encoding, the result included. */
export function gifEstimate(picture: Extent, settings: EncodeSettings): Estimate {
  const { width, height, frames } = picture;
  const seen = picture.opaque ? picture : withoutAlpha(picture);
  const shades = shadesEstimate(picture);
  if (frames > 1) {
    const common = parallel(reducedEstimate(seen), writtenBytes(seen), times(ANIMATION_READINGS, shades));
    return parallel(common, animationEstimate(seen, { isExact: false }));
  }
  const tuning = tuningFor(settings);
  const usual = times(ATTEMPTS, encodeEstimate(width * height, tuning.tolerance > 0, fullness(seen)));
  const writing = parallel(writtenBytes(seen), usual, furtherEstimate(seen, tuning));
  return parallel(reducedEstimate(seen, writing), times(READINGS, shades));
}

/** Ways with fewer colors that are written besides the usual one: of photographs there is mostly none. */
const FURTHER_WAYS = { flat: 1, photograph: 0 };

/** The estimate of writing a picture in other ways than the usual one as well. */
function furtherEstimate(picture: Extent, tuning: Tuning): Estimate {
  const ways = furtherWays(picture, tuning);
  const { width, height } = picture;
  const [pixels, detail] = [width * height, fullness(picture)];
  const memory = ways * (writerBytes(pixels, false) + remapperBytes({ width, height: 0 }));
  const way = parallel(mapEstimate(pixels, detail), times(ATTEMPTS, encodeEstimate(pixels, false, detail)));
  return parallel(held(memory), times(ways * byDetail(picture, FURTHER_WAYS.flat, FURTHER_WAYS.photograph), way));
}

/** Pixels up to which a drawing is written in several ways: each holds a byte for each of them. */
const SEVERAL_WAYS_PIXELS = 1 << 23;
/** With fewer colors than these a slope becomes dots, which take more bytes than its colors do. */
const SLOPE_COLORS = 32;

/** How many ways are written besides the usual one, at most. */
function furtherWays({ width, height }: Extent, { reduction, fewer }: Tuning): number {
  if (!fewer || width * height > SEVERAL_WAYS_PIXELS) return 0;
  return reduction.colors < SLOPE_COLORS ? 2 : 1;
}

/** Of what is to be seen in a translucent picture about half is its alpha, of which hardly anything is left. */
function withoutAlpha(picture: Extent): Extent {
  const { detail = 1 } = picture;
  return { ...picture, detail: detail / 2 };
}

/**
 * The estimate of `encodeExactly`, the reading of the picture left out: there are few colors, or it is soon given up.
 */
export function exactEstimate(picture: Extent): Estimate {
  const { width, height, frames } = picture;
  if (frames > 1) return parallel(writtenBytes(picture), animationEstimate(picture, { isExact: true }));
  const pixels = width * height;
  const memory = held(reducedEstimate(picture).bytes);
  const writing = times(ATTEMPTS, encodeEstimate(pixels, false, fullness(picture)));
  return parallel(
    memory,
    writtenBytes(picture),
    addEstimate(pixels, FEW_COLORS),
    mapEstimate(pixels, FEW_COLORS),
    writing,
  );
}

/** What a writer and its file hold. */
function writtenBytes(picture: Extent): Estimate {
  const pixels = picture.width * picture.height;
  const { flat, photograph } = RESULT_BYTES_PER_PIXEL;
  const file = pixels * byDetail(picture, flat, photograph) * fileShare(picture, "palette");
  return held(writerBytes(pixels, picture.frames > 1) + file);
}

/** A way to write a still picture. */
interface Way extends ChosenPalette {
  /** How far a pixel may be from its color. */
  readonly tolerance: number;
}

/** A picture is drawn where the error of its best palette is at most this part of what a quality allows. */
const DRAWN_PART = 0.5;

/** The ways that are tried: many colors that may be mistaken for each other, and of what is drawn fewer that may not. */
async function waysFor(picture: Picture, tuning: Tuning, timeSlice: TimeSlice): Promise<readonly [Way, ...Way[]]> {
  const { reduction, tolerance, fewer } = tuning;
  const palettes = new Palettes(picture, reduction.sharp);
  const usual = { ...(await palettes.choose(reduction.colors, timeSlice)), tolerance };
  const further = furtherWays(picture, tuning);
  if (!fewer || further === 0) return [usual];
  const { error } = await palettes.estimate(MAX_COLORS, timeSlice);
  if (error > fewer.error * DRAWN_PART) return [usual];
  const colors = await palettes.fewest(fewer, timeSlice);
  const few = { ...(await palettes.choose(colors, timeSlice)), tolerance: 0 };
  if (further === 1) return [usual, few];
  return [usual, few, { ...(await palettes.choose(SLOPE_COLORS, timeSlice)), tolerance }];
}

/** The smallest of the files that ways give. The picture is read once for all of them. */
async function encodeStill(
  picture: Picture,
  ways: readonly [Way, ...Way[]],
  { reduction, patience }: Tuning,
  timeSlice: TimeSlice,
): Promise<Uint8Array> {
  const writers: FrameWriter[] = [];
  try {
    for (const _ of ways) writers.push(new FrameWriter(picture.width * picture.height, false));
    await writeIndices(picture, ways, reduction.dither, writers, timeSlice);
    const files: Uint8Array[] = [];
    for (const [at, way] of ways.entries()) files.push(await written(picture, way, writers[at]!, patience, timeSlice));
    return files.reduce((best, file) => (file.length < best.length ? file : best));
  } finally {
    for (const writer of writers) writer.close();
  }
}

/** The file of a picture whose indices a writer has. */
async function written(
  picture: Picture,
  { palette, tolerance }: Way,
  writer: FrameWriter,
  patience: Tuning["patience"],
  timeSlice: TimeSlice,
): Promise<Uint8Array> {
  const { width, height } = picture;
  if (tolerance > 0) writer.setColors(coordinatesOf(palette));
  const transparent = transparentIn(palette);
  const [count, minSize, detail] = [width * height, indexBits(palette.length / 4), fullness(picture)];
  const data = await smallest(writer, { count, minSize, transparent, tolerance, detail }, patience, timeSlice);
  const control = transparent >= 0 ? [graphicControl(0, null, transparent)] : [];
  const box = { x: 0, y: 0, width, height };
  return joined([header(picture, palette), ...control, imageDescriptor(box, null), ...data, TRAILER]);
}

/** Hands the picture to a writer of each way, as indices of its palette. */
async function writeIndices(
  picture: Picture,
  ways: readonly Way[],
  dither: number,
  writers: readonly FrameWriter[],
  timeSlice: TimeSlice,
): Promise<void> {
  const nanoseconds = ways.length * mapEstimate(1, fullness(picture)).ms * 1e6;
  const remappers: Remapper[] = [];
  try {
    for (const { palette, exact } of ways) {
      remappers.push(
        new Remapper({ width: picture.width, height: 0, sharp: true, palette, dither: exact ? 0 : dither }),
      );
    }
    const rows = await firstFrame(picture, timeSlice);
    let filled = 0;
    for await (const band of bandsOf(rows, { rows: QUANTIZE_WINDOW_ROWS, nanoseconds, timeSlice })) {
      for (const [at, remapper] of remappers.entries()) {
        const indices = remapper.indices(band);
        writers[at]!.indices(filled, indices.length).set(indices);
      }
      filled += band.length / 4;
    }
  } finally {
    for (const remapper of remappers) remapper.close();
  }
}

type Options = Omit<Parameters<FrameWriter["encode"]>[0], "patience">;

/** The smallest image data of those that the patiences give. */
async function smallest(
  writer: FrameWriter,
  options: Options,
  [first, ...others]: Tuning["patience"],
  timeSlice: TimeSlice,
): Promise<Uint8Array[]> {
  let best = await writer.encode({ ...options, patience: first }, timeSlice);
  for (const patience of others) {
    const data = await writer.encode({ ...options, patience }, timeSlice);
    if (lengthOf(data) < lengthOf(best)) best = data;
  }
  return best;
}
