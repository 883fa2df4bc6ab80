/** Writing PNG files with loss: fewer colors, or samples that are moved. */
import { describe, expect, it } from "vitest";

import type { EncodeSettings } from "../../../../src/image/codec/writer.ts";
import { png } from "../../../../src/image/formats/png.ts";
import { judgeRows } from "../../../../src/image/search/score.ts";
import { UNPAUSED } from "../../../../src/scheduler/time-slice.ts";
import source from "../../../fixtures/resample/source.png";
import { rendered } from "../../../support/render.ts";
import { drain, noise, paint, pictureOf, type Pixels, psnr, rowsOf } from "../../../support/rows.ts";

const LOSSY: EncodeSettings = { lossless: false, quality: 80, progressive: false, effort: 0.3 };
const LOSSLESS: EncodeSettings = { ...LOSSY, lossless: true };

/** The frames of a file. */
async function decoded(bytes: Uint8Array): Promise<[Pixels, ...Pixels[]]> {
  const facts = png.read.factsOf(bytes);
  const { width, height } = facts;
  const demand = { box: { x: 0, y: 0, width, height }, width, height };
  const frames: Pixels[] = [];
  for await (const { rows } of png.read.open(bytes, facts, demand, UNPAUSED)) frames.push(await drain(rows));
  return frames as [Pixels, ...Pixels[]];
}

/** A slope over every channel, with alpha. */
const slope = paint(96, 64, (x, y) => [
  x * 2 + (scattered(x, y) & 7),
  y * 3 + (scattered(y, x) & 7),
  255 - x,
  255 - ((x * y) >> 5),
]);

function scattered(x: number, y: number): number {
  let hash = Math.imul(x * 1_103 + y * 40_503 + 17, 2_654_435_761);
  hash = Math.imul(hash ^ (hash >>> 15), 2_246_822_519);
  return (hash ^ (hash >>> 13)) >>> 4;
}

/** Points that anything soft has at a quality of 50: moved samples make rings of 50. */
const LEAST_POINTS = 60;

/** A shape without sharp edges. */
function blurred(by: number, shape: string): string {
  return `<filter id="f" x="-50%" y="-50%" width="200%" height="200%"><feGaussianBlur stdDeviation="${by}"/></filter><g filter="url(#f)">${shape}</g>`;
}

