/** What a HEIF file says of its picture. */
import type { Facts } from "../../format.ts";
import type { Codec } from "./codec.ts";
import { type HeifPicture, readPicture } from "./picture.ts";
import { profileOf } from "./profile.ts";
import { peakBytes } from "./rows.ts";

/** @throws ApiError 422 when the file is damaged, or its picture of a kind that is not supported */
export function factsOf(bytes: Uint8Array, codec: Codec): Facts {
  const picture = readPicture(bytes, codec);
  const { color, alpha, crop, orientation } = picture;
  const { bits, chroma, quality } = color.headers;
  const channels = chroma === "gray" ? 1 : 3;
  const { primaries, transfer } = picture.colors;
  const profile = picture.colors.profile ?? profileOf(primaries, transfer);
  return {
    width: crop.width,
    height: crop.height,
    orientation,
    frames: 1,
    loops: 1,
    alpha: alpha !== undefined,
    colorspace: spaceOf(picture),
    interlaced: false,
    subsample: chroma === "gray" ? "4:4:4" : chroma,
    depth: bits * (channels + (alpha ? 1 : 0)),
    quality,
    decodeBytes: peakBytes(picture, codec),
    ...(profile ? { profile } : {}),
  };
}

function spaceOf({ color, colors }: HeifPicture): string {
  if (color.headers.chroma === "gray") return "Gray";
  const rgb = colors.samples ? colors.samples.matrix === 0 : color.headers.rgb;
  return rgb ? "RGB" : "YCbCr";
}
