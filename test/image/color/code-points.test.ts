/** Profiles that are made from code points for color, against what others publish. */
import { describe, expect, it } from "vitest";

import { profileOfCodePoints, profileOfPrimaries } from "../../../src/image/color/code-points.ts";
import { fromLinear, toLinear } from "../../../src/image/color/light.ts";
import { type Layout, openTransform } from "../../../wasm/color/color.ts";
import adobeRgb from "../../fixtures/profiles/adobe-rgb.icc";
import displayP3 from "../../fixtures/profiles/display-p3.icc";
import { noise } from "../../support/rows.ts";

function converted(profile: Uint8Array, pixels: Uint8Array, layout: Layout = "rgba"): Uint8Array {
  const transform = openTransform(profile, layout);
  if (!transform) throw new Error("no transform");
  try {
    return transform.convert(pixels).slice();
  } finally {
    transform.close();
  }
}

function profileOf(primaries: number, transfer: number, isGray = false): Uint8Array {
  const profile = profileOfCodePoints(primaries, transfer, isGray);
  if (!(profile instanceof Uint8Array)) throw new Error("no profile");
  return profile;
}

function largestDifference(a: Uint8Array, b: Uint8Array): number {
  return a.reduce((largest, level, index) => Math.max(largest, Math.abs(level - (b[index] ?? 0))), 0);
}

describe("the profile of code points", () => {
  it("converts Display P3 as the profile that its makers publish", () => {
    const pixels = noise(64, 64).data;
    const published = converted(new Uint8Array(displayP3), pixels);
    expect(largestDifference(converted(profileOf(12, 13), pixels), published)).toBeLessThanOrEqual(1);
  });

  it("converts Rec. 2020 by the matrix of ITU-R BT.2087 and the transfer of BT.2020", () => {
    const levels = [128, 115, 102];
    const light = levels.map((level) => {
      const encoded = level / 255;
      return encoded < 0.081_243 ? encoded / 4.5 : ((encoded + 0.099_297) / 1.099_297) ** (1 / 0.45);
    });
    const matrix = [
      [1.6605, -0.5876, -0.0728],
      [-0.1246, 1.1329, -0.0083],
      [-0.0182, -0.1006, 1.1187],
    ];
    const expected = matrix.map((row) =>
      Math.round(255 * fromLinear(row.reduce((sum, factor, index) => sum + factor * (light[index] ?? 0), 0))),
    );
    const result = converted(profileOf(9, 14), Uint8Array.of(...levels, 255));
    expect(largestDifference(result.subarray(0, 3), Uint8Array.from(expected))).toBeLessThanOrEqual(1);
  });

  it("keeps white white and gray gray, whatever the primaries", () => {
    for (const primaries of [1, 5, 6, 7, 9, 12]) {
      const [white, gray] = [255, 100].map((level) =>
        converted(profileOf(primaries, 4), Uint8Array.of(level, level, level, 255)),
      );
      expect([...(white ?? [])]).toEqual([255, 255, 255, 255]);
      const [red = 0, green = 0, blue = 0] = gray ?? [];
      expect(Math.max(Math.abs(red - green), Math.abs(green - blue))).toBeLessThanOrEqual(1);
    }
  });

  it("converts gray by its transfer alone", () => {
    const [level] = converted(profileOf(9, 8, true), Uint8Array.of(64, 0, 0, 255), "gray");
    expect(toLinear((level ?? 0) / 255)).toBeCloseTo(64 / 255, 2);
  });

  it("is none for sRGB and for what H.273 does not define", () => {
    expect(profileOfCodePoints(1, 13, false)).toBe("srgb");
    expect(profileOfCodePoints(12, 13, true)).toBe("srgb");
    for (const [primaries, transfer] of [
      [2, 13],
      [200, 1],
    ] as const) {
      expect(profileOfCodePoints(primaries, transfer, false)).toBeNull();
    }
  });
});

describe("the profile of primaries of a file's own", () => {
  const adobe = { red: [0.64, 0.33], green: [0.21, 0.71], blue: [0.15, 0.06], white: [0.3127, 0.329] } as const;

  it("converts as the profile of these primaries that its makers publish", () => {
    const profile = profileOfPrimaries(adobe, 2.2);
    const pixels = noise(64, 64).data;
    if (!profile) throw new Error("no profile");
    expect(largestDifference(converted(profile, pixels), converted(new Uint8Array(adobeRgb), pixels))).toBeLessThan(3);
  });

  it("is none where these are those of sRGB, or no colors at all", () => {
    const srgb = { red: [0.64, 0.33], green: [0.3, 0.6], blue: [0.15, 0.06], white: [0.3127, 0.329] } as const;
    const flat = { ...srgb, green: [0.395, 0.195] } as const;
    expect(profileOfPrimaries(srgb, 2.2)).toBeNull();
    expect(profileOfPrimaries({ ...srgb, green: [0.3001, 0.6009] }, 2.2)).toBeNull();
    expect(profileOfPrimaries(flat, 2.2)).toBeNull();
    expect(profileOfPrimaries({ ...adobe, white: [0.3127, 0] }, 2.2)).toBeNull();
    expect(profileOfPrimaries(adobe, 0)).toBeNull();
  });
});
