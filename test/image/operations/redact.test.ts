/** Faces are made unrecognizable, and nothing else is changed. */
import { describe, expect, it } from "vitest";

import { parseBody, UploadBody } from "../../../src/contract/request.ts";
import { findFaces, findFacesEstimate } from "../../../src/image/faces/detect.ts";
import { jpeg } from "../../../src/image/formats/jpeg.ts";
import { png } from "../../../src/image/formats/png.ts";
import type { Box } from "../../../src/image/pixels/geometry.ts";
import { UNPAUSED } from "../../../src/scheduler/time-slice.ts";
import oneFile from "../../fixtures/faces/one.jpg";
import pairFile from "../../fixtures/faces/pair.jpg";
import parrotsFile from "../../fixtures/faces/parrots.jpg";
import { admittedDuring } from "../../support/admitted.ts";
import { decodeFile } from "../../support/files.ts";
import { decoded, decodedFrames, pixel } from "../../support/operations.ts";
import { rendered as renderedFile } from "../../support/render.ts";
import { paint, pictureOf, type Pixels, rowsOf } from "../../support/rows.ts";

const pixelsOf = (file: ArrayBuffer) => decodeFile(jpeg, new Uint8Array(file));
const [one, pair, parrots] = [await pixelsOf(oneFile), await pixelsOf(pairFile), await pixelsOf(parrotsFile)];

async function found(pixels: Pixels): Promise<number[][]> {
  return (await findFaces(rowsOf(pixels), UNPAUSED)).map(numbers);
}

function numbers({ x, y, width, height }: Box): number[] {
  return [x, y, width, height].map(Math.round);
}

async function rendered(file: ArrayBuffer, body: object) {
  const { output, optimize, ...operations } = parseBody(UploadBody, body);
  const result = await renderedFile(new Uint8Array(file), { operations, output, optimize });
  const { width, height } = result.output.facts;
  const { faces, focus } = result.input;
  return { faces: faces?.map(numbers), focus, width, height, bytes: result.output.bytes };
}

const LOSSLESS = { output: { format: "png" }, optimize: { lossless: true } };

describe("faces are made unrecognizable", () => {
  const redacted = async (redact: object, file = pairFile) => {
    const result = await rendered(file, { redact, ...LOSSLESS });
    return { ...result, pixels: await decoded(result.bytes) };
  };
  /** What is covered of a face, with half as much of it around. */
  const coveredBox = ([x = 0, y = 0, width = 0, height = 0]: readonly number[], padding = 0.5) => {
    const [left, top] = [x - (width * padding) / 2, y - (height * padding) / 2];
    return { left, top, right: left + width * (1 + padding), bottom: top + height * (1 + padding) };
  };

  it.each(["blur", "pixellate", "fill"])("and nothing else is changed: %s", async (faces) => {
    const { pixels, faces: boxes = [] } = await redacted({ faces });
    expect(boxes).toHaveLength(2);
    expect(await found(pixels)).toEqual([]);
    const covers = boxes.map((box) => coveredBox(box));
    for (let y = 0; y < pixels.height; y++) {
      for (let x = 0; x < pixels.width; x++) {
        const isNear = covers.some(
          ({ left, top, right, bottom }) => x >= left - 2 && x < right + 2 && y >= top - 2 && y < bottom + 2,
        );
        if (!isNear) expect(pixel(pixels, x, y)).toEqual(pixel(pair, x, y));
      }
    }
  });

  it("of a face no more than six by six colors are left", async () => {
    const { pixels, faces: [face = []] = [] } = await redacted({ faces: "pixellate" });
    const { left, top, right, bottom } = coveredBox(face);
    const colors = new Set<string>();
    for (let y = Math.ceil(top) + 1; y < bottom - 1; y++)
      for (let x = Math.ceil(left) + 1; x < right - 1; x++) colors.add(pixel(pixels, x, y).join(" "));
    expect(colors.size).toBeLessThanOrEqual(36);
    expect(colors.size).toBeGreaterThan(4);
  });

  it("a blur has no edges between those colors", async () => {
    const { pixels, faces: [face = []] = [] } = await redacted({ faces: "blur" });
    const { left, top, right, bottom } = coveredBox(face);
    const cell = (right - left) / 6;
    let steepest = 0;
    for (let y = Math.ceil(top) + 1; y < bottom - 1; y++) {
      for (let x = Math.ceil(left) + 1; x < right - 2; x++) {
        const [here, there] = [pixel(pixels, x, y), pixel(pixels, x + 1, y)];
        steepest = Math.max(steepest, ...here.map((value, channel) => Math.abs(value - (there[channel] ?? 0))));
      }
    }
    expect(steepest).toBeLessThanOrEqual(255 / cell + 1);
  });

  it("takes a color and a padding", async () => {
    const { pixels, faces: [face = []] = [] } = await redacted({ faces: "fill", color: "00ff00", padding: 0 });
    const [x = 0, y = 0, width = 0, height = 0] = face;
    const column = Math.round(x + width / 2);
    expect(pixel(pixels, column, Math.round(y + height / 2))).toEqual([0, 255, 0, 255]);
    expect(pixel(pixels, column, y - 3)).toEqual(pixel(pair, column, y - 3));
  });

  it("and nothing of them shows through what is transparent", async () => {
    const seeThrough = paint(pair.width, pair.height, (x, y) => {
      const [red, green, blue] = pixel(pair, x, y);
      return [red, green, blue, x % 2 === 0 ? 128 : 255];
    });
    const settings = { lossless: true, quality: 100, progressive: false, effort: 0 };
    const file = await png.write.encode(pictureOf([seeThrough], { opaque: false }), settings, UNPAUSED);
    const { pixels, faces: [face = []] = [] } = await redacted({ faces: "blur" }, file.slice().buffer);
    const [x = 0, y = 0, width = 0, height = 0] = face;
    for (let row = 0; row < height; row++)
      for (let column = 0; column < width; column++) expect(pixel(pixels, x + column, y + row)[3]).toBe(255);
  });

  it("and a picture without any stays as it is", async () => {
    const { pixels, faces } = await redacted({ faces: "blur" }, parrotsFile);
    expect(faces).toEqual([]);
    expect(pixels.data).toEqual(parrots.data);
  });

  it.each([
    [{}, "redact needs faces, regions, or both"],
    [{ regions: [] }, "redact.regions must be a list of 1 to 32 rectangles"],
    [{ regions: [{ x: 0, y: 0, width: 0.5 }] }, "redact.regions.0.height is required"],
    [
      { regions: [{ x: -1, y: 0, width: 1, height: 1 }] },
      "redact.regions.0.x must be a number of pixels, or below 1 a part of the side, from 0 to 16384",
    ],
    [{ faces: "blur", mode: "fill" }, "redact must have mode with regions only"],
    [
      { regions: [{ x: 0, y: 0, width: 1, height: 1 }], mode: "blur", color: "000" },
      "redact must have color with faces: fill or mode: fill only",
    ],
    [{ faces: "blurred" }, "redact.faces must be one of blur, pixellate, fill"],
    [{ faces: "blur", color: "000" }, "redact must have color with faces: fill or mode: fill only"],
    [{ faces: "fill", padding: 11 }, "redact.padding must be a number between 0 and 10"],
  ])("refuses %o", (redact, message) => {
    expect(() => parseBody(UploadBody, { redact })).toThrow(message);
  });
});

