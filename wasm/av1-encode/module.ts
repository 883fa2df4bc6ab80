/** The native module that encodes AV1, stills and frames, by libaom. */
import type { LoneJob } from "../handle.ts";
import { heapOf, native } from "../load.ts";
import module from "./av1-encode.wasm";
import type { Av1EncodeExports } from "./exports.ts";

export type Pointer = number;

/** Linear memory that the idle instance may keep: that of a row of cells, whatever the size of the picture. */
const KEEP_BYTES = 44 << 20;
export const av1 = native<Av1EncodeExports>(module, { name: "av1-encode", keepBytes: KEEP_BYTES });

/** Rows that are taken at a time; even. */
export const BAND_ROWS = 32;

/** Luma and chroma by BT.601, or green, blue and red as they are; at full range. */
export const CHROMA = { "4:2:0": 0, "4:4:4": 1, rgb: 2 } as const;

/** Indexes of AV1, 0 to 255, for each quantizer. */
export const INDEXES_PER_QUANTIZER = 4;

/** Has libaom take this quantizer and not the next one that it knows, until another one is named; 0 ends that. */
export function beExact(job: LoneJob<Av1EncodeExports>, quantizer: number): void {
  const index = Math.round(quantizer * INDEXES_PER_QUANTIZER);
  job.call((exports) => exports.exact_quantizer(Math.ceil(quantizer), index));
}

/** Bytes allocated in the module now, and the most since the last call with `mark`. For tests and benchmarks. */
export function av1EncodeHeap(mark = false): ReturnType<typeof heapOf> {
  return heapOf(av1, mark);
}
