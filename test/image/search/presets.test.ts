/** Presets: results that promise less take no more bytes. */
import { describe, expect, it } from "vitest";

import { FORMATS } from "../../../src/image/formats.ts";
import type { Preset } from "../../../src/image/plan/output.ts";
import { UNPAUSED } from "../../../src/scheduler/time-slice.ts";
import box from "../../fixtures/effects/box-3.png";
import blurred from "../../fixtures/effects/gaussian-1.5.png";
import veiled from "../../fixtures/effects/gaussian-4.png";
import median from "../../fixtures/effects/median-6.png";
import drawing from "../../fixtures/resample/source-alpha.png";
import photograph from "../../fixtures/resample/source.png";
import glass from "../../fixtures/score/glass-24.png";
import { rendered } from "../../support/render.ts";
import { paint, pictureOf, type Pixels } from "../../support/rows.ts";

const PRESETS: readonly Preset[] = ["low", "medium", "high", "ultra"];

/** A logo: few colors, soft edges, nothing around it. */
function logo(): Promise<Uint8Array> {
  const pixels = paint(96, 80, (x, y) => {
    const distance = Math.hypot(x - 48, y - 40);
    return [200 - x, 40 + y, 90, Math.round(255 * Math.min(1, Math.max(0, 36 - distance)))];
  });
  return FORMATS.png.write.encode(pictureOf([pixels], { opaque: false }), EXACT, UNPAUSED);
}

function icon(): Promise<Uint8Array> {
  const pixels = paint(24, 24, (x, y) => [x * 10, (x ^ y) * 8, y * 10, 255]);
  return FORMATS.png.write.encode(pictureOf([pixels]), EXACT, UNPAUSED);
}

const EXACT = { lossless: true, quality: 100, progressive: false, effort: 0 };

const PICTURES = [
  ["a photograph", async () => new Uint8Array(photograph)],
  ["a picture with alpha", async () => new Uint8Array(drawing)],
  ["a logo", logo],
  ["an icon too small for a score", icon],
] as const;

describe.each(PICTURES)("presets on %s", (_name, made) => {
  it.each(["jpeg", "png", "webp", "gif"] as const)("take no more bytes the less they promise: %s", async (format) => {
    const bytes = await made();
    const sizes: number[] = [];
    for (const compression of PRESETS) {
      const output = { format, encoding: "progressive" } as const;
      const optimize = { compression, lossless: false };
      const order = { operations: {}, output, optimize, overlays: new Map<string, Uint8Array>(), accept: undefined };
      sizes.push((await rendered(bytes, order)).output.bytes.length);
    }
    expect(sizes).toEqual(sizes.toSorted((one, other) => other - one));
  });
});

/** Small pictures whose looks leap from one number of colors to the next. */
const LEAPING = { box, blurred, veiled, median, glass };

describe("presets on small pictures in few colors", () => {
  it.each(Object.entries(LEAPING))("take no more bytes the less they promise: %s", async (_name, file) => {
    const sizes: number[] = [];
    for (const compression of PRESETS) {
      const optimize = { compression, lossless: false };
      const rest = { operations: {}, output: undefined, accept: undefined };
      const order = { ...rest, optimize, overlays: new Map<string, Uint8Array>() };
      sizes.push((await rendered(new Uint8Array(file), order)).output.bytes.length);
    }
    expect(sizes).toEqual(sizes.toSorted((one, other) => other - one));
  });
});

describe("the preset ultra", () => {
  const answer = async (format: "jpeg" | "webp" | "avif" | "heic", pixels: Pixels) => {
    const order = {
      operations: {},
      output: { format, encoding: "progressive" } as const,
      optimize: { compression: "ultra", lossless: false } as const,
      overlays: new Map<string, Uint8Array>(),
      accept: undefined,
    };
    const { output } = await rendered(await FORMATS.png.write.encode(pictureOf([pixels]), EXACT, UNPAUSED), order);
    return output;
  };

  it("goes as low with JPEG as a flat drawing allows", async () => {
    const inked = (x: number, y: number) => Math.hypot(x - 60, y - 60) < 40 || (y > 120 && y % 12 < 3 && x % 40 > 8);
    // Pale ink: dark ink rings on its flat ground, which is seen.
    const pixels = paint(200, 160, (x, y) => (inked(x, y) ? [205, 212, 222, 255] : [240, 240, 240, 255]));
    const { bytes, score } = await answer("jpeg", pixels);
    expect(score).toBeGreaterThanOrEqual(50);
    expect(FORMATS.jpeg.read.factsOf(bytes).quality).toBeLessThan(18);
  });

  it.each(["webp", "avif", "heic"] as const)("comes close to its score on what is soft: %s", async (format) => {
    const wave = (angle: number) => Math.round(128 + 100 * Math.sin(angle));
    const pixels = paint(240, 180, (x, y) => [
      wave((3 * Math.hypot(x - 100, y - 80)) / 20),
      wave((x + y) / 20),
      wave((x - y / 2) / 20),
      255,
    ]);
    const { score } = await answer(format, pixels);
    expect(score).toBeGreaterThanOrEqual(50);
    expect(score).toBeLessThan(55);
  });
});
