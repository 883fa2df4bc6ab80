/** Files are recognized and held to the limits before they are decoded. */
import { expect, it } from "vitest";

import { identify } from "../../src/image/detect.ts";

/** A GIF file of one gray pixel on a canvas of that size. */
function canvas(width: number, height: number): Uint8Array {
  const sides = [width & 255, width >> 8, height & 255, height >> 8];
  const palette = [0x80, 0, 0, 0, 0, 0, 255, 255, 255];
  const frame = [0x2c, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 0x44, 1, 0];
  return Uint8Array.from([0x47, 0x49, 0x46, 0x38, 0x39, 0x61, ...sides, ...palette, ...frame, 0x3b]);
}

it("takes no side that is longer than documented, be the picture ever so narrow", () => {
  expect(identify(canvas(1, 65_500)).facts.height).toBe(65_500);
  for (const [width, height] of [
    [1, 65_501],
    [65_535, 1],
  ] as const) {
    expect(() => identify(canvas(width, height))).toThrow(
      expect.objectContaining({ status: 422, message: "The image must have at most 65500 pixels on each side" }),
    );
  }
});
