/**
 * A long look at one isolate: `SECONDS=3600 npm run bench -- soak`. Callers send good files of every format with the
 * requests of every day, as uploads, sets, bytes alone, jobs with a webhook and addresses of pictures, and one file in
 * twenty that is made to cost, damaged, or no picture at all. Every answer to a good file has the bytes that the same
 * request had when nobody else asked; every job is posted once; nothing is 5xx but for capacity. Minute by minute it is told
 * what is held; at each tenth all callers rest, and what is left then says whether memory grows.
 */
import { createHash, randomBytes } from "node:crypto";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import { json } from "node:stream/consumers";

import { DEMO_KEY, startLocal } from "../../src/cli/local.ts";
import { ROOT } from "../../src/cli/wrangler.ts";
import { costlySvg, FAMILIES, seeded } from "../support/costly-svg.ts";
import { randomOf } from "../support/event-queue.ts";
import { FRAMINGS } from "../support/hostile-framing.ts";
import { debuggerAt, type HeapDebugger } from "./debugger.ts";
import { flatnessLine, flatnessOf, type HeldAt } from "./flatness.ts";
import { tally } from "./isolate-load.ts";
import { Rests } from "./rests.ts";
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
/** A job that its isolate has no room for waits for the queue, and one whose start was lost for the sweep. */
const JOB_PATIENCE_MS = 600_000;
/** How often all callers rest while memory is looked at, and how long nobody asks before. */
const TENTHS = 10;
const REST_MS = 3_000;
/** The last rest begins before the callers' end. */
const LAST_REST_MS = 10_000;

const REQUESTS: readonly object[] = [
  {},
  { resize: { width: 120 } },
  { resize: { width: 300 }, output: { format: "webp" } },
  { output: { format: "jpeg" }, optimize: { quality: 70 } },
  { resize: { width: 90 }, output: { format: "avif" } },
  { output: { format: "png" }, rotate: { angle: 90 } },
  { analyze: ["thumbhash", "color"] },
  { resize: { width: 100 }, output: { format: "tiff" } },
  { srcset: { widths: [60, 120], formats: ["webp", "jpeg"] } },
  { resize: { width: 150 }, response: { mode: "binary", keep: false } },
  { redact: { regions: { one: { x: 0.1, y: 0.1, width: 0.5, height: 0.5 } }, mode: "blur" } },
];
/** Requests of each file, another choice for each: all of all would take longer alone than a soak. */
const REQUESTS_OF_A_FILE = 4;
/** The request that jobs with a webhook make. */
const OF_JOBS = { resize: { width: 120 } } as const;
/** Of requests, the share that are jobs with a webhook, and the share that are addresses. */
const JOB_SHARE = 0.1;
const ADDRESS_SHARE = 0.2;

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
  const variables = {
    ALLOW_PRIVATE_ORIGINS: "true",
    ADMIN_TOKEN: TOKEN,
    RATE_LIMIT: "1000000000",
    VAULT_KEY: randomBytes(32).toString("base64"),
  };
  const inspectorPort = await freePort();
  const service = await startLocal({ host: "127.0.0.1", port: 0, state, variables, quiet: true, inspectorPort });
  const send = sender(service.url);
  const edge = await startEdge([...good, ...hostile]);
  const finals = new Map<string, string>();
  try {
    const heap = await debuggerAt(inspectorPort);
    const expected = await alone(good, send);
    console.log(
      `  ${good.length} good files, ${hostile.length} hostile ones, ${REQUESTS.length} requests, ${CALLERS} callers`,
    );
    const statuses = new Map<string, number>();
    const faults = new Map<string, number>();
    const since = performance.now();
    const end = since + SECONDS * 1_000;
    const watching = watch(service.url, heap, end, statuses);
    const rests = new Rests(CALLERS);
    const resting = rested({ heap, rests, since });
    const calls = Array.from({ length: CALLERS }, async (_, caller) => {
      const random = randomOf(SEED * 1_000 + caller);
      const pick = <T>(all: readonly T[]) => all[Math.floor(random() * all.length)] as T;
      for (; performance.now() < end; await rests.pass()) {
        const isHostile = random() < HOSTILE_SHARE;
        const file = pick(isHostile ? hostile : good);
        const way = random();
        const kind = way < JOB_SHARE ? "job" : way < JOB_SHARE + ADDRESS_SHARE ? "address" : "upload";
        const at = Math.floor(random() * REQUESTS.length);
        const request = kind === "job" ? OF_JOBS : requestOf(good.indexOf(file), at % REQUESTS_OF_A_FILE);
        const answers = {
          job: () => edge.job(file, request, send),
          address: () => edge.view(service.url, file),
          upload: () => send(file, isHostile ? (REQUESTS[at] ?? {}) : request),
        };
        const { status, result } = await answers[kind]();
        tally(statuses, `${isHostile ? "hostile" : "good"} ${kind} ${status}`);
        if (kind === "address") {
          const final = finals.get(file.name) ?? result;
          if (status === 200 && result !== "") finals.set(file.name, final);
          if ((status >= 500 && status !== 503) || (status === 200 && result !== "" && result !== final)) {
            tally(faults, `address of ${file.name}: ${status} ${result} in place of ${final}`);
          }
          continue;
        }
        const want = expected.get(`${file.name} ${JSON.stringify(request)}`);
        if (status >= 500 && status !== 503) tally(faults, `${file.name} ${kind}: ${status} ${result}`);
        else if (want && status !== 503 && result !== want.result) {
          tally(faults, `${file.name} ${kind} ${JSON.stringify(request)}: ${result} in place of ${want.result}`);
        }
      }
    });
    // Whoever is done rests with the others.
    await Promise.all(calls.map(async (call) => call.finally(() => rests.leave())));
    await watching;
    tellFlatness(await resting);
    for (const [id, times] of edge.posted) if (times > 1) tally(faults, `job ${id}: posted ${times} times`);
    console.log(`  ${said(statuses)}`);
    console.log(faults.size === 0 ? "  every answer right" : `  WRONG: ${said(faults)}`);
    if (faults.size > 0) process.exitCode = 1;
  } finally {
    await service.stop();
    edge.stop();
    await rm(state, { recursive: true, force: true });
  }
}

