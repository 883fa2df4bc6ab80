/** The native module that encodes AV1, stills and frames, by libaom. */
import type { LoneJob } from "../handle.ts";
import { type HeapExports, heapOf, native } from "../load.ts";
import module from "./av1-encode.wasm";

export type Pointer = number;

export interface EncodeExports extends HeapExports {
  encoder_open(
    width: number,
    height: number,
    cellWidth: number,
    cellHeight: number,
    tiled: number,
    chroma: number,
    alpha: number,
    quantizer: number,
    alphaQuantizer: number,
    speed: number,
    tuning: number,
    sixteenBit: number,
    bits: number,
    primaries: number,
    transfer: number,
  ): Pointer;
  encoder_band(encoder: Pointer): Pointer;
  encoder_rows(encoder: Pointer, rows: number): void;
  encoder_translucent(encoder: Pointer): number;
  encoder_next(encoder: Pointer): void;
  encoder_blocks(encoder: Pointer): Pointer;
  encoder_cell(encoder: Pointer, column: number, alpha: number, known: number, nanoseconds: number): Pointer;
  encoder_bytes(encoder: Pointer): number;
  exact_quantizer(quantizer: number, index: number): void;
  encoder_close(encoder: Pointer): void;
  frames_open(
    width: number,
    height: number,
    chroma: number,
    alpha: number,
    frames: number,
    quantizer: number,
    speed: number,
    lag: number,
  ): Pointer;
  frames_band(encoder: Pointer): Pointer;
  frames_rows(encoder: Pointer, rows: number): void;
  frames_next(encoder: Pointer): number;
  frames_encode(encoder: Pointer, last: number, nanoseconds: number): number;
  frames_packet(encoder: Pointer): Pointer;
  frames_bytes(encoder: Pointer): number;
  frames_is_key(encoder: Pointer): number;
  frames_close(encoder: Pointer): void;
}

/** Linear memory that the idle instance may keep: that of a row of cells, whatever the size of the picture. */
const KEEP_BYTES = 44 << 20;
export const av1 = native<EncodeExports>(module, { name: "av1-encode", keepBytes: KEEP_BYTES });

/** Rows that are taken at a time; even. */
export const BAND_ROWS = 32;

/** Luma and chroma by BT.601, or green, blue and red as they are; at full range. */
export const CHROMA = { "4:2:0": 0, "4:4:4": 1, rgb: 2 } as const;

/** Indexes of AV1, 0 to 255, for each quantizer. */
export const INDEXES_PER_QUANTIZER = 4;

/** Has libaom take this quantizer and not the next one that it knows, until another one is named; 0 ends that. */
export function beExact(job: LoneJob<EncodeExports>, quantizer: number): void {
  const index = Math.round(quantizer * INDEXES_PER_QUANTIZER);
  job.call((exports) => exports.exact_quantizer(Math.ceil(quantizer), index));
}

/** Bytes allocated in the module now, and the most since the last call with `mark`. For tests and benchmarks. */
export function av1EncodeHeap(mark = false): ReturnType<typeof heapOf> {
  return heapOf(av1, mark);
}
