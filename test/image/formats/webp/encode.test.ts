/** Writing WebP files. */
import { describe, expect, it } from "vitest";

import type { EncodeSettings } from "../../../../src/image/codec/writer.ts";
import { webp } from "../../../../src/image/formats/webp.ts";
import type { Picture } from "../../../../src/image/pixels/picture.ts";
import { UNPAUSED } from "../../../../src/scheduler/time-slice.ts";
import { digest, drain, noise, paint, pictureOf, type Pixels, psnr, rowsOf, scene } from "../../../support/rows.ts";

const SETTINGS = { lossless: false, quality: 80, progressive: false, effort: 0.5 };

async function decode(bytes: Uint8Array): Promise<Pixels> {
  const facts = webp.read.factsOf(bytes);
  const { width, height } = facts;
  const demand = { box: { x: 0, y: 0, width, height }, width, height };
  for await (const { rows } of webp.read.open(bytes, facts, demand, UNPAUSED)) {
    return await drain(rows);
  }
  throw new Error("no frame");
}

const encode = (picture: Picture, settings: EncodeSettings) => webp.write.encode(picture, settings, UNPAUSED);

describe("encoding WebP", () => {
  // What is predicted how, and what becomes of saturated edges, is decided by our own code (wasm/webp/modes.c, saturated.c), which
  // must write the same everywhere.
  it.each([
    ["a drawing", scene(211, 97), "38519b533ecd756f"],
    ["noise", noise(64, 50), "39cbb51ed56ddf27"],
  ])("writes the same lossy bytes on every machine: %s", async (_name, pixels, expected) => {
    expect(await digest(await encode(pictureOf([pixels]), SETTINGS))).toBe(expected);
  });

  // Files as `cwebp -lossless -exact -m 2 -q 75` of libwebp 1.6.0 writes them.
  it.each([
    ["lossless", scene(211, 97), { ...SETTINGS, lossless: true }, "edc3ce5fbbd920cc"],
    ["lossless with alpha", scene(120, 61, false), { ...SETTINGS, lossless: true }, "0d2212606f6771cb"],
  ])("writes the bytes of the reference encoder: %s", async (name, pixels, settings, expected) => {
    const opaque = !name.includes("alpha");
    expect(await digest(await encode(pictureOf([pixels], { opaque }), settings))).toBe(expected);
  });

  it.each([1, 5, 31, 32, 33])("does not depend on how many rows come at a time: %i", async (most) => {
    const pixels = scene(65, 99);
    const whole = await encode(pictureOf([pixels]), SETTINGS);
    const picture = {
      ...pictureOf([pixels]),
      async *open() {
        yield { delayMs: 0, rows: rowsOf(pixels, true, most) };
      },
    };
    expect(await encode(picture, SETTINGS)).toEqual(whole);
  });

  it("keeps every pixel of a lossless picture, hidden colors included", async () => {
    const pixels = paint(50, 40, (x, y) => [x * 5, y * 6, 77, (x + y) % 3 === 0 ? 0 : 255 - x]);
    const settings = { ...SETTINGS, lossless: true };
    for (const effort of [0, 0.25, 0.5, 1]) {
      const bytes = await encode(pictureOf([pixels], { opaque: false }), { ...settings, effort });
      expect((await decode(bytes)).data).toEqual(pixels.data);
    }
  });

  it("keeps the alpha of a lossy picture", async () => {
    const pixels = scene(90, 70, false);
    const decoded = await decode(await encode(pictureOf([pixels], { opaque: false }), SETTINGS));
    const alpha = (picture: Pixels) => picture.data.filter((_, i) => i % 4 === 3);
    expect(alpha(decoded)).toEqual(alpha(pixels));
  });

  it("writes no alpha when no pixel needs it", async () => {
    const bytes = await encode(pictureOf([scene(40, 40)], { opaque: false }), SETTINGS);
    expect(webp.read.factsOf(bytes).alpha).toBe(false);
  });

  it("comes closer to the picture, and tells a higher quality, the higher the quality", async () => {
    const pixels = scene(200, 150);
    const qualities = [10, 50, 80, 100];
    const files = await Promise.all(qualities.map((quality) => encode(pictureOf([pixels]), { ...SETTINGS, quality })));
    const near = (await Promise.all(files.map(decode))).map((decoded) => psnr(decoded, pixels));
    expect(near).toEqual([...near].sort((a, b) => a - b));
    qualities.forEach((quality, i) => {
      expect(Math.abs(webp.read.factsOf(files[i] ?? new Uint8Array(0)).quality - quality)).toBeLessThanOrEqual(12);
    });
  });

  it.each([
    [1, 1],
    [2, 1],
    [1, 40],
    [17, 3],
    [16_383, 1],
    [1, 16_383],
  ])("takes %i x %i", async (width, height) => {
    const pixels = scene(width, height);
    expect(await decode(await encode(pictureOf([pixels]), SETTINGS))).toMatchObject({ width, height });
    const lossless = await encode(pictureOf([pixels]), { ...SETTINGS, lossless: true });
    expect((await decode(lossless)).data).toEqual(pixels.data);
  });

  it("refuses sides beyond the format", async () => {
    const picture = pictureOf([{ width: 16_384, height: 1, data: new Uint8Array(16_384 * 4) }]);
    await expect(encode(picture, SETTINGS)).rejects.toThrow(expect.objectContaining({ status: 422 }));
  });
});
