/** Estimates of files that are of one size and differ in what is in them. */
import { expect, it } from "vitest";

import { changesOf, detailOf, textureOf } from "../../../src/image/codec/complexity.ts";
import type { FormatDefinition } from "../../../src/image/codec/format.ts";
import type { EncodeSettings } from "../../../src/image/codec/writer.ts";
import { type FormatName, FORMATS } from "../../../src/image/formats.ts";
import { whole } from "../../../src/image/pixels/geometry.ts";
import { planSteps } from "../../../src/image/plan/plan.ts";
import { pictureEstimate } from "../../../src/image/plan/planned-picture.ts";
import { UNPAUSED } from "../../../src/scheduler/time-slice.ts";
import { noise, paint, pictureOf, type Pixels } from "../../support/rows.ts";

const SETTINGS = { lossless: false, quality: 80, progressive: false, effort: 0.5 };
const plain = (width: number, height: number) => paint(width, height, () => [40, 90, 200, 255]);

async function written(name: FormatName, frames: readonly [Pixels, ...Pixels[]], settings: EncodeSettings = SETTINGS) {
  const format: FormatDefinition = FORMATS[name];
  const bytes =
    (await format.write?.encode(pictureOf(frames, { delayMs: 100 }), settings, UNPAUSED)) ?? new Uint8Array();
  return { format, bytes, facts: format.read.factsOf(bytes) };
}

it.each([
  ["png", true],
  ["webp", false],
  ["webp", true],
  ["gif", false],
  ["jpeg", false],
] as const)("of reading %s grow with what is coded (lossless: %s)", async (name, lossless) => {
  const msOf = async (pixels: Pixels) => {
    const { format, facts } = await written(name, [pixels], { ...SETTINGS, lossless });
    return format.read.estimate(facts, { box: whole(facts), width: facts.width, height: facts.height }).ms;
  };
  const [little, much] = [await msOf(plain(200, 200)), await msOf(noise(200, 200))];
  expect(much).toBeGreaterThan(little * 2);
});

it("of reading a JPEG 2000 shrink with the size at which it is wanted", async () => {
  const { format, facts } = await written("jpeg2000", [noise(256, 256)]);
  const msAt = (width: number) => format.read.estimate(facts, { box: whole(facts), width, height: width }).ms;
  const estimates = [256, 90, 45, 20].map(msAt);
  expect(estimates).toEqual(estimates.toSorted((one, other) => other - one));
  expect(estimates[1]).toBeLessThan((estimates[0] ?? 0) / 2);
});

it.each(["gif", "webp", "png"] as const)("of writing %s shrink with what changes in an animation", async (name) => {
  const still = await written("gif", [plain(100, 100), paint(100, 100, (x) => [x < 10 ? 1 : 40, 90, 200, 255])]);
  const moving = await written("gif", [plain(100, 100), noise(100, 100)]);
  const msOf = ({ facts }: typeof still) => {
    const extent = { ...facts, opaque: !facts.alpha, frames: 100, changes: changesOf(facts, facts) };
    return FORMATS[name].write.estimate(extent, SETTINGS).ms;
  };
  expect(changesOf(moving.facts, moving.facts)).toBe(1);
  expect(msOf(still)).toBeLessThan(msOf(moving) / 2);
});

it.each([
  ["png", true],
  ["png", false],
  ["gif", false],
  ["webp", true],
  ["jpeg2000", true],
  ["heic", false],
] as const)(
  "of writing %s shrink with what there is to be seen in a picture (lossless: %s)",
  async (name, lossless) => {
    const msOf = async (pixels: Pixels) => {
      const { facts } = await written("png", [pixels], { ...SETTINGS, lossless: true });
      const extent = { ...facts, opaque: !facts.alpha, detail: detailOf(facts, facts) };
      return FORMATS[name].write.estimate(extent, { ...SETTINGS, lossless }).ms;
    };
    expect(await msOf(plain(200, 200))).toBeLessThan((await msOf(noise(200, 200))) * 0.9);
  },
);

it("of writing and dividing a JPEG shrink with what a file with a loss has kept of a picture", async () => {
  const estimatesOf = async (pixels: Pixels) => {
    const { format, facts, bytes } = await written("jpeg", [pixels]);
    const extent = { ...facts, opaque: true, texture: textureOf(facts, facts) };
    const writing = FORMATS.jpeg.write.estimate(extent, SETTINGS).ms;
    const dividing = format.coefficients?.estimate(bytes, facts, { quality: 60, progressive: true }).ms ?? Number.NaN;
    return { writing, dividing };
  };
  const [little, much] = [await estimatesOf(plain(400, 400)), await estimatesOf(noise(400, 400))];
  expect(little.writing).toBeLessThan(much.writing / 1.5);
  expect(little.dividing).toBeLessThan(much.dividing / 2);
});

it("takes no texture from files that lost nothing, and the more of it the smaller the picture becomes", async () => {
  const { facts } = await written("png", [noise(100, 100)], { ...SETTINGS, lossless: true });
  expect(textureOf(facts, facts)).toBeUndefined();
  const soft = await written("jpeg", [paint(400, 400, (x, y) => [(x + y) >> 2, x >> 1, y >> 1, 255])]);
  const [whole, small] = [soft.facts, { width: 100, height: 100 }].map((size) => textureOf(soft.facts, size));
  expect(whole).toBeLessThan(small ?? 0);
});

it("takes a picture that is made smaller for as detailed as its file allows", async () => {
  const { facts } = await written("png", [paint(200, 200, (x, y) => [(x >> 4) * 9, (y >> 4) * 9, 0, 255])]);
  const [whole, small] = [facts, { width: 20, height: 20 }].map((size) => detailOf(facts, size) ?? Number.NaN);
  expect(whole).toBeLessThan((small ?? 0) / 3);
});

it("of resizing are those of the rows that the decoder makes", async () => {
  const { facts } = await written("jpeg", [noise(400, 400)]);
  const stored = { bytes: new Uint8Array(), format: FORMATS.jpeg, facts };
  const steps = [{ kind: "resize", width: 50, height: 50, kernel: "lanczos3" }] as const;
  const unscaled = { ...stored, format: { ...FORMATS.jpeg, read: { ...FORMATS.jpeg.read, scale: () => 1 } } };
  const msOf = (one: typeof stored) => pictureEstimate(one, planSteps(facts, steps)).ms;
  expect(msOf(stored)).toBeLessThan(msOf(unscaled));
});
