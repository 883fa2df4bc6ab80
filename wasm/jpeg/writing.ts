/** What writing a file from packed coefficients takes, whoever packed them (`file.c`). */
import { type Estimate, estimated } from "../estimate.ts";
import { blockNanoseconds } from "./blocks.ts";

/** Blocks that are coded at a time, each counted once for every scan. */
export const WRITTEN_BLOCKS = 40_000;

/** Milliseconds that these take. */
export function writtenMs(blockBytes?: number): number {
  return (WRITTEN_BLOCKS * blockNanoseconds("write", blockBytes)) / 1e6;
}

/** Tables and counts of a scan, and the scans of a component that are counted (`script.c`). */
const COUNTED_SCAN_BYTES = 9_700;
const COUNTED_SCANS_PER_COMPONENT = 7;
/** Times that a block is looked at, counted or written. */
const PASSES = { progressive: 11, sequential: 2 };

interface Written {
  readonly blocks: number;
  /** Bytes that a block takes in the file; those of a photograph by default. */
  readonly blockBytes?: number | undefined;
  readonly components: number;
  readonly progressive: boolean;
}

/** The estimate of writing a file. */
export function writingEstimate({ blocks, blockBytes, components, progressive }: Written): Estimate {
  const passes = progressive ? PASSES.progressive : PASSES.sequential;
  return estimated(
    components * COUNTED_SCANS_PER_COMPONENT * COUNTED_SCAN_BYTES,
    blocks * passes,
    blockNanoseconds("write", blockBytes),
  );
}
