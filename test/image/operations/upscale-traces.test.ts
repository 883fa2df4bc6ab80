/** Super-resolution of pictures that were never compressed, and of noise. */
import { describe, expect, it } from "vitest";

import { jpeg } from "../../../src/image/formats/jpeg.ts";
import { enlargeStep } from "../../../src/image/operations/upscale/enlarge.ts";
import { pump } from "../../../src/image/steps/effect.ts";
import { resample } from "../../../src/image/steps/resample.ts";
import { UNPAUSED } from "../../../src/scheduler/time-slice.ts";
import { type Network, openDoubling } from "../../../wasm/superres/superres.ts";
import astronautFile from "../../fixtures/superres/astronaut.png";
import cameramanFile from "../../fixtures/superres/cameraman.png";
import lighthouseFile from "../../fixtures/superres/lighthouse.png";
import motocrossFile from "../../fixtures/superres/motocross.png";
import parrotsFile from "../../fixtures/superres/parrots.png";
import { decodeFile } from "../../support/files.ts";
import { applied, type Applied, decoded, pixel } from "../../support/operations.ts";
import { drain, noise, noisy, paint, pictureOf, type Pixels, psnr, rowsOf, sample } from "../../support/rows.ts";

async function enlarged(pixels: Pixels): Promise<Pixels> {
  return applied("upscale", { factor: 2 }, pixels, { opaque: true });
}

async function lossless(pixels: Pixels, situation = {}): Promise<Applied> {
  return applied("upscale", { factor: 2 }, pixels, { opaque: true, lossless: true, ...situation });
}

/** Half the size. */
async function halved(pixels: Pixels): Promise<Pixels> {
  const { width, height } = pixels;
  const half = { width: width / 2, height: height / 2 };
  return drain(resample(rowsOf(pixels), { box: { x: 0, y: 0, width, height }, ...half, kernel: "lanczos3" }));
}

/** Twice the size, by this network in two forms. */
async function doubledBy(network: Network, pixels: Pixels, strength = 1): Promise<Pixels> {
  const { width, height } = pixels;
  const doubling = openDoubling({ width, height, network, twoForms: true, opaque: true, again: false, strength });
  return drain(pump(rowsOf(pixels), doubling, { width: 2 * width, height: 2 * height, opaque: true }));
}

async function byLanczos3(pixels: Pixels): Promise<Pixels> {
  const { width, height } = pixels;
  const twice = { width: 2 * width, height: 2 * height };
  return drain(resample(rowsOf(pixels), { box: { x: 0, y: 0, width, height }, ...twice, kernel: "lanczos3" }));
}

/** Hills and valleys, some steeper than others. */
function blobs(width: number, height: number): Pixels {
  return paint(width, height, (x, y) => {
    const level = Math.round(128 + 60 * Math.sin((x * x) / 90 + y / 7) * Math.sin(y / 11));
    return [level, level, level, 255];
  });
}

/** Nothing but what is smooth. */
function hills(width: number, height: number): Pixels {
  return paint(width, height, (x, y) => {
    const level = Math.round(128 + 60 * Math.sin(x / 40) * Math.sin(y / 30));
    return [level, level, level, 255];
  });
}

describe("a picture whose file lost nothing", () => {
  it("comes nearer to its original than by the network for what was compressed, over five photographs", async () => {
    let gained = 0;
    for (const file of [parrotsFile, motocrossFile, lighthouseFile, astronautFile, cameramanFile]) {
      const original = await decoded(file);
      const small = await halved(original);
      gained += psnr(await doubledBy("clean", small), original) - psnr(await doubledBy("large", small), original);
    }
    expect(gained / 5).toBeGreaterThan(0.1);
  });

  it.each([
    ["parrots", parrotsFile],
    ["motorcycles", motocrossFile],
    ["a fence", lighthouseFile],
  ] as const)("is enlarged by the network that was learned from such pictures: %s", async (_, file) => {
    const pixels = await decoded(file);
    const result = await lossless(pixels);
    const byClean = psnr(result, await doubledBy("clean", pixels));
    expect(byClean).toBeGreaterThan(50);
    expect(byClean).toBeGreaterThan(psnr(result, await doubledBy("large", pixels)) + 5);
  });

  it.each([
    ["parrots", parrotsFile],
    ["a portrait, grainy", astronautFile],
    ["a cameraman, soft", cameramanFile],
  ] as const)("is taken for one that lost something where JPEG compressed it before: %s", async (_, file) => {
    const whole = pictureOf([await halved(await decoded(file))]);
    const settings = { lossless: false, quality: 85, progressive: false, effort: 0 };
    const small = await decodeFile(jpeg, await jpeg.write.encode(whole, settings, UNPAUSED));
    expect((await lossless(small)).data).toEqual((await enlarged(small)).data);
  });

  it("is taken for one that lost something where it is noise, or too small to tell", async () => {
    for (const pixels of [noise(100, 90), noisy(hills(90, 80), 9), blobs(40, 90)])
      expect((await lossless(pixels)).data).toEqual((await enlarged(pixels)).data);
  });

  it("is the same whether rows come one at a time or many, and higher than what is looked at", async () => {
    const pixels = blobs(40, 300);
    const whole = await lossless(pixels);
    expect(whole.data).not.toEqual((await enlarged(pixels)).data);
    for (const [give, ask] of [
      [1, 1],
      [7, 3],
    ] as const) {
      expect((await lossless(pixels, { give, ask })).data).toEqual(whole.data);
    }
  });

  it("may have holes", async () => {
    const grain = noise(80, 70);
    const holes = paint(80, 70, (x, y) => (Math.hypot(x - 40, y - 35) < 30 ? pixel(grain, x, y) : [0, 0, 0, 0]));
    const result = await lossless(holes, { opaque: false });
    expect(result.opaque).toBe(false);
    expect(pixel(result, 2, 2)).toEqual([0, 0, 0, 0]);
    expect(pixel(result, 80, 70)[3]).toBe(255);
  });
});

