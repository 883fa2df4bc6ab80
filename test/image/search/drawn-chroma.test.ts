/** Whether drawings keep all of their chroma, where halved chroma needs a high quality to look the same. */
import { expect, it } from "vitest";

import { FORMATS } from "../../../src/image/formats.ts";
import type { TraceEvent } from "../../../src/image/search/trace.ts";
import { UNPAUSED } from "../../../src/scheduler/time-slice.ts";
import macaw from "../../fixtures/score/macaw.png";
import { numbersFrom } from "../../support/generated.ts";
import { rendered } from "../../support/render.ts";
import { paint, pictureOf } from "../../support/rows.ts";

/** White rings on a slope between two colors, so many pixels across. */
function rings(seed: number, width = 400): string {
  const next = numbersFrom(seed);
  const color = () => `hsl(${next() * 360} 70% ${20 + next() * 50}%)`;
  const stops = (x2: number) =>
    `<linearGradient id="g" x2="${x2}" y2="1"><stop stop-color="${color()}"/><stop offset="1" stop-color="${color()}"/></linearGradient>`;
  const ring = () =>
    `<ellipse cx="${next() * 200}" cy="${next() * 150}" rx="${4 + next() * 20}" ry="${4 + next() * 20}" fill="none" stroke="#fff" stroke-width="3"/>`;
  const slope = `${stops(next())}<rect width="200" height="150" fill="url(#g)"/>`;
  const body = slope + Array.from({ length: 6 }, ring).join("");
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 200 150" width="${width}" height="${(width * 3) / 4}">${body}</svg>`;
}

it.each([1, 2, 5, 8])("AVIF of a drawing has all chroma where that takes no more bytes: seed %i", async (seed) => {
  const { output } = await rendered(new TextEncoder().encode(rings(seed)), {
    output: { format: "avif" },
    optimize: { lossless: false },
  });
  expect(FORMATS.avif.read.factsOf(output.bytes).subsample).toBe("4:4:4");
  expect(output.score).toBeGreaterThanOrEqual(75);
  // By halved chroma they take 2,176 to 2,869.
  expect(output.bytes.length).toBeLessThan(2_800);
});

it("JPEG of a large drawing stays in several scans, and is tried in one, whose decoder keeps no coefficients", async () => {
  const events: TraceEvent[] = [];
  const { output } = await rendered(new TextEncoder().encode(rings(1, 1_200)), {
    output: { format: "jpeg" },
    trace: (event) => void events.push(event),
  });
  const whole = events.flatMap((event) => (event.kind === "encoded" && event.part === "whole" ? [event.settings] : []));
  const tried = whole.slice(0, -1);
  expect(tried.length).toBeGreaterThan(0);
  expect(tried.every(({ subsample, progressive }) => subsample === "4:4:4" && !progressive)).toBe(true);
  expect(whole.at(-1)).toMatchObject({ subsample: "4:4:4", progressive: true });
  expect(output.facts.interlaced).toBe(true);
  expect(output.score).toBeGreaterThanOrEqual(75);
});

/** Soft gray grain of 1,200 x 900 pixels, and in its first rows, where no tile lies, thin red shapes on blue. */
function grainBesideLetters(): Promise<Uint8Array> {
  const next = numbersFrom(7);
  const picture = paint(1_200, 900, (x, y) => {
    if (x > 250 && x < 700 && y < 90) return (((x >> 1) + (y >> 3)) & 1) === 1 ? [255, 0, 0, 255] : [0, 0, 255, 255];
    const level = Math.floor(128 + 60 * Math.sin(x / 40) * Math.cos(y / 30) + (next() - 0.5) * 6);
    return [level, level - 8, level - 16, 255];
  });
  const settings = { lossless: true, quality: 100, progressive: false, effort: 0 };
  return FORMATS.png.write.encode(pictureOf([picture]), settings, UNPAUSED);
}

it("JPEG has all chroma where tiles lie beside what halved chroma loses", async () => {
  const { output } = await rendered(await grainBesideLetters(), { output: { format: "jpeg" } });
  expect(FORMATS.jpeg.read.factsOf(output.bytes).subsample).toBe("4:4:4");
  expect(output.score).toBeGreaterThanOrEqual(75);
});

it("a soft photograph is no drawing: no chroma of every pixel is tried of it", async () => {
  const next = numbersFrom(11);
  // Half of the pixels of a sky are like the one before, and the others are close to it; leaves are a corner of it.
  const sky = paint(1_000, 800, (x, y) => {
    const isLeaf = x > 500 && y > 600;
    const level = 150 + 40 * Math.sin(x / 160) * Math.cos(y / 120) + (isLeaf ? 12 * (next() - 0.5) : 0);
    return [level, level + 15, level + 40, 255];
  });
  const settings = { lossless: true, quality: 100, progressive: false, effort: 0 };
  const source = await FORMATS.png.write.encode(pictureOf([sky]), settings, UNPAUSED);
  const tried = new Set<string | undefined>();
  const trace = (event: TraceEvent) => void (event.kind === "encoded" && tried.add(event.settings.subsample));
  const { output } = await rendered(source, { output: { format: "jpeg" }, trace });
  expect([...tried]).toEqual(["4:2:0"]);
  expect(output.score).toBeGreaterThanOrEqual(75);
});

it("WebP of a photograph in a frame of a strong color is no file without loss, which is far larger", async () => {
  const operations = { border: { size: 8, color: "#0f0" } };
  const wanted = { operations, output: { format: "webp" } } as const;
  const { output } = await rendered(new Uint8Array(macaw), wanted);
  const exact = await rendered(new Uint8Array(macaw), { ...wanted, optimize: { lossless: true } });
  expect(exact.output.bytes.length).toBeGreaterThan(output.bytes.length * 3);
  expect(output.facts.subsample).toBe("4:2:0");
  expect(output.metric).toBeGreaterThanOrEqual(75);
  expect(output.score).toBeGreaterThanOrEqual(65);
  expect(output.limits?.join()).toMatch(/edges of strong colors are softer/);
});
