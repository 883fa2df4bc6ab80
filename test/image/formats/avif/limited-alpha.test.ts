/** Alpha whose samples have the limited range of video: levels of it become whole ones, as in libavif and browsers. */
import { describe, expect, it } from "vitest";

import { avif } from "../../../../src/image/formats/avif.ts";
import { whole } from "../../../../src/image/pixels/geometry.ts";
import { UNPAUSED } from "../../../../src/scheduler/time-slice.ts";
import alpha10 from "../../../fixtures/avif/alpha-10.avif";
import limitedAlpha10 from "../../../fixtures/avif/limited-alpha-10.avif";
import limitedAlpha from "../../../fixtures/avif/limited-alpha.avif";
import straightAlpha from "../../../fixtures/avif/straight-alpha.avif";
import tracksAlpha from "../../../fixtures/avif/tracks-alpha.avif";
import tracksLimitedAlpha from "../../../fixtures/avif/tracks-limited-alpha.avif";
import { decodeSixteenBit } from "../../../support/files.ts";
import { drain, type Pixels } from "../../../support/rows.ts";

/** What a sample of limited range stands for. */
function widened(sample: number, bits: number, most: number): number {
  const unit = 1 << (bits - 8);
  return Math.round((Math.min(Math.max(sample - 16 * unit, 0), 219 * unit) * most) / (219 * unit));
}

async function framesOf(file: ArrayBuffer): Promise<Pixels[]> {
  const bytes = new Uint8Array(file);
  const facts = avif.read.factsOf(bytes);
  const demand = { box: whole(facts), width: facts.width, height: facts.height };
  const frames: Pixels[] = [];
  for await (const { rows } of avif.read.open(bytes, facts, demand, UNPAUSED)) frames.push(await drain(rows));
  return frames;
}

/** Every fourth sample. */
function alphaOf({ data }: { readonly data: Uint8Array | Uint16Array }): number[] {
  return [...data].filter((_, at) => at % 4 === 3);
}

async function sixteenBitAlphaOf(file: ArrayBuffer): Promise<number[]> {
  return alphaOf({ data: (await decodeSixteenBit(avif, new Uint8Array(file))).samples });
}

describe("alpha of limited range", () => {
  // Each pair of files differs in nothing but the bit that says the range of the alpha.
  it.each([
    ["a still", straightAlpha, limitedAlpha],
    ["a sequence", tracksAlpha, tracksLimitedAlpha],
  ] as const)("is widened: %s", async (_name, full, limited) => {
    const [meant, made] = [await framesOf(full), await framesOf(limited)];
    expect(meant.every((frame) => alphaOf(frame).some((sample) => sample > 0 && sample < 255))).toBe(true);
    expect(made.map(alphaOf)).toEqual(meant.map((frame) => alphaOf(frame).map((sample) => widened(sample, 8, 255))));
  });

  it("is widened in 10 bits, whether these are kept or not", async () => {
    const samples = (await sixteenBitAlphaOf(alpha10)).map((sixteenBit) => Math.round((sixteenBit * 1023) / 65_535));
    expect(Math.max(...samples)).toBeGreaterThan(940);
    expect(await sixteenBitAlphaOf(limitedAlpha10)).toEqual(samples.map((sample) => widened(sample, 10, 65_535)));
    const shallow = (await framesOf(limitedAlpha10)).map(alphaOf);
    expect(shallow).toEqual([samples.map((sample) => widened(sample, 10, 255))]);
  });
});