/** Neighbors share none of their requests but one. */
function requestOf(file: number, turn: number): object {
  return REQUESTS[(file * REQUESTS_OF_A_FILE + turn) % REQUESTS.length] ?? {};
}

/** What each request of each good file is answered when nobody else asks. */
async function alone(good: readonly File[], send: ReturnType<typeof sender>): Promise<ReadonlyMap<string, Answer>> {
  const expected = new Map<string, Answer>();
  for (const [index, file] of good.entries()) {
    for (let turn = 0; turn < REQUESTS_OF_A_FILE; turn++) {
      const request = requestOf(index, turn);
      expected.set(`${file.name} ${JSON.stringify(request)}`, await send(file, request));
    }
    expected.set(`${file.name} ${JSON.stringify(OF_JOBS)}`, await send(file, OF_JOBS));
  }
  return expected;
}

/**
 * Says once a minute what the isolate holds, its garbage collected, and how many were answered; the runtime besides, which
 * has no limit here and keeps what it once had.
 */
async function watch(base: URL, heap: HeapDebugger, end: number, statuses: ReadonlyMap<string, number>): Promise<void> {
  for (let minute = 0; performance.now() < end; minute += 1) {
    const { usedSize, backingStorageSize, embedderHeapUsedSize } = await heap.usage();
    const text = await metricsOf(base);
    const mb = (bytes: number) => (bytes / 1e6).toFixed(1);
    const answered = [...statuses.values()].reduce((sum, count) => sum + count, 0);
    const parts = ["native", "originals", "work"].map((of) => `${of} ${mb(memoryIn(text, of))}`).join(", ");
    const held = `heap ${mb(usedSize + embedderHeapUsedSize)}, buffers ${mb(backingStorageSize)}`;
    console.log(
      `  minute ${minute}: ${held}, ${parts} MB; runtime ${mb(await residentBytes())} MB; ${answered} answers`,
    );
    await pause(Math.min(60_000, end - performance.now()));
  }
}

/** What is left at a tenth of the run, when nobody asks and the garbage is collected. */
interface Left {
  /** Of the heap alone. */
  readonly heap: HeldAt[];
  /** Buffers, which memories of native modules are none of. */
  readonly buffers: HeldAt[];
  /** Of the heap, what the engine compiles, and what programs keep. */
  readonly code: HeldAt[];
  readonly values: HeldAt[];
}

interface Resting {
  readonly heap: HeapDebugger;
  readonly rests: Rests;
  readonly since: number;
}

/** Has all callers rest at each tenth of the run, and looks at what is left. */
async function rested({ heap, rests, since }: Resting): Promise<Left> {
  const left: Left = { heap: [], buffers: [], code: [], values: [] };
  for (let tenth = 1; tenth <= TENTHS; tenth++) {
    const at = since + (SECONDS * 1_000 * tenth) / TENTHS;
    await pause(at - performance.now() - (tenth === TENTHS ? LAST_REST_MS : 0));
    await rests.begin();
    // Answers that are stored, jobs that are put away.
    await pause(REST_MS);
    const { usedSize, embedderHeapUsedSize, backingStorageSize } = await heap.usage();
    const seconds = (performance.now() - since) / 1_000;
    left.heap.push({ seconds, bytes: usedSize + embedderHeapUsedSize });
    left.buffers.push({ seconds, bytes: backingStorageSize });
    const { code, values } = await heap.kinds();
    left.code.push({ seconds, bytes: code });
    left.values.push({ seconds, bytes: values });
    rests.end();
  }
  return left;
}

