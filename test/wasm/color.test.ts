import { describe, expect, it } from "vitest";

import { type Layout, openTransform } from "../../wasm/color/color.ts";
import { nativeStatistics } from "../../wasm/load.ts";
import adobeRgb from "../fixtures/profiles/adobe-rgb.icc";
import displayP3 from "../fixtures/profiles/display-p3.icc";
import srgb from "../fixtures/profiles/srgb.icc";

function converted(profile: ArrayBuffer, pixels: readonly number[], layout: Layout = "rgba"): number[] | null {
  const transform = openTransform(new Uint8Array(profile), layout);
  const result = transform && [...transform.convert(Uint8Array.from(pixels))];
  transform?.close();
  return result;
}

describe("ICC transforms", () => {
  // Expected values: `transicc -n -t 0 -i <profile> -o '*sRGB'` of Little CMS 2.14, clipped to 0..255.
  it("bring Adobe RGB to sRGB", () => {
    const result = converted(adobeRgb, [255, 0, 0, 7, 120, 130, 200, 255, 20, 60, 40, 0]);
    expect(result).toEqual([255, 0, 0, 7, 116, 131, 204, 255, 0, 57, 34, 0]);
  });

  it("bring Display P3 to sRGB", () => {
    const result = converted(displayP3, [0, 255, 0, 255, 120, 130, 200, 128, 255, 255, 255, 255]);
    expect(result).toEqual([0, 255, 0, 255, 118, 130, 205, 128, 255, 255, 255, 255]);
  });

  it("leave sRGB under any name alone", () => {
    expect(openTransform(new Uint8Array(srgb), "rgba")).toBeNull();
  });

  it("take damaged profiles, and profiles for other pixels, as none", () => {
    expect(openTransform(new Uint8Array(100), "rgba")).toBeNull();
    expect(openTransform(new Uint8Array(displayP3).subarray(0, 300), "rgba")).toBeNull();
    expect(openTransform(new Uint8Array(displayP3), "cmyk")).toBeNull();
  });

  it("keep memory flat over a thousand profiles, good and damaged", () => {
    const bytes = new Uint8Array(adobeRgb);
    for (let round = 0; round < 1_000; round++) {
      const damaged = bytes.slice();
      damaged[(round * 7919) % damaged.length] = round & 255;
      openTransform(round % 2 ? damaged : bytes, "rgba")?.close();
    }
    const color = nativeStatistics().find((module) => module.name === "color");
    expect(color?.memoryBytes).toBeLessThanOrEqual(2 * 1024 * 1024);
    expect(color?.replaced).toBe(0);
  });
});
