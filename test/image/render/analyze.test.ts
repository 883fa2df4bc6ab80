/** Analyses of a picture, against the packages that read what they give. */
import { decode as decodeBlurHash, isBlurhashValid } from "blurhash";
import { thumbHashToApproximateAspectRatio, thumbHashToAverageRGBA, thumbHashToRGBA } from "thumbhash";
import { describe, expect, it } from "vitest";

import { parseBody, UploadBody } from "../../../src/contract/request.ts";
import { ANALYSES, type AnalysisName } from "../../../src/image/analyses.ts";
import { colorsOf } from "../../../src/image/analyses/colors.ts";
import { jpeg } from "../../../src/image/formats/jpeg.ts";
import { png } from "../../../src/image/formats/png.ts";
import { analyze } from "../../../src/image/render/analyze.ts";
import { DEFAULT_ALIKE_BITS } from "../../../src/limits/reuse.ts";
import { JobLimits } from "../../../src/scheduler/job-limits.ts";
import { UNPAUSED } from "../../../src/scheduler/time-slice.ts";
import pairFile from "../../fixtures/faces/pair.jpg";
import parrotsFile from "../../fixtures/faces/parrots.jpg";
import { decodeFile } from "../../support/files.ts";
import { rendered } from "../../support/render.ts";
import { paint, type Pixels, pictureOf } from "../../support/rows.ts";

const EXACT = { lossless: true, quality: 100, progressive: false, effort: 0 };
const ALL = Object.keys(ANALYSES) as AnalysisName[];
const [parrots, pair] = [new Uint8Array(parrotsFile), new Uint8Array(pairFile)];

type Color = [red: number, green: number, blue: number, alpha: number];

/** What a request makes of a file. */
async function result(bytes: Uint8Array, body: object): Promise<Uint8Array> {
  const { output, optimize, ...operations } = parseBody(UploadBody, body);
  return (await rendered(bytes, { operations, output, optimize })).output.bytes;
}

const written = (pixels: Pixels) => png.write.encode(pictureOf([pixels]), EXACT, UNPAUSED);
const paintedFile = (width: number, height: number, at: (x: number, y: number) => Color) =>
  written(paint(width, height, at));

/** The mean of the first three channels. */
function meanOf(pixels: ArrayLike<number>): number[] {
  return [0, 1, 2].map((channel) => {
    const values = Array.from(pixels).filter((_, at) => at % 4 === channel);
    return values.reduce((sum, value) => sum + value, 0) / values.length;
  });
}

const near = (values: readonly number[], most: number) =>
  values.map((value) => expect.closeTo(value, -Math.log10(2 * most)));

const bitsBetween = (one = "", other = "") =>
  (BigInt(`0x${one}`) ^ BigInt(`0x${other}`)).toString(2).replaceAll("0", "").length;

describe("placeholders", () => {
  it("are a ThumbHash that shows the picture's colors, proportions and transparency", async () => {
    const { thumbhash = "" } = await analyze(parrots, ["thumbhash"]);
    const hash = Uint8Array.fromBase64(thumbhash);
    const { width, height, data } = await decodeFile(jpeg, parrots);
    expect(thumbHashToApproximateAspectRatio(hash)).toBeCloseTo(width / height, 0);
    expect(meanOf(thumbHashToRGBA(hash).rgba)).toEqual(near(meanOf(data), 12));
    const half = await paintedFile(80, 40, (x) => (x < 40 ? [250, 20, 20, 255] : [0, 0, 0, 0]));
    const seen = thumbHashToAverageRGBA(Uint8Array.fromBase64((await analyze(half, ["thumbhash"])).thumbhash ?? ""));
    expect(seen.a).toBeCloseTo(0.5, 1);
    expect(seen.r).toBeGreaterThan(0.9);
    expect(seen.g).toBeLessThan(0.2);
  });

  it("are a BlurHash of 4 × 3 components that shows the picture's colors, what is transparent as white", async () => {
    const { blurhash = "" } = await analyze(parrots, ["blurhash"]);
    expect(isBlurhashValid(blurhash)).toEqual({ result: true });
    expect(blurhash).toHaveLength(28);
    expect(meanOf(decodeBlurHash(blurhash, 32, 32))).toEqual(near(meanOf((await decodeFile(jpeg, parrots)).data), 16));
    const clear = await paintedFile(40, 40, () => [0, 0, 0, 0]);
    const shown = meanOf(decodeBlurHash((await analyze(clear, ["blurhash"])).blurhash ?? "", 8, 8));
    expect(shown).toEqual(near([255, 255, 255], 2));
  });
});

