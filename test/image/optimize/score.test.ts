import { describe, expect, it } from "vitest";

import type { FormatDefinition } from "../../../src/image/format.ts";
import { FORMATS } from "../../../src/image/formats.ts";
import { whole } from "../../../src/image/geometry.ts";
import { scoreRows } from "../../../src/image/optimize/score.ts";
import { inMemory } from "../../../src/image/optimize/sheet.ts";
import { firstFrame } from "../../../src/image/picture.ts";
import type { Rows } from "../../../src/image/rows.ts";
import { nativeStatistics, trimNative } from "../../../wasm/load.ts";
import { scorePeakBytes } from "../../../wasm/score/score.ts";
import macaw20 from "../../fixtures/score/macaw-20.jpg";
import macaw75 from "../../fixtures/score/macaw-75.jpg";
import macaw92 from "../../fixtures/score/macaw-92.jpg";
import macaw from "../../fixtures/score/macaw.png";
import text75 from "../../fixtures/score/text-75.jpg";
import text from "../../fixtures/score/text.png";

function rows(file: ArrayBuffer, format: FormatDefinition): Rows {
  const bytes = new Uint8Array(file);
  const facts = format.probe(bytes);
  const demand = { box: whole(facts), width: facts.width, height: facts.height };
  return firstFrame({ ...demand, opaque: true, frames: 1, loops: 0, open: () => format.open(bytes, facts, demand) });
}

/** A picture of one color, with some alpha. */
function plain(width: number, height: number, color: readonly number[]): Rows {
  const pixels = new Uint8Array(width * height * 4);
  for (let at = 0; at < pixels.length; at++) pixels[at] = color[at % 4] ?? 0;
  return firstFrame(inMemory(pixels, { width, height }, color[3] === 255));
}

describe("SSIMULACRA 2.1", () => {
  // The third value is what `ssimulacra2` of libjxl 0.11.2 prints for the PNG and djpeg's output; the fourth is the
  // same definition in double precision. The reference tool's own rounding moves high scores by some tenths.
  it.each<[string, ArrayBuffer, ArrayBuffer, number, number]>([
    ["a photograph at quality 20", macaw, macaw20, 50.715, 50.723],
    ["a photograph at quality 75", macaw, macaw75, 78.662, 78.669],
    ["a photograph at quality 92", macaw, macaw92, 87.642, 87.633],
    ["text, too small for all scales", text, text75, 93.262, 93.668],
  ])("agrees with the reference on %s", (_name, original, rendition, reference, exact) => {
    const score = scoreRows(rows(original, FORMATS.png), rows(rendition, FORMATS.jpeg));
    expect(Math.abs(score - exact)).toBeLessThan(0.1);
    expect(Math.abs(score - reference)).toBeLessThan(0.5);
  });

  it("is 100 for a picture and itself", () => {
    expect(scoreRows(rows(macaw, FORMATS.png), rows(macaw, FORMATS.png))).toBe(100);
  });

  it("is the same on every run", () => {
    const once = () => scoreRows(rows(macaw, FORMATS.png), rows(macaw75, FORMATS.jpeg));
    expect(once()).toBe(once());
  });

  it("sees a change under transparency only as far as it shows", () => {
    const clear = scoreRows(plain(40, 30, [200, 0, 0, 0]), plain(40, 30, [0, 200, 0, 0]));
    const half = scoreRows(plain(40, 30, [200, 0, 0, 128]), plain(40, 30, [0, 200, 0, 128]));
    expect(clear).toBe(100);
    expect(half).toBeLessThan(50);
  });

  it("takes pictures down to 8 x 8, of odd sizes too", () => {
    for (const [width, height] of [
      [8, 8],
      [9, 8],
      [15, 33],
      [64, 9],
    ] as const) {
      const same = scoreRows(plain(width, height, [9, 99, 199, 255]), plain(width, height, [9, 99, 199, 255]));
      const other = scoreRows(plain(width, height, [9, 99, 199, 255]), plain(width, height, [99, 9, 99, 255]));
      expect([same, other < 100]).toEqual([100, true]);
    }
  });

  it("keeps its memory over hundreds of comparisons", () => {
    for (let round = 0; round < 300; round++) scoreRows(plain(64, 64, [1, 2, 3, 255]), plain(64, 64, [3, 2, 1, 255]));
    const score = nativeStatistics().find((module) => module.name === "score");
    expect(score?.memoryBytes).toBeLessThanOrEqual(2 * 1024 * 1024);
  });

  it("holds no more memory than it declares, whatever the width", () => {
    for (const [width, height] of [
      [64, 64],
      [1_000, 24],
      [1_000, 200],
      [12_000, 130],
    ] as const) {
      trimNative(0);
      scoreRows(plain(width, height, [1, 2, 3, 255]), plain(width, height, [3, 2, 1, 255]));
      const used = nativeStatistics().find((module) => module.name === "score")?.memoryBytes ?? 0;
      const bands = width * 4 * 16 * 2;
      expect(used).toBeLessThanOrEqual(scorePeakBytes({ width, height }) + bands);
    }
  });
});
