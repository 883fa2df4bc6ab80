/** The thread of `npm run fuzz` that decodes. */
import "../support/imports-on-node.ts";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parentPort, workerData } from "node:worker_threads";

import type { FormatDefinition } from "../../src/image/codec/format.ts";

const { ApiError } = await import("../../src/errors.ts");
const { identify, detect } = await import("../../src/image/plan/detect.ts");
const { UNPAUSED } = await import("../../src/scheduler/time-slice.ts");
const { pictureOf, pictureEstimate } = await import("../../src/image/plan/planned-picture.ts");
const { planSteps, storedSize } = await import("../../src/image/plan/plan.ts");
const { firstFrame } = await import("../../src/image/pixels/picture.ts");
const { nativeStatistics, NativeError } = await import("../../wasm/load.ts");
const { costlySvg, seeded } = await import("../support/costly-svg.ts");
const { FORMATS } = await import("../../src/image/formats.ts");
const { svg } = await import("../../src/image/formats/svg.ts");
const { decodeFile } = await import("../support/files.ts");
const { Unreadable } = await import("../../src/image/provenance/cbor.ts");
const { outside } = await import("../../src/image/provenance/hard-binding.ts");
const { joined } = await import("../../src/joined.ts");
const { damageBytes, withDamagedBoxes } = await import("./damaged-stores.ts");
const { verifyFile } = await import("../../src/image/provenance/verify.ts");
const { drain, digest } = await import("../support/rows.ts");
const { FRAMINGS } = await import("../support/hostile-framing.ts");
const { STYLED } = await import("../support/hostile-styles.ts");

interface Job {
  readonly seconds: number;
  readonly seed: number;
  /** Microseconds of processor time that the process had taken when a file was begun; 0 between files. */
  readonly begun: BigInt64Array;
  readonly mostMs: number;
}

interface Count {
  files: number;
  pictures: number;
  refusals: number;
  /** Refusals that native code could only make by ending itself; its instance was replaced. */
  traps: number;
  slowestMs: number;
}

const MOST_BYTES = 128 << 20;
const COSTLY = "svg made to take long";
/** Of processor time: what a drawing may take at most. */
const MOST_COSTLY_MS = 2_000;
/** One drawing that takes long comes after so many files. */
const COSTLY_EVERY = 8;
const SMALL = 64;
/** When files are judged: certificates of fixtures are valid then. */
const NOW = Date.parse("2026-12-01T00:00:00Z");
const FIXTURES = join(import.meta.dirname, "..", "fixtures");

const job = workerData as Job;
const counts = new Map<string, Count>();
const failures: string[] = [];

const random = seeded(job.seed);

/** Cut short, or one to eight bytes changed, most of them near the start. */
function damaged(bytes: Uint8Array): Uint8Array {
  if (random(4) === 0) return bytes.slice(0, random(bytes.length));
  const copy = bytes.slice();
  const reach = random(3) === 0 ? copy.length : Math.min(copy.length, 512);
  for (let left = 1 + random(8); left > 0; left--) copy[random(reach)] = random(256);
  return copy;
}

/** The first frame, made small, once its manifests were verified; null when it would take more memory than a job may. */
async function small(bytes: Uint8Array) {
  const stored = identify(bytes);
  const { manifest } = stored.format;
  if (manifest) await verifyFile(bytes, manifest, { anchors: async () => [], now: NOW });
  const { orientation, width, height } = stored.facts;
  const factor = Math.min(1, SMALL / Math.max(width, height));
  const size = { width: Math.max(1, Math.round(width * factor)), height: Math.max(1, Math.round(height * factor)) };
  const resize = { kind: "resize", ...size, kernel: "linear" } as const;
  const plan = planSteps(storedSize(stored.facts), [{ kind: "turn", orientation }, resize]);
  if (pictureEstimate(stored, plan).bytes > MOST_BYTES) return null;
  return drain(await firstFrame(pictureOf(stored, plan), UNPAUSED));
}

/** The digest of what comes of a good file; the status of a refusal. */
async function outcome(name: string, bytes: Uint8Array): Promise<string> {
  begin(name);
  try {
    const pixels = await small(bytes);
    return pixels ? await digest(pixels.data) : "too large";
  } catch (error) {
    return error instanceof ApiError ? String(error.status) : `failed: ${String(error)}`;
  } finally {
    end();
  }
}

