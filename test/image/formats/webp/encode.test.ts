import { describe, expect, it } from "vitest";

import { webp } from "../../../../src/image/formats/webp.ts";
import { digest, drain, noise, paint, pictureOf, type Pixels, psnr, rowsOf, scene } from "../../../support/rows.ts";

const SETTINGS = { lossless: false, quality: 80, progressive: false, effort: 0.5 };

function decode(bytes: Uint8Array): Pixels {
  const facts = webp.probe(bytes);
  const { width, height } = facts;
  for (const { rows } of webp.open(bytes, facts, { box: { x: 0, y: 0, width, height }, width, height })) {
    return drain(rows);
  }
  throw new Error("no frame");
}

describe("encoding WebP", () => {
  // Files as `cwebp -q 80 -m 4` and `cwebp -lossless -exact -m 2 -q 75` of libwebp 1.6.0 write them.
  it.each([
    ["lossy", scene(211, 97), SETTINGS, "e55992a3eaafe22a"],
    ["lossless", scene(211, 97), { ...SETTINGS, lossless: true }, "edc3ce5fbbd920cc"],
    ["noise", noise(64, 50), SETTINGS, "40ec023df7069163"],
    ["lossless with alpha", scene(120, 61, false), { ...SETTINGS, lossless: true }, "0d2212606f6771cb"],
  ])("writes the bytes of the reference encoder: %s", async (name, pixels, settings, expected) => {
    const opaque = !name.includes("alpha");
    expect(await digest(webp.encode(pictureOf([pixels], { opaque }), settings))).toBe(expected);
  });

  it.each([1, 5, 31, 32, 33])("does not depend on how many rows come at a time: %i", (most) => {
    const pixels = scene(65, 99);
    const whole = webp.encode(pictureOf([pixels]), SETTINGS);
    const picture = {
      ...pictureOf([pixels]),
      *open() {
        yield { delayMs: 0, rows: rowsOf(pixels, true, most) };
      },
    };
    expect(webp.encode(picture, SETTINGS)).toEqual(whole);
  });

  it("keeps every pixel of a lossless picture, hidden colors included", () => {
    const pixels = paint(50, 40, (x, y) => [x * 5, y * 6, 77, (x + y) % 3 === 0 ? 0 : 255 - x]);
    const settings = { ...SETTINGS, lossless: true };
    for (const effort of [0, 0.25, 0.5, 1]) {
      const bytes = webp.encode(pictureOf([pixels], { opaque: false }), { ...settings, effort });
      expect(decode(bytes).data).toEqual(pixels.data);
    }
  });

  it("keeps the alpha of a lossy picture", () => {
    const pixels = scene(90, 70, false);
    const decoded = decode(webp.encode(pictureOf([pixels], { opaque: false }), SETTINGS));
    const alpha = (picture: Pixels) => picture.data.filter((_, i) => i % 4 === 3);
    expect(alpha(decoded)).toEqual(alpha(pixels));
  });

  it("writes no alpha when no pixel needs it", () => {
    const bytes = webp.encode(pictureOf([scene(40, 40)], { opaque: false }), SETTINGS);
    expect(webp.probe(bytes).alpha).toBe(false);
  });

  it("comes closer to the picture, and tells a higher quality, the higher the quality", () => {
    const pixels = scene(200, 150);
    const qualities = [10, 50, 80, 100];
    const files = qualities.map((quality) => webp.encode(pictureOf([pixels]), { ...SETTINGS, quality }));
    const near = files.map((file) => psnr(decode(file), pixels));
    expect(near).toEqual([...near].sort((a, b) => a - b));
    qualities.forEach((quality, i) => {
      expect(Math.abs(webp.probe(files[i] ?? new Uint8Array(0)).quality - quality)).toBeLessThanOrEqual(12);
    });
  });

  it.each([
    [1, 1],
    [2, 1],
    [1, 40],
    [17, 3],
    [16_383, 1],
    [1, 16_383],
  ])("takes %i x %i", (width, height) => {
    const pixels = scene(width, height);
    expect(decode(webp.encode(pictureOf([pixels]), SETTINGS))).toMatchObject({ width, height });
    const lossless = webp.encode(pictureOf([pixels]), { ...SETTINGS, lossless: true });
    expect(decode(lossless).data).toEqual(pixels.data);
  });

  it("refuses sides beyond the format", () => {
    const picture = pictureOf([{ width: 16_384, height: 1, data: new Uint8Array(16_384 * 4) }]);
    expect(() => webp.encode(picture, SETTINGS)).toThrow(expect.objectContaining({ status: 422 }));
  });
});
