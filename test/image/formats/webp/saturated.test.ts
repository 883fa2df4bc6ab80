/** Saturated letters in lossy WebP, whose chroma is halved both ways. */
import { describe, expect, it } from "vitest";

import { FORMATS } from "../../../../src/image/formats.ts";
import { pixelsOf } from "../../../../src/image/pixels/rows.ts";
import { decoded } from "../../../../src/image/search/probe.ts";
import { judgeRows } from "../../../../src/image/search/score.ts";
import { looksAt } from "../../../../src/image/search/second-opinion.ts";
import { UNPAUSED } from "../../../../src/scheduler/time-slice.ts";
import { paint, pictureOf, type Pixels, rowsOf } from "../../../support/rows.ts";

type Color = readonly [number, number, number];

const RED: Color = [224, 0, 16];
const INKS: readonly (readonly [name: string, ink: Color])[] = [
  ["red", RED],
  ["blue", [16, 32, 224]],
  ["magenta", [208, 0, 192]],
];
const WHITE: Color = [255, 255, 255];
const DARK: Color = [16, 16, 24];

/** Letters O in a color on another, as many as fit; a repetition of 16 columns and 16 rows. */
function letters(width: number, height: number, ink: Color, ground: Color, alpha = 255): Pixels {
  return paint(width, height, (x, y) => {
    const inked = Math.max(0, Math.min(1, 1.5 - Math.abs(Math.hypot((x % 16) - 7.5, (y % 16) - 7.5) - 4.3)));
    const mixed = (plane: 0 | 1 | 2) => Math.round(ink[plane] * inked + ground[plane] * (1 - inked));
    return [mixed(0), mixed(1), mixed(2), alpha];
  });
}

async function encoded(pixels: Pixels, quality: number, opaque = true): Promise<Pixels> {
  const settings = { lossless: false, quality, progressive: false, effort: 0.5 };
  const bytes = await FORMATS.webp.write.encode(pictureOf([pixels], { opaque }), settings, UNPAUSED);
  const rows = await decoded(FORMATS.webp, bytes, UNPAUSED);
  const { width, height } = rows;
  return { width, height, data: await pixelsOf(rows) };
}

/** Mean brightness of the rows from one to another, in levels. */
function brightness({ width, data }: Pixels, from: number, to: number): number {
  let sum = 0;
  for (let at = from * width * 4; at < to * width * 4; at += 4)
    sum += 0.299 * (data[at] ?? 0) + 0.587 * (data[at + 1] ?? 0) + 0.114 * (data[at + 2] ?? 0);
  return sum / ((to - from) * width);
}

describe("lossy WebP of saturated letters", () => {
  it.each(INKS)("keeps their color and their brightness on white: %s", async (_name, ink) => {
    const original = letters(240, 160, ink, WHITE);
    const { points } = await judgeRows(rowsOf(original), rowsOf(await encoded(original, 90)), UNPAUSED);
    expect(looksAt(points)).toBe("same");
  });

  it.each(INKS)("does so on a dark ground: %s", async (_name, ink) => {
    const original = letters(240, 160, ink, DARK);
    const { points } = await judgeRows(rowsOf(original), rowsOf(await encoded(original, 90)), UNPAUSED);
    expect(looksAt(points)).not.toBe("visible");
  });

  it("does so the same wherever bands of rows meet, and in sizes that are odd", async () => {
    for (const [width, height] of [
      [97, 225],
      [96, 224],
      [33, 36],
      [17, 3],
    ] as const) {
      const original = letters(width, height, RED, WHITE);
      const made = await encoded(original, 100);
      for (let row = 0; row + 2 <= height; row += 2) {
        const [was, is] = [brightness(original, row, row + 2), brightness(made, row, row + 2)];
        expect([row, Math.abs(is - was) < 5]).toEqual([row, true]);
      }
    }
  });

  it("does so beside what can be seen through", async () => {
    const solid = letters(240, 160, RED, WHITE);
    const half = letters(240, 160, RED, WHITE, 128);
    const both = paint(240, 160, (x, y) => {
      const at = (y * 240 + x) * 4;
      const [red = 0, green = 0, blue = 0, alpha = 0] = (y < 80 ? solid : half).data.subarray(at, at + 4);
      return [red, green, blue, alpha];
    });
    const made = await encoded(both, 90, false);
    const alphas = (pixels: Pixels) => pixels.data.filter((_, at) => at % 4 === 3);
    expect(alphas(made)).toEqual(alphas(both));
    expect(Math.abs(brightness(made, 16, 64) - brightness(both, 16, 64))).toBeLessThan(3);
  });
});
