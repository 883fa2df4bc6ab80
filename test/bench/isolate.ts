/**
 * What one isolate of the running service holds under mixed load: `PHOTOS=a.jpg npm run bench -- isolate`. Uploads,
 * fetches and webhook jobs at once, of 12 and 24 megapixels and of drawings and animations; `SECONDS` says for how long.
 *
 * Twice a second everything is added up that the isolate holds: the JavaScript heap and the array buffers, as the debugger
 * says (`Runtime.getHeapUsage`) after it has had the garbage collected, which a runtime without a limit leaves lying; and
 * the memories of native modules, which the debugger leaves out (`GET /metrics`). What is set aside for originals is told
 * besides, and so are native memories that were given up, and the memory of the whole runtime, which has simulators of all
 * bindings in it.
 */
import { randomBytes } from "node:crypto";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { type AddressInfo, createServer as createSocket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

import sharp from "sharp";

import { DEMO_KEY, startLocal } from "../../src/cli/local.ts";
import { ROOT } from "../../src/cli/wrangler.ts";
import { given } from "./given.ts";

const SECONDS = Number(process.env["SECONDS"] ?? 60);
const TOKEN = "bench-token-of-the-operator";
const SAMPLE_MS = 500;
/** What may be held. The platform's limit is 128 MB. */
const WANTED_MB = 110;
const FOLDER = join(ROOT, ".wrangler", "bench", "isolate");
/** Callers of each kind, at the same time. */
const CALLERS = { upload: 3, fetch: 2, webhook: 2 } as const;

const WISHES: readonly object[] = [
  { resize: { width: 2_000 } },
  { resize: { width: 1_200 }, output: { format: "webp" } },
  {},
  { resize: { width: 600 }, output: { format: "avif" } },
  { resize: { width: 1_600 }, output: { format: "png" } },
];

interface Sample {
  readonly heap: number;
  readonly native: number;
  readonly originals: number;
  readonly buffers: number;
  readonly dropped: number;
  readonly runtime: number;
}

export async function main(): Promise<void> {
  const files = await prepared();
  const state = await mkdtemp(join(tmpdir(), "bench-"));
  const inspectorPort = await freePort();
  const origin = await serve((path) => files.get(path.slice(1)));
  const variables = {
    ADMIN_TOKEN: TOKEN,
    ALLOW_PRIVATE_ORIGINS: "true",
    RATE_LIMIT: "1000000000",
    VAULT_KEY: randomBytes(32).toString("base64"),
  };
  const service = await startLocal({ host: "127.0.0.1", port: 0, state, variables, quiet: true, inspectorPort });
  const stopped = new AbortController();
  try {
    const look = await lookInto(service.url, inspectorPort);
    const idle = await look();
    const outcomes = new Map<string, number>();
    const samples: Sample[] = [];
    const watching = watch(look, samples, stopped.signal);
    const end = performance.now() + SECONDS * 1_000;
    const callers = Object.entries(CALLERS).flatMap(([kind, many]) =>
      Array.from({ length: many }, (_, caller) =>
        call(kind, caller, { base: service.url, origin, files, end, outcomes }),
      ),
    );
    await Promise.all(callers);
    stopped.abort();
    await watching;
    report(idle, samples, outcomes);
  } finally {
    stopped.abort();
    await service.stop();
    await rm(state, { recursive: true, force: true });
  }
}

interface Load {
  readonly base: URL;
  readonly origin: URL;
  readonly files: ReadonlyMap<string, Uint8Array>;
  readonly end: number;
  readonly outcomes: Map<string, number>;
}

/** Sends one job after the other, each with another file and another wish. */
async function call(kind: string, caller: number, { base, origin, files, end, outcomes }: Load): Promise<void> {
  const names = [...files.keys()];
  for (let round = caller; performance.now() < end; round++) {
    const name = names[(round * 5 + caller) % names.length] ?? "";
    const wish = { ...WISHES[round % WISHES.length], ...(kind === "webhook" && { webhook: { url: origin.href } }) };
    const headers = { authorization: `Bearer ${DEMO_KEY}` };
    const request =
      kind === "fetch"
        ? fetch(new URL("/1.0/fetch", base), {
            method: "POST",
            headers: { ...headers, "content-type": "application/json" },
            body: JSON.stringify({ url: new URL(name, origin).href, ...wish }),
          })
        : fetch(new URL("/1.0/upload", base), { method: "POST", headers, body: form(name, files, wish) });
    const outcome = await request.then(
      async (answer) => {
        await answer.arrayBuffer();
        return `${kind} ${answer.status}`;
      },
      () => `${kind} failed`,
    );
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
  }
}

function form(name: string, files: ReadonlyMap<string, Uint8Array>, wish: object): FormData {
  const body = new FormData();
  body.set("file", new File([(files.get(name) ?? new Uint8Array(0)).slice()], name));
  body.set("data", JSON.stringify(wish));
  return body;
}

async function watch(look: () => Promise<Sample>, samples: Sample[], signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    samples.push(await look());
    await new Promise((resolve) => setTimeout(resolve, SAMPLE_MS));
  }
}

