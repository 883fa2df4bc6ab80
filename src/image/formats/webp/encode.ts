/** Rows into WebP files: stills in bands, animations as the rectangles that change from frame to frame. */
import { parallel, maximum, held, type Estimate, times } from "../../../../wasm/estimate.ts";
import type { NativeError } from "../../../../wasm/load.ts";
import { canvasEstimate, canvasWork } from "../../../../wasm/webp/canvas.ts";
import { BAND_ROWS, encodeEstimate, openEncoder, START_MS, type WebpEncoder } from "../../../../wasm/webp/encoder.ts";
import { ApiError } from "../../../errors.ts";
import type { TimeSlice } from "../../../scheduler/time-slice.ts";
import { changingPart, fileShare } from "../../codec/complexity.ts";
import { guardedAsync } from "../../codec/guard.ts";
import type { EncodeSettings } from "../../codec/writer.ts";
import { type Extent, firstFrame, type Picture } from "../../pixels/picture.ts";
import type { Rows } from "../../pixels/rows.ts";
import { encodeAnimation } from "./animation.ts";
import { encoderSettings, exactSettings } from "./settings.ts";

/** Bytes of a file per pixel: photographs take 0.1 to 0.4 at usual qualities, 1.1 without loss. */
const FILE_BYTES_PER_PIXEL = { lossless: 1.5, lossy: 0.4 };
/** Of photographs at qualities up to this a lossy file takes up to 0.21. */
const USUAL_QUALITY = 90;
const USUAL_FILE_BYTES_PER_PIXEL = 0.25;
/** Bytes for a pixel that is drawn in a frame, of all ways that are tried for it: twice while the file is joined. */
const FRAME_BYTES_PER_PIXEL = { lossless: 2, lossy: 1 };
/** Ways that are tried for a frame of an animation: lossy, without loss, and without loss over the frame before. */
const LOSSLESS_WAYS = 2;

/** The estimate of encoding, the file included; in an animation also the canvas that is shown and the one before it. */
export function estimate(picture: Extent, settings: EncodeSettings): Estimate {
  const { width, height, frames } = picture;
  const pixels = width * height;
  const still = encodeEstimate(encoderSettings(picture, settings));
  if (frames === 1) return parallel(still, held(pixels * fileBytesPerPixel(picture, settings)));
  const exact = encodeEstimate(exactSettings(picture, settings));
  const ways = maximum(still, exact);
  const ms = (LOSSLESS_WAYS * exact.ms + (settings.lossless ? 0 : still.ms)) * changingPart(picture);
  const starts = LOSSLESS_WAYS * START_MS.lossless + (settings.lossless ? 0 : START_MS.lossy);
  const frame = parallel({ bytes: ways.bytes, ms: ms + starts }, canvasWork(4 * pixels));
  return parallel(times(frames, frame), held(filesBytes(picture, settings)), canvasEstimate(width, 2 * height));
}

function fileBytesPerPixel(picture: Extent, { lossless, quality }: EncodeSettings): number {
  if (lossless) return FILE_BYTES_PER_PIXEL.lossless * fileShare(picture, "exact");
  const lossy = quality > USUAL_QUALITY ? FILE_BYTES_PER_PIXEL.lossy : USUAL_FILE_BYTES_PER_PIXEL;
  return lossy * fileShare(picture, "lossy");
}

/** @throws ApiError 422 when the picture has no frame, or is too large or too complex for the format */
export function encodeWebp(picture: Picture, settings: EncodeSettings, timeSlice: TimeSlice): Promise<Uint8Array> {
  return guardedAsync(
    () =>
      picture.frames > 1 ? encodeAnimation(picture, settings, timeSlice) : encodeStill(picture, settings, timeSlice),
    tooComplex,
  );
}

function tooComplex(cause: NativeError): ApiError {
  return new ApiError(422, "The image cannot be written as WebP: it is too large or too complex", { cause });
}

async function encodeStill(picture: Picture, settings: EncodeSettings, timeSlice: TimeSlice): Promise<Uint8Array> {
  const rows = await firstFrame(picture, timeSlice);
  try {
    const { width, height, opaque } = rows;
    const encoder = openEncoder(encoderSettings({ width, height, opaque, detail: picture.detail }, settings));
    try {
      await fill(encoder, rows, timeSlice);
      return await encoder.finish(timeSlice);
    } finally {
      encoder.close();
    }
  } finally {
    rows.close();
  }
}

async function fill(encoder: WebpEncoder, rows: Rows, timeSlice: TimeSlice): Promise<void> {
  const stride = rows.width * 4;
  let filled = 0;
  for (let read = await rows.read(BAND_ROWS); read; read = await rows.read(BAND_ROWS - filled)) {
    encoder.band().set(read, filled * stride);
    filled += read.length / stride;
    if (filled < BAND_ROWS) continue;
    encoder.push(filled);
    await timeSlice.spend(filled * encoder.rowMs);
    filled = 0;
  }
  if (filled > 0) encoder.push(filled);
}

/** The frames of an animation as files, and for a moment the others that one of them was tried as. */
function filesBytes(picture: Extent, { lossless }: EncodeSettings): number {
  const { width, height, frames } = picture;
  const pixels = width * height;
  return (
    pixels * FILE_BYTES_PER_PIXEL.lossless * 2 +
    pixels * frames * changingPart(picture) * FRAME_BYTES_PER_PIXEL[lossless ? "lossless" : "lossy"]
  );
}
