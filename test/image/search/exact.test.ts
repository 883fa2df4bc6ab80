/** The choice between a lossless and a lossy result. */
import { describe, expect, it, vi } from "vitest";

import { FORMATS } from "../../../src/image/formats.ts";
import { decoded } from "../../../src/image/search/probe.ts";
import { judgeRows } from "../../../src/image/search/score.ts";
import { smallestExact } from "../../../src/image/search/search-exactly.ts";
import type { Trace } from "../../../src/image/search/trace.ts";
import { UNPAUSED } from "../../../src/scheduler/time-slice.ts";
import twelveFile from "../../fixtures/jpeg2000/twelve.jp2";
import sixteenFile from "../../fixtures/jxl/sixteen.jxl";
import { decodeFile } from "../../support/files.ts";
import { rendered } from "../../support/render.ts";
import { paint, pictureOf, type Pixels, rowsOf, scene } from "../../support/rows.ts";

const SETTINGS = { lossless: false, quality: 80, progressive: false, effort: 0.5 };

async function byPreset(pixels: Pixels, format: "webp" | "jxl", trace?: Trace) {
  const source = await FORMATS.png.write.encode(pictureOf([pixels]), { ...SETTINGS, lossless: true }, UNPAUSED);
  const output = { format, encoding: "progressive" } as const;
  const order = { operations: {}, output, optimize: undefined, overlays: new Map(), accept: undefined, trace };
  return (await rendered(source, order)).output;
}

const asWebp = (pixels: Pixels) => byPreset(pixels, "webp");

describe("JPEG XL by a preset", () => {
  it("is written without loss where that is smaller", async () => {
    const drawing = paint(320, 240, (x, y) => (((x >> 4) + (y >> 5)) % 3 ? [255, 220, 0, 255] : [0, 40, 120, 255]));
    const { bytes, facts, score } = await byPreset(drawing, "jxl");
    expect({ score, quality: facts.quality }).toEqual({ score: 100, quality: 100 });
    expect(await decodeFile(FORMATS.jxl, bytes)).toEqual(drawing);
  });

  it("is lossy where that is smaller", async () => {
    const grained = paint(160, 160, (x, y) => [x + ((x * 7919 + y * 104_729) % 23), y, (x * y) % 31, 255]);
    expect((await byPreset(grained, "jxl")).facts.quality).toBe(90);
  });

  it("has few colors and alphas where nothing is flat, but alpha is soft", async () => {
    const busy = paint(160, 160, (x, y) => {
      const value = Math.imul(Math.imul(x, 73_856_093) ^ Math.imul(y, 19_349_663), 2_654_435_761) >>> 30;
      return [value * 40, value * 40, value * 40, 60 + value * 40];
    });
    expect((await byPreset(busy, "jxl")).facts.quality).toBe(100);
  });

  it.each(["opaque", "with alpha"])("has few colors where they look as good: %s", async (kind) => {
    const hash = (x: number, y: number) =>
      Math.imul(Math.imul(x, 73_856_093) ^ Math.imul(y, 19_349_663), 2_654_435_761) >>> 0;
    const blocks = paint(240, 200, (x, y) => {
      const moved = hash(x >> 2, y >> 2) >>> 27;
      const clear = kind !== "opaque" && x < 20 ? 0 : 255;
      const isLight = hash(x >> 3, (y >> 3) + 99) >>> 31 === 1;
      return isLight ? [224 + moved, 200 - moved, 2 * moved, clear] : [moved, 40 + moved, 120 - moved, clear];
    });
    const { bytes, score } = await byPreset(blocks, "jxl");
    const exactly = { ...SETTINGS, lossless: true };
    const exact = await FORMATS.jxl.write.encode(
      { ...pictureOf([blocks]), opaque: kind === "opaque" },
      exactly,
      UNPAUSED,
    );
    expect(bytes.length).toBeLessThan(exact.length * 0.9);
    expect(score).toBeGreaterThanOrEqual(75);
    expect(score).toBeLessThan(100);
    // Of 64 colors, and one that is clear: the fewest that look as good, and one step fewer would not.
    const colorsOf = async (file: Uint8Array) =>
      new Set(new Uint32Array((await decodeFile(FORMATS.jxl, file)).data.buffer)).size;
    const steps: { readonly colors: number; readonly points: number }[] = [];
    for (const nearLossless of FORMATS.jxl.write.nearLosslessLevels) {
      const picture = { ...pictureOf([blocks]), opaque: kind === "opaque" };
      const file = await FORMATS.jxl.write.encode(picture, { ...exactly, nearLossless }, UNPAUSED);
      const shown = await decoded(FORMATS.jxl, file, UNPAUSED);
      const { points } = await judgeRows(rowsOf(blocks, kind === "opaque"), shown, UNPAUSED);
      steps.push({ colors: await colorsOf(file), points });
    }
    const first = steps.findIndex(({ points }) => points >= 75);
    expect(first).toBeGreaterThan(0);
    expect(steps[first]?.colors).toBeLessThan(64);
    expect(await colorsOf(bytes)).toBe(steps[first]?.colors);
  });
});

