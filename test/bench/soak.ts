/**
 * A long look at one isolate: `SECONDS=3600 npm run bench -- soak`. Callers send good files of every format with the
 * requests of every day, and one file in twenty that is made to cost, damaged, or no picture at all. Every answer to a good
 * file has the bytes that the same request had when nobody else asked; nothing is 5xx but for capacity; and memory is told
 * minute by minute, which shows whether it grows.
 */
import { randomBytes } from "node:crypto";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";

import { DEMO_KEY, startLocal } from "../../src/cli/local.ts";
import { ROOT } from "../../src/cli/wrangler.ts";
import { costlySvg, FAMILIES, seeded } from "../support/costly-svg.ts";
import { randomOf } from "../support/event-queue.ts";
import { FRAMINGS } from "../support/hostile-framing.ts";
import { debuggerAt, type HeapDebugger } from "./debugger.ts";
import { tally } from "./isolate-load.ts";
import { freePort, residentBytes } from "./runtime-process.ts";

const SECONDS = Number(process.env["SECONDS"] ?? 3_600);
const CALLERS = Number(process.env["CALLERS"] ?? 4);
const SEED = Number(process.env["SEED"] ?? 1);
const TOKEN = "bench-token-of-the-operator";
/** Of originals, the share that is hostile. */
const HOSTILE_SHARE = 0.05;
const FRAMING_BYTES = 1 << 20;
/** Good files above this size would leave the small ones no turn. */
const MAX_FILE_BYTES = 400_000;
const PATIENCE_MS = 120_000;

const REQUESTS: readonly object[] = [
  {},
  { resize: { width: 120 } },
  { resize: { width: 300 }, output: { format: "webp" } },
  { output: { format: "jpeg" }, optimize: { quality: 70 } },
  { resize: { width: 90 }, output: { format: "avif" } },
  { output: { format: "png" }, rotate: { angle: 90 } },
  { analyze: ["thumbhash", "color"] },
];

interface File {
  readonly name: string;
  readonly bytes: Uint8Array;
}

interface Answer {
  readonly status: number;
  /** What was made, or why nothing was. */
  readonly result: string;
}

const FORMATS = ["jpeg", "png", "webp", "gif", "bmp", "ico", "tiff", "svg", "psd", "avif", "heic", "jxl", "jpeg2000"];

export async function main(): Promise<void> {
  const good = await filesIn((format) => [format]);
  const hostile = [...(await filesIn((format) => [format, "broken"])), ...made()];
  const state = await mkdtemp(join(tmpdir(), "bench-"));
  const variables = { ADMIN_TOKEN: TOKEN, RATE_LIMIT: "1000000000", VAULT_KEY: randomBytes(32).toString("base64") };
  const inspectorPort = await freePort();
  const service = await startLocal({ host: "127.0.0.1", port: 0, state, variables, quiet: true, inspectorPort });
  const send = sender(service.url);
  try {
    const heap = await debuggerAt(inspectorPort);
    const expected = await alone(good, send);
    console.log(
      `  ${good.length} good files, ${hostile.length} hostile ones, ${REQUESTS.length} requests, ${CALLERS} callers`,
    );
    const statuses = new Map<string, number>();
    const faults = new Map<string, number>();
    const end = performance.now() + SECONDS * 1_000;
    const watching = watch(service.url, heap, end, statuses);
    const calls = Array.from({ length: CALLERS }, async (_, caller) => {
      const random = randomOf(SEED * 1_000 + caller);
      const pick = <T>(all: readonly T[]) => all[Math.floor(random() * all.length)] as T;
      while (performance.now() < end) {
        const isHostile = random() < HOSTILE_SHARE;
        const file = pick(isHostile ? hostile : good);
        const request = Math.floor(random() * REQUESTS.length);
        const { status, result } = await send(file, REQUESTS[request] ?? {});
        tally(statuses, `${isHostile ? "hostile" : "good"} ${status}`);
        const want = expected.get(`${file.name} ${request}`);
        if (status >= 500 && status !== 503) tally(faults, `${file.name} ${request}: ${status} ${result}`);
        else if (want && status !== 503 && result !== want.result) {
          tally(faults, `${file.name} ${JSON.stringify(REQUESTS[request])}: ${result} in place of ${want.result}`);
        }
      }
    });
    await Promise.all(calls);
    await watching;
    console.log(`  ${said(statuses)}`);
    console.log(faults.size === 0 ? "  every answer right" : `  WRONG: ${said(faults)}`);
    if (faults.size > 0) process.exitCode = 1;
  } finally {
    await service.stop();
    await rm(state, { recursive: true, force: true });
  }
}

