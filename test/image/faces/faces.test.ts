/** Faces are found where they are, in photographs of every kind. */
import { describe, expect, it } from "vitest";

import { parseBody, UploadBody } from "../../../src/contract/request.ts";
import {
  FACE_SIDE,
  faceCandidates,
  faceCandidatesEstimate,
  findFaces,
  findFacesEstimate,
} from "../../../src/image/faces/detect.ts";
import { judge } from "../../../src/image/faces/judge.ts";
import { judge as leftOut } from "../../../src/image/faces/without-judge.ts";
import { jpeg } from "../../../src/image/formats/jpeg.ts";
import { png } from "../../../src/image/formats/png.ts";
import { type Box, sharedParts } from "../../../src/image/pixels/geometry.ts";
import { LOOK_BYTES, LOOK_BYTES_PER_PIXEL } from "../../../src/image/steps/operation.ts";
import { UNPAUSED } from "../../../src/scheduler/time-slice.ts";
import { lookMs, SQUARE_MS } from "../../../wasm/faces/faces.ts";
import { nativeStatistics } from "../../../wasm/load.ts";
import asideFile from "../../fixtures/faces/aside.jpg";
import turnedFile from "../../fixtures/faces/one-turned.jpg";
import oneFile from "../../fixtures/faces/one.jpg";
import pairFile from "../../fixtures/faces/pair.jpg";
import parrotsFile from "../../fixtures/faces/parrots.jpg";
import turnedAwayFile from "../../fixtures/faces/turned-away.jpg";
import { decodeFile } from "../../support/files.ts";
import { decoded, flat, pixel } from "../../support/operations.ts";
import { rendered as renderedFile } from "../../support/render.ts";
import { noise, paint, pictureOf, type Pixels, rowsOf, sample, scene } from "../../support/rows.ts";

const pixelsOf = (file: ArrayBuffer) => decodeFile(jpeg, new Uint8Array(file));
const one = await pixelsOf(oneFile);
const aside = await pixelsOf(asideFile);
const turnedAway = await pixelsOf(turnedAwayFile);

async function found(pixels: Pixels, opaque = true): Promise<number[][]> {
  return (await findFaces(rowsOf(pixels, opaque), UNPAUSED)).map(numbers);
}

function numbers({ x, y, width, height }: Box): number[] {
  return [x, y, width, height].map(Math.round);
}

/** A picture made of pixels of another one; null: transparent black. */
function made(width: number, height: number, from: Pixels, at: (x: number, y: number) => [number, number] | null) {
  return paint(width, height, (x, y) => {
    const [column, row] = at(x, y) ?? [-1, -1];
    if (column < 0 || row < 0 || column >= from.width || row >= from.height) return [0, 0, 0, 0];
    const index = (row * from.width + column) * 4;
    return [0, 1, 2, 3].map((channel) => sample(from.data, index + channel)) as [number, number, number, number];
  });
}

const near = (box: readonly number[], tolerance: number) =>
  box.map((value) => expect.closeTo(value, -Math.log10(2 * tolerance)));

const [pair, parrots] = [await pixelsOf(pairFile), await pixelsOf(parrotsFile)];

it("are judged by one network where a deployment leaves the others out", async () => {
  const [both, alone] = await Promise.all(
    [judge, leftOut].map((judging) => faceCandidates(rowsOf(one, true), UNPAUSED, judging)),
  );
  expect(leftOut).toBeUndefined();
  expect(both).toHaveLength(1);
  expect(alone?.[0]).toMatchObject({ ...both?.[0], score: expect.any(Number) });
  expect(alone?.[0]?.score).not.toBe(both?.[0]?.score);
  expect(faceCandidatesEstimate(one, judge)).toEqual(findFacesEstimate(one));
  // What is left out is the second network's looks, two at each of two faces, in a size of 128 x 128 pixels, and two
  // squares for the third.
  const less = findFacesEstimate(one).ms - faceCandidatesEstimate(one, leftOut).ms;
  expect(less).toBeCloseTo(4 * lookMs({ width: 128, height: 128 }) + 2 * SQUARE_MS);
});

it("are not what leaves doubt where the third network sees nothing, and are no surer than without it where it does", async () => {
  const scoreOf = async (pixels: Pixels) =>
    (await faceCandidates(rowsOf(pixels, true), UNPAUSED, judge)).map(({ score }) => score);
  expect(await scoreOf(turnedAway)).toEqual([0.75]);
  // Too dark to be sure of, and for the third network.
  const dark = made(240, 200, aside, (x, y) => [x, y]);
  for (let at = 0; at < dark.data.length; at++)
    if (at % 4 !== 3) dark.data[at] = Math.round(sample(dark.data, at) * 0.08);
  expect(await scoreOf(dark)).toEqual([expect.closeTo(0.55, 1)]);
  expect(await found(dark)).toEqual([]);
});

