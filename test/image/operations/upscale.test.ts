/** Super-resolution. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { jpeg } from "../../../src/image/formats/jpeg.ts";
import { enlargeStep } from "../../../src/image/operations/upscale/enlarge.ts";
import { pump } from "../../../src/image/steps/effect.ts";
import { resample } from "../../../src/image/steps/resample.ts";
import { UNPAUSED } from "../../../src/scheduler/time-slice.ts";
import { nativeStatistics } from "../../../wasm/load.ts";
import cleanWeights from "../../../wasm/superres/network-clean.bin";
import smallWeights from "../../../wasm/superres/network-small.bin";
import weights from "../../../wasm/superres/network.bin";
import { openDoubling } from "../../../wasm/superres/superres.ts";
import astronautFile from "../../fixtures/superres/astronaut.png";
import cameramanFile from "../../fixtures/superres/cameraman.png";
import lighthouseFile from "../../fixtures/superres/lighthouse.png";
import motocrossFile from "../../fixtures/superres/motocross.png";
import smallFile from "../../fixtures/superres/parrots-2.png";
import smallerFile from "../../fixtures/superres/parrots-4.png";
import largeFile from "../../fixtures/superres/parrots.png";
import { decodeFile } from "../../support/files.ts";
import { doubledByNetwork, LARGE, SMALL } from "../../support/network.ts";
import { applied, decoded, flat, pixel } from "../../support/operations.ts";
import { drain, noise, paint, pictureOf, type Pixels, psnr, rowsOf, sample, scene } from "../../support/rows.ts";

async function enlarged(pixels: Pixels, factor: number, opaque = true): Promise<Pixels> {
  return applied("upscale", { factor }, pixels, { opaque });
}

async function resampled(pixels: Pixels, width: number, height: number, opaque = true): Promise<Pixels> {
  const box = { x: 0, y: 0, width: pixels.width, height: pixels.height };
  return drain(resample(rowsOf(pixels, opaque), { box, width, height, kernel: "lanczos3" }));
}

function mirrored(pixels: Pixels): Pixels {
  const { width, height } = pixels;
  return paint(width, height, (x, y) => pixel(pixels, width - 1 - x, y));
}

function transposed(pixels: Pixels): Pixels {
  return paint(pixels.height, pixels.width, (x, y) => pixel(pixels, y, x));
}

/** How far red leaves the range between two levels. */
function overshoot({ data }: Pixels, low: number, high: number): number {
  let most = 0;
  for (let at = 0; at < data.length; at += 4) most = Math.max(most, low - sample(data, at), sample(data, at) - high);
  return most;
}

