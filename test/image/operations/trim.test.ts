/** Edges cut off, held against what libvips leaves of the same pictures. */
import fc from "fast-check";
import { describe, expect, inject, it } from "vitest";

import { gif } from "../../../src/image/formats/gif.ts";
import { jpeg } from "../../../src/image/formats/jpeg.ts";
import { tagged } from "../../../src/image/formats/jpeg/tag.ts";
import { png } from "../../../src/image/formats/png.ts";
import type { Box } from "../../../src/image/pixels/geometry.ts";
import { UNPAUSED } from "../../../src/scheduler/time-slice.ts";
import { decoded, pixel, planned } from "../../support/operations.ts";
import { rendered } from "../../support/render.ts";
import { noise, paint, pictureOf, type Pixels } from "../../support/rows.ts";

const EXACT = { lossless: true, quality: 100, progressive: false, effort: 0 };
type Color = readonly [number, number, number, number];
const WHITE: Color = [255, 255, 255, 255];

/** What is left; null where nothing is cut off. */
async function boxOf(pixels: Pixels, params: object = {}, give = 1_000): Promise<Box | null> {
  const [step, ...others] = await planned("trim", params, pixels, { opaque: false, give });
  expect(others).toEqual([]);
  if (!step) return null;
  if (step.kind !== "crop") throw new Error("nothing but a crop is expected");
  return step.box;
}

async function vipsBox(file: Uint8Array, query: string): Promise<Box> {
  const response = await fetch(`${inject("reader")}/trimmed?${query}`, { method: "POST", body: file.slice() });
  expect(response.status).toBe(200);
  return response.json();
}

/** What a request leaves of a file, as a picture without loss. */
async function trimmed(bytes: Uint8Array, trim: object, more: object = {}): Promise<Box & { frames: number }> {
  const order = { operations: { trim, ...more }, output: { format: "png" }, optimize: { lossless: true } };
  const { output } = await rendered(bytes, order);
  const { width, height, frames } = output.facts;
  return { x: 0, y: 0, width, height, frames };
}

/** A disc with soft edges and grain, off the center, on a margin of one color. */
function disc(width: number, height: number, margin: Color, wobble = 0): Pixels {
  return paint(width, height, (x, y) => {
    const distance = Math.hypot((x - width * 0.55) / (width * 0.3), (y - height * 0.4) / (height * 0.25));
    const cover = Math.min(1, Math.max(0, (1 - distance) * 8));
    const grain = wobble === 0 ? 0 : ((x * 7919 + y * 104729) % (2 * wobble + 1)) - wobble;
    const mixed = (at: 0 | 1 | 2, own: number) => {
      const level = margin[at] * (1 - cover) + own * cover + grain;
      return Math.min(255, Math.max(0, Math.round(level)));
    };
    const alpha = Math.round(margin[3] * (1 - cover) + 255 * cover);
    return [mixed(0, 180), mixed(1, 60 + ((x * 5) & 63)), mixed(2, 90), alpha];
  });
}

describe("what is left is what libvips leaves", () => {
  const encoded = (pixels: Pixels, opaque = true) => png.write.encode(pictureOf([pixels], { opaque }), EXACT, UNPAUSED);

  it.each<readonly [string, Pixels]>([
    ["on white", disc(120, 90, WHITE)],
    ["on gray with grain", disc(97, 131, [128, 128, 128, 255], 6)],
    ["on black", disc(64, 40, [0, 0, 0, 255], 3)],
  ])("%s, at any threshold", async (_, pixels) => {
    const file = await encoded(pixels);
    for (const threshold of [1, 10, 25, 60]) {
      const expected = await vipsBox(file, `threshold=${threshold}`);
      expect(
        (await boxOf(pixels, { threshold })) ?? { x: 0, y: 0, width: pixels.width, height: pixels.height },
      ).toEqual(expected);
    }
  });

  it("of a color that is named", async () => {
    const pixels = disc(80, 60, [20, 120, 200, 255], 4);
    expect(await boxOf(pixels, { color: "1478c8" })).toEqual(
      await vipsBox(await encoded(pixels), "threshold=10&color=%231478c8"),
    );
  });

  it("on transparency", async () => {
    const pixels = disc(80, 60, [0, 0, 0, 0]);
    expect(await boxOf(pixels)).toEqual(await vipsBox(await encoded(pixels, false), "threshold=10"));
  });

  it.each([95, 75, 40])("of a JPEG of quality %i with its noise", async (quality) => {
    const settings = { ...EXACT, lossless: false, quality };
    const file = await jpeg.write.encode(pictureOf([disc(200, 150, WHITE)]), settings, UNPAUSED);
    const { width, height } = await vipsBox(file, "threshold=10");
    expect(await trimmed(file, {})).toMatchObject({ width, height });
  });
});

