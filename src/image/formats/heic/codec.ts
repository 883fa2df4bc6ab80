/** HEVC as the container needs it, by libde265 in `wasm/hevc-decode`. */
import { HevcCanvas } from "../../../../wasm/hevc-decode/decoder.ts";
import type { Canvas, Codec, CodedHeaders } from "../heif/codec.ts";
import { readUnits } from "./configuration.ts";
import { type HevcHeaders, readHeaders } from "./headers.ts";

/** Samples of all planes for one of luma. */
const PLANES = { gray: 1, "4:2:0": 1.5, "4:2:2": 2, "4:4:4": 3 } as const;
/** Bytes of what libde265 knows of each pixel besides its samples, at most. */
const NOTES_BYTES = 1.5;
const DECODER_BYTES = 1 << 20;

function samplesBytes({ width, height, bits, chroma }: CodedHeaders): number {
  // The picture is coded in blocks of up to 64 pixels a side.
  return (width + 64) * (height + 64) * PLANES[chroma] * (bits > 8 ? 2 : 1);
}

export const hevc: Codec = {
  itemTypes: ["hvc1", "hev1"],
  configType: "hvcC",
  headers: (coded): HevcHeaders => readHeaders(readUnits(coded)),
  samplesBytes,
  decodeBytes(headers, payloadBytes) {
    const pixels = (headers.width + 64) * (headers.height + 64);
    // A second copy for the filter between blocks; the payload in our memory and in libde265's.
    return 2 * samplesBytes(headers) + pixels * NOTES_BYTES + 3 * payloadBytes + DECODER_BYTES;
  },
  openCanvas(width, rows, peakBytes): Canvas {
    const canvas = new HevcCanvas(width, rows, peakBytes);
    return {
      decode(coded, headers, colors) {
        const { units } = readUnits(coded);
        const { codedPixels } = headers as HevcHeaders;
        return canvas.decodePicture({ ...headers, units, codedPixels }, colors);
      },
      draw: (samples, part) => canvas.draw(samples, part),
      drawAlpha: (samples, part) => canvas.drawAlpha(samples, part),
      unpremultiply: (rows) => canvas.unpremultiply(rows),
      band: (rows) => canvas.band(rows),
      free: (samples) => canvas.free(samples),
      close: () => canvas.close(),
    };
  },
};