describe("super-resolution", () => {
  it.each([2, 3, 4, 5, 6, 7, 8])("makes exactly %d times the size", async (factor) => {
    for (const [width, height] of [
      [1, 1],
      [1, 9],
      [5, 1],
      [7, 5],
      [16, 3],
    ] as const) {
      const result = await enlarged(noise(width, height), factor);
      expect([result.width, result.height]).toEqual([width * factor, height * factor]);
    }
  });

  it("says the rule that a factor breaks", async () => {
    for (const factor of [0, -2, 1.5, "x"]) {
      await expect(enlarged(noise(2, 2), factor as number)).rejects.toThrow("must be a positive integer");
    }
    await expect(enlarged(noise(2, 2), 9)).rejects.toThrow("must be at most 8");
  });

  it("adds as much to the left as to the right, and above as below", async () => {
    // What differs is where two filters are as good as each other: a direction that lies between two.
    for (const factor of [2, 4]) {
      const pixels = scene(61, 47);
      const result = await enlarged(pixels, factor);
      expect(psnr(mirrored(await enlarged(mirrored(pixels), factor)), result)).toBeGreaterThan(45);
      expect(psnr(transposed(await enlarged(transposed(pixels), factor)), result)).toBeGreaterThan(45);
    }
  });

  it("leaves everything where it is: reduced again, it is the picture", async () => {
    for (const factor of [2, 3, 4, 8]) {
      const small = await decoded(smallerFile);
      const again = await resampled(await enlarged(small, factor), small.width, small.height);
      expect(psnr(again, small)).toBeGreaterThan(34);
      const moved = paint(small.width, small.height, (x, y) => pixel(small, Math.max(0, x - 1), y));
      expect(psnr(again, moved)).toBeLessThan(30);
    }
  });

  it("has no halo: nothing is much darker or brighter than what is around it", async () => {
    const edge = paint(40, 40, (x, y) => (3 * x + y < 70 ? [60, 60, 60, 255] : [200, 180, 160, 255]));
    for (const factor of [2, 4]) {
      const learned = overshoot(await enlarged(edge, factor), 60, 200);
      expect(learned).toBeLessThanOrEqual(10);
      expect(learned).toBeLessThan(overshoot(await resampled(edge, 40 * factor, 40 * factor), 60, 200) * 0.7);
    }
  });

  it("keeps one color", async () => {
    const level = fc.integer({ min: 0, max: 255 });
    const check = fc.asyncProperty(
      level,
      level,
      level,
      fc.integer({ min: 2, max: 8 }),
      async (red, green, blue, factor) => {
        const color = [red, green, blue, 255] as const;
        expect((await enlarged(flat(9, 6, color), factor)).data).toEqual(flat(9 * factor, 6 * factor, color).data);
        const [r, g, b, a] = pixel(await enlarged(flat(5, 5, [red, green, blue, 128]), factor, false), 7, 9);
        expect(a).toBe(128);
        expect(Math.max(Math.abs(r - red), Math.abs(g - green), Math.abs(b - blue))).toBeLessThanOrEqual(1);
      },
    );
    await fc.assert(check, { numRuns: 20 });
  });

  it("keeps gray gray", async () => {
    const gray = paint(30, 20, (x, y) => {
      const level = (x * 37 + y * 91) % 256;
      return [level, level, level, 255];
    });
    const { data } = await enlarged(gray, 4);
    for (let at = 0; at < data.length; at += 4) {
      expect(sample(data, at + 1)).toBe(sample(data, at));
      expect(sample(data, at + 2)).toBe(sample(data, at));
    }
  });
});

