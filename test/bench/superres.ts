/** Super-resolution of a photograph-like megapixel, to 4 megapixels and to 16, beside Lanczos3 to the same sizes. */
import { enlargeStep } from "../../src/image/operations/upscale/enlarge.ts";
import { resample } from "../../src/image/steps/resample.ts";
import { UNPAUSED } from "../../src/scheduler/time-slice.ts";
import { nativeMemoryBytes } from "../../wasm/load.ts";
import { drain, type Pixels, rowsOf, scene } from "../support/rows.ts";
import type { Bench, Candidate } from "./harness.ts";

const SOURCE = { width: 1_200, height: 833 };

function learned(name: string, pixels: Pixels, factor: number, opaque: boolean): Candidate {
  return {
    name,
    async run() {
      await drain(enlargeStep(SOURCE, factor, { opaque }).apply(rowsOf(pixels, opaque), UNPAUSED));
      return { memory: nativeMemoryBytes() };
    },
  };
}

function lanczos(name: string, pixels: Pixels, factor: number): Candidate {
  const box = { x: 0, y: 0, ...SOURCE };
  const result = { width: SOURCE.width * factor, height: SOURCE.height * factor };
  return {
    name,
    async run() {
      await drain(resample(rowsOf(pixels), { box, ...result, kernel: "lanczos3" }));
      return { memory: nativeMemoryBytes() };
    },
  };
}

export const bench: Bench = {
  title: "super-resolution of 1 MP",
  candidates: () => {
    const opaque = scene(SOURCE.width, SOURCE.height);
    const translucent = scene(SOURCE.width, SOURCE.height, false);
    return Promise.resolve([
      learned("2 x, opaque", opaque, 2, true),
      learned("2 x, alpha", translucent, 2, false),
      lanczos("2 x, Lanczos3", opaque, 2),
      learned("3 x, opaque", opaque, 3, true),
      learned("4 x, opaque", opaque, 4, true),
      lanczos("4 x, Lanczos3", opaque, 4),
      learned("8 x, opaque", opaque, 8, true),
    ]);
  },
};