describe("rectangles are made unrecognizable", () => {
  const REGIONS = [
    { x: 10, y: 20, width: 40, height: 30 },
    { x: 0.5, y: 0.5, width: 0.25, height: 0.9 },
  ];
  const isCovered = (x: number, y: number) => {
    const { width, height } = parrots;
    return (x >= 10 && x < 50 && y >= 20 && y < 50) || (x >= width / 2 && x < 0.75 * width && y >= height / 2);
  };
  const NEAR = 1;

  it.each(["fill", "blur", "pixellate"])("and nothing else is changed: %s", async (mode) => {
    const { bytes, faces } = await rendered(parrotsFile, { redact: { regions: REGIONS, mode }, ...LOSSLESS });
    const pixels = await decoded(bytes);
    expect(faces).toBeUndefined();
    const colors = new Set<string>();
    for (let y = 0; y < pixels.height; y++) {
      for (let x = 0; x < pixels.width; x++) {
        if (x >= 10 && x < 50 && y >= 20 && y < 50) colors.add(pixel(pixels, x, y).join(" "));
        const isNear = isCovered(x - NEAR, y) || isCovered(x + NEAR, y) || isCovered(x, y - NEAR) || isCovered(x, y);
        if (!isNear) expect(pixel(pixels, x, y)).toEqual(pixel(parrots, x, y));
        if (mode === "fill" && isCovered(x, y)) expect(pixel(pixels, x, y)).toEqual([0, 0, 0, 255]);
      }
    }
    if (mode !== "blur") expect(colors.size).toBeLessThanOrEqual(mode === "fill" ? 1 : 36);
    if (mode === "pixellate") expect(colors.size).toBeGreaterThan(4);
  });

  it("beside faces, in a color, and of the picture as it is resized", async () => {
    const redact = { faces: "fill", regions: [{ x: 0, y: 0, width: 0.1, height: 0.1 }], color: "00ff00", padding: 0 };
    const { bytes, faces = [], width } = await rendered(pairFile, { resize: { width: 300 }, redact, ...LOSSLESS });
    const pixels = await decoded(bytes);
    expect(faces).toHaveLength(2);
    expect(pixel(pixels, 0, 0)).toEqual([0, 255, 0, 255]);
    expect(pixel(pixels, width / 10 - 1, 0)).toEqual([0, 255, 0, 255]);
    for (const [x = 0, y = 0, across = 0, down = 0] of faces) {
      const shrunk = (place: number) => Math.round((place * width) / pair.width);
      expect(pixel(pixels, shrunk(x + across / 2), shrunk(y + down / 2))).toEqual([0, 255, 0, 255]);
    }
  });

  it("in every frame of an animation", async () => {
    const frameOf = (frame: number) => paint(40, 30, (x, y) => [frame * 80, x * 6, y * 8, 255]);
    const settings = { lossless: true, quality: 100, progressive: false, effort: 0 };
    const file = await png.write.encode(
      pictureOf([frameOf(0), frameOf(1), frameOf(2)], { opaque: true }),
      settings,
      UNPAUSED,
    );
    const redact = { regions: [{ x: 5, y: 5, width: 10, height: 10 }] };
    const { bytes } = await rendered(file.slice().buffer, { redact, ...LOSSLESS });
    const shown = await decodedFrames(bytes);
    expect(shown).toHaveLength(3);
    for (const [frame, pixels] of shown.entries()) {
      expect(pixel(pixels, 5, 5)).toEqual([0, 0, 0, 255]);
      expect(pixel(pixels, 14, 14)).toEqual([0, 0, 0, 255]);
      expect(pixel(pixels, 15, 15)).toEqual([frame * 80, 90, 120, 255]);
    }
  });

  it("where a part of a side is next to nothing, by a pixel", async () => {
    const redact = { regions: [{ x: 5, y: 5, width: 1e-300, height: 1e-300 }], color: "00ff00" };
    const pixels = await decoded((await rendered(parrotsFile, { redact, ...LOSSLESS })).bytes);
    expect(pixel(pixels, 5, 5)).toEqual([0, 255, 0, 255]);
    expect(pixel(pixels, 6, 6)).toEqual(pixel(parrots, 6, 6));
  });

  it("refuses one that lies outside, which would cover nothing", async () => {
    const redact = { regions: [REGIONS[0], { x: 5_000, y: 0, width: 10, height: 10 }] };
    await expect(rendered(parrotsFile, { redact, ...LOSSLESS })).rejects.toThrow(
      "redact.regions.1 must lie inside the image",
    );
  });
});

