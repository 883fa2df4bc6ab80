/** A smaller JPEG file of the same picture, from its coefficients. */
import { openTransform } from "../../../../wasm/color/color.ts";
import {
  canTurn,
  type JpegHeader,
  recompress as recompressFile,
  recompressPeakBytes,
} from "../../../../wasm/jpeg/jpeg.ts";
import type { RecompressSettings } from "../../format.ts";
import { type Orientation, turnOf } from "../../geometry.ts";
import { guard, headerOf } from "./facts.ts";
import { noted } from "./note.ts";

/** Null when the file has no coefficients that could be kept, or would not become smaller and need not be turned. */
export function recompress(bytes: Uint8Array, settings: RecompressSettings): Uint8Array | null {
  const header = headerOf(bytes);
  if (!hasCoefficients(header)) return null;
  const { quality, progressive, turn = 1, note = 1 } = settings;
  const profile = neededProfile(header);
  const result = guard(() =>
    recompressFile(bytes, {
      progressive,
      ...(quality === undefined ? {} : { quality }),
      ...(turn === 1 ? {} : { turn: turnOf(turn) }),
      ...(profile ? { profile } : {}),
    }),
  );
  return turn !== 1 || result.length < bytes.length ? noted(result, note) : null;
}

/** Bytes that recompression holds at most, the result included. */
export function peakBytes(bytes: Uint8Array, { turn = 1 }: RecompressSettings): number {
  const header = headerOf(bytes);
  if (!hasCoefficients(header)) return 0;
  const options = turn === 1 ? {} : { turn: turnOf(turn) };
  return recompressPeakBytes(header, bytes.length, options) + 2 * bytes.length;
}

/** Whether the coefficients of the file can be turned: never those of lossless files and of 12 bits. */
export function turns(bytes: Uint8Array, orientation: Orientation): boolean {
  const header = headerOf(bytes);
  return hasCoefficients(header) && canTurn(header, turnOf(orientation));
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
