/**
 * Rows into JPEG XL files: with loss by the distance of a quality, or without; stills and animations of whole frames.
 */
import { parallel, held, type Estimate, times } from "../../../../wasm/estimate.ts";
import {
  encodeEstimate as pixelsEstimate,
  type EncoderSettings,
  JxlEncoder,
} from "../../../../wasm/jxl-encode/encoder.ts";
import { ApiError } from "../../../errors.ts";
import { joined } from "../../../joined.ts";
import type { TimeSlice } from "../../../scheduler/time-slice.ts";
import { fileShare, lessWhereFlat } from "../../codec/complexity.ts";
import { guardedAsync } from "../../codec/guard.ts";
import type { EncodeSettings } from "../../codec/writer.ts";
import { isOpaque } from "../../pixels/bands.ts";
import { type Extent, firstFrame, type Picture } from "../../pixels/picture.ts";
import { bytesPerPixel, type Rows } from "../../pixels/rows.ts";
import { inColors, inColorsEstimate } from "./colors.ts";
import { distanceOf } from "./quality.ts";

/** Up to this size a picture without loss is worth six times the time for a tenth of its bytes. */
const THOROUGH_EXACT_PIXELS = 2_000_000;
/**
 * With less effort than this lossy files are made in a fast pass. Not those without loss: of drawings in few colors these
 * take three times the bytes then, which says nothing of what they can take.
 */
const LEAST_THOROUGH_EFFORT = 0.25;

/** What libjxl is told, given what the service was told. */
function settingsOf({ width, height, opaque, space, bits }: Extent, settings: EncodeSettings): EncoderSettings {
  const { lossless, quality, effort, draft = false, allPixels = 0 } = settings;
  const pixels = Math.max(width * height, allPixels);
  const isThorough = !draft && (lossless ? pixels <= THOROUGH_EXACT_PIXELS : effort >= LEAST_THOROUGH_EFFORT);
  const distance = lossless ? 0 : distanceOf(quality);
  return { width, height, opaque, distance, tier: isThorough ? "thorough" : "fast", wide: space?.isP3 === true, bits };
}

/** Of what is flat, files without loss are made in this part of the time. */
const FLAT_EXACT_SHARE = 0.3;

/** The estimate of encoding, the file included: in pieces and as a whole. */
export function encodeEstimate(picture: Extent, settings: EncodeSettings): Estimate {
  const full = pixelsEstimate(settingsOf(picture, animated(picture, settings)));
  const frame = settings.lossless ? lessWhereFlat(full, picture, FLAT_EXACT_SHARE) : full;
  const file = parallel(times(picture.frames, frame), held(2 * fileBytes(picture, settings)));
  return settings.nearLossless === undefined ? file : parallel(file, inColorsEstimate(picture));
}

/** What a bit of samples beyond 8 adds to a pixel without loss. */
const SIXTEEN_BIT_BIT_BYTES = 3 / 8;

/** Photographs take 0.05 to 0.2 bytes per pixel at usual qualities, 1.2 without loss. */
function fileBytes(picture: Extent, { lossless, quality }: EncodeSettings): number {
  const { width, height, frames, bits = 8 } = picture;
  const exact = 1.5 + (bits - 8) * SIXTEEN_BIT_BIT_BYTES;
  const perPixel = lossless ? exact : quality > 90 ? 0.8 : 0.2;
  return width * height * frames * perPixel * fileShare(picture, lossless ? "exact" : "lossy");
}

/** An animation is as many pixels as all of its frames have. */
function animated({ width, height, frames }: Extent, settings: EncodeSettings): EncodeSettings {
  return frames === 1 ? settings : { ...settings, allPixels: width * height * frames };
}

/** @throws ApiError 422 when the picture has no frame or is too large */
export async function encodeJxl(picture: Picture, settings: EncodeSettings, timeSlice: TimeSlice): Promise<Uint8Array> {
  return guardedAsync(() => encodeFrames(picture, settings, timeSlice), tooLarge);
}

export function tooLarge(cause?: unknown): ApiError {
  return new ApiError(422, "The image cannot be written as JPEG XL: it is too large", { cause });
}

/** How often a picture is read: also to see whether anything shows through it. */
export function readings({ opaque, frames }: Extent): number {
  return opaque || frames > 1 ? 1 : 2;
}

/** A still picture without the alpha that it does not need: libjxl takes a bit for each pixel of it. */
async function withoutNeedlessAlpha(picture: Picture, timeSlice: TimeSlice): Promise<Picture> {
  if (readings(picture) === 1) return picture;
  return { ...picture, opaque: await isOpaque(await firstFrame(picture, timeSlice)) };
}

async function encodeFrames(given: Picture, settings: EncodeSettings, timeSlice: TimeSlice): Promise<Uint8Array> {
  const picture = await withoutNeedlessAlpha(given, timeSlice);
  const { frames, loops } = picture;
  const animation = frames > 1 ? { frames, loops } : undefined;
  const encoder = new JxlEncoder(settingsOf(picture, animated(picture, settings)), animation);
  try {
    let count = 0;
    const { nearLossless } = settings;
    const written = nearLossless === undefined ? picture : inColors(picture, nearLossless);
    for await (const { delayMs, rows } of written.open(timeSlice)) {
      encoder.frame(animation ? delayMs : 0);
      await fill(encoder, rows, timeSlice);
      count++;
      await encoder.finish(count === frames, timeSlice);
      if (count === frames) break;
    }
    if (count < frames) throw new ApiError(422, "The image ends early");
    return joined(encoder.file());
  } finally {
    encoder.close();
  }
}

/** Reads the rows of a frame, and closes them. */
async function fill(encoder: JxlEncoder, rows: Rows, timeSlice: TimeSlice): Promise<void> {
  const stride = rows.width * bytesPerPixel(rows);
  try {
    for (let wanted = encoder.wanted(); wanted > 0; wanted = encoder.wanted()) {
      for (let filled = 0; filled < wanted;) {
        const read = await rows.read(wanted - filled);
        if (!read) throw new ApiError(422, "The image ends early");
        encoder.band().set(read, filled * stride);
        filled += read.length / stride;
      }
      await encoder.push(wanted, timeSlice);
    }
  } finally {
    rows.close();
  }
}
