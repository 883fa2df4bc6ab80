/** HEVC as the container needs it, by libde265 in `wasm/hevc-decode`. */
import { parallel, held } from "../../../../wasm/estimate.ts";
import { hevcDecodeEstimate, hevcPicture, openHevcStills } from "../../../../wasm/hevc-decode/decoder.ts";
import type { Codec, CodedHeaders } from "../heif/codec.ts";
import { alphaRangeOf } from "./alpha.ts";
import { readUnits } from "./configuration.ts";
import { type HevcHeaders, readHeaders } from "./headers.ts";

/** Samples of all planes for one of luma. */
const PLANES = { gray: 1, "4:2:0": 1.5, "4:2:2": 2, "4:4:4": 3 } as const;
/** A picture is coded in blocks of up to 64 pixels a side. */
const BLOCK = 64;

function codedSamples({ width, height, chroma }: CodedHeaders): number {
  return (width + BLOCK) * (height + BLOCK) * PLANES[chroma];
}

function samplesBytes(headers: CodedHeaders): number {
  return codedSamples(headers) * (headers.bits > 8 ? 2 : 1);
}

export const hevc: Codec = {
  itemTypes: ["hvc1", "hev1"],
  configType: "hvcC",
  headers: (coded): HevcHeaders => readHeaders(readUnits(coded)),
  samplesBytes,
  decodeEstimate(headers, payloadBytes) {
    const pixels = (headers.width + BLOCK) * (headers.height + BLOCK);
    const work = hevcDecodeEstimate({ pixels, samples: codedSamples(headers), payloadBytes });
    // A second copy of the samples for the filter between blocks.
    return parallel(work, held(2 * samplesBytes(headers)));
  },
  openStills: openHevcStills,
  picture(coded, headers) {
    const configuration = readUnits(coded);
    const { codedPixels } = headers as HevcHeaders;
    const { units } = configuration;
    return hevcPicture({ ...headers, units, codedPixels, alphaRange: alphaRangeOf(configuration) });
  },
};
