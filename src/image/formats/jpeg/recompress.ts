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

/** Coefficients that are held to be written several times; a picture with more is read several times. */
const HELD_BYTES = 48 << 20;
/** Of a picture with more in several scans, so much at a time: every window is another pass over the file. */
const WINDOW_BYTES = 24 << 20;

/** Null when the file has no coefficients that could be kept. The result may be larger, if it was written well. */
export function recompress(bytes: Uint8Array, settings: RecompressSettings): Uint8Array | null {
  const header = headerOf(bytes);
  if (!hasCoefficients(header)) return null;
  const { quality, progressive, note = 1, tiles } = settings;
  if (tiles && !fitsTiles(header)) return null;
  const profile = neededProfile(header);
  const result = guard(() =>
    recompressFile(bytes, {
      progressive,
      ...(quality === undefined ? {} : { quality }),
      ...(profile ? { profile } : {}),
      ...memoryOptions(header, bytes, settings),
      ...(tiles ? { tiles, streamed: false } : {}),
    }),
  );
  return noted(result, note);
}

/** Bytes that recompression holds at most, the result included. */
export function peakBytes(bytes: Uint8Array, settings: RecompressSettings): number {
  const header = headerOf(bytes);
  if (!hasCoefficients(header)) return 0;
  return recompressPeakBytes(header, bytes.length, memoryOptions(header, bytes, settings)) + 2 * bytes.length;
}

/** Large pictures are streamed. What is turned has to be held. */
function memoryOptions(header: JpegHeader, bytes: Uint8Array, { turn = 1 }: RecompressSettings) {
  if (turn !== 1) return { turn: turnOf(turn) };
  if (recompressPeakBytes({ ...header, multipleScans: false }, bytes.length) <= HELD_BYTES) return {};
  return { streamed: true, windowBytes: WINDOW_BYTES };
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

/** Whether blocks of all components end where tiles do. */
function fitsTiles({ components }: JpegHeader): boolean {
  return components.every(({ h, v }) => h !== 3 && v !== 3);
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
