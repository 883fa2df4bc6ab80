/** Shadows, glows and panes in GIF, which knows clear and opaque pixels only. */
import { describe, expect, it } from "vitest";

import { parseBody, UploadBody } from "../../../../src/contract/request.ts";
import type { EncodeSettings } from "../../../../src/image/codec/writer.ts";
import { FORMATS } from "../../../../src/image/formats.ts";
import { gif } from "../../../../src/image/formats/gif.ts";
import { identify } from "../../../../src/image/plan/detect.ts";
import { UNPAUSED } from "../../../../src/scheduler/time-slice.ts";
import sprite from "../../../fixtures/gif/dispose-background.gif";
import rgba from "../../../fixtures/png/rgba-8.png";
import { decodeFile } from "../../../support/files.ts";
import { rendered } from "../../../support/render.ts";
import { paint, pictureOf, type Pixels } from "../../../support/rows.ts";
import { framesOf } from "./frames.ts";

const SETTINGS: EncodeSettings = { lossless: false, quality: 100, progressive: false, effort: 0.5 };

/** What is shown of pictures as GIF, frame by frame, and what was said of them. */
async function written(...pixels: [Pixels, ...Pixels[]]): Promise<{ first: Pixels; others: Pixels[]; said: string[] }> {
  const said: string[] = [];
  const tell = (limit: string) => void said.push(limit);
  const bytes = await gif.write.encode(pictureOf(pixels, { opaque: false }), { ...SETTINGS, tell }, UNPAUSED);
  const [first, ...others] = await framesOf(bytes);
  return { first: first.pixels, others: others.map(({ pixels }) => pixels), said };
}

const alphaAt = ({ width, data }: Pixels, x: number, y: number) => data[(y * width + x) * 4 + 3] ?? 0;

/** The mean alpha of a square. */
function meanAlpha(pixels: Pixels, left: number, top: number, side: number): number {
  let sum = 0;
  for (let y = top; y < top + side; y++) for (let x = left; x < left + side; x++) sum += alphaAt(pixels, x, y);
  return sum / side ** 2;
}

/** A dark card with a shadow that fades over 60 pixels to its right, and then nothing. */
const shadow = paint(120, 64, (x) => {
  if (x < 40) return [30, 60, 200, 255];
  return [0, 0, 0, Math.max(0, 180 - 3 * (x - 40))];
});

describe("a shadow as GIF", () => {
  it("is as dark as it was in every part, and neither gone nor a blot", async () => {
    const { first: shown } = await written(shadow);
    for (let x = 40; x <= 96; x += 8)
      for (let y = 0; y < 64; y += 8) {
        const wanted = meanAlpha(shadow, x, y, 8);
        expect(Math.abs(meanAlpha(shown, x, y, 8) - wanted), `at ${x}, ${y}`).toBeLessThan(20);
      }
    for (let at = 3; at < shown.data.length; at += 4) expect([0, 255]).toContain(shown.data[at]);
  });

  it("begins beside what casts it, which stays whole", async () => {
    const { first: shown } = await written(shadow);
    expect(meanAlpha(shown, 0, 0, 40)).toBe(255);
    expect(meanAlpha(shown, 40, 0, 4)).toBeGreaterThan(100);
  });

  it("is made of dots that stand still where an animation moves", async () => {
    const moving = (from: number) =>
      paint(120, 64, (x, y) => {
        if (x >= 40) return [0, 0, 0, alphaAt(shadow, x, y)];
        return y >= from && y < from + 8 ? [255, 0, 0, 255] : [30, 60, 200, 255];
      });
    const { first, others } = await written(moving(0), moving(16), moving(32));
    const right = (pixels: Pixels) =>
      Array.from({ length: 64 * 80 }, (_, at) => alphaAt(pixels, 40 + (at % 80), Math.floor(at / 80)));
    expect(others.map(right)).toEqual([right(first), right(first)]);
    expect(Math.abs(meanAlpha(first, 48, 8, 16) - meanAlpha(shadow, 48, 8, 16))).toBeLessThan(12);
  });
});

describe("an edge as GIF", () => {
  const radius = 25.3;
  const disc = paint(64, 64, (x, y) => {
    const alpha = Math.max(0, Math.min(1, radius + 0.5 - Math.hypot(x - 31.5, y - 31.5)));
    return [200, 40, 60, Math.round(255 * alpha)];
  });

  it("is cut in its middle, without dots", async () => {
    const { first: shown } = await written(disc);
    for (let at = 3; at < disc.data.length; at += 4) expect(shown.data[at]).toBe((disc.data[at] ?? 0) >= 128 ? 255 : 0);
  });

  it("has no holes where alpha is nearly full, and no specks where there is nearly none", async () => {
    const uneven = paint(64, 64, (x, y) => [9, 99, 9, x < 32 ? 244 + ((x + y) % 12) : (x * y) % 12]);
    const { first: shown } = await written(uneven);
    expect(meanAlpha(shown, 0, 0, 32)).toBe(255);
    expect(meanAlpha(shown, 32, 0, 32)).toBe(0);
  });

  it.each<[string, Uint8Array]>([
    ["a GIF", new Uint8Array(sprite)],
    ["an icon", new Uint8Array(rgba)],
  ])("is cut in its middle where %s is enlarged, however wide it is", async (_, file) => {
    const { facts } = identify(file);
    const resize = { width: facts.width * 4 };
    const { output: _output, optimize: _optimize, ...operations } = parseBody(UploadBody, { resize });
    const { output } = await rendered(file, { operations, output: { format: "gif" } });
    const { output: soft } = await rendered(file, {
      operations,
      output: { format: "png" },
      optimize: { lossless: true },
    });
    const [shown] = await framesOf(output.bytes);
    const source = await decodeFile(FORMATS.png, soft.bytes);
    if (!shown) throw new Error("no frame");
    for (let at = 3; at < source.data.length; at += 4)
      expect(shown.pixels.data[at]).toBe((source.data[at] ?? 0) >= 128 ? 255 : 0);
    expect(output.limits).toBeUndefined();
  });

  it("is nothing to be told of; a shadow is", async () => {
    expect((await written(disc)).said).toEqual([]);
    expect(new Set((await written(shadow)).said)).toEqual(new Set([expect.stringContaining("half-transparent")]));
  });
});
