/** The quality at which a picture is expected to have a score, by what is known of it. */
import { describe, expect, it } from "vitest";

import type { Scale } from "../../../src/image/codec/writer.ts";
import { FORMATS } from "../../../src/image/formats.ts";
import { settled } from "../../../src/image/search/by-losses.ts";
import { nextQuality, within } from "../../../src/image/search/find-quality.ts";
import { expectedQuality, firstQuality, type Scored, usualLoss } from "../../../src/image/search/losses.ts";

const SCALE = { step: 0.25 };

/** Scores of a picture that loses so many times what is usual, on a curve that is so much steeper. */
function scored(quality: number, factor: number, steepness = 1): Scored {
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
  const next = (known: readonly Scored[], scale: Scale) => {
    const model = { ...within(scale, 1, 98), expected: () => expectedQuality(known, 75.5, scale) };
    return nextQuality(known, model, ({ score }) => score >= 75);
  };

  it("lies between those that reach the target and those that do not", async () => {
    const known = [
      { quality: 60, score: 74.9 },
      { quality: 61, score: 90 },
    ];
    const quality = await next(known, SCALE);
    expect(quality).toBeGreaterThan(60);
    expect(quality).toBeLessThan(61);
  });

  it("is none where there is no other between them", async () => {
    const known = [
      { quality: 60, score: 74 },
      { quality: 60.25, score: 76 },
    ];
    expect(await next(known, SCALE)).toBeUndefined();
    expect(await next([{ quality: 98, score: 60 }], SCALE)).toBeUndefined();
  });

  it.each(["heic", "avif"] as const)("is never one that %s codes as it coded one before", async (name) => {
    const { write } = FORMATS[name];
    const coded = (quality: number) => write.qualities.coded?.(quality) ?? quality;
    for (const factor of [0.3, 0.6, 0.8, 1, 1.2, 1.5, 3]) {
      // What is coded the same scores the same.
      const lookedAt = (quality: number) => ({
        ...scored(100 - coded(quality), factor, 1.3),
        quality,
      });
      const known = [lookedAt(80)];
      for (;;) {
        const tried = await next(known, write.qualities);
        if (tried === undefined) break;
        known.push(lookedAt(tried));
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
  const begun = firstQuality(80, { ...SCALE, losses, begins: 0.9 });
  expect(usualLoss(begun, losses)).toBeCloseTo(0.9 * usualLoss(80), 0);
});

describe("a search that goes on from a quality that was tried", () => {
  it("ends there, and not at the highest, where the one below falls short and none lies between", async () => {
    const scores = new Map([
      [45, 76.8],
      [42, 74.7],
    ]);
    const probeAt = (quality: number) => ({
      quality,
      score: async () => scores.get(quality) ?? 92,
      bytes: async () => new Uint8Array(quality * 100),
    });
    const scale: Scale = { step: 1, coded: (quality) => Math.floor(quality / 3) };
    const sought = { targetScore: 75, scale, patience: { margin: 0.4, close: 1.8, triesAll: false } };
    const goal = { picture: { width: 10, height: 10 }, first: 42, close: 0.9, tries: 6, isNear: false };
    const { best } = await settled(sought, probeAt, goal, [{ quality: 45, score: 76.8 }]);
    expect(best.quality).toBe(45);
  });
});
