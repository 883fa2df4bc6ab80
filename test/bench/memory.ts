/**
 * What whole jobs hold: `PHOTOS=a.jpg npm run bench -- memory`. Photographs of 12 to 101 megapixels go through the engine
 * as requests would. Native memory never shrinks, so what is there after a job is its peak; each job starts with none.
 */
import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { ROOT } from "../../src/cli/wrangler.ts";
import { png } from "../../src/image/formats/png.ts";
import { render } from "../../src/image/render.ts";
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

type Wish = Pick<Parameters<typeof render>[1], "operations"> & { optimize?: { quality?: number; lossless?: boolean } };

const SMALLER: Wish = { operations: { resize: RESIZE }, optimize: { quality: 80 } };
const SMALLER_SMART: Wish = { operations: { resize: RESIZE } };
const SMART: Wish = { operations: {} };
const LOSSLESS: Wish = { operations: {}, optimize: { lossless: true } };

/** MiB that jobs to 2000 pixels and jobs without a resize may hold; absent: no target. */
const TARGETS: Readonly<Record<Kind, { readonly [Size in Megapixels]?: readonly [smaller?: number, kept?: number] }>> =
  {
    baseline: { 12: [32], 24: [32, 100], 48: [32], 101: [32] },
    progressive: { 12: [], 24: [48, 100], 48: [], 101: [72] },
  };

export async function main(): Promise<void> {
  await preparePhotos();
  for (const kind of ["baseline", "progressive"] as const) {
    for (const megapixels of [12, 24, 48, 101] as const) {
      const bytes = await photo(megapixels, kind);
      const [smaller, kept] = TARGETS[kind][megapixels] ?? [];
      const name = `${String(megapixels).padStart(3)} MP ${kind.padEnd(11)}`;
      await job(`${name} to 2000 px, quality 80`, bytes, SMALLER, smaller);
      await job(`${name} to 2000 px, smart`, bytes, SMALLER_SMART, smaller);
      await job(`${name} optimized, smart`, bytes, SMART, kept);
      await job(`${name} optimized, lossless`, bytes, LOSSLESS, kept);
    }
  }
  const settings = { lossless: true, quality: 100, progressive: false, effort: 0 };
  const drawing = png.encode(pictureOf([scene(6_000, 4_000)]), settings);
  await job(" 24 MP PNG to 2000 px", drawing, SMALLER, 24);
  await together(8);
}

async function photo(megapixels: Megapixels, kind: Kind): Promise<Uint8Array> {
  return new Uint8Array(await readFile(join(ROOT, photoPath(megapixels, kind))));
}

async function job(name: string, bytes: Uint8Array, wish: Wish, target?: number): Promise<void> {
  await measured(name, bytes.length, target, () => rendered(bytes, wish));
}

/** Uploads that arrive in one isolate at once; their originals are all held. */
async function together(count: number): Promise<void> {
  const uploads = await Promise.all(Array.from({ length: count }, () => photo(24, "baseline")));
  const inputBytes = uploads.reduce((sum, bytes) => sum + bytes.length, 0);
  await measured(`  ${count} x 24 MP baseline at once to 2000 px`, inputBytes, 110, async () => {
    const results = await Promise.all(uploads.map((bytes) => rendered(bytes, SMALLER)));
    return results.reduce((sum, bytes) => sum + bytes, 0);
  });
}

/** Bytes of the result. */
async function rendered(bytes: Uint8Array, { operations, optimize }: Wish): Promise<number> {
  const rest = { output: undefined, overlays: new Map<string, Uint8Array>(), accept: undefined };
  const { output } = await render(bytes, { operations, optimize: { lossless: false, ...optimize }, ...rest });
  return output.bytes.length;
}

async function measured(name: string, inputBytes: number, target: number | undefined, work: () => Promise<number>) {
  trimNative(0);
  globalThis.gc?.();
  const before = process.memoryUsage().arrayBuffers;
  const started = performance.now();
  try {
    const resultBytes = await work();
    const elapsed = performance.now() - started;
    // Input and output are among the array buffers of a request.
    const buffers = inputBytes + Math.max(resultBytes, process.memoryUsage().arrayBuffers - before);
    const native = nativeMemoryBytes();
    const [nativeMib, bufferMib, sum] = [native, buffers, native + buffers].map((bytes) => bytes / 2 ** 20);
    const verdict = target === undefined ? "" : ` (wanted ≤ ${target}${(sum ?? 0) <= target ? "" : ", MISSED"})`;
    console.log(
      `  ${name.padEnd(42)} native ${nativeMib?.toFixed(1)} + buffers ${bufferMib?.toFixed(1)} = ${sum?.toFixed(1)} MiB${verdict}, ${elapsed.toFixed(0)} ms, ${resultBytes} bytes`,
    );
  } catch (error) {
    console.log(`  ${name.padEnd(42)} ${error instanceof Error ? error.message : "failed"}`);
  }
}
