/** Pictures into GIF files: stills in one palette of at most 256 colors, animations by `animation.ts`. */
import { parallel, held, type Estimate, times } from "../../../../wasm/estimate.ts";
import { encodeEstimate, FrameWriter, writerBytes } from "../../../../wasm/gif/writer.ts";
import { QUANTIZE_WINDOW_ROWS } from "../../../../wasm/quantize/instance.ts";
import { addEstimate } from "../../../../wasm/quantize/palette.ts";
import { coordinatesOf, mapEstimate, Remapper } from "../../../../wasm/quantize/remapper.ts";
import { ApiError } from "../../../errors.ts";
import { joined } from "../../../joined.ts";
import type { TimeSlice } from "../../../scheduler/time-slice.ts";
import { byDetail, fullness } from "../../codec/complexity.ts";
import { type ChosenPalette, Palettes, reducedEstimate } from "../../codec/quantize.ts";
import type { EncodeSettings } from "../../codec/writer.ts";
import { bandsOf } from "../../pixels/bands.ts";
import { type Extent, firstFrame, type Picture } from "../../pixels/picture.ts";
import { animationEstimate, writeAnimation } from "./animation.ts";
import { graphicControl, header, imageDescriptor, indexBits, lengthOf, TRAILER, transparentIn } from "./blocks.ts";
import { prepareExactly, prepareReduced } from "./prepare.ts";
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
  if (sharp.frames === 1) return encodeStill(sharp, await paletteFor(sharp, tuning, timeSlice), tuning, timeSlice);
  const prepared = (await prepareExactly(sharp, tuning, timeSlice)) ?? (await prepareReduced(sharp, tuning, timeSlice));
  return writeAnimation(sharp, prepared, tuning, timeSlice);
}

/** The file of a picture whose pixels are exactly kept; null where GIF cannot hold it, or not without much work. */
export async function encodeExactly(picture: Picture, timeSlice: TimeSlice): Promise<Uint8Array | null> {
  const tuning = tuningFor({ lossless: true, quality: 100, progressive: false, effort: 1 });
  if (picture.frames === 1) {
    const chosen = await paletteFor(picture, tuning, timeSlice);
    return chosen.exact ? encodeStill(picture, chosen, tuning, timeSlice) : null;
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
  const readings = frames > 1 ? ANIMATION_READINGS : READINGS;
  const common = parallel(reducedEstimate(seen), written(seen), times(readings, shadesEstimate(picture)));
  if (frames > 1) return parallel(common, animationEstimate(seen, { isExact: false }));
  const isChoosy = tuningFor(settings).tolerance > 0;
  return parallel(common, times(ATTEMPTS, encodeEstimate(width * height, isChoosy, fullness(seen))));
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
  if (frames > 1) return parallel(written(picture), animationEstimate(picture, { isExact: true }));
  const pixels = width * height;
  const memory = held(reducedEstimate(picture).bytes);
  const writing = times(ATTEMPTS, encodeEstimate(pixels, false, fullness(picture)));
  return parallel(memory, written(picture), addEstimate(pixels, FEW_COLORS), mapEstimate(pixels, FEW_COLORS), writing);
}

/** What a writer and its file hold. */
function written(picture: Extent): Estimate {
  const pixels = picture.width * picture.height;
  const { flat, photograph } = RESULT_BYTES_PER_PIXEL;
  return held(writerBytes(pixels, picture.frames > 1) + pixels * byDetail(picture, flat, photograph));
}

function paletteFor(picture: Picture, { reduction }: Tuning, timeSlice: TimeSlice): Promise<ChosenPalette> {
  return new Palettes(picture, reduction.sharp).choose(reduction.colors, timeSlice);
}

async function encodeStill(
  picture: Picture,
  chosen: ChosenPalette,
  { reduction, tolerance, patience }: Tuning,
  timeSlice: TimeSlice,
): Promise<Uint8Array> {
  const { width, height } = picture;
  const { palette, exact } = chosen;
  const writer = new FrameWriter(width * height, false);
  try {
    await writeIndices(picture, { palette, dither: exact ? 0 : reduction.dither }, writer, timeSlice);
    if (tolerance > 0) writer.setColors(coordinatesOf(palette));
    const transparent = transparentIn(palette);
    const detail = fullness(picture);
    const options = { count: width * height, minSize: indexBits(palette.length / 4), transparent, tolerance, detail };
    const data = await smallest(writer, options, patience, timeSlice);
    const control = transparent >= 0 ? [graphicControl(0, null, transparent)] : [];
    const box = { x: 0, y: 0, width, height };
    return joined([header(picture, palette), ...control, imageDescriptor(box, null), ...data, TRAILER]);
  } finally {
    writer.close();
  }
}

/** Hands the picture to a writer as indices of a palette. */
async function writeIndices(
  picture: Picture,
  { palette, dither }: { readonly palette: Uint8Array; readonly dither: number },
  writer: FrameWriter,
  timeSlice: TimeSlice,
): Promise<void> {
  const remapper = new Remapper({ width: picture.width, height: 0, sharp: true, palette, dither });
  const nanoseconds = mapEstimate(1, fullness(picture)).ms * 1e6;
  try {
    const rows = await firstFrame(picture, timeSlice);
    let filled = 0;
    for await (const band of bandsOf(rows, { rows: QUANTIZE_WINDOW_ROWS, nanoseconds, timeSlice })) {
      const indices = remapper.indices(band);
      writer.indices(filled, indices.length).set(indices);
      filled += indices.length;
    }
  } finally {
    remapper.close();
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
