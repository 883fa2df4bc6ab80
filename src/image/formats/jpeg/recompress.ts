/** A smaller JPEG file of the same picture, from its coefficients. */
import { openTransform } from "../../../../wasm/color/color.ts";
import { type JpegHeader, recompress as recompressFile, recompressPeakBytes } from "../../../../wasm/jpeg/jpeg.ts";
import type { RecompressSettings } from "../../format.ts";
import { guard, headerOf } from "./facts.ts";

/** Null when the file has no coefficients that could be kept, or would not become smaller. */
export function recompress(bytes: Uint8Array, settings: RecompressSettings): Uint8Array | null {
  const header = headerOf(bytes);
  if (!hasCoefficients(header)) return null;
  const { quality, progressive } = settings;
  const profile = neededProfile(header);
  const smaller = guard(() =>
    recompressFile(bytes, {
      progressive,
      ...(quality === undefined ? {} : { quality }),
      ...(profile ? { profile } : {}),
    }),
  );
  return smaller.length < bytes.length ? smaller : null;
}

/** Bytes that recompression holds at most, the result included. */
export function peakBytes(bytes: Uint8Array): number {
  const header = headerOf(bytes);
  return hasCoefficients(header) ? recompressPeakBytes(header, bytes.length) + 2 * bytes.length : 0;
}

/** Lossless files and those of 12 bits have no coefficients that could be divided. */
export function requantizes(bytes: Uint8Array): boolean {
  return hasCoefficients(headerOf(bytes));
}

function hasCoefficients({ lossless, precision }: JpegHeader): boolean {
  return !lossless && precision === 8;
}

/** The profile, if the picture looks different without it. */
export function neededProfile({ profile, colors, adobeTransform }: JpegHeader): Uint8Array | undefined {
  if (!profile) return undefined;
  const ink = adobeTransform === undefined ? "cmyk" : "cmyk-inverted";
  const layout = colors === "Gray" ? "gray" : colors === "CMYK" || colors === "YCCK" ? ink : "rgba";
  const transform = openTransform(profile, layout);
  transform?.close();
  return transform ? profile : undefined;
}
