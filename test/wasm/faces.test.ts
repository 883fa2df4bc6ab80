/** The networks that find faces, against their definitions. */
import { describe, expect, it } from "vitest";

import { jpeg } from "../../src/image/formats/jpeg.ts";
import { type FacePicture, type Hit, openFacePicture, SQUARE_SIDE, WINDOW_ROWS } from "../../wasm/faces/faces.ts";
import far from "../../wasm/faces/far.bin";
import mmod from "../../wasm/faces/mmod.bin";
import near from "../../wasm/faces/network.bin";
import oneFile from "../fixtures/faces/one.jpg";
import { facesByNetwork } from "../support/face-network.ts";
import { facesByFarNetwork } from "../support/far-network.ts";
import { decodeFile } from "../support/files.ts";
import { scoreByMmod } from "../support/mmod-network.ts";
import { pixel } from "../support/operations.ts";
import { noise, paint, type Pixels } from "../support/rows.ts";

const LEAST = 1e-6;

const one = await decodeFile(jpeg, new Uint8Array(oneFile));

function opened({ width, height, data }: Pixels): FacePicture {
  const picture = openFacePicture(width, height);
  for (let y = 0; y < height; y += WINDOW_ROWS)
    picture.write(new Uint8Array(data.subarray(y * width * 4, (y + WINDOW_ROWS) * width * 4)));
  return picture;
}

/** What the first network finds. */
function hitsIn(pixels: Pixels): Hit[] {
  const { width, height } = pixels;
  const picture = opened(pixels);
  const search = picture.search({ x: 0, y: 0, width, height }, { width, height }, LEAST);
  while (search.next());
  const hits = search.hits();
  search.close();
  picture.close();
  return hits;
}

/** What the second one does. */
function looked(pixels: Pixels, mirrored = false): Hit[] {
  const { width, height } = pixels;
  const picture = opened(pixels);
  const hits = picture.look(new Uint8Array(far), { x: 0, y: 0, width, height }, { width, height }, LEAST, mirrored);
  picture.close();
  return hits;
}

/** What the third one scores a square, in which a face is about 80 pixels high. */
function scored(pixels: Pixels, mirrored = false): number {
  const picture = opened(pixels);
  const square = { x: 0, y: 0, width: SQUARE_SIDE, height: SQUARE_SIDE };
  const score = picture.squareScore(new Uint8Array(mmod), square, mirrored);
  picture.close();
  return score;
}

function expectSame(hits: readonly Hit[], defined: readonly Hit[]): void {
  const isSame = (a: Hit, b: Hit) =>
    Math.abs(a.score - b.score) < 1e-4 &&
    [a.x - b.x, a.y - b.y, a.width - b.width, a.height - b.height].every((distance) => Math.abs(distance) < 0.01);
  expect(hits.filter((hit) => !defined.some((other) => isSame(hit, other)))).toEqual([]);
  // Scores at the border may be rounded to either side of it.
  const certain = defined.filter(({ score }) => score > LEAST * 1.01);
  expect(certain.length).toBeGreaterThan(0);
  expect(certain.filter((hit) => !hits.some((other) => isSame(hit, other)))).toEqual([]);
}

const face = paint(96, 96, (x, y) => pixel(one, x + 52, y + 18));

describe.each([
  ["first", hitsIn, (pixels: Pixels) => facesByNetwork(near, pixels.width, pixels.height, pixels.data)],
  ["second", looked, (pixels: Pixels) => facesByFarNetwork(far, pixels.width, pixels.height, pixels.data)],
] as const)("the %s network gives the boxes and scores that it is defined to give", (_, found, defined) => {
  it.each<readonly [string, Pixels]>([
    ["a face", face],
    ["a face cut off, of sides that are no whole steps", paint(67, 45, (x, y) => pixel(one, x + 60, y + 40))],
    ["noise", noise(35, 50)],
    ["less than a step", noise(7, 3)],
  ])("%s", (__, pixels) => expectSame(found(pixels), defined(pixels)));
});

describe("the third network gives a square the score that it is defined to give", () => {
  /** The picture of a face, as large as the network knows faces, with so much of it to the right of and below the middle. */
  const shown = (right: number, below: number) => {
    const place = (at: number, middle: number) =>
      Math.min(191, Math.max(0, Math.round(middle + (at - SQUARE_SIDE / 2) * 0.8)));
    return paint(SQUARE_SIDE, SQUARE_SIDE, (x, y) => pixel(one, place(x - right, 100), place(y - below, 75)));
  };
  const around = shown(0, 0);

  it.each<readonly [string, Pixels]>([
    ["a face", around],
    ["a face that is aside", shown(-25, 0)],
    ["noise", noise(SQUARE_SIDE, SQUARE_SIDE)],
    ["white", paint(SQUARE_SIDE, SQUARE_SIDE, () => [255, 255, 255, 255])],
  ])("%s", (_, pixels) => expect(scored(pixels)).toBeCloseTo(scoreByMmod(mmod, pixels.data), 5));

  it("and its mirror image the other", () => {
    const mirror = paint(SQUARE_SIDE, SQUARE_SIDE, (x, y) => pixel(around, SQUARE_SIDE - 1 - x, y));
    expect(scored(around, true)).toBeCloseTo(scored(mirror), 3);
  });

  it("above 0 for a face in its middle only", () => {
    expect(scored(around)).toBeGreaterThan(0.8);
    expect(scored(shown(0, -60))).toBeLessThan(-0.5);
    expect(scored(noise(SQUARE_SIDE, SQUARE_SIDE))).toBeLessThan(-1);
  });
});

it("sees in a mirror what it sees in the mirror image", () => {
  const mirror = paint(96, 96, (x, y) => pixel(face, 95 - x, y));
  const seen = looked(mirror).map((hit) => ({ ...hit, x: 96 - hit.x - hit.width }));
  expectSame(looked(face, true), seen);
});

it("scores a face as one", () => {
  const best = (hits: readonly Hit[]) => Math.max(...hits.map(({ score }) => score));
  expect(best(hitsIn(face))).toBeGreaterThan(0.8);
  expect(best(looked(face))).toBeGreaterThan(0.75);
});