/** Says what is begun to the thread that ends it where it takes too long; `end` says that it came to its end. */
function begin(name: string): void {
  parentPort?.postMessage(name);
  const { user, system } = process.cpuUsage();
  Atomics.store(job.begun, 0, BigInt(user + system));
}

function end(): void {
  Atomics.store(job.begun, 0, 0n);
}

async function tryOne(name: string, bytes: Uint8Array, count: Count): Promise<void> {
  const started = processorMs();
  begin(name);
  count.files++;
  try {
    if (await small(bytes)) count.pictures++;
    else count.refusals++;
  } catch (error) {
    if (!(error instanceof ApiError) || error.status >= 500) failures.push(`${name}: ${String(error)}`);
    else count.refusals++;
    if (error instanceof Error && error.cause instanceof NativeError && error.cause.message.endsWith("trapped")) {
      count.traps++;
    }
  } finally {
    end();
  }
  const elapsed = processorMs() - started;
  count.slowestMs = Math.max(count.slowestMs, elapsed);
  if (elapsed > job.mostMs) failures.push(`${name}: ${elapsed.toFixed(0)} ms of processor time`);
}

/** Processor time of this thread, in milliseconds. */
function processorMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

/** Draws what was made to take long. */
async function tryCostly(turn: number): Promise<void> {
  const { name, text } = costlySvg(random, turn);
  const count = counts.get(COSTLY) ?? { files: 0, pictures: 0, refusals: 0, traps: 0, slowestMs: 0 };
  counts.set(COSTLY, count);
  count.files++;
  begin(name);
  const started = processorMs();
  try {
    await decodeFile(svg, new TextEncoder().encode(text));
    count.pictures++;
  } catch (error) {
    count.refusals++;
    if (!(error instanceof ApiError) || error.status >= 500) failures.push(`${name}: ${String(error)}`);
  } finally {
    end();
  }
  const elapsed = processorMs() - started;
  count.slowestMs = Math.max(count.slowestMs, elapsed);
  if (elapsed > MOST_COSTLY_MS) failures.push(`${name}: ${elapsed.toFixed(0)} ms of processor time`);
}

const files = readdirSync(FIXTURES, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => join(entry.parentPath, entry.name))
  .map((path) => ({ name: path.slice(FIXTURES.length + 1), bytes: new Uint8Array(readFileSync(path)) }))
  .flatMap((file) => {
    const format = detect(file.bytes);
    return format ? [{ ...file, format }] : [];
  });

/** What comes of every file while it is good, one after the other. */
async function outcomes(): Promise<string[]> {
  const all: string[] = [];
  for (const { name, bytes } of files) all.push(await outcome(name, bytes));
  return all;
}

/** Files of a kilobyte to a megabyte must be done with in so many milliseconds, and so many nanoseconds a byte more. */
const FRAMING_MS = 500;
const FRAMING_NANOSECONDS = 2_000;

/** Everything that looks at the framing of a file, whose time is counted. */
async function tryFraming(name: string, bytes: Uint8Array): Promise<void> {
  const began = processorMs();
  begin(name);
  try {
    const { format, facts } = identify(bytes);
    format.mark?.read(bytes);
    format.strip?.(bytes)?.file();
    await format.recompress?.run(bytes, facts, { progressive: true }, UNPAUSED);
    await small(bytes);
  } catch (error) {
    if (!(error instanceof ApiError) || error.status >= 500) failures.push(`${name}: ${String(error)}`);
  } finally {
    end();
  }
  const ms = processorMs() - began;
  if (ms > FRAMING_MS + (bytes.length * FRAMING_NANOSECONDS) / 1e6) {
    failures.push(`${name}, ${bytes.length} bytes: ${ms.toFixed(0)} ms of processor time`);
  }
}

/** What reads a container before its picture has an estimate may take so many milliseconds, and nanoseconds a byte more. */
const READING_MS = 50;
const READING_NANOSECONDS = 20;

/** Reads a container as it is read before anything of it has an estimate. Drawings are none: they have bounds of their own. */
function tryReading(name: string, bytes: Uint8Array): void {
  if (name.startsWith("SVG")) return;
  const began = processorMs();
  begin(name);
  try {
    const { format } = identify(bytes);
    format.mark?.read(bytes);
    format.metadata?.read(bytes);
    format.gainMap?.read(bytes);
  } catch (error) {
    if (!(error instanceof ApiError) || error.status >= 500) failures.push(`${name}: ${String(error)}`);
  } finally {
    end();
  }
  const ms = processorMs() - began;
  if (ms > READING_MS + (bytes.length * READING_NANOSECONDS) / 1e6) {
    failures.push(`${name}, reading ${bytes.length} bytes: ${ms.toFixed(0)} ms of processor time`);
  }
}

