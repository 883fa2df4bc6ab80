/** Alpha that nothing shows through: libjxl takes a bit for each of its pixels, which is most of a flat drawing's file. */
import { describe, expect, it } from "vitest";

import { jxl } from "../../../../src/image/formats/jxl.ts";
import { isOpaque } from "../../../../src/image/pixels/bands.ts";
import { rowsOver } from "../../../../src/image/pixels/rows.ts";
import { UNPAUSED } from "../../../../src/scheduler/time-slice.ts";
import { paint, pictureOf } from "../../../support/rows.ts";

const SETTINGS = { lossless: false, quality: 80, progressive: false, effort: 0.5 };
const SIDE = 600;

/** A disc on paper, of which one pixel may be seen through. */
const disc = (alpha = 255) =>
  paint(SIDE, SIDE, (x, y) => {
    if (x === SIDE - 1 && y === SIDE - 1) return [255, 255, 255, alpha];
    return Math.hypot(x - 300, y - 300) < 200 ? [220, 40, 40, 255] : [255, 255, 255, 255];
  });

describe("alpha of JPEG XL", () => {
  it.each([false, true])("is left out where nothing shows through (lossless: %s)", async (lossless) => {
    const settings = { ...SETTINGS, lossless };
    const file = await jxl.write.encode(pictureOf([disc()], { opaque: false }), settings, UNPAUSED);
    expect(file).toEqual(await jxl.write.encode(pictureOf([disc()]), settings, UNPAUSED));
    expect(jxl.read.factsOf(file).alpha).toBe(false);
  });

  it("is kept for a single pixel, the last", async () => {
    const file = await jxl.write.encode(pictureOf([disc(254)], { opaque: false }), SETTINGS, UNPAUSED);
    expect(jxl.read.factsOf(file).alpha).toBe(true);
  });
});

it.each([
  [255, 255, true],
  [255, 254, false],
  [254, 255, false],
])("a picture of 16 bits whose last alpha is %i %i is opaque: %s", async (high, low, opaque) => {
  const data = new Uint8Array(8 * 3 * 2).fill(255);
  data.fill(7, 0, 6);
  data.set([high, low], data.length - 2);
  const rows = rowsOver(data, { width: 3, height: 2, opaque: false, sixteenBit: true });
  expect(await isOpaque(rows)).toBe(opaque);
});
