/** Colors that an AVIF file describes by numbers instead of a profile. */
import { describe, expect, it } from "vitest";

import { toSrgb } from "../../../../src/image/codec/convert-colors.ts";
import { profileOf } from "../../../../src/image/formats/heif/profile.ts";
import displayP3 from "../../../fixtures/profiles/display-p3.icc";
import { drain, paint, rowsOf, sample } from "../../../support/rows.ts";

const colors = paint(16, 16, (x, y) => [x * 17, y * 17, ((x * y) % 16) * 17, 255]);

async function converted(profile: Uint8Array | undefined): Promise<Uint8Array> {
  return (await drain(toSrgb(rowsOf(colors), profile, "RGB"))).data;
}

function farthest(one: Uint8Array, other: Uint8Array): number {
  return one.reduce((most, value, at) => Math.max(most, Math.abs(value - sample(other, at))), 0);
}

describe("colors described by numbers", () => {
  it("need no profile where they are sRGB's, or not known", () => {
    for (const [primaries, transfer] of [
      [1, 13],
      [1, 1],
      [2, 2],
      [undefined, undefined],
    ]) {
      expect(profileOf(primaries, transfer, false)).toBeUndefined();
    }
  });

  it("are those of Display P3", async () => {
    expect(
      farthest(await converted(profileOf(12, 13, false)), await converted(new Uint8Array(displayP3))),
    ).toBeLessThanOrEqual(2);
  });

  it("keep gray gray", async () => {
    const gray = paint(256, 1, (x) => [x, x, x, 255]);
    for (const [primaries, transfer] of [
      [9, 1],
      [9, 16],
      [12, 18],
      [1, 8],
      [1, 4],
    ] as const) {
      const { data } = await drain(toSrgb(rowsOf(gray), profileOf(primaries, transfer, false), "RGB"));
      for (let at = 0; at < data.length; at += 4) {
        const [red, green, blue] = [sample(data, at), sample(data, at + 1), sample(data, at + 2)];
        expect(Math.max(red, green, blue) - Math.min(red, green, blue)).toBeLessThanOrEqual(2);
        if (at > 0) expect(green).toBeGreaterThanOrEqual(sample(data, at - 3));
      }
    }
  });

  it("show white of HDR brighter than middle gray and darker than its highlights", async () => {
    // 203 candelas per square meter are coded as 0.58 by the perceptual quantizer, 1,000 as 0.75.
    const levels = paint(3, 1, (x) => [
      ...([
        [148, 148, 148],
        [192, 192, 192],
        [255, 255, 255],
      ][x] as [number, number, number]),
      255,
    ]);
    const { data } = await drain(toSrgb(rowsOf(levels), profileOf(9, 16, false), "RGB"));
    expect(sample(data, 1)).toBeGreaterThan(170);
    expect(sample(data, 1)).toBeLessThan(210);
    expect(sample(data, 5)).toBeGreaterThan(250);
    expect(sample(data, 9)).toBe(255);
  });
});