describe("colors", () => {
  const red: Color = [220, 20, 30, 255];
  const blue: Color = [10, 40, 200, 255];

  it("are those of which a picture is made, by their share of it", async () => {
    const file = await paintedFile(100, 100, (x, y) => (y < 70 ? red : x < 60 ? blue : [255, 255, 255, 255]));
    const { palette, color } = await analyze(file, ["palette", "color"]);
    expect(palette).toEqual([
      { color: "#dc141e", share: 0.7 },
      { color: "#0a28c8", share: 0.18 },
      { color: "#ffffff", share: 0.12 },
    ]);
    expect(color).toBe("#dc141e");
  });

  it("leave out what is transparent, and are white where nothing is to be seen", async () => {
    const file = await paintedFile(60, 60, (x) => (x < 50 ? [0, 0, 0, 0] : blue));
    expect((await analyze(file, ["palette"])).palette).toEqual([{ color: "#0a28c8", share: 1 }]);
    const clear = await paintedFile(10, 10, () => [9, 9, 9, 0]);
    expect(await analyze(clear, ["palette", "color"])).toEqual({ palette: [], color: "#ffffff" });
  });

  it("are at most six of a photograph, no two alike, that sum to nearly all of it", async () => {
    const shares = colorsOf({ pixels: (await decodeFile(jpeg, parrots)).data });
    expect(shares.length).toBeGreaterThan(3);
    expect(shares.length).toBeLessThanOrEqual(6);
    expect(shares.reduce((sum, { share }) => sum + share, 0)).toBeCloseTo(1, 1);
    expect(shares.map(({ share }) => share)).toEqual(shares.map(({ share }) => share).toSorted((a, b) => b - a));
  });
});

describe("a perceptual hash", () => {
  it("hardly changes with size, format and quality, and tells pictures apart", async () => {
    const { phash } = await analyze(parrots, ["phash"]);
    const variants = [
      { resize: { width: 200 }, optimize: { quality: 40 } },
      { resize: { width: 333, height: 200 }, output: { format: "png" } },
    ];
    for (const body of variants) {
      const { phash: other } = await analyze(await result(parrots, body), ["phash"]);
      expect(bitsBetween(phash, other)).toBeLessThanOrEqual(4);
    }
    expect(bitsBetween(phash, (await analyze(pair, ["phash"])).phash)).toBeGreaterThan(16);
  });

  it.each<[string, (x: number, y: number) => number, string]>([
    ["white", () => 255, "8000000000000000"],
    ["gray", () => 129, "8000000000000000"],
    ["black", () => 0, "0000000000000000"],
    ["gray that is hardly noisy", (x, y) => 129 + ((x * 7 + y * 13) % 3), "8000000000000000"],
  ])("of %s says that nothing is to be seen, in every format", async (_, at, expected) => {
    const flat = await paintedFile(160, 120, (x, y) => [at(x, y), at(x, y), at(x, y), 255]);
    const formats = ["png", "jpeg", "webp"].map((format) => ({ output: { format }, optimize: { quality: 30 } }));
    for (const body of formats) {
      expect((await analyze(await result(flat, body), ["phash"])).phash).toBe(expected);
    }
  });

  it("of a plain gradient is near at all sizes and qualities", async () => {
    const sky = await paintedFile(400, 300, (x, y) => [x / 4, y / 3, 120, 255]);
    const { phash } = await analyze(sky, ["phash"]);
    for (const width of [64, 150, 333]) {
      const body = { resize: { width }, output: { format: "jpeg" }, optimize: { quality: 25 } };
      const { phash: other } = await analyze(await result(sky, body), ["phash"]);
      expect(bitsBetween(phash, other)).toBeLessThanOrEqual(DEFAULT_ALIKE_BITS);
    }
  });

  it("has a bit for each frequency, the lowest first", async () => {
    // One wave across: its frequency is the largest, the mean is above the median, all others are nearly 0.
    const wave = await paintedFile(96, 96, (x) => {
      const value = Math.round(128 + 100 * Math.cos((Math.PI * (2 * x + 1)) / 192));
      return [value, value, value, 255];
    });
    const { phash = "" } = await analyze(wave, ["phash"]);
    expect(Number.parseInt(phash.slice(0, 1), 16) & 0b1100).toBe(0b1100);
  });
});

