/** Writing JPEG 2000 files. */
import { describe, expect, it } from "vitest";

import type { EncodeSettings } from "../../../../src/image/codec/writer.ts";
import { jpeg2000 } from "../../../../src/image/formats/jpeg2000.ts";
import type { Picture } from "../../../../src/image/pixels/picture.ts";
import { UNPAUSED } from "../../../../src/scheduler/time-slice.ts";
import { jpeg2000Heap } from "../../../../wasm/jpeg2000/instance.ts";
import { decodeFile } from "../../../support/files.ts";
import { noise, paint, pictureOf, type Pixels, psnr, rowsOf, sample, scene } from "../../../support/rows.ts";

const SETTINGS = { lossless: false, quality: 80, progressive: true, effort: 0.5 };
const LOSSLESS = { ...SETTINGS, lossless: true };

/** The file of a picture, encoded in one go. */
function encode(picture: Picture, settings: EncodeSettings): Promise<Uint8Array> {
  return jpeg2000.write.encode(picture, settings, UNPAUSED);
}

const alphaOf = ({ data }: Pixels) => data.filter((_, at) => at % 4 === 3);

describe("encoding JPEG 2000", () => {
  it.each([
    ["one pixel", noise(1, 1)],
    ["a row", noise(70, 1)],
    ["a column", noise(1, 70)],
    ["odd sides", scene(131, 77)],
    ["two columns of tiles", scene(1_200, 40)],
    ["two rows of tiles", noise(30, 1_100)],
  ])("keeps every pixel where it must: %s", async (_name, pixels) => {
    expect((await decodeFile(jpeg2000, await encode(pictureOf([pixels]), LOSSLESS))).data).toEqual(pixels.data);
  });

  it("keeps every pixel under alpha, hidden colors included", async () => {
    const pixels = paint(60, 50, (x, y) => [x * 4, y * 5, 77, (x + y) % 3 === 0 ? 0 : 255 - x]);
    const bytes = await encode(pictureOf([pixels], { opaque: false }), LOSSLESS);
    expect(jpeg2000.read.factsOf(bytes)).toMatchObject({ alpha: true, quality: 100, depth: 32 });
    expect((await decodeFile(jpeg2000, bytes)).data).toEqual(pixels.data);
  });

  it("keeps alpha exactly beside colors that are not", async () => {
    const pixels = scene(90, 70, false);
    const decoded = await decodeFile(
      jpeg2000,
      await encode(pictureOf([pixels], { opaque: false }), { ...SETTINGS, quality: 30 }),
    );
    expect(alphaOf(decoded).every((value, at) => value === alphaOf(pixels)[at])).toBe(true);
  });

  it("is better and larger with more quality, and says how good it is", async () => {
    const pixels = scene(300, 200);
    let before = { bytes: 0, likeness: 0 };
    for (const quality of [1, 10, 30, 50, 70, 80, 90, 95, 100]) {
      const bytes = await encode(pictureOf([pixels]), { ...SETTINGS, quality });
      const likeness = psnr(await decodeFile(jpeg2000, bytes), pixels);
      expect(bytes.length).toBeGreaterThan(before.bytes);
      expect(likeness).toBeGreaterThan(before.likeness);
      expect(Math.abs(jpeg2000.read.factsOf(bytes).quality - Math.min(99, quality))).toBeLessThanOrEqual(1);
      before = { bytes: bytes.length, likeness };
    }
  });

  it("says in what order packets come", async () => {
    const pixels = pictureOf([scene(64, 64)]);
    expect(jpeg2000.read.factsOf(await encode(pixels, SETTINGS)).interlaced).toBe(true);
    expect(jpeg2000.read.factsOf(await encode(pixels, { ...SETTINGS, progressive: false })).interlaced).toBe(false);
  });

  it("has no seams between tiles", async () => {
    const pixels = paint(1_100, 64, (x, y) => [(x * 255) / 1_100, 128, (y * 255) / 64, 255]);
    const { data } = await decodeFile(jpeg2000, await encode(pictureOf([pixels]), { ...SETTINGS, quality: 60 }));
    const steps = Array.from({ length: 1_099 }, (_, x) => {
      const rows = Array.from({ length: 64 }, (_row, y) => (y * 1_100 + x) * 4);
      return rows.reduce((sum, at) => sum + Math.abs(sample(data, at) - sample(data, at + 4)), 0) / 64;
    });
    // Tiles are 640 pixels wide.
    expect(steps[639]).toBeLessThanOrEqual(2);
  });

  it.each([1, 5, 31, 32, 33])("does not depend on how many rows come at a time: %i", async (most) => {
    const pixels = scene(65, 99);
    const picture = {
      ...pictureOf([pixels]),
      async *open() {
        yield { delayMs: 0, rows: rowsOf(pixels, true, most) };
      },
    };
    expect(await encode(picture, SETTINGS)).toEqual(await encode(pictureOf([pixels]), SETTINGS));
  });

  it("takes no more memory than declared, and none afterward", async () => {
    for (const settings of [SETTINGS, LOSSLESS, { ...SETTINGS, quality: 100 }]) {
      for (const pixels of [noise(400, 300), noise(1_300, 120), noise(16, 16)]) {
        const picture = pictureOf([pixels]);
        const before = jpeg2000Heap(true).used;
        const bytes = await encode(picture, settings);
        const { used, peak } = jpeg2000Heap();
        expect(used).toBe(before);
        expect(peak - before + bytes.length).toBeLessThanOrEqual(jpeg2000.write.estimate(picture, settings).bytes);
      }
    }
  });
});
