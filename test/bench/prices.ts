/**
 * Milliseconds that work declares, against what it takes: `PHOTOS="a.jpg b.png …" npm run bench -- prices`. Every picture
 * goes into every format by every aim, as it is, resized and rotated; the first one is also read in every format that we
 * write. Printed is what takes or declares more than 20 ms, the worst first. `ONLY="avif 3MP"` chooses lines that contain
 * all of the words.
 *
 * Taken is processor time of the thread, the least of several runs. Machines differ, and one that others use as well is
 * slower at times: right before and after every run a kernel is timed, and what was taken counts as it would have been
 * where that takes `REFERENCE_MS`.
 */
import { readFileSync } from "node:fs";
import { basename } from "node:path";

import { identify } from "../../src/image/detect.ts";
import type { FormatDefinition } from "../../src/image/format.ts";
import { type FormatName, FORMATS } from "../../src/image/formats.ts";
import type { Order } from "../../src/image/render.ts";
import { resample } from "../../src/image/resample.ts";
import { type Admitted, admittedDuring } from "../support/admitted.ts";
import { rendered } from "../support/render.ts";
import { rowsOf, scene } from "../support/rows.ts";
import { given } from "./given.ts";

/** What `kernel` took when the prices were declared, on a machine that others used as well. */
const REFERENCE_MS = 6;
const KERNEL_ROUNDS = 8;
const ROUNDS = 3;
/** What takes longer is measured only once, after it was run to get warm. */
const LONG_MS = 3_000;
/** What is shorter is not worth being declared well. */
const SHORT_MS = 20;
/** By how much a price may be off. */
const FACTOR = 2;

const RESIZE = { width: 1_000, mode: "auto", gravity: "center", upscale: true, background: "ffffff", linear: false };
const OPERATIONS: Readonly<Record<string, Order["operations"]>> = {
  "as it is": {},
  resized: { resize: RESIZE },
  rotated: { rotate: { angle: 30, background: "ffffff" } },
};

interface Line {
  readonly name: string;
  readonly admitted: Admitted;
  readonly takenMs: number;
}

/** A picture to be read. */
interface Original {
  readonly name: string;
  readonly bytes: Uint8Array;
}

export async function main(): Promise<void> {
  const words = (process.env["ONLY"] ?? "").split(" ");
  const lines: Line[] = [];
  for (const [name, run] of allJobs()) {
    if (!words.every((word) => name.includes(word))) continue;
    try {
      const measurements = await measured(name, run);
      for (const line of measurements.filter(isLong)) console.error(shown(line));
      lines.push(...measurements);
    } catch (error) {
      console.log(`  ${name}: ${error instanceof Error ? error.message : "failed"}`);
    }
  }
  const long = lines.filter(isLong);
  const sorted = long.toSorted((a, b) => errorOf(b) - errorOf(a));
  console.log(`  ${"".padEnd(58)} declared   spent   taken  taken of declared`);
  for (const line of sorted) console.log(shown(line));
  const good = long.filter((line) => errorOf(line) <= Math.log(FACTOR)).length;
  console.log(`  ${good} of ${long.length} within a factor of ${FACTOR}`);
}

function isLong({ admitted, takenMs }: Line): boolean {
  return Math.max(admitted.price.ms, takenMs) > SHORT_MS;
}

/** By how much a price is off, in either direction. */
function errorOf({ admitted, takenMs }: Line): number {
  return Math.abs(Math.log(takenMs / admitted.price.ms));
}

function shown({ name, admitted, takenMs }: Line): string {
  const { price, spentMs } = admitted;
  const [declared, spent, taken] = [price.ms, spentMs, takenMs].map((ms) => ms.toFixed(0).padStart(8));
  return `  ${name.padEnd(58)} ${declared}${spent}${taken} ${(takenMs / price.ms).toFixed(2).padStart(6)}`;
}

type Job = readonly [name: string, run: () => Promise<unknown>];