describe("of an animation", () => {
  const LOSSLESS_FILE = { lossless: true, quality: 100, progressive: false, effort: 0 };

  /** A face that goes to the right, so many pixels in each frame, and is not in all of them. */
  const going = (count: number, step: number, isThere: (frame: number) => boolean = () => true): Pixels[] =>
    Array.from({ length: count }, (_, frame) =>
      paint(one.width * 2, one.height, (x, y) => {
        const column = x - frame * step;
        const isInside = isThere(frame) && column >= 0 && column < one.width;
        return pixel(one, isInside ? column : 0, isInside ? y : 0);
      }),
    );

  const covered = async ([first = one, ...others]: Pixels[]) => {
    const file = await png.write.encode(pictureOf([first, ...others]), LOSSLESS_FILE, UNPAUSED);
    const { bytes, faces } = await rendered(file.slice().buffer, { redact: { faces: "fill" }, ...LOSSLESS });
    return { faces, pictures: await decodedFrames(bytes) };
  };

  const isFilled = (picture: Pixels, x: number, y: number) =>
    pixel(picture, Math.round(x), Math.round(y)).join(" ") === "0 0 0 255";

  it("they are covered on their way, in frames that nobody looked at, too", async () => {
    const [[left = 0, top = 0, width = 0, height = 0] = []] = await found(one);
    const step = 6;
    const { faces, pictures } = await covered(going(20, step));
    expect(faces).toHaveLength(1);
    expect(pictures).toHaveLength(20);
    for (const [frame, picture] of pictures.entries())
      for (const x of [0.1, 0.9])
        for (const y of [0.1, 0.9])
          expect(isFilled(picture, left + frame * step + x * width, top + y * height)).toBe(true);
    const [first = one, last = one] = [pictures.at(0), pictures.at(-1)];
    expect(isFilled(first, left + 19 * step + width, top + height / 2)).toBe(false);
    expect(isFilled(last, left, top + height / 2)).toBe(false);
  });

  it("sixteen frames are looked at, which is declared beforehand", async () => {
    // Large enough that little else takes time.
    const still: Pixels = { width: 320, height: 256, data: new Uint8Array(320 * 256 * 4).fill(255) };
    const searches = async (count: number) => {
      const [sought] = await admittedDuring(async () => covered(Array<Pixels>(count).fill(still)), { now: () => 0 });
      expect(sought?.spentMs).toBeGreaterThan(0);
      expect(sought?.spentMs).toBeLessThanOrEqual(sought?.estimate.ms ?? 0);
      return (sought?.estimate.ms ?? 0) / findFacesEstimate(still).ms;
    };
    expect(Math.round(await searches(3))).toBe(3);
    expect(Math.round(await searches(40))).toBe(16);
  });

  it("one that comes is covered, and what is free of faces is not", async () => {
    const [[left = 0, top = 0, width = 0, height = 0] = []] = await found(one);
    const { faces, pictures } = await covered(going(4, 0, (frame) => frame === 1));
    expect(faces).toEqual([]);
    const filled = pictures.map((picture) => isFilled(picture, left + width / 2, top + height / 2));
    expect(filled).toEqual([true, true, false, false]);
  });
});
