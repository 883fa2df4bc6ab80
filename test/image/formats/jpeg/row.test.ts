import { describe, expect, it } from "vitest";

import { ApiError } from "../../../../src/errors.ts";
import type { Demand, EncodeSettings } from "../../../../src/image/format.ts";
import { jpeg } from "../../../../src/image/formats/jpeg.ts";
import { png } from "../../../../src/image/formats/png.ts";
import { scoreRows } from "../../../../src/image/optimize/score.ts";
import { firstFrame } from "../../../../src/image/picture.ts";
import { jpegHeap } from "../../../../wasm/jpeg/instance.ts";
import macaw from "../../../fixtures/score/macaw.png";
import { decodeFile } from "../../../support/files.ts";
import { JPEG_FILES, jpegFile } from "../../../support/jpeg-files.ts";
import { drain, noise, paint, pictureOf, psnr, scene } from "../../../support/rows.ts";

const SETTINGS: EncodeSettings = { lossless: false, quality: 85, progressive: true, effort: 0.5 };

function open(bytes: Uint8Array, demand?: Demand) {
  const facts = jpeg.probe(bytes);
  const { width, height } = facts;
  for (const decoded of jpeg.open(bytes, facts, demand ?? { box: { x: 0, y: 0, width, height }, width, height })) {
    return { box: decoded.box, pixels: drain(decoded.rows) };
  }
  throw new Error("no frame");
}

