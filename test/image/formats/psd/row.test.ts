/** Reading PSD files. */
import { describe, expect, it } from "vitest";

import { psd } from "../../../../src/image/formats/psd.ts";
import { UNPAUSED } from "../../../../src/scheduler/time-slice.ts";
import bitmap from "../../../fixtures/psd/bitmap.psd";
import psdChannels65535 from "../../../fixtures/psd/broken/psd-channels-65535.psd";
import psdDepth7 from "../../../fixtures/psd/broken/psd-depth-7.psd";
import psdRleCountsMax from "../../../fixtures/psd/broken/psd-rle-counts-max.psd";
import psdSectionLengthMax from "../../../fixtures/psd/broken/psd-section-length-max.psd";
import psdTruncated from "../../../fixtures/psd/broken/psd-truncated.psd";
import psdZeroChannels from "../../../fixtures/psd/broken/psd-zero-channels.psd";
import tmGimp32x32PackbitsOverflow from "../../../fixtures/psd/broken/tm-gimp-32x32-packbits-overflow.psd";
import tmShortPackbits from "../../../fixtures/psd/broken/tm-short-packbits.psd";
import cmyk from "../../../fixtures/psd/cmyk.psd";
import duotone from "../../../fixtures/psd/duotone.psd";
import gray from "../../../fixtures/psd/gray.psd";
import lab16 from "../../../fixtures/psd/lab-16.psd";
import multichannel from "../../../fixtures/psd/multichannel.psd";
import noPicture from "../../../fixtures/psd/no-picture.psd";
import oneLayer from "../../../fixtures/psd/one-layer.psd";
import rgb16 from "../../../fixtures/psd/rgb-16.psd";
import rgb32 from "../../../fixtures/psd/rgb-32.psd";
import transparentMultiply from "../../../fixtures/psd/transparent-multiply.psd";
import transparent from "../../../fixtures/psd/transparent.psd";
import twoLayers from "../../../fixtures/psd/two-layers.psb";
import zip8 from "../../../fixtures/psd/zip-8.psb";
import zipDifferences16 from "../../../fixtures/psd/zip-differences-16.psd";
import zipDifferences32 from "../../../fixtures/psd/zip-differences-32.psd";
import zipDifferencesCmyk from "../../../fixtures/psd/zip-differences-cmyk.psd";
import { beginnings, decodeFile, fileDigest, mutations, outcomeOf } from "../../../support/files.ts";

/**
 * Digests of what ImageMagick 6.9 makes of the files (`convert FILE[0] -depth 8 RGBA:-`). The last ones are our own,
 * looked at: transparency and several channels differ from ImageMagick's by at most one level, Lab and floating point
 * by its choice of white and of linear light.
 */
const FILES = [
  ["RGB", oneLayer, { colorspace: "RGB", depth: 24, alpha: false }, "978d68c654a4cd71"],
  ["PSB", twoLayers, { colorspace: "RGB", depth: 24 }, "f51262f33977a8b3"],
  ["16 bits", rgb16, { colorspace: "RGB", depth: 48 }, "a6443958494b6663"],
  // The inks were made of the same picture, with nothing lost.
  ["CMYK", cmyk, { colorspace: "CMYK", depth: 32 }, "a6443958494b6663"],
  ["gray", gray, { colorspace: "Gray", depth: 8 }, "eac3349c2bcfb431"],
  ["1 bit", bitmap, { colorspace: "Gray", depth: 1 }, "35dc5e897c698d51"],
  ["duotone", duotone, { colorspace: "Gray", depth: 8 }, "39ccd048fd9a11c1"],
  ["transparency", transparent, { alpha: true, depth: 32 }, "86becfb3d52e93d9"],
  ["transparency of blended layers", transparentMultiply, { alpha: true }, "2bf314afcd94af0e"],
  ["Lab", lab16, { colorspace: "Lab", depth: 48 }, "fa250a86aa917c9d"],
  ["several channels", multichannel, { colorspace: "RGB", depth: 48 }, "89fa3e3d23f223de"],
  // Of the files above and below, compressed in another way.
  ["ZIP", zip8, { depth: 24 }, "f51262f33977a8b3"],
  ["ZIP of differences, CMYK", zipDifferencesCmyk, { colorspace: "CMYK", depth: 32 }, "a6443958494b6663"],
  ["ZIP of differences, 16 bits", zipDifferences16, { depth: 48 }, "a6443958494b6663"],
  ["ZIP of differences, floating point", zipDifferences32, { depth: 96 }, "16a9b1c4b19d0276"],
  ["floating point", rgb32, { colorspace: "RGB", depth: 96 }, "16a9b1c4b19d0276"],
] as const;

const REFUSED = {
  "65,535 channels": psdChannels65535,
  "7 bits": psdDepth7,
  "rows longer than the file": psdRleCountsMax,
  "a section of 4 GiB": psdSectionLengthMax,
  "rows missing": psdTruncated,
  "no channels": psdZeroChannels,
  "compressed rows that end early": tmShortPackbits,
  "a color mode that does not exist": made({ mode: 5 }, [[1]]),
  "no merged picture": noPicture,
};

interface Made {
  readonly mode: number;
  readonly depth?: number;
  readonly palette?: readonly number[];
  /** Of the transparent index. */
  readonly transparentIndex?: number;
  readonly layers?: number;
}

