/** Red pupils become dark, and nothing else changes. */
import { describe, expect, it } from "vitest";

import { findRedEyes } from "../../../src/image/faces/red-eyes.ts";
import { UNPAUSED } from "../../../src/scheduler/time-slice.ts";
import source from "../../fixtures/resample/source.png";
import { applied, decoded, pixel, planned } from "../../support/operations.ts";
import { noise, paint, type Pixels, rowsOf } from "../../support/rows.ts";

interface Look {
  /** Centers of the eyes. */
  readonly eyes: readonly (readonly [x: number, y: number])[];
  readonly skin?: readonly [number, number, number];
  readonly pupil?: readonly [number, number, number];
}

/** Skin with eyes in it: white, an iris of 9 pixels, a pupil of 5. */
function face({ eyes, skin = [205, 160, 130], pupil = [190, 40, 45] }: Look): Pixels {
  return paint(200, 120, (x, y) => {
    for (const [cx, cy] of eyes) {
      const distance = Math.hypot(x - cx, y - cy);
      if (distance <= 5) return [...pupil, 255];
      if (distance <= 9) return [90, 80, 70, 255];
      if (Math.hypot((x - cx) / 1.8, y - cy) <= 10) return [225, 225, 225, 255];
    }
    return [...skin, 255];
  });
}

const PAIR: Look["eyes"] = [
  [60, 55],
  [140, 62],
];
const plan = (look: Look) => planned("auto", { redeye: true }, face(look));

describe("auto.redeye", () => {
  it("makes both pupils dark, and touches nothing else", async () => {
    const before = face({ eyes: PAIR });
    const after = await applied("auto", { redeye: true }, before);
    for (const [x, y] of PAIR) expect(pixel(after, x, y)).toEqual([43, 43, 43, 255]);
    for (let y = 0; y < before.height; y++) {
      for (let x = 0; x < before.width; x++) {
        if (PAIR.some(([cx, cy]) => Math.hypot(x - cx, y - cy) <= 5)) continue;
        expect(pixel(after, x, y)).toEqual(pixel(before, x, y));
      }
    }
  });

  it.each<readonly [string, Look]>([
    ["one alone", { eyes: [[60, 55]] }],
    [
      "one above the other",
      {
        eyes: [
          [60, 20],
          [62, 100],
        ],
      },
    ],
    [
      "too close to each other",
      {
        eyes: [
          [60, 55],
          [78, 55],
        ],
      },
    ],
    ["on no skin", { eyes: PAIR, skin: [90, 120, 200] }],
    ["dark pupils", { eyes: PAIR, pupil: [30, 25, 25] }],
    ["brown pupils", { eyes: PAIR, pupil: [110, 75, 60] }],
  ])("leaves alone what may be something else: %s", async (_, look) => {
    expect(await plan(look)).toEqual([]);
  });

  it("leaves pictures without eyes alone", async () => {
    expect(await planned("auto", { redeye: true }, await decoded(source))).toEqual([]);
    expect(await planned("auto", { redeye: true }, noise(120, 90))).toEqual([]);
  });

  it("takes no more spots for pupils than a photograph can have", async () => {
    const grid = paint(1_000, 1_000, (x, y) => {
      const distance = Math.hypot((x % 40) - 20, (y % 40) - 20);
      return distance <= 3 ? [190, 40, 45, 255] : distance <= 6 ? [225, 225, 225, 255] : [205, 160, 130, 255];
    });
    const found = await findRedEyes(rowsOf(grid), async () => [], UNPAUSED);
    expect(found.length).toBeGreaterThan(100);
    expect(found.length).toBeLessThanOrEqual(300);
  });
});
