/** JPEG XL by libjxl, in `wasm/jxl-decode` and `wasm/jxl-encode`: bare codestreams and boxes around them. */
import type { Estimate } from "../../../wasm/estimate.ts";
import { type Demand, type Facts, format } from "../codec/format.ts";
import { FEWER_COLORS, inColors } from "./jxl/colors.ts";
import { strip } from "./jxl/container.ts";
import { openFrames } from "./jxl/decode.ts";
import { encodeEstimate, encodeJxl, readings } from "./jxl/encode.ts";
import { factsOf } from "./jxl/facts.ts";
import { manifest } from "./jxl/manifest.ts";
import { metadata } from "./jxl/metadata.ts";
import { unpack } from "./jxl/original.ts";
import { repack } from "./jxl/repack.ts";
import { JXL } from "./optional.ts";

export const jxl = format({
  ...JXL,
  summary:
    "VarDCT and modular, 8 to 16 bits, floating point and CMYK in; 8 to 16 bits out, lossy or lossless; holds JPEG files as they are.",
  can: {
    alpha: true,
    animation: true,
    quality: true,
    lossless: true,
    turned: true,
    web: false,
    named: true,
    spaces: "p3",
    mostSide: 16_384,
  },
  role: { listed: 2, tried: 2 },
  read: { factsOf, estimate: readEstimate, open: openFrames, sixteenBit: true },
  write: {
    estimate: encodeEstimate,
    readings,
    encode: encodeJxl,
    sixteenBit: () => true,
    qualities: { step: 1 },
    variants: [{}],
    nearLosslessLevels: FEWER_COLORS,
    nearly: inColors,
    maxScoredPixels: Number.POSITIVE_INFINITY,
  },
  repack,
  unpack,
  strip,
  metadata,
  manifest,
});

/** Bytes and nanoseconds of a pixel in files of our own, of which only the size is known before they are written. */
const OWN_PIXEL_BYTES = 8;
const OWN_BYTES = 12 << 20;
const OWN_PIXEL_NANOSECONDS = 70;

/**
 * What the decoder is given, beyond what it takes of usual files: windows of data and of transforms that only long streams
 * fill. Files of very many pixels take all.
 */
const UNUSED_BYTES = 7.5 * (1 << 20);
/** The most of it that is left unused: small pictures of many channels have less to spare. */
const UNUSED_PART = 0.43;
const FILLED_PIXELS = 20_000_000;
const FILLED_BYTES = 64 << 20;

function usualBytes(decodeBytes: number, pixels: number): number {
  if (decodeBytes > FILLED_BYTES) return decodeBytes;
  const unused = Math.min(UNUSED_BYTES, decodeBytes * UNUSED_PART);
  return decodeBytes - unused * Math.max(0, 1 - pixels / FILLED_PIXELS);
}

/** The estimate of decoding: what usual files take. What takes more is charged as it grows. */
function readEstimate(
  { width, height, frames, decodeBytes, decodeMs, sixteenBitBytes = 0 }: Facts,
  { sixteenBit }: Demand,
): Estimate {
  const pixels = width * height;
  const known = decodeBytes !== undefined && usualBytes(decodeBytes, pixels);
  return {
    bytes: Math.ceil(known || OWN_BYTES + pixels * OWN_PIXEL_BYTES) + (sixteenBit ? sixteenBitBytes : 0),
    ms: decodeMs ?? (frames * pixels * OWN_PIXEL_NANOSECONDS) / 1e6,
  };
}
