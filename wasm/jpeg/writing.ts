/** What writing a file from packed coefficients takes, whoever packed them (`file.c`). */
import { type Price, priced } from "../price.ts";

/** Blocks that are coded at a time, each counted once for every scan. */
export const WRITTEN_BLOCKS = 40_000;
/** Nanoseconds that a block takes in one scan, to be counted or to be written. */
const NANOSECONDS = 30;
export const WRITTEN_MS = (WRITTEN_BLOCKS * NANOSECONDS) / 1e6;

/** Tables and counts of a scan, and the scans of a component that are counted (`script.c`). */
const COUNTED_SCAN_BYTES = 9_700;
const COUNTED_SCANS_PER_COMPONENT = 7;
/** Times that a block is looked at, counted or written. */
const PASSES = { progressive: 11, sequential: 2 };

/** The price of writing a file of so many blocks. */
export function writingPrice(blocks: number, components: number, progressive: boolean): Price {
  const passes = progressive ? PASSES.progressive : PASSES.sequential;
  return priced(components * COUNTED_SCANS_PER_COMPONENT * COUNTED_SCAN_BYTES, blocks * passes, NANOSECONDS);
}
