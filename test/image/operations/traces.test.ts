/** Traces of compression and noise. */
import { describe, expect, it } from "vitest";

import { jpeg } from "../../../src/image/formats/jpeg.ts";
import { tracesOf } from "../../../src/image/operations/upscale/traces.ts";
import { UNPAUSED } from "../../../src/scheduler/time-slice.ts";
import astronautFile from "../../fixtures/superres/astronaut.png";
import cameramanFile from "../../fixtures/superres/cameraman.png";
import lighthouseFile from "../../fixtures/superres/lighthouse.png";
import motocrossFile from "../../fixtures/superres/motocross.png";
import parrotsFile from "../../fixtures/superres/parrots.png";
import { decodeFile } from "../../support/files.ts";
import { decoded, flat, pixel } from "../../support/operations.ts";
import { noise, noisy, paint, pictureOf, type Pixels } from "../../support/rows.ts";

const FILES = {
  astronaut: astronautFile,
  cameraman: cameramanFile,
  lighthouse: lighthouseFile,
  motocross: motocrossFile,
  parrots: parrotsFile,
};

async function compressed(pixels: Pixels, quality: number): Promise<Pixels> {
  const settings = { lossless: false, quality, progressive: false, effort: 0 };
  return decodeFile(jpeg, await jpeg.write.encode(pictureOf([pixels]), settings, UNPAUSED));
}

/** What is left without so many columns at the left and rows at the top. */
function cut(pixels: Pixels, columns: number, rows: number): Pixels {
  return paint(pixels.width - columns, pixels.height - rows, (x, y) => pixel(pixels, x + columns, y + rows));
}

const contrast = (pixels: Pixels) => tracesOf(pixels.data, pixels).blocks;
const noiseOf = (pixels: Pixels) => tracesOf(pixels.data, pixels).noise;

describe("how much the edges of blocks stand out", () => {
  it.each(Object.entries(FILES))(
    "is little in a picture that was not compressed, and more after JPEG: %s",
    async (_, file) => {
      const original = await decoded(file);
      expect(contrast(original)).toBeLessThan(0.06);
      for (const quality of [90, 75, 50]) {
        const coded = await compressed(original, quality);
        expect(contrast(coded)).toBeGreaterThan(0.06);
        expect(contrast(cut(coded, 3, 5))).toBeGreaterThan(0.06);
      }
    },
  );

  it("is nothing where there is nothing to be seen", () => {
    expect(contrast(flat(40, 30, [10, 20, 30, 255]))).toBe(0);
    expect(contrast(flat(1, 1, [10, 20, 30, 255]))).toBe(0);
  });

  it("is what steps on a grid of eight pixels make, and no others", () => {
    const grain = noise(256, 256);
    const stepped = (apart: number) =>
      paint(256, 256, (x, y) => {
        const level = 100 + (pixel(grain, x, y)[0] % 8) + 6 * (Math.floor(x / apart) % 2);
        return [level, level, level, 255];
      });
    expect(contrast(stepped(8))).toBeGreaterThan(0.15);
    expect(contrast(stepped(7))).toBeLessThan(0.1);
  });
});

describe("how much noise there is", () => {
  it.each(Object.entries(FILES))("is little in a photograph, and more with noise in it: %s", async (_, file) => {
    const original = await decoded(file);
    let before = noiseOf(original);
    expect(before).toBeLessThan(0.04);
    for (const levels of [4, 8, 16]) {
      const more = noiseOf(noisy(original, levels));
      expect(more).toBeGreaterThan(1.5 * before);
      before = more;
    }
  });

  it("is all where there is nothing else, and none where all is smooth", () => {
    expect(noiseOf(noise(200, 200))).toBeGreaterThan(0.6);
    for (const smooth of [
      flat(40, 30, [10, 20, 30, 255]),
      flat(9, 99, [10, 20, 30, 255]),
      paint(64, 64, (x, y) => [x + y, x + y, x + y, 255]),
    ])
      expect(noiseOf(smooth)).toBe(0);
  });

  it("is the share that noise has of the squares of differences", () => {
    const grains = noise(256, 256);
    const grain = (x: number, y: number) => (pixel(grains, x, y)[0] % 21) - 10;
    const steps = paint(256, 256, (x, y) => {
      const level = 128 + grain(x, y) + (x % 64 === 0 ? 60 : 0);
      return [level, level, level, 255];
    });
    // Squares of differences across and down: four times the variance of the noise, and two steps of 60 levels in 64 pixels.
    const ofNoise = (4 * (21 ** 2 - 1)) / 12;
    const ofSteps = (2 * 60 ** 2) / 64;
    // The quietest squares have less noise than the mean.
    expect(noiseOf(steps)).toBeGreaterThan((0.6 * ofNoise) / (ofNoise + ofSteps));
    expect(noiseOf(steps)).toBeLessThan(ofNoise / (ofNoise + ofSteps));
  });
});