describe("the edges of a picture", () => {
  const margins = fc.record({
    left: fc.nat(9),
    right: fc.nat(9),
    top: fc.nat(20),
    bottom: fc.nat(20),
    width: fc.integer({ min: 3, max: 30 }),
    height: fc.integer({ min: 3, max: 30 }),
  });
  const colors = fc.constantFrom<Color>(WHITE, [0, 0, 0, 255], [7, 99, 180, 255], [0, 0, 0, 0], [255, 0, 0, 0]);

  it("are found to the pixel, however many rows come at a time", async () => {
    const check = fc.asyncProperty(margins, colors, fc.integer({ min: 1, max: 40 }), async (of, color, give) => {
      const { left, top, width, height } = of;
      const inside = (x: number, y: number) => x >= left && x < left + width && y >= top && y < top + height;
      // Far from every margin, in a pattern without areas of one color.
      const own = (x: number, y: number): Color => [120 + ((x + y) & 1) * 60, 220, 40 + (x % 3) * 30, 255];
      const pixels = paint(left + width + of.right, top + height + of.bottom, (x, y) =>
        inside(x, y) ? own(x, y) : color,
      );
      const isWhole = pixels.width === width && pixels.height === height;
      const params = { color: `${[...color].map((level) => level.toString(16).padStart(2, "0")).join("")}` };
      expect(await boxOf(pixels, params, give)).toEqual(isWhole ? null : { x: left, y: top, width, height });
    });
    await fc.assert(check, { numRuns: 60 });
  });

  it("are what all that is cut off shows, and nothing else", async () => {
    const sizes = fc.record({ width: fc.integer({ min: 1, max: 40 }), height: fc.integer({ min: 1, max: 40 }) });
    const check = fc.asyncProperty(sizes, fc.nat(100), async ({ width, height }, threshold) => {
      const pixels = noise(width, height, false);
      const box = await boxOf(pixels, { threshold });
      if (box === null) return;
      expect(box.width * box.height).toBeGreaterThan(0);
      expect(box.x + box.width).toBeLessThanOrEqual(width);
      expect(box.y + box.height).toBeLessThanOrEqual(height);
    });
    await fc.assert(check, { numRuns: 60 });
  });

  it("leave a picture of one color as it is", async () => {
    for (const color of [WHITE, [0, 0, 0, 0]] as const) {
      expect(await boxOf(paint(20, 30, () => color))).toBeNull();
      expect(await boxOf(paint(1, 1, () => color))).toBeNull();
    }
  });

  it("are of the color that more corners have", async () => {
    const pixels = paint(40, 30, (x, y) => (x < 10 && y < 20 ? [200, 30 + x * 5, y * 9, 255] : [9, 9, 9, 255]));
    expect(await boxOf(pixels)).toEqual({ x: 0, y: 0, width: 10, height: 20 });
  });

  it("end at thin lines, but not at specks", async () => {
    const line = paint(50, 40, (x, y) => (x === 10 && y > 5 && y < 30 ? [0, 0, 0, 255] : WHITE));
    expect(await boxOf(line)).toEqual({ x: 10, y: 6, width: 1, height: 24 });
    const speck = paint(50, 40, (x, y) => ((x === 2 && y === 2) || (x > 20 && y > 20) ? [0, 0, 0, 255] : WHITE));
    expect(await boxOf(speck)).toMatchObject({ x: 21, y: 21 });
    expect(await boxOf(speck, { threshold: 0 })).toMatchObject({ x: 2, y: 2 });
    for (const [x, y] of [
      [0, 0],
      [49, 20],
      [25, 39],
    ] as const) {
      const edge = paint(50, 40, (column, row) => (column === x && row === y ? [90, 0, 0, 255] : WHITE));
      expect(await boxOf(edge, { color: "fff" })).toBeNull();
    }
  });

  it("are what is transparent, whatever colors it hides, and what looks like the color that is named", async () => {
    const hidden = paint(30, 20, (x, y) => (x > 9 && x < 20 && y > 4 && y < 9 ? [0, 0, 0, 255] : [x * 8, 0, 0, 0]));
    const box = { x: 10, y: 5, width: 10, height: 4 };
    expect(await boxOf(hidden)).toEqual(box);
    expect(await boxOf(hidden, { color: "fff" })).toEqual(box);
  });

  it("stay as wide as padding says, and as wide as on the other side", async () => {
    const pixels = paint(40, 30, (x, y) => (x > 9 && x < 20 && y > 3 && y < 20 ? [x * 9, 0, y * 7, 255] : WHITE));
    expect(await boxOf(pixels, { padding: 3 })).toEqual({ x: 7, y: 1, width: 16, height: 22 });
    expect(await boxOf(pixels, { padding: 7 })).toEqual({ x: 3, y: 0, width: 24, height: 27 });
    expect(await boxOf(pixels, { equal: "horizontal" })).toEqual({ x: 10, y: 4, width: 20, height: 16 });
    expect(await boxOf(pixels, { equal: "vertical" })).toEqual({ x: 10, y: 4, width: 10, height: 22 });
    expect(await boxOf(pixels, { equal: "both", padding: 1 })).toEqual({ x: 9, y: 3, width: 22, height: 24 });
  });
});

