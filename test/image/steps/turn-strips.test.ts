/** Large pictures are turned strip by strip. */
import { describe, expect, it } from "vitest";

import { type Box, type Orientation, type Size, turnSize } from "../../../src/image/pixels/geometry.ts";
import { firstFrame } from "../../../src/image/pixels/picture.ts";
import type { Rows } from "../../../src/image/pixels/rows.ts";
import { identify } from "../../../src/image/plan/detect.ts";
import { pictureOf } from "../../../src/image/plan/planned-picture.ts";
import { crop } from "../../../src/image/steps/crop.ts";
import { needsStrips, turnByStrips } from "../../../src/image/steps/turn-strips.ts";
import { turn } from "../../../src/image/steps/turn.ts";
import { UNPAUSED } from "../../../src/scheduler/time-slice.ts";
import jpeg from "../../fixtures/jpeg/s420.jpg";
import webp from "../../fixtures/webp/1-webp-a.webp";
import { drain, rowsOf } from "../../support/rows.ts";

const size = { width: 3_100, height: 3_000 };
const pixels = new Uint32Array(size.width * size.height).map((_, index) => index | 0xff000000);
const open = () => rowsOf({ ...size, data: new Uint8Array(pixels.buffer) });

/** A number that depends on every pixel and its place. */
async function digest(rows: Rows): Promise<number> {
  let sum = 0;
  let at = 0;
  for (let band = await rows.read(37); band; band = await rows.read(37)) {
    for (const pixel of new Uint32Array(band.slice().buffer)) sum = (Math.imul(sum, 31) + (pixel ^ at++)) | 0;
  }
  rows.close();
  expect(at).toBe(rows.width * rows.height);
  return sum;
}

describe("turning by strips", () => {
  it("is for pictures that are too large to be turned whole", () => {
    expect(needsStrips(size, 6)).toBe(true);
    expect(needsStrips({ width: 2_000, height: 2_000 }, 6)).toBe(false);
    expect(needsStrips(size, 2)).toBe(false);
  });

  it.each([3, 4, 5, 6, 7, 8] as const)("gives the pixels of orientation %i", async (orientation) => {
    let passes = 0;
    const box = { x: 40, y: 24, width: 3_000, height: 2_950 };
    const openRegion = async (region: typeof box) => {
      passes++;
      return crop(open(), region);
    };
    const strips = await digest(turnByStrips(openRegion, { box, orientation, opaque: true }));
    expect(passes).toBeGreaterThan(1);
    expect(strips).toBe(await digest(turn(crop(open(), box), orientation)));
  });

  it.each([
    ["JPEG", jpeg],
    ["WebP", webp],
  ])("leaves no seams where color is stored at half the size: %s", async (_, file) => {
    const stored = identify(new Uint8Array(file));
    const region = (box: Box) =>
      firstFrame(
        pictureOf(stored, { view: { box, orientation: 1 }, steps: [], size: box, changesPixels: true }),
        UNPAUSED,
      );
    const box = { x: 3, y: 5, width: 101, height: 90 };
    const whole = await drain(turn(await region(box), 6));
    expect(await drain(turnByStrips(region, { box, orientation: 6, opaque: true, maxStripBytes: 7_000 }))).toEqual(
      whole,
    );
  });

  it.each([3, 5, 6, 7, 8] as const)(
    "gives the pixels of what is resized before: orientation %i",
    async (orientation) => {
      const stored = identify(new Uint8Array(jpeg));
      const box = { x: 3.25, y: 5, width: 101.5, height: 90 };
      const stands = turnSize({ width: 3_100, height: 3_000 }, orientation);
      const viewed = (of: Orientation, target: Size) => {
        const view = { box, orientation: of, target: { ...target, kernel: "lanczos3" as const } };
        return pictureOf(stored, { view, steps: [], size: target, changesPixels: true });
      };
      const strips = viewed(orientation, stands);
      expect(needsStrips({ width: 3_100, height: 3_000 }, orientation)).toBe(true);
      const whole = turn(await firstFrame(viewed(1, { width: 3_100, height: 3_000 }), UNPAUSED), orientation);
      expect(await digest(await firstFrame(strips, UNPAUSED))).toBe(await digest(whole));
    },
  );
});
