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
async function triedOf(
  scoreOf: (quality: number) => number,
  bytesOf: (quality: number) => number,
  first: number,
  faded: { readonly fadesBy?: 1 | 2; readonly metricOf?: (quality: number) => number; readonly least?: number } = {},
) {
  const tried: number[] = [];
  const probeAt = (quality: number): Probe => {
    tried.push(quality);
    const [score, bytes] = [scoreOf(quality), new Uint8Array(bytesOf(quality))];
    const metric = (faded.metricOf ?? scoreOf)(quality);
    return { quality, score: async () => score, metric: async () => metric, bytes: async () => bytes };
  };
  const { fadesBy, least } = faded;
  const wanted = { ...OBJECTIVE, scale: { ...OBJECTIVE.scale, ...(least && { least }) } };
  const settling = { picture: PICTURE, first, close: 1.8, tries: 6, isNear: false, ...(fadesBy && { fadesBy }) };
  const { best, isFaded = false } = await settled(wanted, probeAt, settling);
  return { tried, best: best.quality, isFaded };
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

it("ends where a lower quality takes more bytes", async () => {
  const { tried } = await triedOf(
    () => 79,
    (quality) => 4_500 - quality * 5,
    20,
  );
  expect(tried).toHaveLength(2);
});

it.each([
  ["one rendition, where that is told to be enough", 1],
  ["two, from which no quality is expected to do", 2],
] as const)("leaves halved chroma that the second opinion misses after %s", async (_, fadesBy) => {
  const metricOf = (quality: number) => 60 + quality / 4;
  const { tried, isFaded } = await triedOf(
    () => 63.5,
    (quality) => quality * 1_000,
    80,
    { fadesBy, metricOf },
  );
  expect(tried).toHaveLength(fadesBy);
  expect(isFaded).toBe(true);
});

it("goes on with halved chroma where the metric misses as much, and where a quality did reach the target", async () => {
  const bytesOf = (quality: number) => quality * 1_000;
  const asMuch = await triedOf((quality) => 34 + quality / 2, bytesOf, 80, { fadesBy: 1 });
  expect(asMuch.tried.length).toBeGreaterThan(1);
  expect(asMuch.isFaded).toBe(false);
  const reached = await triedOf((quality) => 58 + quality / 4, bytesOf, 80, {
    fadesBy: 1,
    metricOf: (quality) => 62 + quality / 4,
  });
  expect(reached).toMatchObject({ isFaded: false });
  expect(reached.best).toBeLessThan(80);
});

it("tries no quality below the least whose file differs", async () => {
  const bytesOf = (quality: number) => Math.max(16, quality) * 1_000;
  const { tried } = await triedOf(() => 95, bytesOf, 30, { least: 16 });
  expect(tried).toEqual([30, 16]);
});