it("finds the faces of the result, in its pixels", async () => {
  const flipped = await result(pair, { flip: { horizontal: true }, optimize: { quality: 90 } });
  const [before, after] = [await analyze(pair, ["faces"]), await analyze(flipped, ["faces"])];
  const { width } = await decodeFile(jpeg, pair);
  expect(before.faces).toHaveLength(2);
  const mirrored = before.faces?.map((box) => ({ ...box, x: width - box.x - box.width }));
  for (const [index, box] of (mirrored ?? []).entries()) {
    const found = after.faces?.find((other) => Math.abs(other.x - box.x) < box.width / 4);
    expect(found, String(index)).toMatchObject({
      y: expect.closeTo(box.y, -1.5),
      width: expect.closeTo(box.width, -1.5),
    });
  }
});

describe("the point to look at", () => {
  const focusOf = async (bytes: Uint8Array) => (await analyze(bytes, ["focus"])).focus;
  const GRAY: Color = [128, 128, 128, 255];
  /** A disc on a ground, its middle at shares of the sides. */
  const disc = (x: number, y: number, color: Color, ground: (x: number, y: number) => Color) =>
    paintedFile(400, 300, (px, py) => (Math.hypot(px - x * 400, py - y * 300) < 30 ? color : ground(px, py)));
  /** The same numbers from 0 to 255 each time, no two neighbors alike but by chance. */
  const noise = (x: number, y: number, seed = 1) => {
    let state = Math.imul(x + 1, 0x9e37_79b1) ^ Math.imul(y + 1, 0x85eb_ca77) ^ Math.imul(seed, 0xc2b2_ae3d);
    for (const shift of [15, 13, 16]) state = Math.imul(state ^ (state >>> shift), 0x2c1b_3c6d);
    return state >>> 24;
  };

  it.each([
    ["is in a saturated disc on gray", [220, 30, 30, 255], () => GRAY],
    ["is in a bright disc on gray", [240, 240, 240, 255], () => GRAY],
    [
      "is in a dark disc in a noise",
      [20, 20, 20, 255],
      (x: number, y: number) => [noise(x, y), 200, 200, 255] as Color,
    ],
    ["is in a disc that is opaque", [30, 60, 220, 255], () => [0, 0, 0, 0] as Color],
  ] as [string, Color, (x: number, y: number) => Color][])("%s, wherever that lies", async (_, color, ground) => {
    for (const [x, y] of [
      [0.25, 0.7],
      [0.8, 0.3],
      [0.5, 0.5],
      [0.12, 0.15],
    ] as const) {
      const found = await focusOf(await disc(x, y, color, ground));
      expect(Math.hypot((found?.x ?? 0) - x, (found?.y ?? 0) - y)).toBeLessThan(0.05);
    }
  });

  it.each<[string, (x: number, y: number) => Color]>([
    ["one color", () => [90, 140, 60, 255]],
    ["a checkerboard", (x, y) => (((x >> 3) + (y >> 3)) % 2 ? [0, 0, 0, 255] : [255, 255, 255, 255])],
    ["a gradient", (_, y) => [y / 2, y / 2, y / 2, 255]],
    ["a sky", (x) => [(x * 255) / 400, (x * 255) / 400, 200, 255]],
    ["noise", (x, y) => [noise(x, y), noise(x, y, 2), noise(x, y, 3), 255]],
    ["nothing", () => [0, 0, 0, 0]],
  ])("is the middle of %s", async (_, at) => {
    expect(await focusOf(await paintedFile(400, 300, at))).toEqual({ x: 0.5, y: 0.5 });
  });

  it("is in the most prominent face, and turns with the picture", async () => {
    const { faces: [face] = [], focus } = await analyze(pair, ["faces", "focus"]);
    const { width, height } = await decodeFile(jpeg, pair);
    const center = face && { x: (face.x + face.width / 2) / width, y: (face.y + face.height / 2) / height };
    expect(focus).toEqual({ x: expect.closeTo(center?.x ?? 0, 2), y: expect.closeTo(center?.y ?? 0, 2) });
  });

  it("is in a face that takes much of the picture also where faces are not asked for", async () => {
    const { faces = [] } = await analyze(pair, ["faces"]);
    const { width, height } = await decodeFile(jpeg, pair);
    const { x: across = 0, y: down = 0 } = (await focusOf(pair)) ?? {};
    const at = { x: across * width, y: down * height };
    const isIn = (face: (typeof faces)[number]) =>
      at.x > face.x && at.x < face.x + face.width && at.y > face.y && at.y < face.y + face.height;
    expect(faces.some(isIn)).toBe(true);
  });

  it("follows what it is of when the picture is mirrored, turned, made smaller, or saved again", async () => {
    const { x = 0, y = 0 } = (await focusOf(parrots)) ?? {};
    const around = (a: number, b: number) => ({ x: expect.closeTo(a, 1), y: expect.closeTo(b, 1) });
    const mirrored = await result(parrots, { flip: { horizontal: true } });
    expect(await focusOf(mirrored)).toEqual(around(1 - x, y));
    expect(await focusOf(await result(parrots, { rotate: { angle: 90 } }))).toEqual(around(1 - y, x));
    const small = { resize: { width: 320 }, optimize: { quality: 60 } };
    expect(await focusOf(await result(parrots, small))).toEqual(around(x, y));
  });
});

it("looks at the picture as it is shown, at one pixel as well, and says what was asked in that order", async () => {
  const names: AnalysisName[] = ["phash", "thumbhash", "color"];
  expect(Object.keys(await analyze(parrots, names))).toEqual(names);
  const dot = await paintedFile(1, 1, () => [1, 2, 3, 255]);
  expect(await analyze(dot, ALL)).toMatchObject({ color: "#010203", faces: [] });
});

it("takes no more than the job may have", async () => {
  const jobLimits = new JobLimits({ account: "a", maxMs: 0.001 });
  await expect(analyze(parrots, ["color"], jobLimits)).rejects.toMatchObject({ status: 422 });
});

it.each<[unknown, string]>([
  [[], "analyze must name an analysis"],
  [["color", "color"], "analyze must name every analysis once"],
  [["mood"], "analyze.0 must be one of thumbhash, blurhash, color, palette, phash, focus, faces"],
  ["color", "analyze must be a list of thumbhash, blurhash, color, palette, phash, focus, faces"],
  [[["color"]], "analyze.0 must be one of thumbhash, blurhash, color, palette, phash, focus, faces"],
])("is refused as %j", (names, message) => {
  expect(() => parseBody(UploadBody, { analyze: names })).toThrow(message);
});
