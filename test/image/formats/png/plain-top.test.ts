/** Pictures whose first rows are all the same: how they are written goes by what lies below. */
import { expect, it } from "vitest";

import { FORMATS } from "../../../../src/image/formats.ts";
import { UNPAUSED } from "../../../../src/scheduler/time-slice.ts";
import { numbersFrom } from "../../../support/generated.ts";
import { paint, paintSixteenBit, pictureOf, sixteenBitPictureOf } from "../../../support/rows.ts";

/** Soft grain of 1,400 x 800 pixels below so many rows of one color; a sample has 375 rows. */
function grainBelow(rows: number, alpha: number) {
  const next = numbersFrom(3);
  return paint(1_400, 800 + rows, (x, y) => {
    if (y < rows) return [0, 0, 0, alpha];
    const level = Math.floor(128 + 90 * Math.sin(x / 160) * Math.cos((y - rows) / 130) + (next() - 0.5) * 9);
    return [level, level - 20, level - 40, 255];
  });
}

it.each([
  ["without loss", {}, 255],
  ["without loss, with alpha", {}, 0],
  ["with moved levels", { lossless: false, quality: 76, loss: "levels" }, 0],
] as const)("take hardly more than without these rows: %s", async (_, wanted, alpha) => {
  const settings = { lossless: true, quality: 100, progressive: false, effort: 0.5, ...wanted };
  const bytesBelow = async (rows: number) => {
    const picture = pictureOf([grainBelow(rows, alpha)], { opaque: alpha === 255 });
    return (await FORMATS.png.write.encode(picture, settings, UNPAUSED)).length;
  };
  expect(await bytesBelow(500)).toBeLessThan((await bytesBelow(20)) * 1.05);
});

it("take hardly more than without these rows: with 16 bits", async () => {
  const settings = { lossless: true, quality: 100, progressive: false, effort: 0.5 };
  const bytesBelow = async (rows: number) => {
    const next = numbersFrom(5);
    const pixels = paintSixteenBit(1_400, 500 + rows, (x, y) => {
      if (y < rows) return [0, 0, 0, 65_535];
      const level = Math.floor(30_000 + 20_000 * Math.sin(x / 160) * Math.cos((y - rows) / 130) + next() * 300);
      return [level, level - 5_000, level - 9_000, 65_535];
    });
    return (await FORMATS.png.write.encode(sixteenBitPictureOf(pixels), settings, UNPAUSED)).length;
  };
  expect(await bytesBelow(500)).toBeLessThan((await bytesBelow(20)) * 1.05);
});
