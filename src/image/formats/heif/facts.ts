/** What a HEIF file says of what it shows. */
import type { Facts } from "../../format.ts";
import type { Codec } from "./codec.ts";
import { overlayPeakBytes, readImage } from "./overlay.ts";
import { colorProfileOf, colorspaceOf, type HeifPicture } from "./picture.ts";
import { peakBytes } from "./rows.ts";

/** @throws ApiError 422 when the file is damaged, or its picture of a kind that is not supported */
export function factsOf(bytes: Uint8Array, codec: Codec): Facts {
  const image = readImage(bytes, codec);
  if (!("parts" in image)) return pictureFacts(image, codec);
  const { crop, orientation, fill, parts } = image;
  // Every part brings its own colors, which are sRGB where they meet.
  const { profile: _, ...first } = pictureFacts(parts[0].picture, codec);
  const alpha = fill[3] < 255;
  return {
    ...first,
    width: crop.width,
    height: crop.height,
    orientation,
    alpha,
    colorspace: "RGB",
    depth: parts[0].picture.color.headers.bits * (alpha ? 4 : 3),
    decodeBytes: overlayPeakBytes(image, codec),
  };
}

function pictureFacts(picture: HeifPicture, codec: Codec): Facts {
  const { color, alpha, crop, orientation } = picture;
  const { bits, chroma, quality } = color.headers;
  const channels = chroma === "gray" ? 1 : 3;
  const profile = colorProfileOf(picture);
  return {
    width: crop.width,
    height: crop.height,
    orientation,
    frames: 1,
    loops: 1,
    alpha: alpha !== undefined,
    colorspace: colorspaceOf(picture),
    interlaced: false,
    subsample: chroma === "gray" ? "4:4:4" : chroma,
    depth: bits * (channels + (alpha ? 1 : 0)),
    quality,
    decodeBytes: peakBytes(picture, codec),
    ...(profile ? { profile } : {}),
  };
}
