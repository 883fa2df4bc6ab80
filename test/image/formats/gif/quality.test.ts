/** GIF by quality: of drawings that nobody has seen, more quality is never plainly worse, and never fewer bytes. */
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";

import { gif } from "../../../../src/image/formats/gif.ts";
import { pixelsOf } from "../../../../src/image/pixels/rows.ts";
import { decoded } from "../../../../src/image/search/probe.ts";
import { judgeRows } from "../../../../src/image/search/score.ts";
import { UNPAUSED } from "../../../../src/scheduler/time-slice.ts";
import { daily } from "../../../support/exhaustive.ts";
import { numbersFrom } from "../../../support/generated.ts";
import { rendered } from "../../../support/render.ts";
import { pictureOf, type Pixels, rowsOf } from "../../../support/rows.ts";

const SEED = Number(env.CASES_SEED || "1");
const COUNT = daily(4, 40);
const QUALITIES = [20, 30, 40, 50, 60, 70, 80, 90];
/** Points below which a drawing looks bad anyhow. */
const BAD_POINTS = 60;
/** Points that more quality may cost: drawings lost up to 18, when edges were mistaken for colors beside them. */
const MOST_LOST = 4;
/** What more quality may save of bytes: strings of pixels repeat better here than there. */
const FEWER_BYTES = 0.97;

type Next = () => number;

/** 24 lines, half of them gray. */
function lines(next: Next): string {
  const place = () => `${next() * 200} ${next() * 150}`;
  const line = () => {
    const color = `hsl(${next() * 360} ${next() < 0.5 ? 0 : 80}% ${next() * 60}%)`;
    return `<path d="M${place()}L${place()}" stroke="${color}" stroke-width="${0.5 + next() * 2}"/>`;
  };
  return Array.from({ length: 24 }, line).join("");
}

/** Nine ellipses over each other. */
function flat(next: Next): string {
  const shape = () => {
    const color = `hsl(${next() * 360} ${next() * 100}% ${20 + next() * 60}%)`;
    const size = `rx="${8 + next() * 60}" ry="${8 + next() * 50}"`;
    return `<ellipse cx="${next() * 200}" cy="${next() * 150}" ${size} fill="${color}"/>`;
  };
  return Array.from({ length: 9 }, shape).join("");
}

const evening = () =>
  `<linearGradient id="g" x2=".2" y2="1"><stop stop-color="#1a3a8a"/><stop offset=".6" stop-color="#e08a60"/><stop offset="1" stop-color="#402040"/></linearGradient><radialGradient id="r"><stop stop-color="#ffe" stop-opacity=".9"/><stop offset="1" stop-color="#ffe" stop-opacity="0"/></radialGradient><rect width="200" height="150" fill="url(#g)"/><circle cx="140" cy="85" r="45" fill="url(#r)"/>`;

async function drawn(body: string, width: number): Promise<Pixels> {
  const size = `width="${width}" height="${Math.round(width * 0.75)}"`;
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 200 150" ${size}><rect width="200" height="150" fill="#fff"/>${body}</svg>`;
  const order = { output: { format: "png" }, optimize: { lossless: true } } as const;
  const { output } = await rendered(new TextEncoder().encode(svg), order);
  const rows = await decoded(output.format, output.bytes, UNPAUSED);
  const { width: across, height } = rows;
  return { width: across, height, data: await pixelsOf(rows) };
}

/** The bytes and the points of a picture at a quality. */
async function made(pixels: Pixels, quality: number) {
  const settings = { quality, lossless: false, progressive: false, effort: 0.5 };
  const file = await gif.write.encode(pictureOf([pixels]), settings, UNPAUSED);
  const { points } = await judgeRows(rowsOf(pixels), await decoded(gif, file, UNPAUSED), UNPAUSED);
  return { bytes: file.length, points };
}

describe.each([
  ["lines", lines],
  ["flat shapes", flat],
])("GIF of %s by quality", (_name, body) => {
  it.each(Array.from({ length: COUNT }, (_, at) => SEED * 100 + at))("is in order: seed %i", async (seed) => {
    const next = numbersFrom(seed);
    const width = 80 + Math.floor(next() * 240);
    const pixels = await drawn(body(next), width);
    let [best, most] = [BAD_POINTS, 0];
    for (const quality of QUALITIES) {
      const { bytes, points } = await made(pixels, quality);
      expect(Math.max(BAD_POINTS, points), `points at ${quality}`).toBeGreaterThan(best - MOST_LOST);
      expect(bytes, `bytes at ${quality}`).toBeGreaterThan(most * FEWER_BYTES);
      best = Math.max(best, points);
      most = Math.max(most, bytes);
    }
  });
});

describe("GIF of a slope by quality", () => {
  it("is not grainy at the highest qualities, where much of the error could be diffused", async () => {
    const pixels = await drawn(evening(), 400);
    const [at80, at90, at99] = [await made(pixels, 80), await made(pixels, 90), await made(pixels, 99)];
    expect(at90.points).toBeGreaterThan(at80.points);
    expect(at99.points).toBeGreaterThan(at90.points - 1);
  });
});
