/** The quality at which a picture is expected to have a score, by what is known of it. */
import { describe, expect, it } from "vitest";

import { FORMATS } from "../../../src/image/formats.ts";
import {
  expectedQuality,
  firstQuality,
  type Known,
  nextQuality,
  usualLoss,
} from "../../../src/image/optimize/losses.ts";

const SCALE = { least: 1, step: 0.25 };

/** Scores of a picture that loses so many times what is usual, on a curve that is so much steeper. */
function scored(quality: number, factor: number, steepness = 1): Known {
  return {
    quality,
    score: 100 - factor * usualLoss(80) * (usualLoss(quality) / usualLoss(80)) ** steepness,
  };
}

describe("an expected quality", () => {
  it.each([0.7, 1, 1.4])("is right after one look at a picture that loses %f times what is usual", (factor) => {
    const quality = expectedQuality([scored(80, factor)], 75, SCALE);
    expect(scored(quality, factor).score).toBeGreaterThanOrEqual(75);
    expect(scored(quality, factor).score).toBeLessThan(75.5);
  });

  it("is right after two looks at a picture whose curve is steeper than usual", () => {
    const known = [scored(80, 1.2, 1.5), scored(85, 1.2, 1.5)];
    const { score } = scored(expectedQuality(known, 75, SCALE), 1.2, 1.5);
    expect(score).toBeGreaterThanOrEqual(75);
    expect(score).toBeLessThan(75.5);
  });

  it("is higher for a picture of many bits after a look above the target, for it loses more quickly", () => {
    const expected = (bits?: number) =>
      expectedQuality([{ ...scored(80, 0.8), ...(bits && { bits }) }], 75, { ...SCALE, bits: 0.4 });
    expect(expected(0.4)).toBe(expected());
    expect(expected(1)).toBeGreaterThan(expected());
    expect(expected(0.15)).toBeLessThan(expected());
    expect(expected(1e-6)).toBeGreaterThan(50);
  });

  it("stays within a step of what is known when a file loses nothing", () => {
    expect(expectedQuality([{ quality: 80, score: 100 }], 75, SCALE)).toBeGreaterThan(10);
  });
});

describe("the next quality", () => {
  const aim = { target: 75, margin: 0.5 };

  it("lies between those that reach the target and those that do not", () => {
    const known = [
      { quality: 60, score: 74.9 },
      { quality: 61, score: 90 },
    ];
    const quality = nextQuality(known, aim, SCALE);
    expect(quality).toBeGreaterThan(60);
    expect(quality).toBeLessThan(61);
  });

  it("is none where there is no other between them", () => {
    const known = [
      { quality: 60, score: 74 },
      { quality: 60.25, score: 76 },
    ];
    expect(nextQuality(known, aim, SCALE)).toBeUndefined();
    expect(nextQuality([{ quality: 98, score: 60 }], aim, SCALE)).toBeUndefined();
  });

  it.each(["heic", "avif"] as const)("is never one that %s codes as it coded one before", (name) => {
    const { write } = FORMATS[name];
    const coded = (quality: number) => write.qualities.coded?.(quality) ?? quality;
    for (const factor of [0.3, 0.6, 0.8, 1, 1.2, 1.5, 3]) {
      // What is coded the same scores the same.
      const lookedAt = (quality: number) => ({
        ...scored(100 - coded(quality), factor, 1.3),
        quality,
      });
      const known = [lookedAt(80)];
      for (
        let next = nextQuality(known, aim, write.qualities);
        next !== undefined;
        next = nextQuality(known, aim, write.qualities)
      ) {
        known.push(lookedAt(next));
      }
      const codes = known.map(({ quality }) => coded(quality));
      expect(codes).toHaveLength(new Set(codes).size);
      expect(codes.length).toBeGreaterThan(1);
    }
  });
});

it("begins lower in a format that loses less", () => {
  expect(firstQuality(80, SCALE)).toBe(80);
  const losses = [
    [1, 50],
    [100, 5],
  ] as const;
  const first = firstQuality(80, { ...SCALE, losses });
  expect(first).toBeLessThan(80);
  expect(usualLoss(first, losses)).toBeCloseTo(usualLoss(80), 0);
});
