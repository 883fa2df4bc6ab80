/**
 * How long light requests wait while heavy work is done, and whether work ends when its caller hangs up:
 * `PHOTOS="phone.jpg" npm run bench -- breathing`, a JPEG of about 12 megapixels. `/health` is asked every 20 ms while
 * the running service optimizes the photograph, makes WebP of 1,600 pixels of it, AVIF of 640 and other formats.
 */
import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";

import { DEMO_KEY, startLocal } from "../../src/cli/local.ts";
import type { UploadBody } from "../../src/clients/api-types.d.ts";
import { given } from "./given.ts";
import { median } from "./harness.ts";
import { runtimeMs } from "./runtime.ts";

const PACE_MS = 20;
/** When a caller hangs up, and how long the runtime is watched afterward. */
const PATIENCE_MS = 300;
const WATCHED_MS = 1_500;

const WORK: Readonly<Record<string, UploadBody>> = {
  "optimized as it is": {},
  "JPEG, 1,200 pixels": { resize: { width: 1_200 }, output: { format: "jpeg" } },
  "WebP, 1,600 pixels": { resize: { width: 1_600 }, output: { format: "webp" } },
  "WebP, all pixels": { output: { format: "webp" }, optimize: { quality: 80 } },
  "WebP, 1,600 pixels, lossless": {
    resize: { width: 1_600 },
    output: { format: "webp" },
    optimize: { lossless: true },
  },
  "AVIF, 640 pixels": { resize: { width: 640 }, output: { format: "avif" } },
  "AVIF, 1,600 pixels": { resize: { width: 1_600 }, output: { format: "avif" }, optimize: { quality: 80 } },
  "PNG, 1,600 pixels": { resize: { width: 1_600 }, output: { format: "png" } },
  "HEIC, 1,600 pixels": { resize: { width: 1_600 }, output: { format: "heic" }, optimize: { quality: 80 } },
  "JPEG 2000, 1,600 pixels": { resize: { width: 1_600 }, output: { format: "jpeg2000" }, optimize: { quality: 80 } },
  "turned by 30 degrees": { rotate: { angle: 30 }, optimize: { quality: 80 } },
};

export async function main(): Promise<void> {
  const [photo] = given("PHOTOS").map((path) => readFileSync(path));
  if (!photo) throw new Error("A photograph is needed");
  const state = await mkdtemp(join(tmpdir(), "bench-"));
  const service = await startLocal({ host: "127.0.0.1", port: 0, state, variables: {}, quiet: true });
  try {
    console.log("answers of /health, in milliseconds, while the work goes on");
    for (const [name, body] of Object.entries(WORK)) {
      const since = performance.now();
      const waits = await healthDuring(service.url, upload(service.url, photo, body));
      const worst = Math.max(...waits)
        .toFixed(0)
        .padStart(6);
      const took = (performance.now() - since).toFixed(0).padStart(6);
      console.log(
        `  ${name.padEnd(30)} worst ${worst}   median ${median(waits).toFixed(0).padStart(4)}   work ${took}`,
      );
    }
    await hangUp(service.url, photo);
  } finally {
    await service.stop();
    await rm(state, { recursive: true, force: true });
  }
}

/** The waits of all requests that were sent while `work` went on. */
async function healthDuring(base: URL, work: Promise<void>): Promise<number[]> {
  let isOver = false;
  const done = work.finally(() => (isOver = true));
  const asked: Promise<number>[] = [];
  while (!isOver) {
    asked.push(ask(base));
    await setTimeout(PACE_MS);
  }
  await done;
  return Promise.all(asked);
}

async function ask(base: URL): Promise<number> {
  const since = performance.now();
  const answer = await fetch(new URL("/health", base).href);
  await answer.text();
  return performance.now() - since;
}

/**
 * Processor time that the runtime takes after the caller of heavy work has gone. The caller resets its connection: a
 * runtime without the platform's edge in front cannot tell a connection that is closed from one that is half open.
 */
async function hangUp(base: URL, photo: Uint8Array<ArrayBuffer>): Promise<void> {
  const form = new Response(formOf(photo, { output: { format: "webp" } }));
  const headers = { authorization: `Bearer ${DEMO_KEY}`, "content-type": String(form.headers.get("content-type")) };
  const caller = request(new URL("/1.0/upload", base).href, { method: "POST", headers });
  caller.on("error", () => undefined);
  caller.end(new Uint8Array(await form.arrayBuffer()));
  const start = await runtimeMs();
  await setTimeout(PATIENCE_MS);
  const middle = await runtimeMs();
  caller.socket?.resetAndDestroy();
  await setTimeout(WATCHED_MS);
  const after = (await runtimeMs()) - middle;
  const before = `${(middle - start).toFixed(0)} ms in the ${PATIENCE_MS} ms before`;
  console.log(`  processor time after the caller hung up: ${after.toFixed(0)} ms in ${WATCHED_MS} ms, ${before}`);
}

function formOf(photo: Uint8Array<ArrayBuffer>, data: UploadBody): FormData {
  const body = new FormData();
  body.set("file", new Blob([photo]), "photo.jpg");
  body.set("data", JSON.stringify(data));
  return body;
}

/** @throws Error with the answer when it is no success: a fast failure is no measurement */
async function upload(base: URL, photo: Uint8Array<ArrayBuffer>, data: UploadBody): Promise<void> {
  const headers = { authorization: `Bearer ${DEMO_KEY}` };
  const body = formOf(photo, data);
  const answer = await fetch(new URL("/1.0/upload", base).href, { method: "POST", headers, body });
  const text = await answer.text();
  if (!answer.ok) throw new Error(text);
}
