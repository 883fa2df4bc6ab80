/** From a JPEG header to the facts that answers show. */
import { exifOrientation } from "../../exif.ts";
import type { Facts } from "../../format.ts";
import { type JpegHeader, parseHeader } from "./header.ts";

/** The luminance table of T.81, K.1, which quality scales are built on. */
const LUMINANCE = Uint8Array.of(
  16,
  11,
  10,
  16,
  24,
  40,
  51,
  61,
  12,
  12,
  14,
  19,
  26,
  58,
  60,
  55,
  14,
  13,
  16,
  24,
  40,
  57,
  69,
  56,
  14,
  17,
  22,
  29,
  51,
  87,
  80,
  62,
  18,
  22,
  37,
  56,
  68,
  109,
  103,
  77,
  24,
  35,
  55,
  64,
  81,
  104,
  113,
  92,
  49,
  64,
  78,
  87,
  103,
  121,
  120,
  101,
  72,
  92,
  95,
  98,
  112,
  100,
  103,
  99,
);

export function probe(bytes: Uint8Array): Facts {
  const header = parseHeader(bytes);
  const { width, height, profile } = header;
  return {
    width,
    height,
    orientation: exifOrientation(header.exif),
    frames: 1,
    loops: 0,
    alpha: false,
    colorspace: colorspaceOf(header),
    interlaced: header.progressive,
    subsample: subsampleOf(header),
    depth: header.precision * header.components.length,
    quality: estimateQuality(header),
    ...(profile ? { profile } : {}),
  };
}

/** As libjpeg decides it: by the Adobe segment, by JFIF, by the components' names. */
export function colorspaceOf({ components, adobe, jfif }: JpegHeader): string {
  if (components.length === 1) return "Gray";
  if (components.length === 4) return adobe === 2 ? "YCCK" : "CMYK";
  if (jfif) return "YCbCr";
  if (adobe !== undefined) return adobe === 0 ? "RGB" : "YCbCr";
  return String.fromCharCode(...components.map(({ id }) => id)) === "RGB" ? "RGB" : "YCbCr";
}

/** J:a:b notation from the sampling factors of the first two components. */
function subsampleOf({ components }: JpegHeader): string {
  const [luma, chroma] = components;
  if (!luma || !chroma) return "4:0:0";
  const across = Math.max(1, Math.min(4, Math.round((4 * chroma.h) / luma.h)));
  return `4:${across}:${luma.v > chroma.v ? 0 : across}`;
}

/**
 * The quality that gives the luminance table on the usual scale, where the example table of T.81 is 50 and quality q
 * multiplies it by 50 / q below that, (200 - 2 q) / 100 above; other encoders' tables are put where their mean lies.
 */
function estimateQuality({ components, quantization }: JpegHeader): number {
  const table = quantization.get(components[0]!.table);
  if (!table) return 100;
  const percent = LUMINANCE.reduce((sum, reference, at) => sum + (table[at]! * 100) / reference, 0) / 64;
  const quality = percent <= 100 ? (200 - percent) / 2 : 5_000 / percent;
  return Math.min(100, Math.max(1, Math.round(quality)));
}