/** Asks the debugger, the metrics and the operating system. */
async function lookInto(base: URL, inspectorPort: number): Promise<() => Promise<Sample>> {
  const usage = await debuggerOf(inspectorPort);
  const headers = { authorization: `Bearer ${TOKEN}` };
  return async () => {
    const text = await (await fetch(new URL("/metrics", base), { headers })).text();
    if (process.env["DETAIL"])
      console.log(
        text
          .split("\n")
          .filter((l: string) => l.includes("memory_bytes{") && !l.endsWith(" 0"))
          .map((l: string) =>
            l
              .replace(/darkroom_memory_bytes/, "")
              .replace(/isolate="[^"]*"/, "")
              .replace(/of="module",/, ""),
          )
          .join(" "),
      );
    const memory = (of: string) => Number(new RegExp(`memory_bytes\\{of="${of}"[^}]*\\} (\\d+)`).exec(text)?.[1] ?? 0);
    const { totalSize, backingStorageSize, embedderHeapUsedSize } = await usage();
    return {
      heap: totalSize + embedderHeapUsedSize,
      native: memory("native"),
      originals: memory("originals"),
      buffers: backingStorageSize,
      dropped: memory("dropped"),
      runtime: await residentBytes(),
    };
  };
}

interface HeapUsage {
  readonly totalSize: number;
  readonly backingStorageSize: number;
  readonly embedderHeapUsedSize: number;
}

/** The debugger of the isolate that the service runs in. */
async function debuggerOf(port: number): Promise<() => Promise<HeapUsage>> {
  const targets = (await (await fetch(`http://127.0.0.1:${port}/json`)).json()) as {
    readonly title: string;
    readonly webSocketDebuggerUrl: string;
  }[];
  const target = targets.find(({ title }) => title.includes("darkroom")) ?? targets[0];
  if (!target) throw new Error("the debugger names no isolate");
  const socket = new WebSocket(target.webSocketDebuggerUrl);
  await new Promise((resolve, reject) => {
    socket.addEventListener("open", resolve, { once: true });
    socket.addEventListener("error", reject, { once: true });
  });
  let calls = 0;
  const waiting = new Map<number, (usage: HeapUsage) => void>();
  socket.addEventListener("message", ({ data }) => {
    const { id, result } = JSON.parse(String(data)) as { id: number; result: HeapUsage };
    waiting.get(id)?.(result);
    waiting.delete(id);
  });
  return () =>
    new Promise((resolve) => {
      const id = ++calls;
      waiting.set(id, resolve);
      // Answered in turn: what is told is what is left. The second collection ends the sweep that the first began.
      for (let times = 0; times < 2; times++) {
        socket.send(JSON.stringify({ id: 0, method: "HeapProfiler.collectGarbage" }));
      }
      socket.send(JSON.stringify({ id, method: "Runtime.getHeapUsage" }));
    });
}

