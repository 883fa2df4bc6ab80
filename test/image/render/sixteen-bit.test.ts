/** Pictures of more than 8 bits a sample, from file to file. */
import { crc32 } from "node:zlib";

import { describe, expect, it } from "vitest";

import { checked } from "../../../src/contract/message.ts";
import { toSrgb } from "../../../src/image/codec/convert-colors.ts";
import { displayP3 } from "../../../src/image/color/space.ts";
import { jxl } from "../../../src/image/formats/jxl.ts";
import { png } from "../../../src/image/formats/png.ts";
import { OPERATIONS, type OperationName } from "../../../src/image/operations.ts";
import { identify } from "../../../src/image/plan/detect.ts";
import { UNPAUSED } from "../../../src/scheduler/time-slice.ts";
import rgb16 from "../../fixtures/png/rgb-16.png";
import rgba16 from "../../fixtures/png/rgba-16.png";
import { decodeSixteenBit, decodeFile } from "../../support/files.ts";
import { rendered } from "../../support/render.ts";
import {
  type SixteenBitPixels,
  sixteenBitPictureOf,
  sixteenBitRowsOf,
  sixteenBitScene,
  drainSixteenBit,
  paintSixteenBit,
} from "../../support/rows.ts";

const LOSSLESS = { lossless: true, quality: 80, progressive: false, effort: 0.5 };
const fileOf = (pixels: SixteenBitPixels, opaque = true) =>
  png.write.encode(sixteenBitPictureOf(pixels, opaque), LOSSLESS, UNPAUSED);

/** A file made without loss, unless told otherwise, after operations in the words of requests. */
async function made(
  bytes: Uint8Array,
  format: string,
  operations: { readonly [Name in OperationName]?: object } = {},
  optimize: object = {},
  output: object = {},
) {
  const valid = Object.entries(operations).map(([name, params]) => {
    return [name, checked(OPERATIONS[name as OperationName].params as never, params)] as const;
  });
  const order = {
    operations: Object.fromEntries(valid),
    output: { format, ...output },
    optimize: { lossless: true, ...optimize },
  };
  return (await rendered(bytes, order)).output;
}

describe("pictures of more than 8 bits", () => {
  it.each([
    ["colors", rgb16],
    ["colors and alpha", rgba16],
  ])("keep them all without loss: %s", async (_, file) => {
    const bytes = new Uint8Array(file);
    const { samples } = await decodeSixteenBit(png, bytes);
    const result = await made(bytes, "jxl");
    expect(result.facts.bits).toBe(16);
    expect((await decodeSixteenBit(jxl, result.bytes)).samples).toEqual(samples);
    const back = await made(result.bytes, "png");
    expect(back.facts.bits).toBe(16);
    expect((await decodeSixteenBit(png, back.bytes)).samples).toEqual(samples);
  });

  it("keep them where they are cut and turned", async () => {
    const pixels = sixteenBitScene(60, 44);
    const operations = { crop: { mode: "rect", x: 4, y: 6, width: 20, height: 30 }, rotate: { angle: 90 } };
    const result = await made(await fileOf(pixels), "jxl", operations);
    const expected = paintSixteenBit(20, 30, (x, y) => {
      const at = ((39 - x) * 60 + y + 6) * 4;
      return [...pixels.samples.subarray(at, at + 4)] as [number, number, number, number];
    });
    expect(await decodeSixteenBit(jxl, result.bytes)).toEqual(expected);
  });

  it("keep more levels than 8 bits have when they are resized", async () => {
    const wedge = paintSixteenBit(2_000, 20, (x) => [20_000 + x * 4, 20_000 + x * 4, 20_000 + x * 4, 65_535]);
    const result = await made(await fileOf(wedge), "png", {
      resize: { width: 1_000 },
    });
    const { samples } = await decodeSixteenBit(png, result.bytes);
    expect(new Set(samples.filter((_, at) => at % 4 === 0)).size).toBeGreaterThan(900);
  });

  it("keep them on the way to sRGB, and in the colors that they have", async () => {
    const pixels = sixteenBitScene(64, 48);
    const wide = { ...sixteenBitPictureOf(pixels), space: displayP3() };
    const file = await png.write.encode(wide, LOSSLESS, UNPAUSED);
    const srgb = await made(file, "jxl");
    expect(srgb.facts).toMatchObject({ bits: 16 });
    expect(srgb.facts.profile).toBeUndefined();
    const { samples } = await decodeSixteenBit(jxl, srgb.bytes);
    const converted = await drainSixteenBit(toSrgb(sixteenBitRowsOf(pixels), displayP3().profile, "RGB"));
    expect(samples).toEqual(converted.samples);
    const kept = await made(file, "jxl", {}, {}, { profile: "p3" });
    expect((await decodeSixteenBit(jxl, kept.bytes)).samples).toEqual(pixels.samples);
  });

  it("keep them with loss in JPEG XL", async () => {
    const wedge = paintSixteenBit(600, 300, (x) => [20_000 + x * 12, 20_000 + x * 12, 20_000 + x * 12, 65_535]);
    for (const optimize of [{ quality: 95 }, { compression: "ultra" }]) {
      const result = await made(await fileOf(wedge), "jxl", {}, { lossless: false, ...optimize });
      expect(result.facts.bits).toBe(16);
      const { samples } = await decodeSixteenBit(jxl, result.bytes);
      expect(new Set(samples.filter((_, at) => at % 4 === 1)).size).toBeGreaterThan(256);
    }
  });

  it("stay the files that they are where nothing changes", async () => {
    const { bytes } = await made(new Uint8Array(rgba16), "jxl");
    expect((await made(bytes, "jxl")).bytes).toEqual(bytes);
  });

  it("become ones of 8 bits where these hold them", async () => {
    const { samples, ...size } = sixteenBitScene(50, 40);
    const coarse = { ...size, samples: samples.map((sample) => (sample >> 8) * 257) };
    const result = await made(await fileOf(coarse), "jxl");
    expect(result.facts.bits).toBeUndefined();
    expect((await decodeFile(jxl, result.bytes)).data).toEqual(
      Uint8Array.from(coarse.samples, (sample) => sample >> 8),
    );
  });

  it("become ones of 8 bits on the way through what knows no others", async () => {
    const file = await fileOf(sixteenBitScene(60, 44));
    expect((await made(file, "jxl", { adjust: { brightness: 20 } })).facts.bits).toBeUndefined();
    expect((await made(file, "webp")).format.label).toBe("WEBP");
    expect((await made(file, "png", {}, { lossless: false, compression: "low" })).facts.bits).toBeUndefined();
  });

  it("are refused where there is no room for all bits", async () => {
    const small = await fileOf(sixteenBitScene(8, 8));
    const huge = small.slice();
    new DataView(huge.buffer).setUint32(16, 6_000);
    new DataView(huge.buffer).setUint32(20, 4_000);
    new DataView(huge.buffer).setUint32(29, crc32(huge.subarray(12, 29)));
    expect(identify(huge).facts).toMatchObject({ width: 6_000, height: 4_000, bits: 16 });
    await expect(made(huge, "jxl")).rejects.toMatchObject({
      status: 422,
      message: expect.stringContaining("too large"),
    });
  });
});
