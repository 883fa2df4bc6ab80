/** Pictures that are turned without loss, or say how they are to be turned. */
import { describe, expect, it } from "vitest";

import { parseBody, UploadBody } from "../../../../src/contract/request.ts";
import { jpeg } from "../../../../src/image/formats/jpeg.ts";
import { type Orientation, turnOf } from "../../../../src/image/pixels/geometry.ts";
import { firstFrame } from "../../../../src/image/pixels/picture.ts";
import type { Rows } from "../../../../src/image/pixels/rows.ts";
import { planSteps, storedSize } from "../../../../src/image/plan/plan.ts";
import { pictureOf } from "../../../../src/image/plan/planned-picture.ts";
import { renderOne } from "../../../../src/image/render/render.ts";
import { SharedBytes } from "../../../../src/scheduler/shared-bytes.ts";
import { UNPAUSED } from "../../../../src/scheduler/time-slice.ts";
import { jpegModule } from "../../../../wasm/jpeg/instance.ts";
import {
  openEncoder,
  readHeader,
  recompress as recompressPieces,
  recompressEstimate,
} from "../../../../wasm/jpeg/jpeg.ts";
import type { RecompressOptions } from "../../../../wasm/jpeg/recompress.ts";
import { heapOf } from "../../../../wasm/load.ts";
import wholeCmyk from "../../../fixtures/jpeg/whole-cmyk.jpg";
import wholeGray from "../../../fixtures/jpeg/whole-gray.jpg";
import wholeOddFactors from "../../../fixtures/jpeg/whole-odd-factors.jpg";
import wholeS420 from "../../../fixtures/jpeg/whole-s420.jpg";
import wholeS422 from "../../../fixtures/jpeg/whole-s422.jpg";
import { JPEG_FILES, jpegFile } from "../../../support/jpeg-files.ts";
import { atOnce } from "../../../support/pieces.ts";
import { digest, drain, type Pixels, scene } from "../../../support/rows.ts";
import { strippedFile } from "../../../support/stripped.ts";

const ORIENTATIONS = [1, 2, 3, 4, 5, 6, 7, 8] as const;

/** Pixels of what `jpegtran -perfect` makes of the files for the orientations 2 to 8. */
const JPEGTRAN = {
  gray: [
    wholeGray,
    "f14d8bf0ec1711f8 094098b826fdcd8d d892a5b270d4abc9 35be6af231b9caed 8c9edda4164acfc8 0d2e81c89d4e2d58 d2aeb7b9e1f3f55b",
  ],
  s420: [
    wholeS420,
    "3b52b522e88fa15f aa244f25cdffc39d 2c5f0d7632050a1f 5eccd201f340371e 6177819ed6ef10f7 ad5d152d71617f98 9327ab4be9db5fb2",
  ],
  s422: [
    wholeS422,
    "a4fb6d3c5f2aaeb9 576f6777c9472a9c 48507f629dd7b628 948adefc8ab8a53d d4554c4e4243c0a5 606b34b7223f2c73 dea585bc84fa0569",
  ],
  "odd-factors": [
    wholeOddFactors,
    "747a49f161ebc9de 5f6c2f204658080c 3cb9a4259a02adc9 b416d318c1a71d3e 7180eb25d0178fca b68e23ad0e96a155 05f3d0194985751f",
  ],
  cmyk: [
    wholeCmyk,
    "678187226c595070 b23a0fb6ab34236d 623c6f1836dd569b 9b4c5e13e65cc6b0 64d317d8d90aeb3f 69fe8854c7aaeabb 5ec9f019a0e281f1",
  ],
} as const;

function recompress(bytes: Uint8Array, options: RecompressOptions): Uint8Array {
  return atOnce(recompressPieces(bytes, options));
}

async function pixelsOf(bytes: Uint8Array, orientation: Orientation): Promise<Pixels> {
  const facts = jpeg.read.factsOf(bytes);
  const plan = planSteps(storedSize(facts), [{ kind: "turn", orientation }]);
  const rows: Rows = await firstFrame(pictureOf({ bytes, format: jpeg, facts }, plan), UNPAUSED);
  return drain(rows);
}

/** As a viewer shows it. */
function shown(bytes: Uint8Array): Promise<Pixels> {
  return pixelsOf(bytes, jpeg.read.factsOf(bytes).orientation);
}

/** A file that says how it is to be turned, with fixed Huffman codes as cameras write them: something can be won. */
function photo(name: string, orientation: Orientation): Uint8Array {
  return strippedFile(jpeg.strip(jpegFile(name), orientation));
}

async function optimized(bytes: Uint8Array, body: object) {
  const { output, optimize, ...operations } = parseBody(UploadBody, body);
  const order = { operations, output, optimize, overlays: new Map(), accept: undefined };
  const rendered = (await renderOne(SharedBytes.of(bytes.slice()), order)).output;
  return { ...rendered, bytes: rendered.file.bytes };
}

function largestDifference(one: Pixels, other: Pixels): number {
  expect([one.width, one.height]).toEqual([other.width, other.height]);
  return one.data.reduce((most, value, at) => Math.max(most, Math.abs(value - (other.data[at] ?? 0))), 0);
}