function allJobs(): Job[] {
  const jobs: Job[] = [];
  const originals = given("PHOTOS").map((path) => ({
    name: basename(path),
    bytes: new Uint8Array(readFileSync(path)),
  }));
  for (const original of originals) {
    for (const [operation, operations] of Object.entries(OPERATIONS)) {
      for (const [to, format] of writable()) jobs.push(...jobsOf(original, operation, { operations }, to, format));
    }
  }
  const [first] = originals;
  if (first) for (const [from, format] of writable()) jobs.push(...readingJobs(first, from, format));
  return jobs;
}

function writable(): [FormatName, FormatDefinition][] {
  return (Object.entries(FORMATS) as [FormatName, FormatDefinition][]).filter(([, { write }]) => write);
}

function jobsOf(
  { name, bytes }: Original,
  operation: string,
  order: Pick<Order, "operations">,
  to: FormatName,
  { can }: FormatDefinition,
): Job[] {
  const { facts } = identify(bytes);
  const megapixels = (facts.width * facts.height) / 1e6;
  const target = Math.ceil(megapixels * 40_000);
  const aims: Readonly<Record<string, Order["optimize"]>> = {
    usual: { lossless: false },
    "quality 80": { lossless: false, quality: 80 },
    ...(can.lossless && { lossless: { lossless: true } }),
    ...(can.quality && { "a size": { lossless: false, target_bytes: target } }),
  };
  return Object.entries(aims).map(([aim, optimize]) => {
    const output = { format: to, encoding: "progressive" as const };
    const run = () => rendered(bytes, { ...order, output, optimize });
    return [`${name.slice(0, 16)} ${megapixels.toFixed(0)}MP ${operation}, ${to}, ${aim}`, run] as const;
  });
}

/** A picture as a file of a format: hardly more than read, and written anew. */
function readingJobs({ bytes, name }: Original, from: FormatName, { can }: FormatDefinition): Job[] {
  const jobs: Job[] = [];
  for (const lossless of can.lossless && can.quality ? [false, true] : [!can.quality]) {
    const as = `${name.slice(0, 16)} as ${from}${lossless ? " exactly" : ""}`;
    let file: Promise<Uint8Array> | undefined;
    const make = async () => {
      const optimize = { lossless, ...(!lossless && { quality: 80 }) };
      const { output } = await rendered(bytes, { output: { format: from, encoding: "progressive" }, optimize });
      return output.bytes;
    };
    const run = (order: Partial<Order>) => async () => rendered(await (file ??= make()), order);
    const output = { format: "jpeg", encoding: "progressive" } as const;
    const operations = { resize: { ...RESIZE, width: 300 } };
    jobs.push(
      [`${as}, read`, run({ operations, output, optimize: { lossless: false, quality: 80 } })],
      [`${as}, usual`, run({})],
      [`${as}, lossless`, run({ optimize: { lossless: true } })],
    );
  }
  return jobs;
}

/** The pieces of work of a job, each with the least that it took. */
async function measured(name: string, run: () => Promise<unknown>): Promise<Line[]> {
  // The first time it runs before its code is optimized.
  const since = processorMs();
  await run();
  const rounds = processorMs() - since > LONG_MS ? 1 : ROUNDS;
  let best: Line[] = [];
  for (let round = 0; round < rounds; round++) {
    const before = await kernel();
    const pieces = await admittedDuring(run, { now: processorMs });
    const slowness = (before + (await kernel())) / 2 / REFERENCE_MS;
    best = pieces.map((admitted, index) => ({
      name: pieces.length > 1 ? `${name} #${index + 1}` : name,
      admitted,
      takenMs: Math.min(admitted.takenMs / slowness, best[index]?.takenMs ?? Infinity),
    }));
  }
  return best;
}

/** Milliseconds for which this thread ran. */
function processorMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

const SOURCE = scene(2_000, 1_500);

/** Milliseconds that resampling three megapixels takes, on average: clocks of processor time go in steps of several. */
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
