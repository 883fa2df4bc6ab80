/** Rows into JPEG files. */
import { encodePeakBytes, type Encoder, openEncoder, packedLimit } from "../../../../wasm/jpeg/jpeg.ts";
import { NativeError } from "../../../../wasm/load.ts";
import { ApiError } from "../../../errors.ts";
import type { EncodeSettings } from "../../format.ts";
import type { Size } from "../../geometry.ts";
import type { Picture } from "../../picture.ts";
import type { Rows } from "../../rows.ts";

/** From this quality on chroma is kept at full resolution: below it, halving it costs nobody anything visible. */
const FULL_CHROMA_QUALITY = 90;
/**
 * Below it, too, where a picture would lose more of its colors than this (`Encoder.colorLoss`): photographs lose up to 50,
 * scores of drawings fall from about 120 on by 5 to 20 points.
 */
export const COLOR_LOSS = 110;
/** Larger pictures are photographs. */
const COLOR_LOSS_PIXELS = 8_000_000;
const BAND_ROWS = 32;
/** The part of the packed coefficients that a file takes at most, up to a quality: what it is of noise. */
const FILE_SHARES: readonly (readonly [quality: number, share: number])[] = [
  [80, 0.55],
  [90, 0.62],
  [95, 0.7],
  [100, 0.78],
];

/** What the encoder is told. */
export function encoderOptions(
  { width, height }: Size,
  { quality, subsample, progressive, fast = false }: EncodeSettings,
) {
  const subsampling = subsample ?? (quality >= FULL_CHROMA_QUALITY ? "4:4:4" : "4:2:0");
  return { width, height, quality, subsampling, progressive, fast } as const;
}

/** Whether the encoder may find that halved chroma will not do. */
export function mayNeedColors({ width, height }: Size, { quality, subsample }: EncodeSettings): boolean {
  return !subsample && quality < FULL_CHROMA_QUALITY && width * height <= COLOR_LOSS_PIXELS;
}

/** Bytes that encoding holds at most, the file included: its pieces and the whole exist at the same time. */
export function peakBytes(size: Size, settings: EncodeSettings): number {
  const worst = mayNeedColors(size, settings) ? ({ ...settings, subsample: "4:4:4" } as const) : settings;
  const options = encoderOptions(size, worst);
  const share = FILE_SHARES.find(([limit]) => settings.quality <= limit)?.[1] ?? 1;
  return encodePeakBytes(options) + Math.ceil(2 * share * packedLimit(options));
}

/**
 * A picture whose pixels are all gray becomes a gray file.
 * @throws ApiError 422 when the picture has no frame, or takes more memory than there is
 */
export function encode(picture: Picture, settings: EncodeSettings): Uint8Array {
  return encodeFirst(picture, settings) ?? encodeFirst(picture, { ...settings, subsample: "4:4:4" }) ?? noFrame();
}

function noFrame(): never {
  throw new ApiError(422, "The image has no frame");
}

/** Null when the picture has colors that need full chroma, of which the settings say nothing. */
function encodeFirst(picture: Picture, settings: EncodeSettings): Uint8Array | null {
  for (const { rows } of picture.open()) return encodeRows(rows, settings);
  return noFrame();
}

function encodeRows(rows: Rows, settings: EncodeSettings): Uint8Array | null {
  try {
    const encoder = guardWriting(() => openEncoder(encoderOptions(rows, settings)));
    try {
      fill(encoder, rows);
      if (mayNeedColors(rows, settings) && encoder.colorLoss() > COLOR_LOSS) return null;
      return guardWriting(() => encoder.finish());
    } finally {
      encoder.close();
    }
  } finally {
    rows.close();
  }
}

function fill(encoder: Encoder, rows: Rows): void {
  for (let read = rows.read(BAND_ROWS); read; read = rows.read(BAND_ROWS)) {
    const band = read;
    guardWriting(() => encoder.write(band, band.length / (rows.width * 4)));
  }
}

/** Runs native code; what it refuses cannot be written. */
export function guardWriting<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof NativeError)
      throw new ApiError(422, "The image cannot be written as JPEG: it is too large or too complex", { cause: error });
    throw error;
  }
}
