/**
 * Results in sRGB of files whose own colors are others, also where a file could be written anew without decoding it.
 */
import { describe, expect, it } from "vitest";

import { jpeg } from "../../../src/image/formats/jpeg.ts";
import { makeChunk, TYPE } from "../../../src/image/formats/png/chunks.ts";
import { identify } from "../../../src/image/plan/detect.ts";
import { joined } from "../../../src/joined.ts";
import { UNPAUSED } from "../../../src/scheduler/time-slice.ts";
import cmykFile from "../../fixtures/jpeg/whole-cmyk.jpg";
import adobeRgbFile from "../../fixtures/profiles/adobe-rgb.icc";
import { encoded, meanDifference, PATCHES, profileIn, result, shown, values } from "../../support/colors.ts";
import { paint, pictureOf } from "../../support/rows.ts";

const ADOBE_RGB = new Uint8Array(adobeRgbFile);
const LOSSLESS = { compression: "lossless", lossless: true } as const;

/** gAMA of 1 / 2.2 and cHRM of Adobe RGB (1998): white, red, green, blue. */
const ADOBE_CHUNKS = [
  makeChunk(TYPE.gAMA, numbers(45_455)),
  makeChunk(TYPE.cHRM, numbers(31_270, 32_900, 64_000, 33_000, 21_000, 71_000, 15_000, 6_000)),
];

function numbers(...all: readonly number[]): Uint8Array {
  const view = new DataView(new ArrayBuffer(all.length * 4));
  for (const [index, number] of all.entries()) view.setUint32(index * 4, number);
  return new Uint8Array(view.buffer);
}

/** A PNG file with more chunks behind IHDR. */
function withChunks(file: Uint8Array, chunks: readonly Uint8Array[]): Uint8Array {
  return joined([file.subarray(0, 33), ...chunks, file.subarray(33)]);
}

/** How libvips shows a file. It knows no cHRM: for it those chunks are the profile that they stand for. */
async function seen(file: Uint8Array): Promise<Uint8Array> {
  const { format, facts } = identify(file);
  if (format.label !== "PNG" || !facts.profile) return shown(file);
  return shown(await encoded({ width: facts.width, height: facts.height, data: await values(file) }, facts.profile));
}

describe("a result in sRGB", () => {
  it.each(["{}", "srgb"] as const)(
    "is sRGB where a file could be written anew without decoding it: %s",
    async (option) => {
      const small = paint(12, 12, (x, y) => [x * 20, 180, y * 20, 255]);
      const coarse = { lossless: false, quality: 30, progressive: false, effort: 0.5 };
      const jpegOf = (profile: Uint8Array) =>
        jpeg.write.encode({ ...pictureOf([PATCHES]), space: { profile, isP3: false } }, coarse, UNPAUSED);
      const grays = pictureOf([paint(64, 32, (x) => [x * 4, x * 4, x * 4, 255])]);
      const files = {
        "a small PNG": await encoded(small, ADOBE_RGB),
        "gAMA and cHRM": withChunks(await encoded(small), ADOBE_CHUNKS),
        "a JPEG with nothing left to save": await jpegOf(ADOBE_RGB),
        "gray with a profile": await jpeg.write.encode(
          { ...grays, space: { profile: ADOBE_RGB, isP3: false } },
          coarse,
          UNPAUSED,
        ),
        inks: new Uint8Array(cmykFile),
      };
      for (const [name, file] of Object.entries(files)) {
        const made = await result(file, option === "srgb" ? { profile: "srgb" } : {});
        const { format, facts } = identify(made);
        expect([name, format.label, facts.profile, facts.convertsColors]).toEqual([
          name,
          identify(file).format.label,
          undefined,
          undefined,
        ]);
        expect(facts.colorspace).not.toBe("YCCK");
        if (name !== "inks") expect(meanDifference(await shown(made), await seen(file))).toBeLessThan(4);
        // Nothing may be lost: the file keeps its colors, and what says them.
        const exact = await result(file, {}, { optimize: LOSSLESS });
        expect(identify(exact).facts.profile).toEqual(identify(file).facts.profile);
        expect(await values(exact)).toEqual(await values(file));
      }
    },
  );

  it.each([
    ["webp", { optimize: LOSSLESS }],
    ["png", { operations: { flip: { horizontal: true, vertical: false } }, optimize: LOSSLESS }],
    ["jpeg", {}],
    ["avif", {}],
  ] as const)("of gAMA and cHRM in a PNG file is the same by every way: %s", async (format, more) => {
    const file = withChunks(await encoded(paint(48, 32, () => [100, 180, 90, 255])), ADOBE_CHUNKS);
    const made = await result(file, { format }, more);
    const [red, green, blue] = await values(made);
    expect(Math.max(red ?? 255, Math.abs((green ?? 0) - 181), Math.abs((blue ?? 0) - 83))).toBeLessThanOrEqual(3);
    const kept = await result(file, { format: "png", profile: "keep" }, { optimize: LOSSLESS });
    expect([...(await values(kept)).subarray(0, 3)]).toEqual([100, 180, 90]);
    expect(profileIn(kept)).toBeDefined();
  });
});
