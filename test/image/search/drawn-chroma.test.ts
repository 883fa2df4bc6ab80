/** Whether drawings keep all of their chroma, where halved chroma needs a high quality to look the same. */
import { expect, it } from "vitest";

import { FORMATS } from "../../../src/image/formats.ts";
import type { TraceEvent } from "../../../src/image/search/trace.ts";
import { numbersFrom } from "../../support/generated.ts";
import { rendered } from "../../support/render.ts";

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