describe("faces are found", () => {
  it.each<readonly [string, Pixels, number[][]]>([
    ["one", one, [[69, 32, 61, 73]]],
    [
      "of two the more prominent first",
      pair,
      [
        [208, 36, 54, 65],
        [66, 65, 48, 58],
      ],
    ],
    ["looking down and aside", aside, [[92, 70, 59, 71]]],
    // The first two networks leave doubt.
    ["turned away, under a hat", turnedAway, [[44, 26, 71, 85]]],
  ])("%s", async (_, pixels, boxes) => {
    expect(await found(pixels)).toEqual(boxes);
  });

  it("in a mirror image, at the mirrored place", async () => {
    const { width, height } = aside;
    const [[x = 0, y = 0, across = 0, down = 0] = []] = await found(aside);
    const mirrored = made(width, height, aside, (column, row) => [width - 1 - column, row]);
    expect(await found(mirrored)).toEqual([near([width - x - across, y, across, down], 5)]);
  });

  it("in transparent surroundings, but not where they are transparent themselves", async () => {
    const { width, height } = one;
    const [box = []] = await found(one);
    const [left = 0, top = 0, side = 0] = box;
    const within = (x: number, y: number) => Math.hypot(x - left - side / 2, y - top - side / 2) < side * 0.8;
    const cutOut = made(width, height, one, (x, y) => (within(x, y) ? [x, y] : null));
    expect(await found(cutOut, false)).toEqual([near(box, 5)]);
    const gone: Pixels = { ...one, data: one.data.map((value, at) => (at % 4 === 3 ? 0 : value)) };
    expect(await found(gone, false)).toEqual([]);
  });

  it.each<readonly [string, Pixels]>([
    ["birds", parrots],
    ["noise", noise(400, 300)],
    ["a scene of shapes", scene(320, 240)],
    ["one color", flat(64, 64, [200, 160, 140, 255])],
    ["stripes", paint(200, 200, (x, y) => [(x * y) % 256, (x * 40) % 256, (y * 25) % 256, 255])],
    ["a checkerboard", paint(200, 200, (x, y) => (((x >> 3) + (y >> 3)) % 2 ? [255, 255, 255, 255] : [0, 0, 0, 255]))],
    ["one pixel", noise(1, 1)],
    ["one row", noise(300, 1)],
    ["one column", noise(1, 300)],
    ["less than a window", noise(19, 19)],
    ["hardly a window", noise(20, 21)],
  ])("but not in %s", async (_, pixels) => {
    expect(await found(pixels)).toEqual([]);
  });
});

describe("the memory of the search", () => {
  it("is at most what may be held for a small version", () => {
    for (const [width, height] of [
      [FACE_SIDE, FACE_SIDE],
      [FACE_SIDE, 400],
      [200, FACE_SIDE],
      [FACE_SIDE, 1],
    ] as const) {
      expect(findFacesEstimate({ width, height }).bytes).toBeLessThan(
        width * height * LOOK_BYTES_PER_PIXEL + LOOK_BYTES,
      );
    }
  });

  it("stays the same over a thousand searches, within what is declared", async () => {
    const large = noise(FACE_SIDE, FACE_SIDE);
    const small = noise(48, 40);
    const memory = () => nativeStatistics().find(({ name }) => name === "faces");
    await found(large);
    const before = memory();
    for (let run = 0; run < 1_000; run++) await found(small);
    await found(large);
    expect(memory()).toEqual(before);
    // All networks, and the floats of the first.
    const idle = 1_376 * 1_024;
    expect(before?.memoryBytes).toBeLessThan(findFacesEstimate(large).bytes + idle);
  });
});

async function rendered(file: ArrayBuffer, body: object) {
  const { output, optimize, ...operations } = parseBody(UploadBody, body);
  const result = await renderedFile(new Uint8Array(file), { operations, output, optimize });
  const { width, height } = result.output.facts;
  const { faces, focus } = result.input;
  return { faces: faces?.map(numbers), focus, width, height, bytes: result.output.bytes };
}

const FACE = { crop: { mode: "face", padding: 0 } };

const boxOf = ([x = 0, y = 0, width = 0, height = 0]: readonly number[]): Box => ({ x, y, width, height });

