/** The search for a quality by what scores and bytes of a picture's renditions say, told what these are. */
import { expect, it } from "vitest";

import { settled } from "../../../src/image/search/by-losses.ts";
import type { Probe } from "../../../src/image/search/probe.ts";

const PICTURE = { width: 1_200, height: 900 };
const OBJECTIVE = {
  targetScore: 75,
  scale: { step: 0.25 },
  patience: { margin: 0.4, close: 1.8, triesAll: false },
};

/** Renditions of such scores and bytes, and the qualities that are tried. */
async function triedOf(scoreOf: (quality: number) => number, bytesOf: (quality: number) => number, first: number) {
  const tried: number[] = [];
  const probeAt = (quality: number): Probe => {
    tried.push(quality);
    const [score, bytes] = [scoreOf(quality), new Uint8Array(bytesOf(quality))];
    return { quality, score: async () => score, bytes: async () => bytes };
  };
  const settling = { picture: PICTURE, first, close: 1.8, tries: 6, isNear: false };
  const { best } = await settled(OBJECTIVE, probeAt, settling);
  return { tried, best: best.quality };
}

it("ends where a much lower quality takes hardly fewer bytes, as of what is soft", async () => {
  const { tried, best } = await triedOf(
    (quality) => 79 - quality / 50,
    (quality) => 4_500 + quality * 5,
    20,
  );
  expect(tried).toHaveLength(2);
  expect(best).toBe(tried[1]);
});

it("goes on where bytes grow with quality", async () => {
  const { tried, best } = await triedOf(
    (quality) => 60 + quality / 4,
    (quality) => quality * 1_000,
    90,
  );
  expect(best).toBeLessThan(70);
  expect(tried.length).toBeGreaterThan(1);
});
