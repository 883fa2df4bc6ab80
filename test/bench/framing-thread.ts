/**
 * The process of `npm run bench -- framing`, and of the test that bounds memory: what reading the container of each hostile
 * file takes. Arguments are parts of the names of files that are wanted; none: all of them. `--whole` before them: reading that
 * has an estimate is done as well. A line of JSON for each file.
 */
import "../support/imports-on-node.ts";
import { setTimeout } from "node:timers/promises";

import type { FormatDefinition } from "../../src/image/codec/format.ts";

const { ApiError } = await import("../../src/errors.ts");
const { detect, identify } = await import("../../src/image/plan/detect.ts");
const { FORMATS } = await import("../../src/image/formats.ts");
const { keptMetadata } = await import("../../src/image/metadata/blocks.ts");
const { verifyFile } = await import("../../src/image/provenance/verify.ts");
const { FRAMINGS } = await import("../support/hostile-framing.ts");

const MEGABYTE = 1 << 20;
const SIZES = [1, 2, 4] as const;
const MOST_TURNS = 12;
/** What the engine itself moves by. */
const STILL_BYTES = 1 << 14;
const WHOLE = "--whole";
const [leading, ...others] = process.argv.slice(2);
const isWhole = leading === WHOLE;
const chosen = isWhole ? others : process.argv.slice(2);

/**
 * Everything that reads the framing of a file before, or beside, work that has an estimate. Where reading itself has one,
 * what comes before that.
 */
async function read(bytes: Uint8Array): Promise<string> {
  try {
    const name = detect(bytes);
    const probeEstimate = name && (FORMATS[name] as FormatDefinition).read.probeEstimate;
    if (probeEstimate && !isWhole) return `${Math.ceil(probeEstimate(bytes).bytes / MEGABYTE)} MiB asked`;
    const { format } = identify(bytes);
    format.mark?.read(bytes);
    keptMetadata(format.metadata?.read(bytes) ?? {}, "all");
    format.gainMap?.read(bytes);
    if (format.manifest) await verifyFile(bytes, format.manifest, { anchors: async () => [], now: Date.now() });
    format.strip?.(bytes);
    return "read";
  } catch (error) {
    if (error instanceof ApiError) return String(error.status);
    throw error;
  }
}

/** Bytes on the heap and in buffers, once all that is garbage was freed. */
async function settled(): Promise<number> {
  let last = Number.POSITIVE_INFINITY;
  for (let turn = 0; turn < MOST_TURNS; turn++) {
    globalThis.gc?.();
    // What was put off to a later turn may hold some of it.
    await setTimeout(1);
    const now = held();
    if (turn > 0 && now > last - STILL_BYTES) return now;
    last = now;
  }
  return last;
}

function held(): number {
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

function processorMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

/** What reading takes. Of two turns the lesser counts: what the engine itself does meanwhile, it does once. */
async function turnOf(bytes: Uint8Array) {
  const before = await settled();
  const since = processorMs();
  const outcome = await read(bytes);
  const ms = processorMs() - since;
  const allocated = held() - before;
  const kept = (await settled()) - before;
  return { outcome, ms, allocated, kept };
}

for (const [name, make] of Object.entries(FRAMINGS)) {
  if (chosen.length > 0 && !chosen.some((part) => name.includes(part))) continue;
  // What is compiled, and what modules are loaded, is not the file's.
  for (let turn = 0; turn < 3; turn++) await read(make(MEGABYTE / 8));
  for (const megabytes of SIZES) {
    const bytes = make(megabytes * MEGABYTE);
    const [first, second] = [await turnOf(bytes), await turnOf(bytes)];
    const least = (cost: "ms" | "allocated" | "kept") => Math.min(first[cost], second[cost]);
    const costs = { ms: least("ms"), allocated: least("allocated"), kept: least("kept") };
    console.log(JSON.stringify({ name, megabytes, bytes: bytes.length, outcome: first.outcome, ...costs }));
  }
}
