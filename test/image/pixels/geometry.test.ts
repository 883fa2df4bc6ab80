/** The eight orientations form a group, and act as the standard says. */
import { describe, expect, it } from "vitest";

import {
  type Box,
  composeOrientations,
  invertOrientation,
  type Orientation,
  turnBox,
  turnSize,
} from "../../../src/image/pixels/geometry.ts";

const ORIENTATIONS: readonly Orientation[] = [1, 2, 3, 4, 5, 6, 7, 8];
const size = { width: 5, height: 3 };
const box: Box = { x: 1, y: 0, width: 2, height: 1 };

describe("orientations", () => {
  it("compose so that turning twice equals turning once by the composition", () => {
    for (const first of ORIENTATIONS) {
      for (const second of ORIENTATIONS) {
        const twice = turnBox(turnBox(box, size, first), turnSize(size, first), second);
        expect(twice, `${first} then ${second}`).toEqual(turnBox(box, size, composeOrientations(first, second)));
      }
    }
  });

  it("are undone by their inverse", () => {
    for (const orientation of ORIENTATIONS) {
      expect(composeOrientations(orientation, invertOrientation(orientation))).toBe(1);
    }
  });

  it("put the stored top-left corner where the standard says", () => {
    const corner: Box = { x: 0, y: 0, width: 1, height: 1 };
    const at = ORIENTATIONS.map((orientation) => turnBox(corner, size, orientation)).map(({ x, y }) => [x, y]);
    // Row 0 is the visual top (1, 2), bottom (4, 3), left (5, 8) or right (6, 7) side.
    expect(at).toEqual([
      [0, 0],
      [4, 0],
      [4, 2],
      [0, 2],
      [0, 0],
      [2, 0],
      [2, 4],
      [0, 4],
    ]);
  });
});
