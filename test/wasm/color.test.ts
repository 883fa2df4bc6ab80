/** Color transforms of the native module. */
import { describe, expect, it } from "vitest";

import { D50, iccProfile, parametric, values } from "../../src/image/color/icc.ts";
import { type Layout, openTransform, relationOf, SRGB } from "../../wasm/color/color.ts";
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

  // The same tool's results, rounded, for all colors of these levels, blue first.
  it.each([
    [
      "Adobe RGB",
      adobeRgb,
      `
      00000000000200004d0000b90000ff001e00001e00001e4d001eb9001eff0081000081000081480081b70081ff00ff0000ff0000ff32
      00ffb100ffff0d00000d00020d004d0d00b90d00ff001e00001e00001e4d001eb9001eff0081000081000081480081b70081ff00ff00
      00ff0000ff3200ffb100ffff69000069000269004d6900b96900ff671e00671e00671e4d671eb9671eff4281004281004281484281b7
      4281ff00ff0000ff0000ff3200ffb100ffffeb0000eb0002eb004deb00b9eb00ffea1e00ea1e00ea1e4dea1eb9ea1effdf8100df8100
      df8148df81b7df81ffafff00afff00afff32afffb1afffffff0000ff0002ff004dff00b9ff00ffff1e00ff1e00ff1e4dff1eb9ff1eff
      ff8100ff8100ff8148ff81b7ff81ffffff00ffff00ffff32ffffb1ffffff`,
    ],
    [
      "Display P3",
      displayP3,
      `
      00000000000a0000510000bc0000ff0024000024060024500024bc0024ff0082000082000082480082b90082ff00ff0000ff0000ff09
      00ffae00ffff1500001500091500511500bc1500ff0c24000c24050c24500c24bb0c24ff0082000082000082480082b90082ff00ff00
      00ff0000ff0900ffae00ffff6300006300036300506300bb6300ff621e00621e00621e4f621ebb621eff4e81004e81004e81474e81b9
      4e81ff00ff0000ff0000ff0300ffae00ffffdc0000dc0000dc004bdc00badc00ffdb0000db0000db004adb00badb00ffd57c00d57c00
      d57c41d57cb7d57cffbaff00baff00baff00baffacbaffffff0000ff0000ff0046ff00b8ff00ffff0000ff0000ff0046ff00b8ff00ff
      ff7700ff7700ff773cff77b5ff77ffffff00ffff00ffff00ffffaaffffff`,
    ],
  ])("are right for colors all over %s, as a kernel", (_name, profile, hex) => {
    const expected = Uint8Array.fromHex(hex.replaceAll(/\s/g, ""));
    const [reds, greens, blues] = [
      [0, 18, 90, 201, 255],
      [0, 35, 128, 255],
      [0, 9, 77, 180, 255],
    ];
    const colors = reds.flatMap((r) => greens.flatMap((g) => blues.flatMap((b) => [r, g, b, 255])));
    const result = (converted(profile, colors) ?? []).filter((_, at) => at % 4 !== 3);
    expect(result).toHaveLength(expected.length);
    const differences = result.map((level, at) => Math.abs(level - (expected[at] ?? 0)));
    expect(Math.max(...differences)).toBeLessThanOrEqual(1);
    expect(differences.filter((difference) => difference > 0).length).toBeLessThan(expected.length / 50);
  });

  // The same tool's results, not rounded, of colors whose samples have 16 bits.
  it.each([
    [
      "Adobe RGB",
      adobeRgb,
      [30_840, 33_410, 51_400, 7, 1_000, 2_000, 3_000, 9, 51_529, 51_721, 51_175, 65_535],
      [116.4058, 131.0782, 203.6485, 0, 1.5312, 3.8295, 201.5056, 202.54, 200.354],
    ],
    [
      "Display P3",
      displayP3,
      [30_840, 33_410, 51_400, 7, 1_000, 2_000, 3_000, 9, 51_529, 51_721, 51_175, 65_535],
      [117.6005, 130.4034, 205.39, 3.0153, 7.9453, 12.0955, 200.329, 201.2844, 198.9323],
    ],
  ])("bring %s of 16 bits to sRGB", (_name, profile, colors, expected) => {
    const transform = openTransform(new Uint8Array(profile), "rgba", SRGB, true);
    const bytes = transform?.convert(new Uint8Array(Uint16Array.from(colors).buffer)).slice() ?? new Uint8Array(0);
    transform?.close();
    const samples = [...new Uint16Array(bytes.buffer)];
    expect(samples.filter((_, at) => at % 4 === 3)).toEqual([7, 9, 65_535]);
    const levels = samples.filter((_, at) => at % 4 !== 3).map((sample) => sample / 257);
    for (const [at, level] of levels.entries()) expect(Math.abs(level - (expected[at] ?? 0))).toBeLessThan(0.008);
  });

  it("leave sRGB of 16 bits alone", () => {
    expect(openTransform(new Uint8Array(srgb), "rgba", SRGB, true)).toBeNull();
  });

  // The same colors through ImageMagick: `convert -profile srgb.icc -profile <target>`.
  it.each([
    ["Display P3", displayP3, [233, 51, 35, 9, 116, 251, 76, 255, 187, 105, 61, 0, 128, 127, 128, 255]],
    ["Adobe RGB", adobeRgb, [218, 0, 0, 9, 144, 254, 59, 255, 177, 99, 56, 0, 127, 126, 127, 255]],
  ])("bring sRGB to %s", (_name, target, expected) => {
    const transform = openTransform(SRGB, "rgba", new Uint8Array(target));
    const colors = Uint8Array.of(255, 0, 0, 9, 0, 255, 0, 255, 200, 100, 50, 0, 128, 128, 128, 255);
    const levels = [...(transform?.convert(colors) ?? [])];
    transform?.close();
    expect(levels).toHaveLength(expected.length);
    for (const [at, level] of levels.entries()) expect(Math.abs(level - (expected[at] ?? 0))).toBeLessThanOrEqual(1);
  });

  it("know which profiles are one under two names, and which are of no use", () => {
    const [p3, adobe] = [new Uint8Array(displayP3), new Uint8Array(adobeRgb)];
    expect(relationOf(p3, p3)).toBe("same");
    expect(relationOf(p3, adobe)).toBe("different");
    expect(relationOf(new Uint8Array(srgb), SRGB)).toBe("same");
    expect(relationOf(p3, adobe.subarray(0, 300))).toBe("unusable");
    expect(relationOf(new Uint8Array(100), SRGB)).toBe("unusable");
  });

  it("leave sRGB under any name alone", () => {
    expect(openTransform(new Uint8Array(srgb), "rgba")).toBeNull();
  });

  it("take damaged profiles, and profiles for other pixels, as none", () => {
    expect(openTransform(new Uint8Array(100), "rgba")).toBeNull();
    expect(openTransform(new Uint8Array(displayP3).subarray(0, 300), "rgba")).toBeNull();
    expect(openTransform(new Uint8Array(displayP3), "cmyk")).toBeNull();
  });

  it.each([
    [
      "all of no light",
      [
        [0, 0, 0],
        [0, 0, 0],
        [0, 0, 0],
      ],
    ],
    [
      "one alone has any",
      [
        [0, 0, 0],
        [-32_768, 0, 0],
        [0, 0, 0],
      ],
    ],
    [
      "all of one color",
      [
        [0.4, 0.2, 0.1],
        [0.2, 0.1, 0.05],
        [0.1, 0.05, 0.025],
      ],
    ],
  ])("take profiles whose matrix cannot be undone as damaged ones: %s", (_name, [red = [], green = [], blue = []]) => {
    const trc = parametric([2.2, 1, 0, 0, 0]);
    const profile = iccProfile("RGB ", "Singular", [
      ["wtpt", values("XYZ ", D50)],
      ["rXYZ", values("XYZ ", red)],
      ["gXYZ", values("XYZ ", green)],
      ["bXYZ", values("XYZ ", blue)],
      ["rTRC", trc],
      ["gTRC", trc],
      ["bTRC", trc],
    ]);
    expect(relationOf(profile, SRGB)).toBe("unusable");
    expect(relationOf(SRGB, profile)).toBe("unusable");
    expect(openTransform(profile, "rgba", SRGB, true)).toBeNull();
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