describe("the JPEG format", () => {
  it.each([
    ["s420", { colorspace: "YCbCr", subsample: "4:2:0", depth: 24, quality: 85, interlaced: false, alpha: false }],
    ["s440", { subsample: "4:4:0" }],
    ["s411", { subsample: "4:1:1" }],
    ["factors-1x3", { subsample: "4:4:0" }],
    ["odd-factors", { subsample: "4:2:2" }],
    ["progressive", { interlaced: true, quality: 90 }],
    ["gray", { colorspace: "Gray", subsample: "4:4:4", depth: 8 }],
    ["cmyk", { colorspace: "YCCK", depth: 32 }],
    ["twelve-bits", { depth: 36 }],
  ])("knows %s", (name, expected) => {
    expect(jpeg.probe(jpegFile(name))).toMatchObject(expected);
  });

  it.each(Object.keys(JPEG_FILES))("decodes %s", (name) => {
    const facts = jpeg.probe(jpegFile(name));
    expect(open(jpegFile(name)).pixels).toMatchObject({ width: facts.width, height: facts.height });
  });

  it("decodes no more than is wanted, and says where that lies", () => {
    const box = { x: 20.5, y: 10, width: 80, height: 60 };
    const half = open(jpegFile("s420"), { box, width: 26, height: 20 });
    expect(half.box).toEqual({ x: 0.25, y: 0, width: 40, height: 30 });
    expect(half.pixels).toMatchObject({ width: 41, height: 30 });
    const full = open(jpegFile("s420"), { box, width: 41, height: 30 });
    expect(full.pixels).toMatchObject({ width: 81, height: 60 });
  });

  it("writes and reads", () => {
    const pixels = scene(120, 90);
    const bytes = jpeg.encode(pictureOf([pixels]), SETTINGS);
    expect(jpeg.probe(bytes)).toMatchObject({ width: 120, height: 90, interlaced: true, subsample: "4:2:0" });
    expect(psnr(open(bytes).pixels, pixels)).toBeGreaterThan(27);
    const sharp = jpeg.encode(pictureOf([pixels]), { ...SETTINGS, quality: 95 });
    expect(jpeg.probe(sharp).subsample).toBe("4:4:4");
  });

  it("is smaller at equal looks for weighing bits against errors", () => {
    const picture = pictureOf([decodeFile(png, new Uint8Array(macaw))]);
    const written = (quality: number, fast: boolean) => {
      const bytes = jpeg.encode(picture, { ...SETTINGS, quality, subsample: "4:2:0", fast });
      return { size: bytes.length, score: scoreRows(firstFrame(picture), firstFrame(pictureOf([open(bytes).pixels]))) };
    };
    for (const quality of [40, 60, 80]) {
      const fast = written(quality, true);
      let weighed = written(quality - 5, false);
      for (let tried = quality - 4.75; weighed.score < fast.score; tried += 0.25) weighed = written(tried, false);
      expect(weighed.size).toBeLessThan(fast.size);
    }
  });

  it("reports the quality that a file was written with", () => {
    const picture = pictureOf([scene(64, 64)]);
    for (let quality = 1; quality <= 100; quality++) {
      for (const subsample of ["4:2:0", "4:4:4"] as const) {
        expect(jpeg.probe(jpeg.encode(picture, { ...SETTINGS, quality, subsample })).quality).toBe(quality);
        const baseline = { ...SETTINGS, quality, subsample, progressive: false, fast: true };
        expect(jpeg.probe(jpeg.encode(picture, baseline)).quality).toBe(quality);
      }
    }
  });

  it("keeps chroma whole where halving it would destroy the picture", () => {
    const checkered = paint(128, 128, (x, y) => ((x + y) & 1 ? [255, 0, 0, 255] : [0, 160, 0, 255]));
    const bytes = jpeg.encode(pictureOf([checkered]), { ...SETTINGS, quality: 80 });
    expect(jpeg.probe(bytes).subsample).toBe("4:4:4");
    expect(psnr(open(bytes).pixels, checkered)).toBeGreaterThan(30);
    const asked = jpeg.encode(pictureOf([checkered]), { ...SETTINGS, quality: 80, subsample: "4:2:0" });
    expect(jpeg.probe(asked).subsample).toBe("4:2:0");
  });

  it.each([
    ["noise", noise(512, 400), 80],
    ["noise", noise(512, 400), 100],
    ["a large scene", scene(4_000, 2_100), 80],
    ["a large scene", scene(4_000, 2_100), 97],
  ] as const)(
    "holds no more than it declares, the file included, and not much less: %s at %3$i",
    (name, pixels, quality) => {
      const settings = { ...SETTINGS, quality };
      jpegHeap(true);
      const file = jpeg.encode(pictureOf([pixels]), settings);
      const used = jpegHeap().peak + 2 * file.length;
      const declared = jpeg.encodePeakBytes(pixels, settings);
      expect(used).toBeLessThanOrEqual(declared);
      if (name === "noise") expect(used).toBeGreaterThan(declared / 2.5);
    },
  );

  const whole = { box: { x: 0, y: 0, width: 133, height: 101 }, width: 133, height: 101, kernel: "lanczos3" } as const;

  it.each([
    ["s420", 80, "4:2:0"],
    ["s420", 97, "4:2:0"],
    ["s422", 95, "4:2:2"],
    ["s444", 95, "4:4:4"],
    ["progressive", 95, "4:2:0"],
    ["restart", 80, "4:2:0"],
    ["several-scans", 80, "4:2:0"],
  ])("is written anew from its planes as from its pixels, or better: %s at %i", (name, quality, subsample) => {
    const bytes = jpegFile(name);
    const settings = { ...SETTINGS, quality };
    const planes = jpeg.reencode(bytes, settings, whole)?.run();
    if (!planes) throw new Error("the planes were not taken");
    expect(jpeg.probe(planes)).toMatchObject({ width: 133, height: 101, subsample, quality });
    const original = open(bytes).pixels;
    const pixels = jpeg.encode(pictureOf([original]), settings);
    const gain = psnr(open(planes).pixels, original) - psnr(open(pixels).pixels, original);
    expect(gain).toBeGreaterThan(-0.3);
    // A decibel more is worth far more than these bytes.
    expect(planes.length).toBeLessThan(pixels.length * (1.02 + 0.01 * Math.max(0, gain)));
  });

  it.each([
    ["s444", 80],
    ["s440", 95],
    ["odd-factors", 95],
    ["gray", 80],
    ["rgb", 95],
    ["cmyk", 95],
    ["twelve-bits", 80],
  ])("is not written from planes that are something else: %s at %i", (name, quality) => {
    expect(jpeg.reencode(jpegFile(name), { ...SETTINGS, quality }, whole)).toBeNull();
    expect(jpeg.reencode(jpegFile("s420"), { ...SETTINGS, quality, subsample: "4:4:4" }, whole)).toBeNull();
  });

  it("becomes smaller without a change of pixels, if it was not written as well", () => {
    const bytes = jpegFile("s444");
    const smaller = jpeg.recompress(bytes, jpeg.probe(bytes), { progressive: false });
    expect(smaller?.length).toBeLessThan(bytes.length);
    expect(open(smaller ?? bytes).pixels).toEqual(open(bytes).pixels);
    const again = jpeg.recompress(smaller ?? bytes, jpeg.probe(bytes), { progressive: false });
    expect(again).toEqual(smaller);
    const twelve = jpegFile("twelve-bits");
    expect(jpeg.recompress(twelve, jpeg.probe(twelve), { progressive: true })).toBeNull();
  });

  it.each(Object.keys(JPEG_FILES))("refuses %s when it is cut short", (name) => {
    const bytes = jpegFile(name);
    for (const share of [0.98, 0.7, 0.3, 0.05]) {
      let status = 0;
      try {
        open(bytes.subarray(0, Math.floor(bytes.length * share)));
      } catch (error) {
        status = error instanceof ApiError ? error.status : -1;
      }
      expect(status).toBe(422);
    }
    expect(jpegHeap().used).toBe(0);
  });

  it.each(["several-scans", "progressive"])("refuses %s when it ends before one of its scans", (name) => {
    const bytes = jpegFile(name);
    const scans = [...bytes.keys()].filter((at) => bytes[at] === 0xff && bytes[at + 1] === 0xda);
    expect(scans.length).toBeGreaterThan(2);
    for (const at of scans.slice(1)) {
      expect(() => open(bytes.subarray(0, at))).toThrow(ApiError);
      if (name === "several-scans")
        expect(() => open(Uint8Array.of(...bytes.subarray(0, at), 0xff, 0xd9))).toThrow(ApiError);
    }
    expect(jpegHeap().used).toBe(0);
  });

  it("takes a picture that is whole but for its end marker, or is followed by something else", () => {
    const bytes = jpegFile("s420");
    const pixels = open(bytes).pixels;
    expect(open(bytes.subarray(0, -2)).pixels).toEqual(pixels);
    const longer = new Uint8Array(bytes.length + 5_000).fill(7);
    longer.set(bytes);
    expect(open(longer).pixels).toEqual(pixels);
  });
});
