/** What JPEG headers say, in the words of the engine. */
import { TOO_MANY_SEGMENTS } from "../../../../wasm/jpeg/header.ts";
import { type JpegHeader, readHeader } from "../../../../wasm/jpeg/jpeg.ts";
import type { NativeError } from "../../../../wasm/load.ts";
import { ApiError } from "../../../errors.ts";
import { PARTS } from "../../../limits/parts.ts";
import { textureOf } from "../../codec/complexity.ts";
import type { Facts } from "../../codec/format.ts";
import { guarded } from "../../codec/guard.ts";
import { tooManyParts } from "../../containers/walk.ts";
import { exifOrientation } from "../../metadata/orientation.ts";
import type { Size } from "../../pixels/geometry.ts";
import { neededProfile } from "./profile.ts";
import { estimateQuality } from "./quality.ts";

/** Sampling factors of luma against chroma, by name. */
export const SAMPLINGS: Readonly<Record<string, readonly [h: number, v: number]>> = {
  "4:4:4": [1, 1],
  "4:2:2": [2, 1],
  "4:2:0": [2, 2],
  "4:4:0": [1, 2],
  "4:1:1": [4, 1],
  "4:1:0": [4, 2],
};

/** What native code refuses is damaged. */
export function damaged(cause: NativeError): ApiError {
  if (cause.message === TOO_MANY_SEGMENTS) return tooManyParts(PARTS.segments);
  return new ApiError(422, "The JPEG file is damaged, cut short or of an unsupported kind", { cause });
}

/** What native code refuses of scans: a caller may want what there is of them. */
export function damagedScans(cause: NativeError): ApiError {
  const { status, message } = damaged(cause);
  return new ApiError(status, message, { cause, hint: 'input.damaged: "show" decodes what is left of it' });
}

/** @throws ApiError 422 when there is no picture in the file */
export function headerOf(bytes: Uint8Array): JpegHeader {
  return guarded(() => readHeader(bytes, PARTS.segments.most), damaged);
}

/** @throws ApiError 422 when there is no picture in the file */
export function factsOf(bytes: Uint8Array): Facts {
  const header = headerOf(bytes);
  const { width, height, colors, components, precision, profile } = header;
  return {
    width,
    height,
    orientation: exifOrientation(header.exif),
    frames: 1,
    loops: 1,
    alpha: false,
    colorspace: colors,
    interlaced: header.multipleScans,
    subsample: samplingOf(header),
    depth: components.length * precision,
    codedBytes: header.codedBytes,
    quality: header.lossless ? 100 : estimateQuality(header),
    // Profiles of gray and CMYK samples are applied where the samples still are what they are made for.
    ...(profile && (colors === "YCbCr" || colors === "RGB") ? { profile } : {}),
    ...(profile && colors === "Gray" && neededProfile(header) && { convertsColors: true }),
  };
}

/** What encoders will find in a picture of this size that is made of a file. */
export function textureIn(header: JpegHeader, size: Size): number | undefined {
  return textureOf({ codedBytes: header.codedBytes, quality: estimateQuality(header), frames: 1 }, size);
}

/** The name of the chroma sampling; the nearest finer one where factors have no name. */
function samplingOf({ components }: JpegHeader): string {
  const [luma, ...others] = components;
  const chroma = others.slice(0, 2);
  const ratio = (of: (component: { h: number; v: number }) => number) =>
    Math.max(1, Math.min(...chroma.map((component) => of(luma!) / of(component))));
  if (chroma.length === 0) return "4:4:4";
  const [ratioH, ratioV] = [ratio(({ h }) => h), ratio(({ v }) => v)];
  const finer = Object.entries(SAMPLINGS).filter(([, [h, v]]) => h <= ratioH && v <= ratioV);
  const nearest = finer.toSorted(([, [h, v]], [, [otherH, otherV]]) => otherH * otherV - h * v)[0];
  return nearest?.[0] ?? "4:4:4";
}