describe("noise", () => {
  it.each(Object.entries({ parrotsFile, motocrossFile, lighthouseFile, astronautFile, cameramanFile }))(
    "leaves a picture as near to its original as Lanczos3 does: %s",
    async (_, file) => {
      const original = await decoded(file);
      const clean = await halved(original);
      for (const levels of [2, 5, 9, 15]) {
        const small = noisy(clean, levels);
        const usual = psnr(await byLanczos3(small), original);
        for (const make of [lossless, enlarged]) expect(psnr(await make(small), original)).toBeGreaterThan(usual - 0.1);
      }
    },
  );

  it("is what a network makes more of than Lanczos3 does", async () => {
    const original = hills(256, 256);
    const small = noisy(await halved(original), 9);
    const usual = psnr(await byLanczos3(small), original);
    expect(psnr(await doubledBy("large", small), original)).toBeLessThan(usual - 0.5);
    expect(psnr(await enlarged(small), original)).toBeGreaterThan(usual - 0.1);
  });

  it("alone is enlarged by Lanczos3, but for outlines", async () => {
    const grains = noise(100, 90);
    expect(Buffer.compare((await enlarged(grains)).data, (await byLanczos3(grains)).data)).toBe(0);
    const round = paint(100, 90, (x, y) => (Math.hypot(x - 50, y - 45) < 60 ? pixel(grains, x, y) : [0, 0, 0, 0]));
    const plain = paint(100, 90, (x, y) => (pixel(round, x, y)[3] > 0 ? [90, 90, 90, 255] : [0, 0, 0, 0]));
    const alphaOf = ({ data }: Pixels) => data.filter((_, at) => at % 4 === 3);
    const ofRound = await applied("upscale", { factor: 2 }, round, { opaque: false });
    const ofPlain = await applied("upscale", { factor: 2 }, plain, { opaque: false });
    expect(Buffer.compare(alphaOf(ofRound), alphaOf(ofPlain))).toBe(0);
  });

  it("may leave a share of what the network makes", async () => {
    const pixels = blobs(50, 40);
    const none = await doubledBy("large", pixels, 0);
    const half = await doubledBy("large", pixels, 0.5);
    const all = await doubledBy("large", pixels, 1);
    const off = half.data.map((level, at) => Math.abs(level - (sample(none.data, at) + sample(all.data, at)) / 2));
    expect(Math.max(...off)).toBeLessThanOrEqual(1);
    expect(psnr(none, all)).toBeLessThan(50);
  });

  it("is looked for in stills, which costs little", () => {
    const size = { width: 1_000, height: 500 };
    const still = enlargeStep(size, 2, { opaque: true }).estimate;
    const frame = enlargeStep(size, 2, { frames: 2, opaque: true }).estimate;
    expect(enlargeStep(size, 2, { opaque: true, lossless: true }).estimate).toEqual(still);
    expect(enlargeStep(size, 2, { frames: 2, opaque: true, lossless: true }).estimate).toEqual(frame);
    const looking = 1_000 * 256 * 5;
    expect(still.bytes).toBeGreaterThan(looking);
    expect(enlargeStep({ width: 64, height: 63 }, 2, { opaque: true }).estimate.bytes).toBeLessThan(looking);
  });
});
