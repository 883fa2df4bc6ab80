/** The score of small pictures: what the same content scores in a larger one. */
import { describe, expect, it } from "vitest";

import { parseBody, UploadBody } from "../../../src/contract/request.ts";
import { FORMATS } from "../../../src/image/formats.ts";
import { pixelsOf } from "../../../src/image/pixels/rows.ts";
import { completed, completedSize } from "../../../src/image/search/completed.ts";
import { decoded } from "../../../src/image/search/probe.ts";
import { UNPAUSED } from "../../../src/scheduler/time-slice.ts";
import macaw75 from "../../fixtures/score/macaw-75.jpg";
import macaw from "../../fixtures/score/macaw.png";
import astronaut from "../../fixtures/superres/astronaut.png";
import motocross from "../../fixtures/superres/motocross.png";
import { rendered } from "../../support/render.ts";
import { drain, paint, type Pixels, psnr, rowsOf } from "../../support/rows.ts";
import { scoreRows } from "../../support/scores.ts";

const PHOTOGRAPHS = { macaw, astronaut, motocross };

/** A file made by a request, as its bytes and its pixels. */
async function made(source: Uint8Array, body: object) {
  const { output, optimize, ...operations } = parseBody(UploadBody, body);
  const { output: result } = await rendered(source, { operations, output, optimize });
  const rows = await decoded(result.format, result.bytes, UNPAUSED);
  const { width, height } = rows;
  return { ...result, pixels: { width, height, data: await pixelsOf(rows) } satisfies Pixels };
}

/** A photograph of this size. */
function small(file: ArrayBuffer, width: number, height: number, isGray: boolean) {
  return made(new Uint8Array(file), {
    crop: { mode: "ratio", ratio: `${width}:${height}` },
    resize: { width, height, mode: "exact" },
    ...(isGray && { adjust: { grayscale: true } }),
    output: { format: "png" },
    optimize: { lossless: true },
  });
}

describe("small pictures", () => {
  it.each([16, 24, 32, 48, 64, 96, 112])("keep what there is to see in gray, %d pixels a side", async (side) => {
    for (const file of Object.values(PHOTOGRAPHS)) {
      const original = await small(file, side, side, true);
      for (const format of ["jpeg", "webp", "avif", "png", "heic", "jp2", "jxl"] as const) {
        const { pixels, score } = await made(original.bytes, { output: { format } });
        expect(psnr(pixels, original.pixels), format).toBeGreaterThan(27.5);
        expect(score, format).toBeGreaterThanOrEqual(75);
      }
    }
  });

  it.each([
    [
      "icons",
      [
        [24, 16],
        [32, 21],
        [44, 29],
      ],
    ],
    [
      "pictures",
      [
        [80, 53],
        [90, 60],
        [120, 80],
        [160, 114],
      ],
    ],
  ] as const)("take no more bytes than larger %s of the same photograph", async (_, all) => {
    for (const format of ["jpeg", "avif"] as const) {
      const sizes = [];
      for (const [width, height] of all) {
        const original = await small(macaw, width, height, false);
        sizes.push((await made(original.bytes, { output: { format } })).bytes.length);
      }
      expect(sizes.toSorted((one, other) => one - other)).toEqual(sizes);
    }
  });

  it("are searched for as icons, with the chroma of every pixel", async () => {
    const original = await small(motocross, 32, 32, false);
    const atBest = await made(original.bytes, { output: { format: "jpeg" }, optimize: { quality: 98 } });
    const icon = await made(original.bytes, { output: { format: "jpeg" } });
    expect(icon.bytes.length).toBeLessThan(atBest.bytes.length * 0.75);
    expect(icon.score).toBeGreaterThanOrEqual(82);
    expect(icon.facts.subsample).toBe("4:4:4");
  });
});

describe("the score of a part", () => {
  it("is about that of the whole", async () => {
    const whole = await decoded(FORMATS.png, new Uint8Array(macaw), UNPAUSED).then(drain);
    const rendition = await decoded(FORMATS.jpeg, new Uint8Array(macaw75), UNPAUSED).then(drain);
    const expected = await scoreRows(rowsOf(whole), rowsOf(rendition), UNPAUSED);
    const scores: number[] = [];
    for (const y of [0, 60]) {
      for (const x of [0, 80]) {
        const part = (pixels: Pixels) => rowsOf(cut(pixels, x, y, 80, 60));
        scores.push(await scoreRows(part(whole), part(rendition), UNPAUSED));
      }
    }
    const mean = scores.reduce((sum, score) => sum + score, 0) / scores.length;
    expect(Math.abs(mean - expected)).toBeLessThan(3);
  });
});

function cut({ width, data }: Pixels, x: number, y: number, across: number, down: number): Pixels {
  const rows = Array.from({ length: down }, (_, row) => {
    const from = ((y + row) * width + x) * 4;
    return [...data.subarray(from, from + across * 4)];
  });
  return { width: across, height: down, data: new Uint8Array(rows.flat()) };
}

describe("a picture that is continued", () => {
  const lettered = (width: number, height: number) => paint(width, height, (x, y) => [x, y, 7, 255]);

  it("is followed by its mirror images", async () => {
    for (const [width, height] of [
      [100, 60],
      [100, 300],
      [200, 90],
    ] as const) {
      const all = await drain(completed(rowsOf(lettered(width, height))));
      expect(all).toMatchObject(completedSize({ width, height }));
      const at = (x: number, y: number) => [...all.data.subarray((y * all.width + x) * 4, (y * all.width + x) * 4 + 2)];
      const fold = (place: number, side: number) =>
        place % (2 * side) < side ? place % side : side - 1 - (place % side);
      for (let y = 0; y < all.height; y += 7) {
        for (let x = 0; x < all.width; x += 11) expect(at(x, y)).toEqual([fold(x, width) & 255, fold(y, height) & 255]);
      }
    }
  });

  it("is as it is where it has all scales", async () => {
    const rows = rowsOf(lettered(113, 113));
    expect(completed(rows)).toBe(rows);
    rows.close();
  });
});
