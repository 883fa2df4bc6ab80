/** Rows to JPEG. */
import { openEncoder } from "../../../../wasm/jpeg/encoder.ts";
import type { EncodeSettings } from "../../format.ts";
import { firstFrame, type Picture } from "../../picture.ts";

/** From this quality on, halved chroma is what limits how a picture looks. */
const FULL_CHROMA_QUALITY = 90;

export function encode(picture: Picture, settings: EncodeSettings): Uint8Array {
  const { width, height } = picture;
  const { quality, progressive } = settings;
  const subsampling = settings.subsample ?? (quality >= FULL_CHROMA_QUALITY ? "4:4:4" : "4:2:0");
  const rows = firstFrame(picture);
  const encoder = openEncoder({ width, height, quality, subsampling, progressive });
  try {
    for (let band = rows.read(height); band; band = rows.read(height)) {
      encoder.write(band, band.length / (width * 4));
    }
    return encoder.finish();
  } finally {
    encoder.close();
    rows.close();
  }
}

/** Bytes that encoding holds at most: rows, packed coefficients and the file. */
export function encodePeakBytes(
  { width, height }: { width: number; height: number },
  { quality }: EncodeSettings,
): number {
  const perPixel = quality >= FULL_CHROMA_QUALITY ? 3.2 : 1.6;
  return width * 4 * 64 + width * height * perPixel + 1024 * 1024;
}