describe("lossy PNG", () => {
  it("keeps all colors where few would not do, and moves samples by no more than the quality allows", async () => {
    const pixels = noise(70, 50, false);
    for (const [quality, tolerance] of [
      // Steps of 3, 6, 11 and 20 levels: half of one, and of those from 5 on six tenths of that besides, which are passed on.
      [99, 1],
      [90, 5],
      [80, 9],
      [60, 16],
    ] as const) {
      const bytes = await png.write.encode(pictureOf([pixels], { opaque: false }), { ...LOSSY, quality }, UNPAUSED);
      expect(png.read.factsOf(bytes).colorspace).toBe("RGB");
      const { data } = (await decoded(bytes))[0];
      for (const [at, level] of data.entries()) {
        const before = pixels.data[at] ?? 0;
        if (at % 4 === 3) expect(level).toBe(before);
        else if (data[at | 3]) expect(Math.abs(level - before)).toBeLessThanOrEqual(tolerance);
      }
      expect(data).not.toEqual(pixels.data);
    }
  });

  it.each([
    // Without passing errors on the means of such places are 2.5, 4.5 and 7.5 levels off.
    [90, 0.8],
    [80, 1.5],
    [70, 3],
  ])("leaves soft places their levels at quality %i: errors do not stay on one side", async (quality, levels) => {
    // A slope of 30 levels over 240 pixels, gentler than steps of 6, 11 and 17 levels.
    const pixels = paint(240, 64, (x, y) => {
      const level = 200 + Math.round(x / 8) + (scattered(x, y) % 5) - 2;
      return [level, level, level, 255];
    });
    const bytes = await png.write.encode(pictureOf([pixels]), { ...LOSSY, quality, loss: "levels" }, UNPAUSED);
    const { data } = (await decoded(bytes))[0];
    let most = 0;
    for (let top = 16; top < 64; top += 8) {
      for (let left = 16; left < 240; left += 8) {
        let sum = 0;
        for (let y = top; y < top + 8; y++) {
          for (let x = left; x < left + 8; x++) {
            const at = (y * 240 + x) * 4;
            sum += (data[at] ?? 0) - (pixels.data[at] ?? 0);
          }
        }
        most = Math.max(most, Math.abs(sum / 64));
      }
    }
    expect(most).toBeLessThan(levels);
  });

  it("takes far fewer bytes for grain that nobody sees", async () => {
    const grain = noise(300, 200).data;
    const photograph = paint(300, 200, (x, y) => {
      const at = (y * 300 + x) * 4;
      const level = 60 + (x >> 2) + (y >> 2);
      return [level + ((grain[at] ?? 0) & 7), level + ((grain[at + 1] ?? 0) & 7), (grain[at + 2] ?? 0) & 255, 255];
    });
    const exact = (await png.write.encode(pictureOf([photograph]), LOSSLESS, UNPAUSED)).length;
    expect((await png.write.encode(pictureOf([photograph]), { ...LOSSY, quality: 95 }, UNPAUSED)).length).toBeLessThan(
      exact * 0.75,
    );
  });

  it("has no more colors in an animation than its quality allows", async () => {
    for (const [quality, most] of [
      [85, 256],
      [71, 128],
      [57, 64],
      [29, 16],
      [1, 4],
    ] as const) {
      const bytes = await png.write.encode(pictureOf([noise(64, 48), noise(64, 48)]), { ...LOSSY, quality }, UNPAUSED);
      expect(png.read.factsOf(bytes).colorspace).toBe("Palette");
      expect(new Set(new Uint32Array((await decoded(bytes))[0].data.buffer)).size).toBeLessThanOrEqual(most);
    }
  });

  it.each([
    ["noise", noise(100, 80), true],
    ["a slope with alpha", slope, false],
  ])("takes fewer bytes at a lower quality, and looks worse: %s", async (_name, pixels, opaque) => {
    const files: Uint8Array[] = [];
    for (const quality of [98, 90, 80, 70, 60, 50, 40, 30, 20, 10, 1]) {
      files.push(await png.write.encode(pictureOf([pixels], { opaque }), { ...LOSSY, quality }, UNPAUSED));
    }
    const sizes = files.map(({ length }) => length);
    // Where hardly anything is left, a coarser step may miss what a finer one hits.
    for (const [index, size] of sizes.entries()) expect(size).toBeLessThanOrEqual((sizes[index - 1] ?? size) * 1.03);
    const worst = psnr((await decoded(files.at(-1) ?? new Uint8Array(0)))[0], pixels);
    expect(psnr((await decoded(files[0] ?? new Uint8Array(0)))[0], pixels)).toBeGreaterThan(worst + 5);
  });

  it.each([
    ["glow of blue", 400, "#101018", blurred(24, `<circle cx="200" cy="150" r="85" fill="#2080ff"/>`)],
    ["glow of red", 200, "#000", blurred(18, `<circle cx="200" cy="150" r="75" fill="#ff2010"/>`)],
    ["shadow on paper", 600, "#ececec", blurred(14, `<rect x="100" y="75" width="200" height="150" opacity=".5"/>`)],
  ])("never looks much worse at a higher quality: a soft %s", async (_name, width, ground, body) => {
    const shape = `<rect width="400" height="300" fill="${ground}"/>${body}<circle cx="200" cy="150" r="40" fill="#fff"/>`;
    const drawing = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${width * 0.75}" viewBox="0 0 400 300">${shape}</svg>`;
    const { output } = await rendered(new TextEncoder().encode(drawing), {
      output: { format: "png" },
      optimize: { lossless: true },
    });
    const [soft] = await decoded(output.bytes);
    let best = 0;
    for (const quality of [50, 60, 70, 80, 90]) {
      const bytes = await png.write.encode(pictureOf([soft]), { ...LOSSY, quality }, UNPAUSED);
      const [made] = await decoded(bytes);
      const { points } = await judgeRows(rowsOf(soft), rowsOf(made), UNPAUSED);
      expect(points, `quality ${quality}`).toBeGreaterThan(Math.max(LEAST_POINTS, best - 5));
      best = Math.max(best, points);
    }
    expect(best).toBeGreaterThan(90);
  });

  it("moves the samples of grainy gray where all its levels would take far more bytes", async () => {
    const gray = paint(160, 120, (x, y) => {
      const level = 40 + x + (scattered(x, y) % 23);
      return [level, level, level, 255];
    });
    const bytesAt = async (quality: number) =>
      (await png.write.encode(pictureOf([gray]), { ...LOSSY, quality }, UNPAUSED)).length;
    const [at80, at90, exact] = [await bytesAt(80), await bytesAt(90), await bytesAt(100)];
    expect(at90).toBeGreaterThan(at80);
    expect(at90).toBeLessThan(exact * 0.75);
  });

  it("is exact where colors are few, and at quality 100", async () => {
    const few = paint(60, 40, (x, y) => [(x >> 3) * 30, (y >> 3) * 50, 7, 255]);
    expect((await decoded(await png.write.encode(pictureOf([few]), LOSSY, UNPAUSED)))[0].data).toEqual(few.data);
    expect(
      (
        await decoded(
          await png.write.encode(pictureOf([slope], { opaque: false }), { ...LOSSY, quality: 100 }, UNPAUSED),
        )
      )[0].data,
    ).toEqual(slope.data);
  });

  it("is never larger than the exact file: a slope that filters undo is kept", async () => {
    const smooth = paint(256, 256, (x, y) => [x, y, (x + y) >> 1, 255]);
    const exact = await png.write.encode(pictureOf([smooth]), LOSSLESS, UNPAUSED);
    for (const quality of [95, 60]) {
      expect((await png.write.encode(pictureOf([smooth]), { ...LOSSY, quality }, UNPAUSED)).length).toBeLessThanOrEqual(
        exact.length,
      );
    }
  });

  it("gives all frames of an animation one palette, and leaves alone what does not change", async () => {
    const first = noise(80, 60);
    const second = paint(80, 60, (x, y) =>
      x < 12 && y < 9 ? [250, 10, 20, 255] : (first.data.slice((y * 80 + x) * 4, (y * 80 + x) * 4 + 4) as never),
    );
    const picture = pictureOf([first, second], { delayMs: 60 });
    const lossy = await png.write.encode(picture, { ...LOSSY, quality: 60 }, UNPAUSED);
    expect(lossy.length).toBeLessThan((await png.write.encode(picture, LOSSLESS, UNPAUSED)).length / 2);
    const [one, two] = await decoded(lossy);
    for (let at = 0; at < first.data.length; at += 4) {
      const x = (at / 4) % 80;
      if (x < 12 && at / 4 / 80 < 9) continue;
      expect(two?.data[at]).toBe(one.data[at]);
    }
  });

  it("declares more memory than an exact file needs: palettes, and renditions where several are looked at", async () => {
    const size = { width: 1_000, height: 1_000, opaque: true, frames: 1 };
    const [exact, once] = [LOSSLESS, LOSSY].map((settings) => png.write.estimate(size, settings).bytes);
    expect(once).toBeGreaterThan((exact ?? 0) + (1 << 20));
    expect(png.write.estimate(size, { ...LOSSY, probe: true }).bytes).toBeGreaterThan((once ?? 0) + (2 << 20));
  });

  it.each([
    ["low", 90],
    ["medium", 75],
    ["high", 65],
  ] as const)("reaches what the preset %s promises: a score of %i", async (compression, target) => {
    const { output } = await rendered(new Uint8Array(source), { optimize: { compression, lossless: false } });
    expect(output.score).toBeGreaterThanOrEqual(target);
    expect(output.bytes.length).toBeLessThan(source.byteLength);
  });
});