/** Of the youngest runtime that this process started; 0 where the operating system does not tell. */
async function residentBytes(): Promise<number> {
  try {
    const children = await readFile(`/proc/${process.pid}/task/${process.pid}/children`, "utf8");
    const sizes = await Promise.all(
      children
        .trim()
        .split(" ")
        .map(async (pid) => {
          const status = await readFile(`/proc/${pid}/status`, "utf8");
          return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) * 1024;
        }),
    );
    return Math.max(0, ...sizes);
  } catch {
    return 0;
  }
}

function report(idle: Sample, samples: readonly Sample[], outcomes: ReadonlyMap<string, number>): void {
  const used = ({ heap, native, buffers }: Sample) => heap + native + buffers;
  const most = (size: (sample: Sample) => number) => samples.toSorted((a, b) => size(b) - size(a))[0] ?? idle;
  const mb = (bytes: number) => (bytes / 1e6).toFixed(1);
  const line = (name: string, sample: Sample) =>
    console.log(
      `  ${name.padEnd(28)} heap ${mb(sample.heap)} + native ${mb(sample.native)} + buffers ${mb(sample.buffers)} = ${mb(used(sample))} MB; originals set aside ${mb(sample.originals)}, given up ${mb(sample.dropped)}, runtime ${mb(sample.runtime)}`,
    );
  console.log(`  ${[...outcomes].map(([name, times]) => `${name}: ${times}`).join(", ")}; ${samples.length} samples`);
  line("idle", idle);
  line("most in use", most(used));
  const verdict = used(most(used)) <= WANTED_MB * 1e6 ? "met" : "MISSED";
  console.log(`  in use at most ${mb(used(most(used)))} MB, wanted ${WANTED_MB}: ${verdict}`);
}

/** The files by their names, made once. */
async function prepared(): Promise<Map<string, Uint8Array>> {
  const [photo] = given("PHOTOS");
  await mkdir(FOLDER, { recursive: true });
  const sized = (width: number, height: number) => sharp(photo).rotate().resize({ width, height, fit: "cover" });
  const makers: Record<string, () => Promise<Uint8Array>> = {
    "12.jpg": () => sized(4_000, 3_000).jpeg({ quality: 88 }).toBuffer(),
    "24.jpg": () => sized(6_000, 4_000).jpeg({ quality: 88 }).toBuffer(),
    "12.png": () => sized(4_000, 3_000).blur(4).png().toBuffer(),
    "12.webp": () => sized(4_000, 3_000).webp({ effort: 0 }).toBuffer(),
    "12.avif": () => sized(4_000, 3_000).avif({ effort: 0, quality: 50 }).toBuffer(),
    "8.tif": () => sized(3_264, 2_448).tiff({ compression: "lzw" }).toBuffer(),
    "a.heic": () => readFile(join(ROOT, "test/fixtures/heic/grid.heic")),
    "a.gif": () => readFile(join(ROOT, "test/fixtures/gif/TestImage.gif")),
    "a.svg": () => readFile(join(ROOT, "test/fixtures/svg/drawings/batikLogo.svg")),
  };
  const files = new Map<string, Uint8Array>();
  for (const [name, make] of Object.entries(makers)) {
    const path = join(FOLDER, name);
    const kept = await readFile(path).catch(() => undefined);
    const file = kept ?? (await make());
    if (!kept) await writeFile(path, file);
    files.set(name, file);
  }
  return files;
}

/** An origin for fetches, and an endpoint for notifications. */
async function serve(find: (path: string) => Uint8Array | undefined): Promise<URL> {
  const answer = (request: IncomingMessage, response: ServerResponse) => {
    const file = request.method === "GET" ? find(request.url ?? "") : undefined;
    request.resume().on("end", () => response.end(file));
  };
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  server.unref();
  return new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
}

async function freePort(): Promise<number> {
  const socket = createSocket();
  await new Promise<void>((resolve) => socket.listen(0, "127.0.0.1", resolve));
  const { port } = socket.address() as AddressInfo;
  await new Promise((resolve) => socket.close(resolve));
  return port;
}
