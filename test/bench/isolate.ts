/**
 * What one isolate of the running service holds under mixed load: `PHOTOS=a.jpg npm run bench -- isolate`. Uploads,
 * fetches and webhook jobs at once, of 12 and 24 megapixels and of drawings and animations; `SECONDS` says for how long.
 *
 * Twice a second everything is added up that the isolate holds: the JavaScript heap and the array buffers, as the debugger
 * says (`Runtime.getHeapUsage`) once it has had the garbage collected, which a runtime without a limit leaves lying; and
 * the memories of native modules, those too that were given up and are not collected, which the debugger leaves out
 * (`GET /metrics`). What was declared is told besides, and so is the memory of the whole runtime, which has simulators of
 * all bindings in it. At the end a snapshot of the heap says what the engine has compiled of native modules: it grows with
 * what was called, is the same whatever is worked on, and is not in the sum.
 */
import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { startLocal } from "../../src/cli/local.ts";
import { debuggerAt, type HeapDebugger } from "./debugger.ts";
import { call, callPatiently, type Load, type Patience, prepared, serve, tally } from "./isolate-load.ts";
import { freePort, residentBytes, runtimeSeconds } from "./runtime-process.ts";

const SECONDS = Number(process.env["SECONDS"] ?? 60);
const TOKEN = "bench-token-of-the-operator";
const SAMPLE_MS = 500;
/** What may be held. The platform's limit is 128 MB. */
const WANTED_MB = 110;
/** A folder for snapshots of the heap, one whenever more is held than before. */
const SNAPSHOTS = process.env["SNAPSHOTS"];
/** What is worth a snapshot. */
const SNAPSHOT_MB = 80;
/** Callers of each kind, at the same time. */
const CALLERS = { upload: 3, fetch: 2, webhook: 2 } as const;

interface Sample {
  readonly heap: number;
  readonly used: number;
  readonly embedder: number;
  readonly native: number;
  readonly originals: number;
  readonly buffers: number;
  readonly dropped: number;
  readonly runtime: number;
  readonly work: number;
  /** Bytes of each native module. */
  readonly modules: ReadonlyMap<string, { readonly inUse: number; readonly idle: number }>;
}

export async function main(): Promise<void> {
  const files = await prepared();
  const state = await mkdtemp(join(tmpdir(), "bench-"));
  const inspectorPort = await freePort();
  const outcomes = new Map<string, number>();
  const tell = (isDone: boolean) => tally(outcomes, isDone ? "notified, done" : "notified, failed");
  const origin = await serve((path) => files.get(path.slice(1)), tell);
  const variables = {
    ADMIN_TOKEN: TOKEN,
    ALLOW_PRIVATE_ORIGINS: "true",
    RATE_LIMIT: "1000000000",
    VAULT_KEY: randomBytes(32).toString("base64"),
  };
  const service = await startLocal({ host: "127.0.0.1", port: 0, state, variables, quiet: true, inspectorPort });
  const stopped = new AbortController();
  try {
    const heap = await debuggerAt(inspectorPort);
    const look = lookInto(service.url, heap);
    const idle = await look();
    const samples: Sample[] = [];
    const watching = watch(look, samples, heap, stopped.signal);
    const end = performance.now() + SECONDS * 1_000;
    const idleSeconds = await runtimeSeconds();
    const load: Load = { base: service.url, origin, files, end, outcomes };
    const callers = Object.entries(CALLERS).flatMap(([kind, many]) =>
      Array.from({ length: many }, (_, caller) => call(kind, caller, load)),
    );
    const patient = callPatiently(load);
    await Promise.all(callers);
    stopped.abort();
    await watching;
    const busySeconds = (await runtimeSeconds()) - idleSeconds;
    report(idle, samples, outcomes);
    console.log(`  processor time of the runtime: ${busySeconds.toFixed(1)} s, ${results(outcomes)} results`);
    console.log(`  compiled code of native modules, besides: ${((await heap.compiledBytes()) / 1e6).toFixed(1)} MB`);
    reportPatience(...(await patient));
    console.log(`  waits, by what for and what came of them: ${await waitsAt(service.url)}`);
  } finally {
    stopped.abort();
    await service.stop();
    await rm(state, { recursive: true, force: true });
  }
}

async function watch(
  look: () => Promise<Sample>,
  samples: Sample[],
  { snapshot }: HeapDebugger,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const sample = await look();
    const most = Math.max(SNAPSHOT_MB * 1e6, ...samples.map(used));
    samples.push(sample);
    if (SNAPSHOTS && used(sample) > most)
      await snapshot(join(SNAPSHOTS, `${Math.round(used(sample) / 1e6)}.heapsnapshot`));
    await new Promise((resolve) => setTimeout(resolve, SAMPLE_MS));
  }
}

