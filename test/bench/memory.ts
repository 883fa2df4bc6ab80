/**
 * What whole jobs hold: `PHOTOS=a.jpg npm run bench -- memory`. Photographs of 12 to 101 megapixels go through the
 * engine as requests would; the file is part of the job. What is there is looked at whenever rows are decoded, and at
 * the end: native memory only grows while it is in use. Each job starts with none.
 */
import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { join } from "node:path";
import { memoryUsage } from "node:process";
import { setTimeout } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

import { ROOT } from "../../src/cli/wrangler.ts";
import { png } from "../../src/image/formats/png.ts";
import type { Stopwatch } from "../../src/image/pixels/stopwatch.ts";
import type { SingleOrder } from "../../src/image/render/order.ts";
import { renderOne } from "../../src/image/render/render.ts";
import { SharedBytes } from "../../src/scheduler/shared-bytes.ts";
import { UNPAUSED } from "../../src/scheduler/time-slice.ts";
import { nativeMemoryBytes, trimNative } from "../../wasm/load.ts";
import { pictureOf, scene } from "../support/rows.ts";
import { type Kind, type Megapixels, photoPath, preparePhotos } from "./photos.ts";

const RESIZE = {
  width: 2_000,
  mode: "auto",
  gravity: "center",
  upscale: true,
  background: "ffffff",
  linear: false,
} as const;

type EncodeOptions = Pick<SingleOrder, "operations"> & { optimize?: { quality?: number; lossless?: boolean } };

const SMALLER: EncodeOptions = { operations: { resize: RESIZE }, optimize: { quality: 80 } };
const SMALLER_SMART: EncodeOptions = { operations: { resize: RESIZE } };
const SMART: EncodeOptions = { operations: {} };
const LOSSLESS: EncodeOptions = { operations: {}, optimize: { lossless: true } };

/** MiB that jobs to 2000 pixels and jobs without a resize may hold; absent: no target. */
const TARGETS: Readonly<Record<Kind, { readonly [Size in Megapixels]?: readonly [smaller?: number, kept?: number] }>> =
  {
    baseline: { 12: [32], 24: [32, 100], 48: [32], 101: [32] },
    progressive: { 12: [], 24: [48, 100], 48: [], 101: [72] },
  };

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

export async function main(): Promise<void> {
  await preparePhotos();
  for (const kind of ["baseline", "progressive"] as const) {
    for (const megapixels of [12, 24, 48, 101] as const) {
      const open = () => photo(megapixels, kind);
      const [smaller, kept] = TARGETS[kind][megapixels] ?? [];
      const name = `${String(megapixels).padStart(3)} MP ${kind.padEnd(11)}`;
      await job(`${name} to 2000 px, quality 80`, open, SMALLER, smaller);
      await job(`${name} to 2000 px, smart`, open, SMALLER_SMART, smaller);
      await job(`${name} optimized, smart`, open, SMART, kept);
      await job(`${name} optimized, lossless`, open, LOSSLESS, kept);
    }
  }
  const settings = { lossless: true, quality: 100, progressive: false, effort: 0 };
  const drawing = await png.write.encode(pictureOf([scene(6_000, 4_000)]), settings, UNPAUSED);
  await job(" 24 MP PNG to 2000 px", () => Uint8Array.from(drawing), SMALLER, 24);
  await together(8);
}

/** The file, and nothing else in memory. */
function photo(megapixels: Megapixels, kind: Kind): Uint8Array<ArrayBuffer> {
  const file = openSync(join(ROOT, photoPath(megapixels, kind)), "r");
  try {
    const bytes = new Uint8Array(fstatSync(file).size);
    readSync(file, bytes);
    return bytes;
  } finally {
    closeSync(file);
  }
}

async function job(
  name: string,
  open: () => Uint8Array<ArrayBuffer>,
  options: EncodeOptions,
  target?: number,
): Promise<void> {
  await measured(name, target, async (gauge) => (await rendered(open(), options, gauge)).length);
}

/** Uploads that arrive in one isolate at once; their originals are all held. */
async function together(count: number): Promise<void> {
  await measured(`  ${count} x 24 MP baseline at once to 2000 px`, 110, async (gauge) => {
    const uploads = Array.from({ length: count }, () => photo(24, "baseline"));
    const results = await Promise.all(uploads.map((bytes) => rendered(bytes, SMALLER, gauge)));
    return results.reduce((sum, { length }) => sum + length, 0);
  });
}

async function rendered(
  bytes: Uint8Array<ArrayBuffer>,
  options: EncodeOptions,
  stopwatch: Stopwatch,
): Promise<Uint8Array> {
  const { operations, optimize } = options;
  const rest = { output: undefined, overlays: new Map<string, Uint8Array>(), accept: undefined };
  const order = { operations, optimize: { lossless: false, ...optimize }, ...rest, stopwatch };
  return (await renderOne(SharedBytes.of(bytes), order)).output.file.bytes;
}

/** The most bytes that were there when somebody looked. */
interface Gauge extends Stopwatch {
  readonly most: { native: number; buffers: number };
  readonly look: () => void;
}

/** A stopwatch that looks at the memory, not at the time: it is told whenever something is decoded. */
async function startGauge(): Promise<Gauge> {
  // What is collected is given back by another thread.
  for (let turn = 0; turn < 3; turn++) {
    collectGarbage();
    await setTimeout(50);
  }
  const before = memoryUsage().arrayBuffers;
  const most = { native: 0, buffers: 0 };
  const look = () => {
    const now = { native: nativeMemoryBytes(), buffers: memoryUsage().arrayBuffers - before };
    if (now.native + now.buffers > most.native + most.buffers) Object.assign(most, now);
  };
  const run: Stopwatch["run"] = async (_part, _timeSlice, work) => {
    const result = await work();
    look();
    return result;
  };
  return { most, look, run, spent: { decode: 0, operations: 0, encode: 0 } };
}

async function measured(name: string, target: number | undefined, work: (gauge: Gauge) => Promise<number>) {
  trimNative(0);
  const gauge = await startGauge();
  const started = performance.now();
  try {
    const resultBytes = await work(gauge);
    const elapsed = performance.now() - started;
    gauge.look();
    const { native, buffers } = gauge.most;
    const [nativeMib, bufferMib, sum] = [native, buffers, native + buffers].map((bytes) => bytes / 2 ** 20);
    const verdict = target === undefined ? "" : ` (wanted ≤ ${target}${(sum ?? 0) <= target ? "" : ", MISSED"})`;
    console.log(
      `  ${name.padEnd(42)} native ${nativeMib?.toFixed(1)} + buffers ${bufferMib?.toFixed(1)} = ${sum?.toFixed(1)} MiB${verdict}, ${elapsed.toFixed(0)} ms, ${resultBytes} bytes`,
    );
  } catch (error) {
    console.log(`  ${name.padEnd(42)} ${error instanceof Error ? error.message : "failed"}`);
  }
}
