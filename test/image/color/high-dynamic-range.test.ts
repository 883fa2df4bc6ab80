/** Pictures of high dynamic range look alike in all formats that hold them. */
import { crc32 } from "node:zlib";

import { describe, expect, it } from "vitest";

import { hybridLogGamma, quantizedPerceptually } from "../../../src/image/color/high-dynamic-range.ts";
import { avif } from "../../../src/image/formats/avif.ts";
import { png } from "../../../src/image/formats/png.ts";
import { UNPAUSED } from "../../../src/scheduler/time-slice.ts";
import pq from "../../fixtures/avif/pq.avif";
import { decodeFile } from "../../support/files.ts";
import { drain, noise, pictureOf, type Pixels } from "../../support/rows.ts";

const LOSSLESS = { lossless: true, quality: 100, progressive: false, effort: 0 };

/** The same samples in a PNG file whose colors have code points. */
async function pngOf(pixels: Pixels, primaries: number, transfer: number): Promise<Uint8Array> {
  const file = await png.write.encode(pictureOf([pixels]), LOSSLESS, UNPAUSED);
  const body = [...new TextEncoder().encode("cICP"), primaries, transfer, 0, 1];
  const chunk = new Uint8Array(16);
  const view = new DataView(chunk.buffer);
  view.setUint32(0, 4);
  chunk.set(body, 4);
  view.setUint32(12, crc32(Uint8Array.from(body)));
  return Uint8Array.from([...file.subarray(0, 33), ...chunk, ...file.subarray(33)]);
}

/** The samples of a file, its colors not converted. */
async function samplesOf(file: Uint8Array): Promise<Pixels> {
  const facts = avif.read.factsOf(file);
  const { width, height } = facts;
  const demand = { box: { x: 0, y: 0, width, height }, width, height };
  for await (const { rows } of avif.read.open(file, facts, demand, UNPAUSED)) {
    return await drain(rows);
  }
  throw new Error("no frame");
}

describe("high dynamic range", () => {
  it.each([
    // ITU-R BT.2408, tables 1 and 2: the signal of 203 candelas per square meter, and of a peak of 1,000.
    ["PQ", quantizedPerceptually, 0.5807, 0.7518],
    ["HLG", hybridLogGamma, 0.75, 1],
  ])("has its white below that of the screen, and its peak there: %s", (_name, transfer, white, peak) => {
    expect(transfer(0)).toBeCloseTo(0, 6);
    // Reinhard's curve of 1 with the peak at 1,000 / 203.
    expect(transfer(white)).toBeCloseTo((1 + (203 / 1_000) ** 2) / 2, 2);
    expect(transfer(peak)).toBeCloseTo(1, 2);
  });

  it("looks the same in AVIF and PNG", async () => {
    const file = new Uint8Array(pq);
    const samples = await samplesOf(file);
    const converted = await decodeFile(avif, file);
    expect(converted.data).not.toEqual(samples.data);
    expect(await decodeFile(png, await pngOf(samples, 9, 16))).toEqual(converted);
  });

  it.each([
    ["PQ", 16],
    ["HLG", 18],
  ])("looks the same in gray as where colors are gray: %s", async (_name, transfer) => {
    const { width, height, data } = noise(64, 64);
    const gray = { width, height, data: data.map((_, at) => (at % 4 === 3 ? 255 : (data[at - (at % 4)] ?? 0))) };
    const colorful = { ...gray, data: Uint8Array.from([...gray.data.subarray(0, -4), 255, 0, 0, 255]) };
    expect(png.read.factsOf(await pngOf(gray, 9, transfer)).colorspace).toBe("Gray");
    expect(png.read.factsOf(await pngOf(colorful, 9, transfer)).colorspace).not.toBe("Gray");
    const one = (await decodeFile(png, await pngOf(gray, 9, transfer))).data;
    const other = (await decodeFile(png, await pngOf(colorful, 9, transfer))).data;
    one.subarray(0, -4).forEach((value, at) => expect(Math.abs(value - (other[at] ?? NaN))).toBeLessThanOrEqual(1));
  });
});