/**
 * What decoders round differently when blocks are transposed or mirrored: a step of a component, which is up to two of
 * a color, and as much in smoothed chroma.
 */
const ROUNDING = 4;

describe("a turn of coefficients", () => {
  it.each(Object.entries(JPEGTRAN))("gives what jpegtran gives: %s", async (_name, [file, expected]) => {
    const bytes = new Uint8Array(file);
    const digests = ORIENTATIONS.slice(1).map(async (orientation) => {
      const turned = recompress(bytes, { progressive: true, turn: turnOf(orientation) });
      return digest((await pixelsOf(turned, 1)).data);
    });
    expect((await Promise.all(digests)).join(" ")).toBe(expected);
  });

  it.each(Object.entries(JPEGTRAN))("stays within the memory that it declares: %s", (_name, [file]) => {
    const bytes = new Uint8Array(file);
    for (const orientation of ORIENTATIONS) {
      const turn = turnOf(orientation);
      heapOf(jpegModule, true);
      recompress(bytes, { progressive: true, turn });
      expect(heapOf(jpegModule).peak).toBeLessThanOrEqual(
        recompressEstimate(readHeader(bytes), bytes.length, { turn }).bytes,
      );
      expect(heapOf(jpegModule).used).toBe(0);
    }
  });
});

describe("a JPEG picture that lies on its side", () => {
  const files = Object.keys(JPEG_FILES).filter((name) => name !== "twelve-bits");

  it.each(files)("shows the same and becomes smaller without loss, whatever its edges: %s", async (name) => {
    for (const orientation of ORIENTATIONS) {
      const bytes = photo(name, orientation);
      const { bytes: result, facts } = await optimized(bytes, { optimize: { lossless: true } });
      // What is turned is not the original any more: another order of its coefficients may take more bytes.
      if (facts.orientation === orientation) expect(result.length).toBeLessThanOrEqual(bytes.length);
      // 133 x 101 pixels are no whole number of MCUs: what would be mirrored stays as it lies, and says so.
      expect([orientation, orientation === 5 ? 1 : orientation]).toContain(facts.orientation);
      if (facts.orientation === orientation) expect(await shown(result)).toEqual(await shown(bytes));
      else expect(largestDifference(await shown(result), await shown(bytes))).toBeLessThanOrEqual(ROUNDING);
    }
  });

  it.each(Object.entries(JPEGTRAN))("is turned where its edges allow it: %s", async (_name, [file]) => {
    for (const orientation of ORIENTATIONS) {
      const bytes = strippedFile(jpeg.strip(new Uint8Array(file), orientation));
      const { bytes: result, facts } = await optimized(bytes, { optimize: { lossless: true } });
      expect(result.length).toBeLessThanOrEqual(bytes.length);
      if (result.length < bytes.length - 40) expect(facts.orientation).toBe(1);
      expect(largestDifference(await shown(result), await shown(bytes))).toBeLessThanOrEqual(ROUNDING);
    }
  });

  it("is requantized as it lies, and turned after that", async () => {
    const encoder = openEncoder({ width: 320, height: 256, quality: 96 });
    encoder.write(scene(320, 256).data, 256);
    const bytes = strippedFile(jpeg.strip(atOnce(encoder.finish()), 6));
    const { bytes: result, facts, score } = await optimized(bytes, {});
    expect(facts).toMatchObject({ width: 256, height: 320, orientation: 1 });
    expect(result.length).toBeLessThan(bytes.length / 2);
    expect(score).toBeGreaterThanOrEqual(75);
    expect(largestDifference(await shown(result), await shown(bytes))).toBeLessThan(90);
  });

  it.each([
    ["by pixels", jpegFile("s420")],
    ["by coefficients", new Uint8Array(wholeS420)],
  ])("is turned and scored when it is to fit a size, %s", async (_how, file) => {
    const bytes = strippedFile(jpeg.strip(file, 6));
    const fit = { optimize: { target_bytes: Math.round(bytes.length * 0.7) } };
    const { bytes: result, facts, score } = await optimized(bytes, fit);
    expect(facts.orientation).toBe(1);
    expect(result.length).toBeLessThanOrEqual(fit.optimize.target_bytes);
    expect(score).toBeGreaterThan(40);
    expect(score).toBeLessThan(100);
  });

  it("is turned losslessly when that is asked for, and decoded where it cannot be", async () => {
    const body = { flip: { horizontal: true }, optimize: { lossless: true } };
    const whole = strippedFile(jpeg.strip(new Uint8Array(wholeS420), 1));
    const mirrored = await optimized(whole, body);
    expect(mirrored.facts.subsample).toBe("4:2:0");
    expect(mirrored.bytes.length).toBeLessThan(whole.length * 1.05);
    expect(largestDifference(await shown(mirrored.bytes), await pixelsOf(whole, 2))).toBeLessThanOrEqual(ROUNDING);
    const odd = await optimized(jpegFile("s420"), body);
    expect(odd.facts).toMatchObject({ orientation: 1, subsample: "4:4:4" });
    expect(largestDifference(await shown(odd.bytes), await pixelsOf(jpegFile("s420"), 2))).toBeLessThan(12);
  });
});