describe("sides that are cut off by so much", () => {
  const pixels = noise(200, 100);

  it.each([
    [
      { top: 20, right: 30, bottom: 10, left: 0 },
      { x: 0, y: 20, width: 170, height: 70 },
    ],
    [
      { left: 30, top: 40, width: 50, height: 20 },
      { x: 30, y: 40, width: 50, height: 20 },
    ],
    [
      { width: 0.5, top: 0.25 },
      { x: 0, y: 25, width: 100, height: 75 },
    ],
    [
      { width: 900, height: 900, left: 5 },
      { x: 5, y: 0, width: 195, height: 100 },
    ],
  ])("%j", async (params, box) => {
    expect(await boxOf(pixels, params)).toEqual(box);
  });

  it("leave something, and are not mixed with a color", async () => {
    const message = "trim must leave something of the image";
    await expect(boxOf(pixels, { left: 120, right: 80 })).rejects.toMatchObject({ status: 422, message });
    await expect(boxOf(pixels, { left: 1, threshold: 3 })).rejects.toMatchObject({ status: 422 });
  });
});

describe("a file that is trimmed", () => {
  it("is cut to what any of its frames shows", async () => {
    const square = (at: number) =>
      paint(60, 40, (x, y) => (x >= at && x < at + 8 && y >= at && y < at + 8 ? [at * 5, 9, 200, 255] : WHITE));
    const bytes = await gif.write.encode(pictureOf([square(5), square(20), square(12)]), EXACT, UNPAUSED);
    expect(await trimmed(bytes, {})).toMatchObject({ width: 23, height: 23, frames: 3 });
    const { output } = await rendered(bytes, { operations: { trim: {} }, output: { format: "jpeg" } });
    expect(output.facts).toMatchObject({ width: 8, height: 8, frames: 1 });
  });

  it("is trimmed as it is seen, and before it is turned and cut", async () => {
    const pixels = paint(60, 40, (x, y) => (x > 10 && x < 31 && y > 4 && y < 15 ? [x * 4, y * 9, 70, 255] : WHITE));
    const bytes = await png.write.encode(pictureOf([pixels]), EXACT, UNPAUSED);
    expect(await trimmed(bytes, {}, { rotate: { angle: 90 } })).toMatchObject({ width: 10, height: 20 });
    const operations = { trim: {}, crop: { mode: "rect", width: 5, height: 3, x: 2, y: 1 } };
    const order = { operations, output: { format: "png" }, optimize: { lossless: true } } as const;
    const cut = await decoded((await rendered(bytes, order)).output.bytes);
    expect(cut).toMatchObject({ width: 5, height: 3 });
    expect(pixel(cut, 0, 0)).toEqual([13 * 4, 6 * 9, 70, 255]);
  });

  it.each([3, 5, 6, 8] as const)("is trimmed upright with the orientation %i", async (orientation) => {
    const settings = { ...EXACT, lossless: false, quality: 90 };
    const lying = await jpeg.write.encode(pictureOf([disc(160, 96, WHITE)]), settings, UNPAUSED);
    const file = tagged(lying, orientation);
    const sides = { equal: "horizontal", padding: 2 } as const;
    const { x, width, height } = await vipsBox(file, "threshold=10");
    const upright = orientation < 5 ? { width: 160, height: 96 } : { width: 96, height: 160 };
    const least = Math.min(x, upright.width - x - width) - 2;
    expect(await trimmed(file, sides)).toMatchObject({ width: upright.width - 2 * least, height: height + 4 });
  });
});