/** What each request of each good file is answered when nobody else asks. */
async function alone(good: readonly File[], send: ReturnType<typeof sender>): Promise<ReadonlyMap<string, Answer>> {
  const expected = new Map<string, Answer>();
  for (const file of good) {
    for (const [index, request] of REQUESTS.entries()) expected.set(`${file.name} ${index}`, await send(file, request));
  }
  return expected;
}

/**
 * Says once a minute what the isolate holds, its garbage collected, and how many were answered; the runtime besides, which
 * has no limit here and keeps what it once had.
 */
async function watch(base: URL, heap: HeapDebugger, end: number, statuses: ReadonlyMap<string, number>): Promise<void> {
  const headers = { authorization: `Bearer ${TOKEN}` };
  for (let minute = 0; performance.now() < end; minute += 1) {
    const { usedSize, backingStorageSize, embedderHeapUsedSize } = await heap.usage();
    const text = await (await fetch(new URL("/metrics", base), { headers })).text();
    const memory = (of: string) => Number(new RegExp(`memory_bytes\\{of="${of}"[^}]*\\} (\\d+)`).exec(text)?.[1] ?? 0);
    const mb = (bytes: number) => (bytes / 1e6).toFixed(1);
    const answered = [...statuses.values()].reduce((sum, count) => sum + count, 0);
    const parts = ["native", "originals", "work"].map((of) => `${of} ${mb(memory(of))}`).join(", ");
    const held = `heap ${mb(usedSize + embedderHeapUsedSize)}, buffers ${mb(backingStorageSize)}`;
    console.log(
      `  minute ${minute}: ${held}, ${parts} MB; runtime ${mb(await residentBytes())} MB; ${answered} answers`,
    );
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, Math.min(60_000, end - performance.now()))));
  }
}

function sender(base: URL): (file: File, request: object) => Promise<Answer> {
  const headers = { authorization: `Bearer ${DEMO_KEY}` };
  return async ({ name, bytes }, request) => {
    const body = new FormData();
    body.append("data", JSON.stringify(request));
    body.append("file", new Blob([bytes as Uint8Array<ArrayBuffer>]), name);
    const signal = AbortSignal.timeout(PATIENCE_MS);
    const answer = await fetch(new URL("/1.0/upload", base), { method: "POST", headers, body, signal }).catch(
      (error: unknown) => String(error),
    );
    if (typeof answer === "string") return { status: 599, result: answer };
    const said = (await answer.json()) as { output?: { sha1: string }; message?: string };
    return { status: answer.status, result: said.output?.sha1 ?? said.message ?? "" };
  };
}

/** The fixtures of all formats in a folder of each. */
async function filesIn(folder: (format: string) => string[]): Promise<File[]> {
  const files: File[] = [];
  for (const format of FORMATS) {
    const path = join(ROOT, "test", "fixtures", ...folder(format));
    for (const entry of await readdir(path, { withFileTypes: true }).catch(() => [])) {
      if (!entry.isFile() || [".md", ".tsv", ".json", ".txt", ""].includes(extname(entry.name))) continue;
      const bytes = await readFile(join(path, entry.name));
      if (bytes.length <= MAX_FILE_BYTES) files.push({ name: `${format}/${entry.name}`, bytes });
    }
  }
  return files;
}

/** Files whose framing or drawing is made to cost. */
function made(): File[] {
  const framings = Object.entries(FRAMINGS).map(([name, make]) => ({ name, bytes: make(FRAMING_BYTES) }));
  const random = seeded(SEED);
  const drawings = Object.keys(FAMILIES).map((_, turn) => {
    const { name, text } = costlySvg(random, turn);
    return { name: `SVG, ${name}`, bytes: new TextEncoder().encode(text) };
  });
  return [...framings, ...drawings];
}

function said(counts: ReadonlyMap<string, number>): string {
  const sorted = [...counts].toSorted(([one], [other]) => one.localeCompare(other));
  return sorted.map(([name, times]) => `${name}: ${times}`).join(", ");
}
