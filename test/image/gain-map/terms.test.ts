/** What the values of gain maps mean, as ISO 21496-1, XMP and the maker notes of phones say it. */
import { describe, expect, it } from "vitest";

import { readIso, writeIso } from "../../../src/image/gain-map/iso.ts";
import { type GainTerms, noGain } from "../../../src/image/gain-map/terms.ts";
import { readTerms, writeTerms } from "../../../src/image/gain-map/xmp.ts";
import { makerHeadroom } from "../../../src/image/metadata/apple-notes.ts";
import appleFile from "../../fixtures/jpeg/apple-gain-map.jpg";
import ultraFile from "../../fixtures/jpeg/ultra-hdr.jpg";
import { CHANNEL, COLORED, exifOfApple, mapOf, TERMS } from "../../support/gain-maps.ts";

const DARKER: GainTerms = { ...TERMS, baseHeadroom: 2.5, alternateHeadroom: 0.5 };

describe("what values mean", () => {
  it.each([
    ["one channel", TERMS],
    ["three channels", COLORED],
    ["from bright to dark", DARKER],
  ])("is read as it was written: %s", (_, terms) => {
    expect(readIso(writeIso(terms))).toEqual(terms);
    expect(readTerms(new TextEncoder().encode(writeTerms(terms)))).toEqual(terms);
  });

  it("is what others wrote", () => {
    expect(mapOf(new Uint8Array(ultraFile)).terms).toEqual({
      channels: [3.5, 3.6, 3.7].map((max) => ({ min: 0, max, gamma: 1, baseOffset: 0, alternateOffset: 0 })),
      baseHeadroom: 0,
      alternateHeadroom: 3.5,
      inBaseColors: true,
    });
    const { terms, levels } = mapOf(new Uint8Array(appleFile));
    expect(terms.alternateHeadroom).toBeCloseTo(Math.log2(4.532783), 6);
    // Light is encoded as Rec. 709 has it: half of the values is a quarter of the light.
    expect(levels && [levels[0], levels[128], levels[255]]).toEqual([0, 110, 255]);
  });

  it("is in the maker notes of phones whose maps do not say it", () => {
    const file = new Uint8Array(appleFile);
    const at = new TextDecoder("latin1").decode(file).indexOf("HDRGainMap:HDRGainMapHeadroom");
    file.set(new TextEncoder().encode("HDRGainMap:HDRGainMapHeadroon"), at);
    const end = new TextDecoder("latin1").decode(file).indexOf("HDRGainMap:HDRGainMapHeadroom", at);
    file.set(new TextEncoder().encode("HDRGainMap:HDRGainMapHeadroon"), end);
    // Tag 33 is 1.52, and tag 48 is 0.
    expect(mapOf(file).terms.alternateHeadroom).toBe(3);
  });

  it.each([
    ["with most room", 1, 0, 3],
    ["less with a gain", 1, 1, 2],
    ["with less room", 0.5, 0, 1.8],
    ["with less room and a gain", 0.5, 6, 0.995],
    ["without a number of room", undefined, 0, 1.8],
    ["without a number of gain", 1.2, undefined, 3],
  ])("is as bright as maker notes say: %s", (_, room, gain, stops) => {
    expect(Math.log2(makerHeadroom(exifOfApple(room, gain)) ?? 0)).toBeCloseTo(stops, 5);
  });

  it("is nothing without maker notes of that maker, or numbers in them", () => {
    expect(makerHeadroom(undefined)).toBeUndefined();
    expect(makerHeadroom(exifOfApple())).toBeUndefined();
    expect(makerHeadroom(exifOfApple(1, 1, "Other iOS"))).toBeUndefined();
    const whole = exifOfApple(1, 1);
    for (let length = 0; length < whole.length; length++) {
      const said = makerHeadroom(whole.subarray(0, length));
      expect(said === undefined || Number.isFinite(said)).toBe(true);
    }
  });

  it.each([
    ["no room between its gains", { max: -1 }],
    ["a gamma of zero", { gamma: 0 }],
    ["gains beyond everything", { max: 1_000 }],
  ])("is nothing with %s", (_, wrong) => {
    const terms: GainTerms = { ...TERMS, channels: [{ ...CHANNEL, ...wrong }] };
    expect(readIso(writeIso(terms))).toBeUndefined();
    expect(readTerms(new TextEncoder().encode(writeTerms(terms)))).toBeUndefined();
  });

  it("has a value of no gain", () => {
    expect(noGain(COLORED)).toEqual([0, Math.round(255 * Math.sqrt(1 / 3.5)), 0, 255]);
  });
});
