/** The registry row of JPEG: reading and writing files of every kind. */
import { describe, expect, it } from "vitest";

import { ApiError } from "../../../../src/errors.ts";
import type { Demand } from "../../../../src/image/codec/format.ts";
import type { EncodeSettings } from "../../../../src/image/codec/writer.ts";
import { jpeg } from "../../../../src/image/formats/jpeg.ts";
import { png } from "../../../../src/image/formats/png.ts";
import { firstFrame, type Picture } from "../../../../src/image/pixels/picture.ts";
import { UNPAUSED } from "../../../../src/scheduler/time-slice.ts";
import { jpegModule } from "../../../../wasm/jpeg/instance.ts";
import { heapOf } from "../../../../wasm/load.ts";
import inks from "../../../fixtures/jpeg/inks.jpg";
import macaw from "../../../fixtures/score/macaw.png";
import { decodeFile } from "../../../support/files.ts";
import { JPEG_FILES, jpegFile } from "../../../support/jpeg-files.ts";
import { drain, noise, paint, pictureOf, psnr, scene } from "../../../support/rows.ts";
import { scoreRows } from "../../../support/scores.ts";

const SETTINGS: EncodeSettings = { lossless: false, quality: 85, progressive: true, effort: 0.5 };

async function open(bytes: Uint8Array, demand?: Demand) {
  const facts = jpeg.read.factsOf(bytes);
  const { width, height } = facts;
  const wanted = demand ?? { box: { x: 0, y: 0, width, height }, width, height };
  for await (const decoded of jpeg.read.open(bytes, facts, wanted, UNPAUSED)) {
    return { box: decoded.box, pixels: await drain(decoded.rows) };
  }
  throw new Error("no frame");
}

