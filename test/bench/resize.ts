/** Lanczos3 from 12 megapixels to 1200 and to 300 pixels: opaque, and with alpha filtered premultiplied. */
import type { Size } from "../../src/image/pixels/geometry.ts";
import { resample } from "../../src/image/steps/resample.ts";
import { nativeMemoryBytes } from "../../wasm/load.ts";
import { drain, type Pixels, rowsOf, scene } from "../support/rows.ts";
import type { Bench, Candidate, Platform } from "./harness.ts";

const SOURCE = { width: 4_000, height: 3_000 };
const MEDIUM = { width: 1_200, height: 900 };
/** So much smaller that blocks are averaged before they are filtered. */
const SMALL = { width: 300, height: 225 };

function own(name: string, pixels: Pixels, opaque: boolean, result: Size, target: Candidate["target"]): Candidate {
  const box = { x: 0, y: 0, ...SOURCE };
  return {
    name,
    ...(target && { target }),
    async run() {
      await drain(resample(rowsOf(pixels, opaque), { box, ...result, kernel: "lanczos3" }));
      return { memory: nativeMemoryBytes() };
    },
  };
}

async function others(platform: Platform, opaque: Pixels, translucent: Pixels, result: Size): Promise<Candidate[]> {
  if (platform === "workerd") return [];
  const { default: sharp } = await import("sharp");
  sharp.concurrency(1);
  sharp.cache(false);
  const by = (name: string, { data }: Pixels, channels: 3 | 4): Candidate => {
    const bytes = channels === 4 ? data : data.filter((_, index) => index % 4 !== 3);
    const input = { raw: { ...SOURCE, channels } };
    return {
      name,
      run: () =>
        sharp(bytes, input)
          .resize({ ...result, fit: "fill" })
          .raw()
          .toBuffer(),
    };
  };
  return [by("sharp, RGB", opaque, 3), by("sharp, RGBA", translucent, 4)];
}

async function candidates(platform: Platform, result: Size): Promise<Candidate[]> {
  const opaque = scene(SOURCE.width, SOURCE.height);
  const translucent = scene(SOURCE.width, SOURCE.height, false);
  return [
    own("own, opaque", opaque, true, result, { most: 1, against: "sharp, RGB" }),
    own("own, alpha", translucent, false, result, { most: 0.5, against: "sharp, RGBA" }),
    ...(await others(platform, opaque, translucent, result)),
  ];
}

export const benches: readonly Bench[] = [
  {
    title: "Lanczos3, 12 MP to 1200 pixels; wanted with alpha: at most half of sharp, RGBA",
    candidates: (platform) => candidates(platform, MEDIUM),
  },
  {
    title: "Lanczos3, 12 MP to 300 pixels",
    candidates: (platform) => candidates(platform, SMALL),
  },
];