describe("the networks", () => {
  /** Red, which is what all colors of a gray picture are. */
  const levelsOf = ({ data }: Pixels) => data.filter((_, at) => at % 4 === 0);

  it.each([
    [1, 1],
    [2, 9],
    [13, 1],
    [24, 19],
  ])("make what they are defined to make, bit for bit: %d x %d", async (width, height) => {
    const grain = noise(width, height);
    const subjects = {
      noise: (x: number, y: number) => pixel(grain, x, y)[0],
      edges: (x: number, y: number) => (Math.hypot(x - width / 2, y - height / 3) < 7 ? 0 : 255),
      "a line on what is flat": (x: number, y: number) => (y === 15 || x === 11 ? 90 : 130),
      "what rises": (x: number, y: number) => (x * 5 + y * 3) % 256,
    };
    for (const [name, level] of Object.entries(subjects)) {
      const pixels = paint(width, height, (x, y) => [level(x, y), level(x, y), level(x, y), 255]);
      const gray = { width, height, levels: [...levelsOf(pixels)] };
      const extent = { width: 2 * width, height: 2 * height, opaque: true };
      const defined = {
        large: doubledByNetwork(weights, LARGE, gray),
        clean: doubledByNetwork(cleanWeights, LARGE, gray),
        small: doubledByNetwork(smallWeights, SMALL, gray),
      };
      for (const twoForms of [false, true]) {
        for (const network of ["large", "clean", "small"] as const) {
          const doubling = openDoubling({ width, height, network, twoForms, opaque: true, again: false });
          const made = levelsOf(await drain(pump(rowsOf(pixels), doubling, extent)));
          expect(made, name).toEqual(defined[network][twoForms ? "both" : "one"]);
        }
      }
      expect(levelsOf(await enlarged(pixels, 2)), name).toEqual(defined.large.both);
    }
  });

  it("add nothing to what is flat, beside what is not", async () => {
    const half = paint(60, 40, (x, y) => (x < 30 ? [120, 90, 60, 255] : pixel(noise(60, 40), x, y)));
    const result = await enlarged(half, 2);
    for (let y = 0; y < 80; y++) for (let x = 0; x < 44; x++) expect(pixel(result, x, y)).toEqual([120, 90, 60, 255]);
  });

  it("make the same whether rows are asked for one at a time or many", async () => {
    const pixels = scene(70, 45);
    const whole = await enlarged(pixels, 2);
    for (const [give, ask] of [
      [1, 1],
      [7, 3],
      [45, 90],
    ] as const) {
      expect((await applied("upscale", { factor: 2 }, pixels, { opaque: true, give, ask })).data).toEqual(whole.data);
    }
  });

  it("leave large pictures to what costs less: one form, the small network, and then the resampler", () => {
    const msOf = (height: number, factor = 2) =>
      enlargeStep({ width: 4_000, height }, factor, { opaque: true }).estimate.ms;
    expect(msOf(138)).toBeLessThan(msOf(137) * 0.52);
    expect(msOf(276)).toBeLessThan(msOf(275) / 2);
    expect(msOf(501)).toBeLessThan(msOf(500) * 0.55);
    expect(msOf(1_001)).toBeLessThan(msOf(1_000) / 10);
    expect(msOf(101, 4)).toBeLessThan(msOf(100, 4) * 0.75);
  });

  it("take no longer than five seconds, whatever the picture", () => {
    for (let height = 1; height < 1_100; height++)
      for (const factor of [2, 4])
        expect(enlargeStep({ width: 4_000, height }, factor, { opaque: true }).estimate.ms).toBeLessThan(5_000);
  });
});

describe("alpha", () => {
  it("does not change an opaque picture", async () => {
    const check = fc.asyncProperty(
      fc.integer({ min: 1, max: 30 }),
      fc.integer({ min: 1, max: 30 }),
      async (width, height) => {
        const pixels = scene(width, height);
        expect((await enlarged(pixels, 2, false)).data).toEqual((await enlarged(pixels, 2)).data);
      },
    );
    await fc.assert(check, { numRuns: 10 });
  });

  it("keeps colors of hidden pixels out", async () => {
    const disc = paint(24, 24, (x, y) => (Math.hypot(x - 11.5, y - 11.5) < 8 ? [250, 200, 20, 255] : [0, 0, 255, 0]));
    const result = await enlarged(disc, 4, false);
    let sum = 0;
    for (let at = 0; at < result.data.length; at += 4) {
      const alpha = sample(result.data, at + 3);
      sum += alpha / 255;
      if (alpha < 16) continue;
      expect(Math.abs(sample(result.data, at) - 250)).toBeLessThanOrEqual(5 + 255 / alpha);
      expect(sample(result.data, at + 2)).toBeLessThanOrEqual(24 + 255 / alpha);
    }
    // The area of the disc, sixteen times.
    expect(sum / 16).toBeCloseTo(areaOf(disc), -1);
  });

  it.each([2, 4])("has outlines nearer to those of the original than Lanczos3 makes them: %d times", async (factor) => {
    // A disc whose edge is one pixel wide.
    const original = paint(128, 128, (x, y) => [
      90,
      40,
      160,
      Math.round(255 * within(50 - Math.hypot(x - 63, y - 61))),
    ]);
    const small = await resampled(original, 128 / factor, 128 / factor, false);
    const learned = psnr(alphaOf(await enlarged(small, factor, false)), alphaOf(original));
    expect(learned).toBeGreaterThan(psnr(alphaOf(await resampled(small, 128, 128, false)), alphaOf(original)) + 3);
  });
});