/** A PSD file of one row; `planes` has the samples of each channel. */
function made({ mode, depth = 8, palette = [], transparentIndex, layers = 0 }: Made, planes: number[][]): Uint8Array {
  const word = (value: number) => [(value >> 8) & 255, value & 255];
  const long = (value: number) => [...word(value >> 16), ...word(value)];
  const resource =
    transparentIndex === undefined
      ? []
      : [0x38, 0x42, 0x49, 0x4d, ...word(0x417), 0, 0, ...long(2), ...word(transparentIndex)];
  const width = ((planes[0]?.length ?? 0) * 8) / depth;
  const header = [0x38, 0x42, 0x50, 0x53, 0, 1, 0, 0, 0, 0, 0, 0, ...word(planes.length), ...long(1), ...long(width)];
  const colors = [...word(depth), ...word(mode), ...long(palette.length), ...palette];
  const resources = [...long(resource.length), ...resource];
  const layerSection = layers === 0 ? long(0) : [...long(6), ...long(2), ...word(layers)];
  return Uint8Array.from([...header, ...colors, ...resources, ...layerSection, ...word(0), ...planes.flat()]);
}

const PALETTE = [0, 1, 2].flatMap((color) => Array.from({ length: 256 }, (_, index) => (index + color * 10) & 255));

const MADE = {
  "a palette": [made({ mode: 2, palette: PALETTE }, [[0, 200]]), [0, 10, 20, 255, 200, 210, 220, 255]],
  "a palette with a transparent color": [
    made({ mode: 2, palette: PALETTE, transparentIndex: 200 }, [[0, 200]]),
    [0, 10, 20, 255, 200, 210, 220, 0],
  ],
  "transparency, stored on white": [made({ mode: 3, layers: -1 }, [[255], [155], [205], [100]]), [255, 0, 128, 100]],
  "a mask, which is not transparency": [made({ mode: 3, layers: 1 }, [[9], [8], [7], [100]]), [9, 8, 7, 255]],
  "several channels, of inks": [made({ mode: 7, layers: -1 }, [[255], [128], [0], [204], [7]]), [204, 102, 0, 255]],
  "several channels, few of them": [made({ mode: 7 }, [[40], [50]]), [40, 40, 40, 255]],
  inks: [made({ mode: 4 }, [[255], [128], [0], [204]]), [204, 102, 0, 255]],
  "inks with transparency": [made({ mode: 4, layers: -2 }, [[255], [255], [255], [255], [0]]), [255, 255, 255, 0]],
  "Lab of sRGB's red": [made({ mode: 9 }, [[138], [209], [198]]), [255, 0, 0, 255]],
  "linear light": [made({ mode: 1, depth: 32 }, [[0x3e, 0x5b, 0x4c, 0x6f]]), [127, 127, 127, 255]],
} as const;

describe("PSD", () => {
  it.each(FILES)("is read: %s", async (_name, file, facts, expected) => {
    const bytes = new Uint8Array(file);
    expect(psd.read.factsOf(bytes)).toMatchObject(facts);
    expect(await fileDigest(psd, bytes)).toBe(expected);
  });

  it.each(Object.entries(MADE))("is read: %s", async (_name, [bytes, expected]) => {
    const { data } = await decodeFile(psd, bytes);
    expect(data.length).toBe(expected.length);
    data.forEach((value, at) => expect(Math.abs(value - (expected[at] ?? NaN))).toBeLessThanOrEqual(2));
  });

  it("gives a region as it is in the whole", async () => {
    const bytes = new Uint8Array(cmyk);
    const facts = psd.read.factsOf(bytes);
    const box = { x: 0, y: 11, width: 40, height: 7 };
    const whole = (await decodeFile(psd, bytes)).data;
    expect.assertions(1);
    for await (const { rows } of psd.read.open(bytes, facts, { box, width: 40, height: 7 }, UNPAUSED)) {
      expect(await rows.read(16)).toEqual(whole.subarray(11 * 160, 18 * 160));
    }
  });

  it("declares what is inflated at once", async () => {
    const demand = { box: { x: 0, y: 0, width: 40, height: 30 }, width: 40, height: 30 };
    const declared = (file: ArrayBuffer) => psd.read.estimate(psd.read.factsOf(new Uint8Array(file)), demand).bytes;
    const samples = 40 * 30 * 3 * 2;
    expect(declared(zipDifferences16) - declared(rgb16)).toBeGreaterThanOrEqual(samples);
  });

  it.each(Object.entries(REFUSED))("is refused with %s", async (_name, file) => {
    expect(await outcomeOf(psd, new Uint8Array(file))).toBe(422);
  });

  it("is read with compressed rows that are too long", async () => {
    expect(await outcomeOf(psd, new Uint8Array(tmGimp32x32PackbitsOverflow))).toBe("decoded");
  });

  it("is refused wherever it ends", async () => {
    for (const file of [oneLayer, twoLayers, cmyk, rgb16, transparent, zip8, zipDifferencesCmyk]) {
      for (const part of beginnings(new Uint8Array(file), 50)) expect(await outcomeOf(psd, part)).toBe(422);
    }
  });

  it("is refused or read whatever its bytes are", async () => {
    for (const file of [twoLayers, cmyk, gray, bitmap, transparent, rgb32, zip8, zipDifferences16, zipDifferences32]) {
      for (const mutated of mutations(new Uint8Array(file), 300)) await outcomeOf(psd, mutated);
    }
  });
});