/** What a damaged manifest store may take, in milliseconds of processor time. */
const STORE_MS = 500;
let stores = 0;
const STATES = ["trusted", "valid", "invalid", "unreadable"];

/** Good files, with where their manifest stores lie. */
const signed = files.flatMap(({ name, bytes, format }) => {
  const { manifest } = FORMATS[format] as FormatDefinition;
  const found = manifest?.find(bytes);
  return manifest && found ? [{ name, bytes, manifest, found }] : [];
});

/** A PNG file without a store. */
const bare = joined(
  signed
    .filter(({ name }) => name.endsWith("signed-es384.png"))
    .flatMap(({ bytes, found }) => [...outside(bytes, found.ranges)]),
);

/** The file with bytes of its store changed, or a PNG file with the store after boxes of it were. */
function damagedStore({ bytes, found, manifest }: (typeof signed)[number]) {
  const { manifest: ofPng } = FORMATS.png;
  if (found.store && ofPng.write && random(2) === 0) {
    try {
      return { bytes: ofPng.write(bare, withDamagedBoxes(found.store, random)), manifest: ofPng };
    } catch (error) {
      // Damaged files are among the fixtures.
      if (!(error instanceof Unreadable)) throw error;
    }
  }
  const copy = bytes.slice();
  damageBytes(copy, found.ranges, random);
  return { bytes: copy, manifest };
}

/** Verifies a file whose manifest store was damaged. */
async function tryStore(): Promise<void> {
  const file = signed[random(signed.length)];
  if (!file) return;
  const { bytes, manifest } = damagedStore(file);
  const began = processorMs();
  begin(`store of ${file.name}`);
  try {
    const found = await verifyFile(bytes, manifest, { anchors: async () => [], now: NOW });
    if (found && !STATES.includes(found.state)) failures.push(`${file.name}: ${found.state}`);
  } catch (error) {
    // The header of the box that a store lies in is among what was changed: a file may be refused for it.
    if (!(error instanceof ApiError) || error.status >= 500) failures.push(`store of ${file.name}: ${String(error)}`);
  } finally {
    end();
  }
  stores++;
  const ms = processorMs() - began;
  if (ms > STORE_MS) failures.push(`store of ${file.name}: ${ms.toFixed(0)} ms of processor time`);
}

const before = await outcomes();
// After them, for what is measured is not how long the engine takes to compile the code.
for (const [name, make] of Object.entries({ ...FRAMINGS, ...STYLED })) {
  for (const size of [1 << 14, 1 << 17, 1 << 20]) await tryFraming(name, make(size));
  for (const megabytes of [1, 2, 4]) tryReading(name, make(megabytes << 20));
}

const deadline = performance.now() + job.seconds * 1_000;
for (let turn = 0; performance.now() < deadline; turn++) {
  const file = files[turn % files.length];
  if (!file) break;
  const count = counts.get(file.format) ?? { files: 0, pictures: 0, refusals: 0, traps: 0, slowestMs: 0 };
  counts.set(file.format, count);
  await tryOne(file.name, damaged(file.bytes), count);
  await tryStore();
  if (turn % COSTLY_EVERY === 0) await tryCostly(turn / COSTLY_EVERY);
}
const after = await outcomes();
files.forEach(({ name }, index) => {
  if (after[index] !== before[index]) failures.push(`${name}: ${before[index]} at first, ${after[index]} at last`);
  if (before[index]?.startsWith("failed")) failures.push(`${name}: ${before[index]}`);
});

console.log(`${files.length} files, ${stores} damaged manifest stores, seed ${job.seed}`);
console.table(
  Object.fromEntries(
    [...counts].map(([format, count]) => [format, { ...count, slowestMs: Math.round(count.slowestMs) }]),
  ),
);
console.log(
  "instances replaced:",
  nativeStatistics()
    .map(({ name, replaced }) => `${name} ${replaced}`)
    .join(", "),
);
for (const failure of failures.slice(0, 20)) console.error(failure);
if (failures.length > 0) process.exitCode = 1;
