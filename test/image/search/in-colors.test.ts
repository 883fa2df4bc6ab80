/** Drawings as WebP: in few colors they take a part of the bytes, and look as asked. */
import { expect, it } from "vitest";

import { png } from "../../../src/image/formats/png.ts";
import { UNPAUSED } from "../../../src/scheduler/time-slice.ts";
import { rendered } from "../../support/render.ts";
import { paint, pictureOf, type Pixels } from "../../support/rows.ts";

/** What is inside of a shape whose edge is at 0, with an edge of one pixel. */
const inside = (distance: number) => Math.min(1, Math.max(0, 0.5 - distance));

/** A button with a round corner, over its soft shadow. */
const button = (width: number, height: number) =>
  paint(width, height, (x, y) => {
    const distance = (down: number) => {
      const [across, along] = [Math.abs(x - width / 2) - width / 4, Math.abs(y - down - height / 2) - height / 5];
      return Math.hypot(Math.max(across, 0), Math.max(along, 0)) - 3;
    };
    const shape = inside(distance(0));
    const shadow = 0.5 * Math.exp(-((Math.max(0, distance(4)) / 9) ** 2)) * (1 - shape);
    const alpha = shape + shadow;
    const light = (level: number) => Math.round(alpha === 0 ? 0 : (level * shape) / alpha);
    return [light(47 + x), light(111), light(237 - y), Math.round(alpha * 255)];
  });

/** Dark rings on white, with edges of a pixel: letters are much like them. */
const rings = (width: number, height: number) =>
  paint(width, height, (x, y) => {
    const [column, row] = [Math.floor(x / 23), Math.floor(y / 31)];
    const [right, down] = [Math.sin(column * 7 + row * 3), Math.sin(column * 5 - row * 11)];
    const away = Math.hypot((x % 23) - 11 - 2 * right, (y % 31) - 15 - 3 * down);
    const ink = inside(Math.abs(away - 5 - 2 * right * down) - 1);
    const level = Math.round(255 - 221 * ink);
    return [level, level, Math.round(255 - 205 * ink), 255];
  });

async function webpOf(pixels: Pixels, opaque: boolean) {
  const settings = { lossless: true, quality: 100, progressive: false, effort: 0 };
  const file = await png.write.encode({ ...pictureOf([pixels]), opaque }, settings, UNPAUSED);
  return (await rendered(file, { output: { format: "webp", encoding: "progressive" } })).output;
}

it.each([
  // Otherwise 936, 4,864 and 46,082.
  ["a button with a shadow", button(96, 72), false, 850],
  ["rings", rings(300, 200), true, 3_500],
  ["rings in a picture that has a sample", rings(900, 640), true, 33_000],
] as const)("take a part of the bytes: %s", async (_, pixels, opaque, most) => {
  const { bytes, score } = await webpOf(pixels, opaque);
  expect(bytes.length).toBeLessThan(most);
  expect(score).toBeGreaterThan(75);
});
