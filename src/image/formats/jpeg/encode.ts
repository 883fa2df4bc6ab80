/** Rows into JPEG files. */
import { type Estimate, held, parallel } from "../../../../wasm/estimate.ts";
import {
  type Encoder,
  type EncoderOptions,
  PHOTOGRAPH_BLOCK_BYTES,
  encodeEstimate,
  openEncoder,
  packedBytes,
} from "../../../../wasm/jpeg/jpeg.ts";
import type { NativeError } from "../../../../wasm/load.ts";
import { ApiError } from "../../../errors.ts";
import type { TimeSlice } from "../../../scheduler/time-slice.ts";
import { guarded, guardedAsync, inPieces } from "../../codec/guard.ts";
import type { EncodeSettings } from "../../codec/writer.ts";
import type { Size } from "../../pixels/geometry.ts";
import { type Extent, type Picture, firstFrame } from "../../pixels/picture.ts";
import type { Rows } from "../../pixels/rows.ts";

/** From this quality on chroma is kept at full resolution: below it, halving it costs nobody anything visible. */
const FULL_CHROMA_QUALITY = 90;
/**
 * Below it, too, where a picture would lose more of its colors than this (`Encoder.colorLoss`): photographs lose up to
 * 50, scores of drawings fall from about 120 on by 5 to 20 points.
 */
export const COLOR_LOSS = 110;
/** Larger pictures are photographs. */
const COLOR_LOSS_PIXELS = 8_000_000;
const BAND_ROWS = 32;
/** The part of the packed coefficients that a file takes at most, up to a quality. */
const FILE_SHARES: readonly (readonly [quality: number, share: number])[] = [
  [80, 0.55],
  [90, 0.62],
  [95, 0.7],
  [100, 0.78],
];

/** What the encoder is told. */
export function encoderOptions(
  { width, height, texture = 1 }: Size & Pick<Extent, "texture">,
  { quality, subsample, progressive, fast = false }: EncodeSettings,
) {
  const subsampling = subsample ?? (quality >= FULL_CHROMA_QUALITY ? "4:4:4" : "4:2:0");
  const blockBytes = PHOTOGRAPH_BLOCK_BYTES * texture;
  return { width, height, quality, subsampling, progressive, fast, blockBytes } as const;
}

/** Whether the encoder may find that halved chroma will not do. */
export function mayNeedColors({ width, height }: Size, { quality, subsample }: EncodeSettings): boolean {
  return !subsample && quality < FULL_CHROMA_QUALITY && width * height <= COLOR_LOSS_PIXELS;
}

/**
 * The estimate of encoding; where the encoder may find that halved chroma will not do, it begins twice. The time is
 * between that of photographs, with which it does not, and that of drawings, with which it does.
 */
export function estimate(size: Size & Pick<Extent, "texture">, settings: EncodeSettings): Estimate {
  const usual = fileEstimate(encoderOptions(size, settings));
  if (!mayNeedColors(size, settings)) return usual;
  const { bytes, ms } = fileEstimate(encoderOptions(size, { ...settings, subsample: "4:4:4" }));
  return { bytes, ms: (usual.ms + ms) / 2 };
}

/** The estimate of writing one file, the file included: its pieces and the whole exist at the same time. */
export function fileEstimate(options: EncoderOptions): Estimate {
  const share = FILE_SHARES.find(([limit]) => options.quality <= limit)?.[1] ?? 1;
  return parallel(encodeEstimate(options), held(2 * share * packedBytes(options)));
}

/**
 * A picture whose pixels are all gray becomes a gray file.
 * @throws ApiError 422 when the picture has no frame, or takes more memory than there is
 */
export async function encode(picture: Picture, settings: EncodeSettings, timeSlice: TimeSlice): Promise<Uint8Array> {
  const file = await encodeFirst(picture, settings, timeSlice);
  return file ?? (await encodeFirst(picture, { ...settings, subsample: "4:4:4" }, timeSlice)) ?? neverNull();
}

function neverNull(): never {
  throw new Error("chroma at full resolution is never too little");
}

/** Null when the picture has colors that need full chroma, of which the settings say nothing. */
async function encodeFirst(
  picture: Picture,
  settings: EncodeSettings,
  timeSlice: TimeSlice,
): Promise<Uint8Array | null> {
  const rows = await firstFrame(picture, timeSlice);
  const { texture } = picture;
  try {
    const encoder = guarded(() => openEncoder(encoderOptions({ ...rows, texture }, settings)), tooComplex);
    try {
      await fill(encoder, rows, timeSlice);
      if (mayNeedColors(rows, settings) && encoder.colorLoss() > COLOR_LOSS) return null;
      return await finished(encoder, timeSlice);
    } finally {
      encoder.close();
    }
  } finally {
    rows.close();
  }
}

async function fill(encoder: Encoder, rows: Rows, timeSlice: TimeSlice): Promise<void> {
  for (let read = await rows.read(BAND_ROWS); read; read = await rows.read(BAND_ROWS)) {
    const band = read;
    const count = band.length / (rows.width * 4);
    guarded(() => encoder.write(band, count), tooComplex);
    await timeSlice.spend(count * encoder.rowMs);
  }
}

/** The file of an encoder that has all rows. */
export function finished(encoder: Pick<Encoder, "finish">, timeSlice: TimeSlice): Promise<Uint8Array> {
  return guardedAsync(() => inPieces(encoder.finish(), timeSlice), tooComplex);
}

/** What native code refuses cannot be written. */
export function tooComplex(cause: NativeError): ApiError {
  return new ApiError(422, "The image cannot be written as JPEG: it is too large or too complex", { cause });
}