describe("operations that follow faces", () => {
  it("cut out a face, and say where faces are", async () => {
    const [face = []] = await found(one);
    const { faces, width, height } = await rendered(oneFile, FACE);
    expect(faces).toEqual([near(face, 2)]);
    expect([width, height]).toEqual(faces?.[0]?.slice(2));
    const padded = await rendered(oneFile, { crop: { mode: "face", padding: 0.5 } });
    expect([padded.width, padded.height]).toEqual(
      near(
        face.slice(2).map((side) => side * 1.5),
        2,
      ),
    );
  });

  it("cut out all faces", async () => {
    const {
      faces = [],
      width,
      height,
    } = await rendered(pairFile, { crop: { mode: "face", faces: "all", padding: 0 } });
    expect(faces).toHaveLength(2);
    const edges = faces.map(([x = 0, y = 0, across = 0, down = 0]) => [x, y, x + across, y + down] as const);
    expect(width).toBe(Math.max(...edges.map((box) => box[2])) - Math.min(...edges.map((box) => box[0])));
    expect(height).toBe(Math.max(...edges.map((box) => box[3])) - Math.min(...edges.map((box) => box[1])));
  });

  it("see the picture upright, and say places in the upright picture", async () => {
    expect(jpeg.read.factsOf(new Uint8Array(turnedFile)).orientation).toBe(6);
    expect((await rendered(turnedFile, FACE)).faces).toEqual((await rendered(oneFile, FACE)).faces);
  });

  it("see the picture as the operations before leave it, and say places in the picture before them", async () => {
    const [face = []] = await found(one);
    // On its side, the face is where it is; what is above the eyebrows is sought there above them, not beside them.
    const { faces: aside = [] } = await rendered(oneFile, { rotate: { angle: 90 }, ...FACE });
    expect(aside).toHaveLength(1);
    expect(sharedParts(boxOf(aside[0] ?? []), boxOf(face)).ofUnion).toBeGreaterThan(0.6);
    expect((await rendered(oneFile, { rotate: { angle: 8 }, ...FACE })).faces).toEqual([near(face, 8)]);
    expect((await rendered(oneFile, { flip: { mode: "horizontal" }, ...FACE })).faces).toEqual([near(face, 4)]);
    const crop = { x: 40, y: 20, width: 120, height: 120 };
    const resize = { width: 60, height: 60, mode: "fit", gravity: "face" };
    expect((await rendered(oneFile, { crop, resize })).faces).toEqual([near(face, 5)]);
  });

  it.each<readonly [string, object]>([
    ["crop rect", { crop: { width: 110, height: 110, gravity: "face" } }],
    ["crop ratio", { crop: { mode: "ratio", ratio: "1:2", gravity: "face" } }],
    ["resize", { resize: { mode: "fit", width: 100, height: 200, gravity: "face" } }],
  ])("keep the most prominent face inside: %s", async (_, body) => {
    const { bytes, faces } = await rendered(pairFile, body);
    expect(faces).toHaveLength(2);
    expect(await found(await decodeFile(jpeg, bytes))).toHaveLength(1);
  });

  it("keep all faces inside", async () => {
    const { bytes } = await rendered(pairFile, { crop: { width: 230, height: 130, gravity: "faces" } });
    expect(await found(await decodeFile(jpeg, bytes))).toHaveLength(2);
  });

  it("take the middle where there is no face", async () => {
    expect(await rendered(parrotsFile, FACE)).toMatchObject({ faces: [], width: 200, height: 200 });
    const [facing, centered] = await Promise.all(
      ["face", "center"].map((gravity) => rendered(parrotsFile, { crop: { width: 90, height: 60, gravity } })),
    );
    expect(facing?.bytes).toEqual(centered?.bytes);
  });

  it("say nothing of faces where none were sought", async () => {
    for (const body of [{ crop: { width: 20, height: 20 } }, { resize: { width: 20, gravity: "face" } }]) {
      expect((await rendered(oneFile, body)).faces).toBeUndefined();
    }
  });

  it.each([{ padding: -1 }, { padding: 10.5 }, { faces: "two" }, { gravity: "eyes" }])("refuse %o", (members) => {
    expect(() => parseBody(UploadBody, { crop: { mode: "face", ...members } })).toThrow(/^crop\./);
  });
});

