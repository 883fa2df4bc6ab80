/**
 * Processor time of the running service for what src/docs/figures.ts says a picture takes: `PHOTOS="small.jpg phone.jpg"
 * taskset -c 1 npm run bench -- costs`, a JPEG of about 2.8 megapixels and one of about 12. All threads of the runtime
 * count, from the request to its answer; Linux only.
 */
import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { UploadBody } from "../../src/cli/api-types.ts";
import { DEMO_KEY, startLocal } from "../../src/cli/local.ts";
import { given } from "./given.ts";
import { median } from "./harness.ts";
import { runtimeMs } from "./runtime.ts";

const ROUNDS = 5;

interface Row {
  readonly name: string;
  /** Which of the two photographs. */
  readonly photo: 0 | 1;
  readonly body: UploadBody;
}

const ROWS: readonly Row[] = [
  { name: "thumbnail of 400 pixels", photo: 0, body: { resize: { width: 400 } } },
  { name: "WebP of 1,200 pixels", photo: 0, body: { resize: { width: 1_200 }, output: { format: "webp" } } },
  { name: "optimized only", photo: 0, body: {} },
  { name: "phone, WebP of 1,600 pixels", photo: 1, body: { resize: { width: 1_600 }, output: { format: "webp" } } },
  {
    name: "phone, the same at quality 80",
    photo: 1,
    body: { resize: { width: 1_600 }, output: { format: "webp" }, optimize: { quality: 80 } },
  },
];

export async function main(): Promise<void> {
  const photos = given("PHOTOS").map((path) => readFileSync(path));
  const state = await mkdtemp(join(tmpdir(), "bench-"));
  const service = await startLocal({ host: "127.0.0.1", port: 0, state, variables: {}, quiet: true });
  try {
    const times = new Map(ROWS.map((row) => [row, [] as number[]]));
    // The first round is for the compiler.
    for (let round = 0; round <= ROUNDS; round++) {
      for (const row of ROWS) {
        const photo = photos[row.photo];
        if (!photo) throw new Error("Two photographs are needed");
        const before = await runtimeMs();
        await process(service.url, photo, row.body);
        if (round > 0) times.get(row)?.push((await runtimeMs()) - before);
      }
    }
    for (const [{ name }, all] of times) {
      const shown = all.map((one) => one.toFixed(0)).join(" ");
      console.log(`  ${name.padEnd(30)} ${median(all).toFixed(0).padStart(6)} ms   (${shown})`);
    }
  } finally {
    await service.stop();
    await rm(state, { recursive: true, force: true });
  }
}

/** @throws Error with the answer when it is no success: a fast failure is no measurement */
async function process(url: URL, photo: Uint8Array<ArrayBuffer>, data: UploadBody): Promise<void> {
  const body = new FormData();
  body.set("file", new Blob([photo]), "photo.jpg");
  body.set("data", JSON.stringify(data));
  const headers = { authorization: `Bearer ${DEMO_KEY}` };
  const answer = await fetch(new URL("/1.0/upload", url).href, { method: "POST", headers, body });
  const text = await answer.text();
  if (!answer.ok) throw new Error(text);
}
