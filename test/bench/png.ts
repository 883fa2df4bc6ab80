/**
 * A 24-megapixel PNG to 2000 pixels: read and resize, and write again. `PHOTO=photo.jpg` takes a photograph instead of
 * made-up texture (on Node): mirrored to the size, and filtered as most programs do.
 */
import { readFile } from "node:fs/promises";

import { png } from "../../src/image/formats/png.ts";
import { firstFrame, type Picture } from "../../src/image/pixels/picture.ts";
import { resample } from "../../src/image/steps/resample.ts";
import { UNPAUSED } from "../../src/scheduler/time-slice.ts";
import { nativeMemoryBytes } from "../../wasm/load.ts";
import { drain, pictureOf, rowsOf, sample, scene } from "../support/rows.ts";
import type { Bench, Candidate, Platform } from "./harness.ts";

const SOURCE = { width: 6_000, height: 4_000 };
const RESULT = { width: 2_000, height: 1_333 };
const LOSSLESS = { lossless: true, quality: 100, progressive: false };

/** Texture without regularity, so that it compresses like a photograph. */
async function file(): Promise<Uint8Array> {
  const small = scene(750, 500);
  for (let at = 0; at < small.data.length; at++) {
    if (at % 4 !== 3) small.data[at] = sample(small.data, at) + ((Math.imul(at, 2_654_435_761) >>> 28) & 15);
  }
  const large = await drain(
    resample(rowsOf(small), { box: { x: 0, y: 0, width: 750, height: 500 }, ...SOURCE, kernel: "cubic" }),
  );
  return png.write.encode(pictureOf([large]), { ...LOSSLESS, effort: 0 }, UNPAUSED);
}

function resized(bytes: Uint8Array): Picture {
  const facts = png.read.factsOf(bytes);
  const box = { x: 0, y: 0, ...SOURCE };
  return {
    ...RESULT,
    opaque: true,
    frames: 1,
    loops: 0,
    async *open(timeSlice) {
      for await (const { rows } of png.read.open(bytes, facts, { box, ...RESULT }, timeSlice)) {
        const smaller = resample(rows, { box, ...RESULT, kernel: "lanczos3" });
        try {
          yield { delayMs: 0, rows: smaller };
        } finally {
          smaller.close();
        }
      }
    },
  };
}

function own(bytes: Uint8Array): Candidate[] {
  const write = async (effort: number) => {
    const { length } = await png.write.encode(resized(bytes), { ...LOSSLESS, effort }, UNPAUSED);
    return { bytes: length, memory: nativeMemoryBytes() };
  };
  return [
    { name: "own, read and resize", run: async () => void (await drain(await firstFrame(resized(bytes), UNPAUSED))) },
    { name: "own, all, little effort", run: () => write(0) },
    {
      name: "own, all, usual effort",
      run: () => write(0.5),
      target: { most: 1.2, against: "sharp, all, as it comes" },
    },
  ];
}

async function others(platform: Platform, bytes: Uint8Array): Promise<Candidate[]> {
  if (platform === "workerd") return [];
  const { default: sharp } = await import("sharp");
  sharp.concurrency(1);
  sharp.cache(false);
  const small = () => sharp(bytes).resize({ ...RESULT, fit: "fill" });
  const size = async (work: Promise<Uint8Array>) => ({ bytes: (await work).length });
  return [
    { name: "sharp, read and resize", run: () => small().raw().toBuffer() },
    { name: "sharp, all, as it comes", run: () => size(small().png().toBuffer()) },
    {
      name: "sharp, all, smallest",
      run: () => size(small().png({ compressionLevel: 9, adaptiveFiltering: true }).toBuffer()),
    },
  ];
}

async function photograph(path: string): Promise<Uint8Array> {
  const { default: sharp } = await import("sharp");
  const photo = sharp(await readFile(path), { limitInputPixels: false });
  const { width, height } = await photo.metadata();
  const cut = { left: 0, top: 0, width: Math.min(width, SOURCE.width), height: Math.min(height, SOURCE.height) };
  const right = SOURCE.width - cut.width;
  const bottom = SOURCE.height - cut.height;
  const grown = await photo.extract(cut).extend({ right, bottom, extendWith: "mirror" }).raw().toBuffer();
  return sharp(grown, { raw: { ...SOURCE, channels: 3 } })
    .png({ adaptiveFiltering: true })
    .toBuffer();
}

export const bench: Bench = {
  title: "a 24 MP PNG to 2000 pixels; native memory at most 24 MiB",
  rounds: 5,
  async candidates(platform) {
    const path = platform === "node" && process.env["PHOTO"];
    const bytes = path ? await photograph(path) : await file();
    return [...own(bytes), ...(await others(platform, bytes))];
  },
};
