/** What a HEIF file says of what it shows. */
import { sixteenBitCanvasEstimate } from "../../../../wasm/canvas.ts";
import { parallel, type Estimate, estimated } from "../../../../wasm/estimate.ts";
import type { Demand, Facts } from "../../codec/format.ts";
import type { Codec } from "./codec.ts";
import { imageEstimate, readImage } from "./overlay.ts";
import { colorProfileOf, colorspaceOf, type HeifPicture, isOfHighDynamicRange } from "./picture.ts";
import { BAND_ROWS, pictureEstimate } from "./rows.ts";

/** @throws ApiError 422 when the file is damaged, or its picture of a kind that is not supported */
export function factsOf(bytes: Uint8Array, codec: Codec): Facts {
  const image = readImage(bytes, codec);
  if (!("parts" in image)) return pictureFacts(image, codec);
  const { crop, orientation, fill, parts } = image;
  // Every part brings its own colors, which are sRGB where they meet.
  const { profile: _, highDynamicRange: _range, ...first } = shallowFacts(parts[0].picture, codec);
  const alpha = fill[3] < 255;
  return {
    ...first,
    width: crop.width,
    height: crop.height,
    orientation,
    alpha,
    colorspace: "RGB",
    depth: parts[0].picture.color.headers.bits * (alpha ? 4 : 3),
    ...decodeEstimate(imageEstimate(image, codec)),
  };
}

/** What is said of a picture that stands alone. */
function pictureFacts(picture: HeifPicture, codec: Codec): Facts {
  const { color, premultiplied, colors } = picture;
  const { bits } = color.headers;
  const facts = shallowFacts(picture, codec);
  if (bits <= 8 || premultiplied) return facts;
  const { primaries, transfer } = colors;
  const isKnown = facts.highDynamicRange && primaries !== undefined && transfer !== undefined;
  return { ...facts, bits, ...(isKnown && { codePoints: { primaries, transfer } }) };
}

/** What is said of a picture that is decoded in 8 bits a sample: a part of another, or the first of a sequence. */
export function shallowFacts(picture: HeifPicture, codec: Codec): Facts {
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
    ...decodeEstimate(pictureEstimate(picture, codec)),
    ...(profile ? { profile, highDynamicRange: isOfHighDynamicRange(picture) } : {}),
  };
}

export function decodeEstimate({ bytes, ms }: Estimate): Required<Pick<Facts, "decodeBytes" | "decodeMs">> {
  return { decodeBytes: bytes, decodeMs: ms };
}

/** Bytes of a pixel, and nanoseconds for one, of pictures whose facts do not say more. */
const PIXEL_BYTES = 5;
const PIXEL_NANOSECONDS = 60;

/**
 * The estimate of decoding the picture that the facts are about, whatever region of it is wanted.
 * @param unsaid where the facts do not say more
 */
export function factsEstimate(
  { width, height, decodeBytes, decodeMs }: Facts,
  { sixteenBit }: Pick<Demand, "sixteenBit"> = {},
  unsaid = estimated(width * height * PIXEL_BYTES, width * height, PIXEL_NANOSECONDS),
): Estimate {
  const estimate = { bytes: decodeBytes ?? unsaid.bytes, ms: decodeMs ?? unsaid.ms };
  return sixteenBit ? parallel(estimate, sixteenBitCanvasEstimate(width, height, BAND_ROWS)) : estimate;
}
