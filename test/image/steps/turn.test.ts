/** Pictures are turned as their orientation says. */
import { describe, expect, it } from "vitest";

import { type Orientation, turnOf, turnSize } from "../../../src/image/pixels/geometry.ts";
import { turn, turnEstimate } from "../../../src/image/steps/turn.ts";
import { drain, paint, rowsOf, scene } from "../../support/rows.ts";

const ORIENTATIONS: readonly Orientation[] = [1, 2, 3, 4, 5, 6, 7, 8];

describe("turning", () => {
  it.each(ORIENTATIONS)("puts every pixel where its orientation says: %i", async (orientation) => {
    const pixels = scene(37, 21, false);
    const { transpose, flipX, flipY } = turnOf(orientation);
    const size = turnSize(pixels, orientation);
    const expected = paint(size.width, size.height, (x, y) => {
      const acrossX = flipX ? size.width - 1 - x : x;
      const acrossY = flipY ? size.height - 1 - y : y;
      const at = ((transpose ? acrossX : acrossY) * 37 + (transpose ? acrossY : acrossX)) * 4;
      return pixels.data.subarray(at, at + 4) as never;
    });
    expect(await drain(turn(rowsOf(pixels, false, 5), orientation), 7)).toEqual(expected);
  });

  it("turns a camera picture stored on its side by a quarter, clockwise", async () => {
    // Orientation 6: the stored row 0 is the right side of the upright picture.
    const pixels = paint(3, 2, (x, y) => [x, y, 0, 255]);
    const { data, width } = await drain(turn(rowsOf(pixels), 6));
    expect(width).toBe(2);
    expect([...data.subarray(4, 6)]).toEqual([0, 0]);
    expect([...data.subarray(0, 2)]).toEqual([0, 1]);
  });

  it("holds the picture only where it must", () => {
    const size = { width: 4_000, height: 3_000 };
    expect(turnEstimate(size, 1).bytes).toBe(0);
    expect(turnEstimate(size, 2).bytes).toBeLessThan(1_000_000);
    expect(turnEstimate(size, 6).bytes).toBe(48_000_000);
  });
});