const encode = (picture: Picture, settings: EncodeSettings) => jpeg.write.encode(picture, settings, UNPAUSED);

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
  ])("knows %s", async (name, expected) => {
    expect(jpeg.read.factsOf(jpegFile(name))).toMatchObject(expected);
  });

  it.each(Object.keys(JPEG_FILES))("decodes %s", async (name) => {
    const facts = jpeg.read.factsOf(jpegFile(name));
    expect((await open(jpegFile(name))).pixels).toMatchObject({ width: facts.width, height: facts.height });
  });

  it("shows inks as light less ink, whether Adobe's marker says so or not", async () => {
    const marked = new Uint8Array(inks);
    const at = marked.findIndex((byte, index) => byte === 0xff && marked[index + 1] === 0xee);
    const unmarked = Uint8Array.from([...marked.subarray(0, at), ...marked.subarray(at + 16)]);
    const { pixels } = await open(unmarked);
    expect(pixels.data).toEqual((await open(marked)).pixels.data);
    // No cyan and magenta, 40 of yellow, no black.
    expect([...pixels.data.subarray(0, 4)]).toEqual([255, 255, 215, 255]);
  });

  it("decodes no more than is wanted, and says where that lies", async () => {
    const box = { x: 20.5, y: 10, width: 80, height: 60 };
    const half = await open(jpegFile("s420"), { box, width: 26, height: 20 });
    expect(half.box).toEqual({ x: 0.25, y: 0, width: 40, height: 30 });
    expect(half.pixels).toMatchObject({ width: 41, height: 30 });
    const full = await open(jpegFile("s420"), { box, width: 41, height: 30 });
    expect(full.pixels).toMatchObject({ width: 81, height: 60 });
  });

  it("writes and reads", async () => {
    const pixels = scene(120, 90);
    const bytes = await encode(pictureOf([pixels]), SETTINGS);
    expect(jpeg.read.factsOf(bytes)).toMatchObject({ width: 120, height: 90, interlaced: true, subsample: "4:2:0" });
    expect(psnr((await open(bytes)).pixels, pixels)).toBeGreaterThan(27);
    const sharp = await encode(pictureOf([pixels]), { ...SETTINGS, quality: 95 });
    expect(jpeg.read.factsOf(sharp).subsample).toBe("4:4:4");
  });

  it("is smaller at equal looks for weighing bits against errors", async () => {
    const picture = pictureOf([await decodeFile(png, new Uint8Array(macaw))]);
    const written = async (quality: number, fast: boolean) => {
      const bytes = await encode(picture, { ...SETTINGS, quality, subsample: "4:2:0", fast });
      const shown = pictureOf([(await open(bytes)).pixels]);
      const [first, second] = [await firstFrame(picture, UNPAUSED), await firstFrame(shown, UNPAUSED)];
      return { size: bytes.length, score: await scoreRows(first, second, UNPAUSED) };
    };
    for (const quality of [40, 60, 80]) {
      const fast = await written(quality, true);
      let weighed = await written(quality - 5, false);
      for (let tried = quality - 4.75; weighed.score < fast.score; tried += 0.25) weighed = await written(tried, false);
      expect(weighed.size).toBeLessThan(fast.size);
    }
  });

  it("reports the quality that a file was written with", async () => {
    const picture = pictureOf([scene(64, 64)]);
    for (let quality = 1; quality <= 100; quality++) {
      for (const subsample of ["4:2:0", "4:4:4"] as const) {
        expect(jpeg.read.factsOf(await encode(picture, { ...SETTINGS, quality, subsample })).quality).toBe(quality);
        const baseline = { ...SETTINGS, quality, subsample, progressive: false, fast: true };
        expect(jpeg.read.factsOf(await encode(picture, baseline)).quality).toBe(quality);
      }
    }
  });

  it("keeps chroma whole where halving it would destroy the picture", async () => {
    const checkered = paint(128, 128, (x, y) => ((x + y) & 1 ? [255, 0, 0, 255] : [0, 160, 0, 255]));
    const bytes = await encode(pictureOf([checkered]), { ...SETTINGS, quality: 80 });
    expect(jpeg.read.factsOf(bytes).subsample).toBe("4:4:4");
    expect(psnr((await open(bytes)).pixels, checkered)).toBeGreaterThan(30);
    const asked = await encode(pictureOf([checkered]), { ...SETTINGS, quality: 80, subsample: "4:2:0" });
    expect(jpeg.read.factsOf(asked).subsample).toBe("4:2:0");
  });

  it.each([
    ["noise", noise(512, 400), 80],
    ["noise", noise(512, 400), 100],
    ["a large scene", scene(4_000, 2_100), 80],
    ["a large scene", scene(4_000, 2_100), 97],
  ] as const)(
    "holds no more than it declares, the file included, and not much less: %s at %3$i",
    async (name, pixels, quality) => {
      const settings = { ...SETTINGS, quality };
      heapOf(jpegModule, true);
      const file = await encode(pictureOf([pixels]), settings);
      const used = heapOf(jpegModule).peak + 2 * file.length;
      const declared = jpeg.write.estimate(pixels, settings).bytes;
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
  ])("is written anew from its planes as from its pixels, or better: %s at %i", async (name, quality, subsample) => {
    const bytes = jpegFile(name);
    const settings = { ...SETTINGS, quality };
    const planes = await jpeg.coefficients.resize(bytes, settings, whole)?.run(UNPAUSED);
    if (!planes) throw new Error("the planes were not taken");
    expect(jpeg.read.factsOf(planes)).toMatchObject({ width: 133, height: 101, subsample, quality });
    const original = (await open(bytes)).pixels;
    const pixels = await encode(pictureOf([original]), settings);
    const gain = psnr((await open(planes)).pixels, original) - psnr((await open(pixels)).pixels, original);
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
  ])("is not written from planes that are something else: %s at %i", async (name, quality) => {
    expect(jpeg.coefficients.resize(jpegFile(name), { ...SETTINGS, quality }, whole)).toBeNull();
    expect(jpeg.coefficients.resize(jpegFile("s420"), { ...SETTINGS, quality, subsample: "4:4:4" }, whole)).toBeNull();
  });

  it("becomes smaller without a change of pixels, if it was not written as well", async () => {
    const bytes = jpegFile("s444");
    const smaller = await jpeg.recompress.run(bytes, jpeg.read.factsOf(bytes), { progressive: false }, UNPAUSED);
    expect(smaller?.length).toBeLessThan(bytes.length);
    expect((await open(smaller ?? bytes)).pixels).toEqual((await open(bytes)).pixels);
    const again = await jpeg.recompress.run(
      smaller ?? bytes,
      jpeg.read.factsOf(bytes),
      { progressive: false },
      UNPAUSED,
    );
    expect(again).toEqual(smaller);
    const twelve = jpegFile("twelve-bits");
    expect(await jpeg.recompress.run(twelve, jpeg.read.factsOf(twelve), { progressive: true }, UNPAUSED)).toBeNull();
  });

  it.each(Object.keys(JPEG_FILES))("refuses %s when it is cut short", async (name) => {
    const bytes = jpegFile(name);
    for (const share of [0.98, 0.7, 0.3, 0.05]) {
      let status = 0;
      try {
        await open(bytes.subarray(0, Math.floor(bytes.length * share)));
      } catch (error) {
        status = error instanceof ApiError ? error.status : -1;
      }
      expect(status).toBe(422);
    }
    expect(heapOf(jpegModule).used).toBe(0);
  });

  it.each(["several-scans", "progressive"])("refuses %s when it ends before one of its scans", async (name) => {
    const bytes = jpegFile(name);
    const scans = [...bytes.keys()].filter((at) => bytes[at] === 0xff && bytes[at + 1] === 0xda);
    expect(scans.length).toBeGreaterThan(2);
    for (const at of scans.slice(1)) {
      await expect(open(bytes.subarray(0, at))).rejects.toThrow(ApiError);
      if (name === "several-scans")
        await expect(open(Uint8Array.of(...bytes.subarray(0, at), 0xff, 0xd9))).rejects.toThrow(ApiError);
    }
    expect(heapOf(jpegModule).used).toBe(0);
  });

  it("takes a picture that is whole but for its end marker, or is followed by something else", async () => {
    const bytes = jpegFile("s420");
    const pixels = (await open(bytes)).pixels;
    expect((await open(bytes.subarray(0, -2))).pixels).toEqual(pixels);
    const longer = new Uint8Array(bytes.length + 5_000).fill(7);
    longer.set(bytes);
    expect((await open(longer)).pixels).toEqual(pixels);
  });
});