/** Asks the debugger, the metrics and the operating system. */
function lookInto(base: URL, heap: HeapDebugger): () => Promise<Sample> {
  const { usage } = heap;
  const headers = { authorization: `Bearer ${TOKEN}` };
  return async () => {
    // First, for it has the garbage collected, and memories that were given up are a part of that.
    const { usedSize, totalSize, backingStorageSize, embedderHeapUsedSize } = await usage();
    const text = await (await fetch(new URL("/metrics", base), { headers })).text();
    const memory = (of: string) => Number(new RegExp(`memory_bytes\\{of="${of}"[^}]*\\} (\\d+)`).exec(text)?.[1] ?? 0);
    return {
      heap: totalSize + embedderHeapUsedSize,
      used: usedSize,
      embedder: embedderHeapUsedSize,
      native: memory("native"),
      originals: memory("originals"),
      buffers: backingStorageSize,
      dropped: memory("dropped"),
      runtime: await residentBytes(),
      work: memory("work"),
      modules: modulesIn(text),
    };
  };
}

/** How often it was waited for originals and for work, and how it ended. */
async function waitsAt(base: URL): Promise<string> {
  const headers = { authorization: `Bearer ${TOKEN}` };
  const text = await (await fetch(new URL("/metrics", base), { headers })).text();
  const lines = text.split("\n").filter((line) => /(?:budget_waits_total|collection\w*_total)\{/.test(line));
  return lines.map((line) => line.replace(/^\S*\{|isolate="[^"]*",?/g, "").replace("}", "")).join("; ");
}

/** What the metrics say of native modules. */
function modulesIn(metrics: string): Sample["modules"] {
  const modules = new Map<string, { inUse: number; idle: number }>();
  for (const [, module = "", state, bytes] of metrics.matchAll(NATIVE_MEMORY)) {
    const { inUse, idle } = modules.get(module) ?? { inUse: 0, idle: 0 };
    modules.set(module, state === "idle" ? { inUse, idle: Number(bytes) } : { inUse: Number(bytes), idle });
  }
  return modules;
}

const NATIVE_MEMORY = /native_memory_bytes\{module="([^"]+)",state="([^"]+)"[^}]*\} (\d+)/g;

/** Pictures that somebody got: as answers, or by a notification. */
function results(outcomes: ReadonlyMap<string, number>): number {
  const isResult = ([name]: [string, number]) => name.endsWith(" 200") || name === "notified, done";
  return [...outcomes].filter(isResult).reduce((sum, [, times]) => sum + times, 0);
}

function used({ heap, native, buffers, dropped }: Sample): number {
  return heap + native + buffers + dropped;
}

function report(idle: Sample, samples: readonly Sample[], outcomes: ReadonlyMap<string, number>): void {
  const most = (size: (sample: Sample) => number) => samples.toSorted((a, b) => size(b) - size(a))[0] ?? idle;
  const mb = (bytes: number) => (bytes / 1e6).toFixed(1);
  const line = (name: string, sample: Sample) =>
    console.log(
      `  ${name.padEnd(28)} heap ${mb(sample.heap)} + native ${mb(sample.native)} + given up ${mb(sample.dropped)} + buffers ${mb(sample.buffers)} = ${mb(used(sample))} MB; heap in use ${mb(sample.used)} + ${mb(sample.embedder)}, declared ${mb(sample.work)} + originals ${mb(sample.originals)}, runtime ${mb(sample.runtime)}${modulesOf(sample)}`,
    );
  console.log(`  ${[...outcomes].map(([name, times]) => `${name}: ${times}`).join(", ")}; ${samples.length} samples`);
  line("idle", idle);
  line("most in use", most(used));
  const verdict = used(most(used)) <= WANTED_MB * 1e6 ? "met" : "MISSED";
  console.log(`  in use at most ${mb(used(most(used)))} MB, wanted ${WANTED_MB}: ${verdict}`);
}

/** The memories of native modules, in use and idle. */
function modulesOf({ modules }: Sample): string {
  const mb = (bytes: number) => (bytes / 1e6).toFixed(1);
  const held = [...modules].filter(([, { inUse, idle }]) => inUse + idle > 0);
  return held.map(([name, { inUse, idle }]) => `; ${name} ${mb(inUse)} + ${mb(idle)} idle`).join("");
}

function reportPatience(done: readonly Patience[], open: number): void {
  const jobs = done.map(({ tries, ms }) => `${tries} in ${(ms / 1_000).toFixed(1)} s`);
  console.log(
    `  24 megapixels, sent again as told, tries until done: ${jobs.join(", ")}; not done at the end: ${open}`,
  );
}