function within(share: number): number {
  return Math.min(1, Math.max(0, share));
}

/** Alpha as a gray picture. */
function alphaOf(pixels: Pixels): Pixels {
  const { width, height } = pixels;
  return paint(width, height, (x, y) => {
    const alpha = pixel(pixels, x, y)[3];
    return [alpha, alpha, alpha, 255];
  });
}

function areaOf({ data }: Pixels): number {
  let sum = 0;
  for (let at = 3; at < data.length; at += 4) sum += sample(data, at) / 255;
  return sum;
}

describe("photographs that nothing was learned from", () => {
  it.each([
    [2, smallFile, 0.7],
    [4, smallerFile, 0.4],
  ] as const)("come closer to the original than by Lanczos3, by decibels: %d times", async (factor, file, margin) => {
    const original = await decoded(largeFile);
    const small = await decoded(file);
    const learned = psnr(await enlarged(small, factor), original);
    const usual = psnr(await resampled(small, original.width, original.height), original);
    expect(learned).toBeGreaterThan(usual + margin);
  });

  it.each([
    ["parrots", largeFile, 1],
    ["motorcycles", motocrossFile, 1],
    ["a fence", lighthouseFile, 0.5],
    ["a portrait, grainy", astronautFile, 0.4],
    ["a cameraman, soft", cameramanFile, 0.5],
  ] as const)("do so when our resampler reduced them: %s", async (_, file, margin) => {
    const original = await decoded(file);
    const { width, height } = original;
    const small = await resampled(original, width / 2, height / 2);
    const usual = psnr(await resampled(small, width, height), original);
    expect(psnr(await enlarged(small, 2), original)).toBeGreaterThan(usual + margin);
  });
});

describe("a picture that JPEG compressed", () => {
  it.each([
    ["motorcycles", motocrossFile, 0.5],
    ["a fence", lighthouseFile, 0.2],
    ["a portrait, grainy", astronautFile, 0.1],
    ["a cameraman, soft", cameramanFile, 0.2],
  ] as const)("is nearer to its original than Lanczos3 brings it: %s", async (_, file, margin) => {
    const original = await decoded(file);
    const { width, height } = original;
    const whole = pictureOf([await resampled(original, width / 2, height / 2)]);
    const settings = { lossless: false, quality: 90, progressive: false, effort: 0 };
    const small = await decodeFile(jpeg, await jpeg.write.encode(whole, settings, UNPAUSED));
    const usual = psnr(await resampled(small, width, height), original);
    expect(psnr(await enlarged(small, 2), original)).toBeGreaterThan(usual + margin);
  });
});

describe("memory", () => {
  const superres = () => nativeStatistics().find(({ name }) => name === "superres")?.memoryBytes ?? 0;

  it("is what is declared, however high the picture is", async () => {
    const wide = flat(8_000, 40, [1, 2, 3, 255]);
    const step = enlargeStep(wide, 4, { opaque: true });
    await drain(step.apply(rowsOf(wide), UNPAUSED));
    const low = superres();
    // The files of the networks, their weights in both forms, twice as large, and what a fresh instance has besides.
    const weightBytes = 5 * (smallWeights.byteLength + weights.byteLength + cleanWeights.byteLength);
    expect(low).toBeLessThan(step.estimate.bytes + weightBytes + (3 << 17));
    const high = { width: 8_000, height: 200, data: new Uint8Array(8_000 * 200 * 4).fill(255) };
    const rows = enlargeStep(high, 4, { opaque: true }).apply(rowsOf(high), UNPAUSED);
    for (let band = await rows.read(16); band; band = await rows.read(16)) expect(band.length).toBeGreaterThan(0);
    rows.close();
    expect(superres()).toBeLessThanOrEqual(low);
  });
});