/** Fails where the heap or the buffers grow; what of the heap does is told besides. */
function tellFlatness({ heap, buffers, code, values }: Left): void {
  console.log(`  ${flatnessLine("heap at rest", heap)}`);
  console.log(`  ${flatnessLine("of it what is compiled", code)}`);
  console.log(`  ${flatnessLine("of it what programs keep", values)}`);
  console.log(`  ${flatnessLine("buffers at rest", buffers)}`);
  if ([heap, buffers].some((held) => flatnessOf(held).verdict !== "flat")) process.exitCode = 1;
}

async function metricsOf(base: URL): Promise<string> {
  return (await fetch(new URL("/metrics", base), { headers: { authorization: `Bearer ${TOKEN}` } })).text();
}

/** Who waits for what, and who is inside: said where an answer does not come. */
async function waitsAt(base: URL): Promise<string> {
  const lines = (await metricsOf(base)).match(/^\S*(?:_waiting|_places|_longest_wait_seconds)\{.*$/gm) ?? [];
  return lines.map((line) => line.replace(/,?isolate="[^"]*"/, "")).join(", ");
}

function memoryIn(metrics: string, of: string): number {
  return Number(new RegExp(`memory_bytes\\{of="${of}"[^}]*\\} (\\d+)`).exec(metrics)?.[1] ?? 0);
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((passed) => setTimeout(passed, Math.max(0, milliseconds)));
}

function sender(base: URL): (file: File, request: object) => Promise<Answer> {
  const headers = { authorization: `Bearer ${DEMO_KEY}` };
  return async ({ name, bytes }, request) => {
    const body = new FormData();
    body.append("data", JSON.stringify(request));
    body.append("file", new Blob([bytes as Uint8Array<ArrayBuffer>]), name);
    const signal = AbortSignal.timeout(PATIENCE_MS);
    const answer = await fetch(new URL("/1.0/upload", base), { method: "POST", headers, body, signal }).catch(
      async (error: unknown) => `${String(error)}; ${await waitsAt(base)}`,
    );
    if (typeof answer === "string") return { status: 599, result: answer };
    if (answer.headers.get("content-type")?.startsWith("image/")) {
      return { status: answer.status, result: sha1Of(await answer.bytes()) };
    }
    // Where bytes were wanted the sentence of a refusal is in a header.
    const text = await answer.text();
    const said = JSON.parse(text || (answer.headers.get("x-service-metadata") ?? "{}")) as Said;
    return { status: answer.status, result: resultOf(said) };
  };
}

interface Said {
  readonly code: number;
  readonly output?: { readonly sha1: string };
  readonly outputs?: Readonly<Record<string, { readonly sha1: string }>>;
  readonly message?: string;
}

function resultOf({ output, outputs, message }: Said): string {
  if (outputs)
    return Object.values(outputs)
      .map(({ sha1 }) => sha1)
      .join(" ");
  return output?.sha1 ?? message ?? "";
}

function sha1Of(bytes: Uint8Array): string {
  return createHash("sha1").update(bytes).digest("hex");
}

/** The origin that addresses name, and the endpoint that jobs are posted to. */
async function startEdge(files: readonly File[]) {
  const posted = new Map<string, number>();
  const results = new Map<string, (answer: Answer) => void>();
  let jobs = 0;
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://origin");
    const [, kind, name = ""] = pathname.split("/");
    if (kind === "file") {
      response.end(files[Number(name)]?.bytes);
      return;
    }
    tally(posted, name);
    void json(request).then((body) => {
      const told = body as Said;
      results.get(name)?.({ status: told.code, result: resultOf(told) });
      response.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    posted,
    stop: () => server.close(),
    /** Sends a job, and waits for what is posted of it. */
    job: async (file: File, request: object, send: ReturnType<typeof sender>): Promise<Answer> => {
      const name = String((jobs += 1));
      const result = new Promise<Answer>((resolve) => {
        results.set(name, resolve);
        setTimeout(resolve, JOB_PATIENCE_MS, { status: 599, result: "nothing was posted" }).unref();
      });
      const answer = await send(file, { ...request, webhook: { url: `${base}/hook/${name}` } });
      const done = answer.status === 202 ? await result : answer;
      results.delete(name);
      return done;
    },
    /** Looks at a picture by its address; what a draft holds is not said. */
    view: async (service: URL, file: File): Promise<Answer> => {
      const address = new URL(`/i/demo/w=80,f=webp/${base}/file/${files.indexOf(file)}`, service);
      const answer = await fetch(address, { signal: AbortSignal.timeout(PATIENCE_MS) });
      const bytes = await answer.bytes();
      const isFinal = answer.headers.get("x-service-rendition") === "final";
      return { status: answer.status, result: isFinal ? sha1Of(bytes) : "" };
    },
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
