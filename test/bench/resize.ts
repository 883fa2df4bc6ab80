/** Lanczos3 from 12 megapixels to 1200 pixels: opaque, and with alpha filtered premultiplied. */
import { resample } from "../../src/image/resample.ts";
import { nativeMemoryBytes } from "../../wasm/load.ts";
import { drain, type Pixels, rowsOf, scene } from "../support/rows.ts";
import type { Bench, Candidate, Platform } from "./harness.ts";

const SOURCE = { width: 4_000, height: 3_000 };
const RESULT = { width: 1_200, height: 900 };

function own(name: string, pixels: Pixels, opaque: boolean, target: Candidate["target"]): Candidate {
  const box = { x: 0, y: 0, ...SOURCE };
  return {
    name,
    ...(target && { target }),
    async run() {
      await drain(resample(rowsOf(pixels, opaque), { box, ...RESULT, kernel: "lanczos3" }));
      return { memory: nativeMemoryBytes() };
    },
  };
}

async function others(platform: Platform, opaque: Pixels, translucent: Pixels): Promise<Candidate[]> {
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
          .resize({ ...RESULT, fit: "fill" })
          .raw()
          .toBuffer(),
    };
  };
  return [by("sharp, RGB", opaque, 3), by("sharp, RGBA", translucent, 4)];
}

export const bench: Bench = {
  title: "Lanczos3, 12 MP to 1200 pixels; wanted with alpha: at most half of sharp, RGBA",
  async candidates(platform) {
    const opaque = scene(SOURCE.width, SOURCE.height);
    const translucent = scene(SOURCE.width, SOURCE.height, false);
    return [
      own("own, opaque", opaque, true, { most: 1, against: "sharp, RGB" }),
      own("own, alpha", translucent, false, { most: 0.5, against: "sharp, RGBA" }),
      ...(await others(platform, opaque, translucent)),
    ];
  },
};
