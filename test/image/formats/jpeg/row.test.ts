import { describe, expect, it } from "vitest";

import { ApiError } from "../../../../src/errors.ts";
import type { Demand, EncodeSettings } from "../../../../src/image/format.ts";
import { jpeg } from "../../../../src/image/formats/jpeg.ts";
import { jpegHeap } from "../../../../wasm/jpeg/instance.ts";
import { JPEG_FILES, jpegFile } from "../../../support/jpeg-files.ts";
import { drain, noise, pictureOf, psnr, scene } from "../../../support/rows.ts";

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

  it("takes a picture that is whole but for its end marker, or is followed by something else", () => {
    const bytes = jpegFile("s420");
    const pixels = open(bytes).pixels;
    expect(open(bytes.subarray(0, -2)).pixels).toEqual(pixels);
    const longer = new Uint8Array(bytes.length + 5_000).fill(7);
    longer.set(bytes);
    expect(open(longer).pixels).toEqual(pixels);
  });
});
