/** The score, against the reference implementation of SSIMULACRA 2.1. */
import { describe, expect, it } from "vitest";

import type { FormatDefinition } from "../../../src/image/codec/format.ts";
import { FORMATS } from "../../../src/image/formats.ts";
import { whole } from "../../../src/image/pixels/geometry.ts";
import { firstFrame } from "../../../src/image/pixels/picture.ts";
import type { Rows } from "../../../src/image/pixels/rows.ts";
import { uncertainty } from "../../../src/image/pixels/strips.ts";
import { completedSize } from "../../../src/image/search/completed.ts";
import { secondOpinionEstimate } from "../../../src/image/search/second-opinion.ts";
import { type TimeSlice, UNPAUSED } from "../../../src/scheduler/time-slice.ts";
import { nativeStatistics, trimNative } from "../../../wasm/load.ts";
import { scorePeakBytes } from "../../../wasm/score/score.ts";
import glass24 from "../../fixtures/score/glass-24.png";
import glass from "../../fixtures/score/glass.png";
import macaw20 from "../../fixtures/score/macaw-20.jpg";
import macaw75 from "../../fixtures/score/macaw-75.jpg";
import macaw92 from "../../fixtures/score/macaw-92.jpg";
import macaw from "../../fixtures/score/macaw.png";
import page85 from "../../fixtures/score/page-85.jpg";
import page from "../../fixtures/score/page.png";
import { rowsOf } from "../../support/rows.ts";
import { scoreRows } from "../../support/scores.ts";

function rows(file: ArrayBuffer, format: FormatDefinition, opaque = true): Promise<Rows> {
  const bytes = new Uint8Array(file);
  const facts = format.read.factsOf(bytes);
  const demand = { box: whole(facts), width: facts.width, height: facts.height };
  const open = (timeSlice: TimeSlice) => format.read.open(bytes, facts, demand, timeSlice);
  return firstFrame({ ...demand, opaque, frames: 1, loops: 0, open }, UNPAUSED);
}

/** A picture of one color, with some alpha. */
function plain(width: number, height: number, color: readonly number[]): Rows {
  const data = new Uint8Array(width * height * 4);
  for (let at = 0; at < data.length; at++) data[at] = color[at % 4] ?? 0;
  return rowsOf({ width, height, data }, color[3] === 255);
}

/** The score of one as a rendition of the other. */
async function scored(original: Rows | Promise<Rows>, rendition: Rows | Promise<Rows>): Promise<number> {
  return scoreRows(await original, await rendition, UNPAUSED);
}

describe("SSIMULACRA 2.1", () => {
  // What `ssimulacra2` of libjxl 0.11.2 prints for the PNG and djpeg's output.
  it.each<[string, ArrayBuffer, ArrayBuffer, number]>([
    ["a photograph at quality 20", macaw, macaw20, 50.715],
    ["a photograph at quality 75", macaw, macaw75, 78.662],
    ["a photograph at quality 92", macaw, macaw92, 87.642],
    ["a page, most of which is plain", page, page85, 77.252],
  ])("is what the reference says of %s", async (_name, original, rendition, reference) => {
    const score = await scored(rows(original, FORMATS.png), rows(rendition, FORMATS.jpeg));
    expect(Math.abs(score - reference)).toBeLessThan(0.01);
  });

  it("is what the reference says of a picture with alpha, on the worse of two backgrounds", async () => {
    const score = await scored(rows(glass, FORMATS.png, false), rows(glass24, FORMATS.png, false));
    expect(Math.abs(score - 93.545)).toBeLessThan(0.01);
  });

  it("may be higher of strips than of the whole, the more is left out", async () => {
    expect(uncertainty({ width: 2_000, height: 2_000 })).toBe(0);
    const [five, twelve, large] = [2_600, 4_000, 8_700].map((width) => uncertainty({ width, height: width * 0.75 }));
    expect(five).toBeGreaterThan(0.1);
    expect(twelve).toBeGreaterThan(five ?? 1);
    expect(large).toBeGreaterThan(twelve ?? 1);
    expect(large).toBeLessThan(1);
  });

  it("is 100 for a picture and itself", async () => {
    expect(await scored(rows(macaw, FORMATS.png), rows(macaw, FORMATS.png))).toBe(100);
  });

  it("is the same on every run", async () => {
    const once = () => scored(rows(macaw, FORMATS.png), rows(macaw75, FORMATS.jpeg));
    expect(await once()).toBe(await once());
  });

  it("sees a change under transparency only as far as it shows", async () => {
    const clear = await scored(plain(40, 30, [200, 0, 0, 0]), plain(40, 30, [0, 200, 0, 0]));
    const half = await scored(plain(40, 30, [200, 0, 0, 128]), plain(40, 30, [0, 200, 0, 128]));
    expect(clear).toBe(100);
    expect(half).toBeLessThan(50);
  });

  it("takes pictures down to 8 x 8, of odd sizes too", async () => {
    for (const [width, height] of [
      [8, 8],
      [9, 8],
      [15, 33],
      [64, 9],
    ] as const) {
      const same = await scored(plain(width, height, [9, 99, 199, 255]), plain(width, height, [9, 99, 199, 255]));
      const other = await scored(plain(width, height, [9, 99, 199, 255]), plain(width, height, [99, 9, 99, 255]));
      expect([same, other < 100]).toEqual([100, true]);
    }
  });

  it("keeps its memory over hundreds of comparisons", async () => {
    const memoryAfter = async (rounds: number) => {
      for (let round = 0; round < rounds; round++)
        await scored(plain(64, 64, [1, 2, 3, 255]), plain(64, 64, [3, 2, 1, 255]));
      return nativeStatistics().find((module) => module.name === "score")?.memoryBytes;
    };
    const first = await memoryAfter(2);
    expect(first).toBeGreaterThan(0);
    expect(await memoryAfter(300)).toBe(first);
  });

  it("holds no more memory than it declares, whatever the width", async () => {
    for (const [width, height] of [
      [64, 64],
      [1_000, 24],
      [1_000, 200],
      [12_000, 130],
    ] as const) {
      trimNative(0);
      await scored(plain(width, height, [1, 2, 3, 255]), plain(width, height, [3, 2, 1, 255]));
      const used = nativeStatistics().find((module) => module.name === "score")?.memoryBytes ?? 0;
      const bands = width * 4 * 16 * 2;
      const size = completedSize({ width, height });
      expect(used).toBeLessThanOrEqual(
        scorePeakBytes(size) + secondOpinionEstimate({ ...size, opaque: true }).bytes + bands,
      );
    }
  });
});