describe("the gravity auto", () => {
  /** A red spot on gray with a little grain; its middle is at so many pixels. */
  async function spot(x: number, y: number): Promise<ArrayBuffer> {
    const pixels = paint(300, 200, (column, row) => {
      const isInside = Math.hypot(column - x, row - y) < 18;
      const grain = (column * 7 + row * 13) % 3;
      return isInside ? [220, 30 + ((column * row) & 31), 40, 255] : [120 + grain, 120 + grain, 120 + grain, 255];
    });
    const settings = { lossless: true, quality: 100, progressive: false, effort: 0 };
    return (await png.write.encode(pictureOf([pixels]), settings, UNPAUSED)).slice().buffer;
  }
  const exactly = { output: { format: "png" }, optimize: { lossless: true } };

  it("looks at the most prominent face", async () => {
    const [[x = 0, y = 0, width = 0, height = 0] = []] = await found(one);
    const crop = { width: 60, height: 60, gravity: "auto" };
    const { focus } = await rendered(oneFile, { crop });
    expect(focus?.x).toBeCloseTo((x + width / 2) / one.width, 1);
    expect(focus?.y).toBeCloseTo((y + height / 2) / one.height, 1);
  });

  it.each([
    [60, 50],
    [240, 150],
  ])("without faces, at what stands out: %i, %i", async (x, y) => {
    const file = await spot(x, y);
    const { focus, bytes } = await rendered(file, { crop: { width: 60, height: 60, gravity: "auto" }, ...exactly });
    expect(focus?.x).toBeCloseTo(x / 300, 1);
    expect(focus?.y).toBeCloseTo(y / 200, 1);
    const [red, , blue] = pixel(await decoded(bytes), 30, 30);
    expect(red - blue).toBeGreaterThan(100);
    const square = { width: 100, height: 100, mode: "fit", gravity: "auto" };
    const resized = await decoded((await rendered(file, { resize: square, ...exactly })).bytes);
    expect(pixel(resized, x < 150 ? 30 : 70, y / 2)[2]).toBeLessThan(80);
  });

  it("takes in all of a subject that the result has room for", async () => {
    // Two spots of which a square around the middle of one would miss the other.
    const [left, right] = [100, 220];
    const pixels = paint(400, 200, (column, row) => {
      const isInside = [left, right].some((x) => Math.hypot(column - x, row - 100) < 25);
      const grain = (column * 7 + row * 13) % 3;
      return isInside ? [220, 30 + ((column * row) & 31), 40, 255] : [120 + grain, 120 + grain, 120 + grain, 255];
    });
    const settings = { lossless: true, quality: 100, progressive: false, effort: 0 };
    const file = (await png.write.encode(pictureOf([pixels]), settings, UNPAUSED)).slice().buffer;
    const crop = { mode: "ratio", ratio: "1:1", gravity: "auto" };
    const { focus, bytes } = await rendered(file, { crop, ...exactly });
    const start = Math.round((focus?.x ?? 0) * 400) - 100;
    expect(start).toBeLessThanOrEqual(left - 25);
    expect(start + 200).toBeGreaterThanOrEqual(right + 25);
    const result = await decoded(bytes);
    for (const x of [left, right]) expect(pixel(result, x - start, 100)[2]).toBeLessThan(80);
  });

  it("says where it looked as the original is seen, however that was turned before", async () => {
    const order = { rotate: { angle: 90 }, crop: { width: 60, height: 60, gravity: "auto" } };
    const { focus } = await rendered(await spot(60, 50), order);
    expect(focus?.x).toBeCloseTo(60 / 300, 1);
    expect(focus?.y).toBeCloseTo(50 / 200, 1);
  });

  it("looks at the middle where nothing stands out, and not at all where a point is named", async () => {
    const settings = { lossless: true, quality: 100, progressive: false, effort: 0 };
    const plain = await png.write.encode(pictureOf([paint(90, 60, () => [9, 9, 9, 255])]), settings, UNPAUSED);
    const crop = { width: 30, height: 30 };
    expect((await rendered(plain.slice().buffer, { crop: { ...crop, gravity: "auto" } })).focus).toEqual({
      x: 0.5,
      y: 0.5,
    });
    const file = await spot(60, 50);
    const { focus, bytes } = await rendered(file, { crop: { ...crop, focus: { x: 0.2, y: 0.25 } }, ...exactly });
    expect(focus).toBeUndefined();
    expect(pixel(await decoded(bytes), 15, 15)[0]).toBe(220);
    await expect(rendered(file, { crop: { ...crop, gravity: "auto", focus: { x: 0, y: 0 } } })).rejects.toMatchObject({
      status: 422,
      message: "crop must have one of gravity, focus, and x and y",
    });
  });
});
