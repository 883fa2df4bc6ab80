/**
 * What a whole job holds: `PHOTOS="a.jpg" npm run bench -- memory`. The photograph is enlarged to 12, 24, 48 and
 * 100 megapixels, baseline and progressive, and goes through the engine as a request would. Native memory never
 * shrinks, so what is there after a job is its peak; each job starts with none.
 */
import { readFileSync } from "node:fs";

import sharp from "sharp";

import { render } from "../../src/image/render.ts";
import { nativeMemoryBytes, trimNative } from "../../wasm/load.ts";

const SIDES = [
  [4_000, 3_000],
  [6_000, 4_000],
  [8_000, 6_000],
  [11_600, 8_700],
] as const;

const RESIZE = {
  width: 2_000,
  mode: "auto",
  gravity: "center",
  upscale: true,
  background: "ffffff",
  linear: false,
} as const;

export async function main(): Promise<void> {
  for (const path of (process.env["PHOTOS"] ?? "").split(" ").filter(Boolean)) {
    for (const [width, height] of SIDES) {
      for (const progressive of [false, true]) await measure(readFileSync(path), { width, height, progressive });
    }
  }
}

async function measure(photo: Uint8Array, size: { width: number; height: number; progressive: boolean }) {
  const { width, height, progressive } = size;
  const enlarged = sharp(photo, { limitInputPixels: false }).resize(width, height, { fit: "fill" });
  const bytes = new Uint8Array(await enlarged.jpeg({ quality: 90, progressive }).toBuffer());
  const megapixels = Math.round((width * height) / 1e6);
  const kind = `${String(megapixels).padStart(3)} MP ${progressive ? "progressive" : "baseline   "}`;
  await job(`${kind} to 2000 px, quality 80`, bytes, { operations: { resize: RESIZE }, optimize: { quality: 80 } });
  await job(`${kind} to 2000 px, smart`, bytes, { operations: { resize: RESIZE } });
  await job(`${kind} optimized, smart`, bytes, { operations: {} });
  await job(`${kind} optimized, lossless`, bytes, { operations: {}, optimize: { lossless: true } });
}

type Wish = Pick<Parameters<typeof render>[1], "operations"> & { optimize?: { quality?: number; lossless?: boolean } };

async function job(name: string, bytes: Uint8Array, { operations, optimize }: Wish): Promise<void> {
  trimNative(0);
  globalThis.gc?.();
  const before = process.memoryUsage();
  const started = performance.now();
  const order = {
    operations,
    output: undefined,
    optimize: { lossless: false, ...optimize },
    overlays: new Map(),
    accept: undefined,
  };
  try {
    const { output } = await render(bytes, order);
    const elapsed = performance.now() - started;
    const { arrayBuffers } = process.memoryUsage();
    // Input and output are among the array buffers of a request.
    const buffers = bytes.length + Math.max(output.bytes.length, arrayBuffers - before.arrayBuffers);
    const native = nativeMemoryBytes();
    const [nativeMib, bufferMib, sum] = [native, buffers, native + buffers].map((count) =>
      (count / 2 ** 20).toFixed(1),
    );
    console.log(
      `  ${name.padEnd(40)} native ${nativeMib} + buffers ${bufferMib} = ${sum} MiB, ${elapsed.toFixed(0)} ms, ${output.bytes.length} bytes`,
    );
  } catch (error) {
    console.log(`  ${name.padEnd(40)} ${error instanceof Error ? error.message : "failed"}`);
  }
}
