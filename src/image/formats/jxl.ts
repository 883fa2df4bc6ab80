/** JPEG XL by libjxl, in `wasm/jxl-decode`: bare codestreams and boxes around them. */
import type { Price } from "../../../wasm/price.ts";
import { type Facts, format } from "../format.ts";
import { strip } from "./jxl/container.ts";
import { openFrames } from "./jxl/decode.ts";
import { probe } from "./jxl/facts.ts";
import { metadata } from "./jxl/metadata.ts";
import { unpack } from "./jxl/original.ts";
import { JXL } from "./optional.ts";

export const jxl = format({
  ...JXL,
  summary: "VarDCT and modular, 8 to 16 bits and floating point, alpha, animation, CMYK; wide gamut becomes sRGB.",
  can: { alpha: true, animation: true, quality: true, lossless: true, web: false },
  read: { probe, price: readPrice, open: openFrames },
  unpack,
  strip,
  metadata,
});

/** Bytes and nanoseconds of a pixel in files of our own, of which only the size is known before they are written. */
const OWN_PIXEL_BYTES = 8;
const OWN_BYTES = 12 << 20;
const OWN_PIXEL_NANOSECONDS = 70;

function readPrice({ width, height, frames, decodeBytes, decodeMs }: Facts): Price {
  const pixels = width * height;
  return {
    bytes: decodeBytes ?? OWN_BYTES + pixels * OWN_PIXEL_BYTES,
    ms: decodeMs ?? (frames * pixels * OWN_PIXEL_NANOSECONDS) / 1e6,
  };
}
