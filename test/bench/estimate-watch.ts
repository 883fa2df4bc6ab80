/**
 * Pieces of work beside their estimates: the most bytes that each held, and the milliseconds that it took of the processor.
 *
 * Machines differ, and one that others use as well is slower at times: right before and after every run a kernel is
 * timed, and what was taken counts as it would have been where the kernel takes `REFERENCE_MS`.
 */
import { memoryUsage } from "node:process";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

import { resample } from "../../src/image/steps/resample.ts";
import { type Admitted, admittedDuring } from "../support/admitted.ts";
import { rowsOf, scene } from "../support/rows.ts";

/** Work that the budget of the isolate admits, in one piece or several. */
export interface Job {
  readonly name: string;
  readonly run: () => Promise<unknown>;
}

/** One piece of work of a job. */
export interface Line {
  readonly name: string;
  readonly declaredMs: number;
  /** What the piece declared while it went on. */
  readonly spentMs: number;
  readonly takenMs: number;
  readonly declaredBytes: number;
  readonly heldBytes: number;
}

/** What `kernel` took when the estimates were declared, on a machine that others used as well. */
const REFERENCE_MS = 6;
const KERNEL_ROUNDS = 4;

/**
 * Work is run until it takes what it declares, within the first factor, but not more often than this: others disturb it.
 * What is off by more than the second factor is so in any case.
 */
const SURE_FACTOR = 1.7;
const HOPELESS_FACTOR = 3;
const MOST_ROUNDS = 4;
/** What takes longer is run only twice, where its first time does not tell. */
const LONG_MS = 1_500;

/** The pieces of work of a job, each with the most that it held and the least that it took. */
export async function watched({ name, run }: Job): Promise<Line[]> {
  // The first time its code is not optimized yet: that is when memory is looked at.
  const first = await admittedDuring(run, { now: processorMs, memory: true, buffers });
  let taken = first.map(() => Number.POSITIVE_INFINITY);
  const declared = first.map(({ estimate }) => estimate.ms);
  let before = await kernel();
  const all = declared.reduce((sum, ms) => sum + ms, 0);
  for (let round = 0; round < (all > LONG_MS ? 2 : MOST_ROUNDS); round++) {
    const pieces = await admittedDuring(run, { now: processorMs });
    const after = await kernel();
    const slowness = (before + after) / 2 / REFERENCE_MS;
    before = after;
    taken = taken.map((least, index) => Math.min(least, (pieces[index]?.takenMs ?? 0) / slowness));
    const isTold = (ms: number, at: number) =>
      isWithin(ms, declared[at] ?? 0, SURE_FACTOR) || ms * HOPELESS_FACTOR < (declared[at] ?? 0);
    if (taken.every(isTold)) break;
  }
  return first.map((piece, index) =>
    lineOf(first.length > 1 ? `${name} #${index + 1}` : name, piece, taken[index] ?? 0),
  );
}

function lineOf(name: string, { estimate, spentMs, heldBytes }: Admitted, takenMs: number): Line {
  return { name, declaredMs: estimate.ms, spentMs, takenMs, declaredBytes: estimate.bytes, heldBytes };
}

/** Whether two numbers differ by no more than a factor. */
export function isWithin(one: number, other: number, factor: number): boolean {
  return one <= other * factor && other <= one * factor;
}

/** Nobody changes it. */
const STILL = new Int32Array(new SharedArrayBuffer(4));
const INSTANT_MS = 0.05;

/** Milliseconds for which this thread ran: it rests for a moment, for systems count to the end only what has paused. */
function processorMs(): number {
  Atomics.wait(STILL, 0, 0, INSTANT_MS);
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

const SOURCE = scene(2_000, 1_500);

/** Milliseconds that resampling three megapixels takes, on average. */
async function kernel(): Promise<number> {
  const since = processorMs();
  const box = { x: 0, y: 0, width: SOURCE.width, height: SOURCE.height };
  for (let count = 0; count < KERNEL_ROUNDS; count++) {
    const rows = resample(rowsOf(SOURCE), { box, width: 700, height: 525, kernel: "lanczos3" });
    while (await rows.read(16)) continue;
    rows.close();
  }
  return (processorMs() - since) / KERNEL_ROUNDS;
}

// What is collected is given back at once.
setFlagsFromString("--expose-gc");
setFlagsFromString("--no-concurrent-array-buffer-sweeping");
const collectGarbage = runInNewContext("gc") as () => void;

/** Bytes of buffers outside of native memory; those that nobody needs any more are left out where that is to be sure. */
function buffers(sure: boolean): number {
  if (sure) collectGarbage();
  return memoryUsage().arrayBuffers;
}
