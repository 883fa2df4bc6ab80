/**
 * Processor time of the running service for what src/docs/figures.ts says a picture takes:
 * `IMAGES=folder taskset -c 1 npm run bench -- costs`, with photographs that nothing was learned from, as JPEG of quality 90.
 * All threads of the runtime count, from the request to its answer, of five requests the middle one, and of these the middle
 * one of the photographs; Linux only.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";

import sharp from "sharp";

import { DEMO_KEY, startLocal } from "../../src/cli/local.ts";
import type { UploadBody } from "../../src/clients/api-types.d.ts";
import { given } from "./given.ts";
import { median } from "./harness.ts";
import { runtimeMs } from "./runtime.ts";
import { upright } from "./search-originals.ts";
import { PHOTOGRAPHS } from "./search-pictures.ts";

const ROUNDS = 5;

/** What photographs are made to, and what they must have for it, in pixels. */
const SIZES = {
  small: { pixels: 2_800_000, least: 2_700_000 },
  phone: { pixels: 12_000_000, least: 10_000_000 },
} as const;

interface Row {
  readonly name: string;
  readonly of: keyof typeof SIZES;
  readonly body: UploadBody;
}

const ROWS: readonly Row[] = [
  { name: "thumbnail of 400 pixels", of: "small", body: { resize: { width: 400 } } },
  { name: "WebP of 1,200 pixels", of: "small", body: { resize: { width: 1_200 }, output: { format: "webp" } } },
  { name: "optimized only", of: "small", body: {} },
  { name: "phone, WebP of 1,600 pixels", of: "phone", body: { resize: { width: 1_600 }, output: { format: "webp" } } },
  {
    name: "phone, the same at quality 80",
    of: "phone",
    body: { resize: { width: 1_600 }, output: { format: "webp" }, optimize: { quality: 80 } },
  },
];

export async function main(): Promise<void> {
  const [folder] = given("IMAGES");
  const state = await mkdtemp(join(tmpdir(), "bench-"));
  const service = await startLocal({ host: "127.0.0.1", port: 0, state, variables: {}, quiet: true });
  try {
    const taken = new Map(ROWS.map((row) => [row, [] as number[]]));
    for (const name of PHOTOGRAPHS) {
      for (const [size, rows] of Map.groupBy(ROWS, (row) => row.of)) {
        const photo = await photoOf(join(folder, name), size);
        if (!photo) continue;
        for (const row of rows) {
          const times: number[] = [];
          // The first round is for the compiler.
          for (let round = 0; round <= ROUNDS; round++) {
            const before = await runtimeMs();
            await process(service.url, photo, row.body);
            if (round > 0) times.push((await runtimeMs()) - before);
          }
          taken.get(row)?.push(median(times));
          console.log(`  ${basename(name).padEnd(36)} ${row.name.padEnd(30)} ${shown(median(times))} ms`);
        }
      }
    }
    console.log("## medians");
    for (const [{ name }, all] of taken) {
      const sorted = all.toSorted((one, other) => one - other).map((ms) => ms.toFixed(0));
      console.log(`  ${name.padEnd(30)} ${shown(median(all))} ms   (${sorted.join(" ")})`);
    }
  } finally {
    await service.stop();
    await rm(state, { recursive: true, force: true });
  }
}

const shown = (ms: number) => ms.toFixed(0).padStart(6);

/** The photograph upright and no larger than that, or nothing when it is smaller. */
async function photoOf(path: string, size: keyof typeof SIZES): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const { pixels, least } = SIZES[size];
  const { width, height } = await sharp(path).metadata();
  if (width * height < least) return undefined;
  const scale = Math.min(1, Math.sqrt(pixels / (width * height)));
  const longer = Math.round(Math.max(width, height) * scale);
  const resized = upright(path).resize({ width: longer, height: longer, fit: "inside" });
  return new Uint8Array(await resized.jpeg({ quality: 90 }).toBuffer());
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