describe("WebP by a preset", () => {
  it("is written without loss where that is smaller", async () => {
    const drawing = paint(160, 160, (x, y) => (((x >> 2) + (y >> 3)) % 3 ? [255, 220, 0, 255] : [0, 40, 120, 255]));
    expect(await asWebp(drawing)).toMatchObject({ score: 100, facts: { subsample: "4:4:4" } });
  });

  it("is written once without loss where a palette holds its colors: nothing can be touched", async () => {
    const exact: number[] = [];
    const drawing = paint(160, 160, (x, y) => (((x >> 2) + (y >> 3)) % 3 ? [255, 220, 0, 255] : [0, 40, 120, 255]));
    const output = await byPreset(drawing, "webp", (event) => {
      if (event.kind === "encoded" && event.settings.lossless) exact.push(event.bytes);
    });
    expect(output.score).toBe(100);
    expect(exact).toHaveLength(1);
  });

  it("is lossy where that is smaller", async () => {
    const grained = paint(160, 160, (x, y) => [x + ((x * 7919 + y * 104_729) % 23), y, (x * y) % 31, 255]);
    expect((await asWebp(grained)).facts.subsample).toBe("4:2:0");
  });

  it("is not written without loss to see that it is larger, of a soft photograph whose neighbors are often the same", async () => {
    const soft = paint(300, 200, (x, y) => {
      const grain = Math.imul(Math.imul(x >> 1, 73_856_093) ^ Math.imul(y, 19_349_663), 2_654_435_761) >>> 20;
      return [90 + x / 8 + (grain >> 8), 80 + y / 4 + ((grain >> 4) & 15), 70 + (x + y) / 16 + (grain & 15), 255];
    });
    const exact: number[] = [];
    const output = await byPreset(soft, "webp", (event) => {
      if (event.kind === "encoded" && event.settings.lossless) exact.push(event.bytes);
    });
    expect(output.facts.subsample).toBe("4:2:0");
    expect(exact).toEqual([]);
  });

  it("can touch pixels a little in what is otherwise without loss", async () => {
    const sizes: number[] = [];
    for (const nearLossless of [0, 60, undefined]) {
      const settings = { ...SETTINGS, lossless: true, ...(nearLossless !== undefined && { nearLossless }) };
      sizes.push((await FORMATS.webp.write.encode(pictureOf([scene(200, 200)]), settings, UNPAUSED)).length);
    }
    expect(sizes[0]).toBeLessThanOrEqual(sizes[1] ?? 0);
    expect(sizes[1]).toBeLessThanOrEqual(sizes[2] ?? 0);
  });
});

describe("a file of more than 8 bits, without loss", () => {
  it.each([
    ["jxl", sixteenFile, 48, 48],
    ["jpeg2000", twelveFile, 36, 24],
  ] as const)("keeps them where nothing changes: %s", async (format, file, depth, flippedDepth) => {
    const bytes = new Uint8Array(file);
    const order = { output: { format }, optimize: { lossless: true } };
    const { facts } = (await rendered(bytes, order)).output;
    expect(facts.depth).toBe(depth);
    const flipped = await rendered(bytes, { ...order, operations: { flip: { horizontal: true } } });
    expect(flipped.output.facts.depth).toBe(flippedDepth);
  });
});

describe("encodings without loss beside a lossy one", () => {
  const made = (bytes: number) => new Uint8Array(bytes);
  const encode = async ({ nearLossless = 100 }: { nearLossless?: number }) => made(100 + nearLossless);
  const judge = async ({ length }: Uint8Array) => {
    const points = (length - 100) / 2 + 60;
    return { points, score: points + 5 };
  };
  const chosen = (mostBytes: number, targetScore = 75) =>
    smallestExact(
      { encode, judge },
      SETTINGS,
      { targetScore, bytes: mostBytes },
      { levels: [0, 20, 60], promising: 2 },
    );

  it("are taken with the most loss that reaches the target", async () => {
    expect(await chosen(180)).toMatchObject({ score: 90, metric: 95, bytes: made(160) });
    expect(await chosen(180, 65)).toMatchObject({ score: 70, bytes: made(120) });
  });

  it("are not taken where they are larger", async () => {
    expect(await chosen(110)).toBeNull();
    expect(await chosen(90)).toBeNull();
  });

  it("are made once where it is known how they look", async () => {
    const scored: number[] = [];
    const made = vi.fn<typeof encode>(encode);
    const judgeAt = async (level: number) => (
      scored.push(level),
      judge(await encode({ ...SETTINGS, nearLossless: level }))
    );
    const toBeat = { targetScore: 75, bytes: Infinity };
    const best = await smallestExact({ encode: made, judge, judgeAt }, SETTINGS, toBeat, {
      levels: [0, 20, 60],
      promising: 2,
    });
    expect(best).toMatchObject({ score: 90, metric: 95 });
    expect(scored).toEqual([20, 60]);
    expect(made.mock.calls.map(([{ nearLossless }]) => nearLossless)).toEqual([undefined, 60]);
  });

  it.each([
    ["reaches the target", 180, 60],
    ["is no smaller than it may be", 100, 75],
  ])("are one file where that with the most loss %s", async (_, bytes, targetScore) => {
    const counted = vi.fn(encode);
    const bounds = { levels: [0, 20, 60], promising: 2 };
    await smallestExact({ encode: counted, judge }, SETTINGS, { targetScore, bytes }, bounds);
    expect(counted.mock.calls.map(([{ nearLossless }]) => nearLossless)).toEqual([0]);
  });

  it("stand in for a lossy one that misses the target", async () => {
    expect(await chosen(Infinity)).toMatchObject({ score: 90, bytes: made(160) });
    expect(await chosen(Infinity, 95)).toMatchObject({ score: 100, bytes: made(200) });
  });
});
