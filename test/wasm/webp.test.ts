/** The native WebP module: its memory. */
import { describe, expect, it } from "vitest";

import { parseWebp } from "../../src/image/formats/webp/container.ts";
import { rowsOver } from "../../src/image/pixels/rows.ts";
import { UNPAUSED } from "../../src/scheduler/time-slice.ts";
import { heapOf, NativeError } from "../../wasm/load.ts";
import { decodeEstimate, openDecoder } from "../../wasm/webp/decoder.ts";
import { BAND_ROWS, encodeEstimate, type EncoderSettings, openEncoder, peakBytes } from "../../wasm/webp/encoder.ts";
import { webpModule } from "../../wasm/webp/instance.ts";
import { noise, type Pixels, scene } from "../support/rows.ts";
import { scoreRows } from "../support/scores.ts";

/** Encodes, and tells how much memory that took at most. */
async function encode(pixels: Pixels, settings: Partial<EncoderSettings>) {
  const { width, height, data } = pixels;
  const all = { width, height, opaque: true, lossless: false, quality: 80, method: 4, ...settings };
  const { used } = heapOf(webpModule, true);
  const encoder = openEncoder(all);
  try {
    for (let y = 0; y < height; y += BAND_ROWS) {
      const rows = Math.min(BAND_ROWS, height - y);
      encoder.band().set(data.subarray(y * width * 4, (y + rows) * width * 4));
      encoder.push(rows);
    }
    const file = await encoder.finish(UNPAUSED);
    const { peak } = heapOf(webpModule);
    return { file, peak: peak - used, declared: encodeEstimate(all).bytes, given: peakBytes(all) };
  } finally {
    encoder.close();
  }
}

/** Decodes, and tells how much memory that took at most. */
function decode(file: Uint8Array, scale = 1) {
  const [frame] = parseWebp(file).frames;
  if (!frame) throw new Error("no frame");
  const { width, height, lossless, alpha } = frame;
  const { used } = heapOf(webpModule, true);
  const region = { x: 0, y: 0, width, height };
  const decoder = openDecoder(frame, {
    ...region,
    scaledWidth: Math.ceil(width / scale),
    scaledHeight: Math.ceil(height / scale),
  });
  try {
    while (decoder.advance() > 0) decoder.readBand();
    const bytes = file.length;
    const declared = decodeEstimate({ width, height, lossless, alpha: alpha !== undefined, bytes }).bytes;
    return { peak: heapOf(webpModule).peak - used, declared };
  } finally {
    decoder.close();
  }
}

function pixelsOf(file: Uint8Array): Uint8Array {
  const [frame] = parseWebp(file).frames;
  if (!frame) throw new Error("no frame");
  const { width, height } = frame;
  const decoder = openDecoder(frame, { x: 0, y: 0, width, height, scaledWidth: width, scaledHeight: height });
  const data = new Uint8Array(width * height * 4);
  let at = 0;
  while (decoder.advance() > 0) {
    const rows = decoder.read(64);
    data.set(rows ?? [], at);
    at += rows?.length ?? 0;
  }
  decoder.close();
  return data;
}

const PICTURES: readonly (readonly [string, Pixels, boolean])[] = [
  ["a drawing", scene(500, 400), true],
  ["noise", noise(400, 300), true],
  ["a drawing with alpha", scene(500, 400, false), false],
  ["noise with alpha", noise(400, 300, false), false],
  ["a wide strip", noise(16_383, 5, false), false],
  ["a tall strip", noise(5, 16_383, false), false],
  ["a few pixels", noise(3, 3, false), false],
];

describe("memory of the WebP module", () => {
  it.each(PICTURES)("stays within what lossy jobs declare, or are given: %s", async (name, pixels, opaque) => {
    for (const quality of [50, 100]) {
      for (const method of [2, 4]) {
        const { file, peak, declared, given } = await encode(pixels, { opaque, quality, method });
        // Noise has more symbols than is declared: what they take is charged as it grows.
        expect(peak).toBeLessThanOrEqual(name === "noise" ? given : declared);
        for (const scale of [1, 3]) {
          const decoded = decode(file, scale);
          expect(decoded.peak).toBeLessThanOrEqual(decoded.declared);
        }
      }
    }
  });

  it.each(PICTURES)("stays within what lossless jobs declare, or are given: %s", async (name, pixels, opaque) => {
    for (const method of [0, 1, 2]) {
      const { file, peak, declared, given } = await encode(pixels, { opaque, lossless: true, quality: 75, method });
      // Strips of noise have more tiles with symbols of their own than is declared: they are charged as they grow.
      expect(peak).toBeLessThanOrEqual(name.endsWith("strip") ? given : declared);
      const decoded = decode(file, method === 2 ? 4 : 1);
      expect(decoded.peak).toBeLessThanOrEqual(decoded.declared);
    }
  });

  it.each(PICTURES)("stays within what lean jobs declare: %s", async (_name, pixels, opaque) => {
    const { peak, declared } = await encode(pixels, { opaque, lossless: true, lean: true });
    expect(peak).toBeLessThanOrEqual(declared);
  });

  it("holds 10 bytes per pixel for a large lossy picture with alpha", async () => {
    const pixels = scene(1_700, 1_300, false);
    const { file, peak, declared } = await encode(pixels, { opaque: false });
    expect(peak).toBeLessThanOrEqual(declared);
    expect(encodeEstimate({ ...pixels, opaque: false, lossless: false, quality: 80, method: 4 }).bytes).toBeLessThan(
      25e6,
    );
    expect(parseWebp(file).frames[0]?.alpha?.length).toBeGreaterThan(100);
  });

  it("holds a few rows of a lossy picture, however tall it is", async () => {
    const short = decode((await encode(scene(512, 512), {})).file);
    const tall = decode((await encode(scene(512, 4_096), {})).file);
    expect(tall.peak).toBeLessThan(short.peak + 100_000);
    expect(tall.peak).toBeLessThan(512 * 512);
  });

  it("is all free when jobs are over", async () => {
    expect(heapOf(webpModule).used).toBe(0);
  });
});

describe("the WebP encoder", () => {
  it("gets by with less memory where there is no room to keep symbols, and writes almost the same file", async () => {
    // 6 bytes per pixel are given for symbols; noise at this quality needs 15.
    const { file, peak, given } = await encode(noise(1_200, 1_000), { quality: 90 });
    expect(peak).toBeLessThanOrEqual(given);
    expect(file.length).toBeGreaterThan(600_000);
  });

  it.each(PICTURES)("keeps every pixel when lean: %s", async (_name, pixels, opaque) => {
    const { file } = await encode(pixels, { opaque, lossless: true, lean: true, exact: true });
    expect(pixelsOf(file)).toEqual(pixels.data);
    expect(file.length).toBeLessThan(pixels.data.length + 600);
  });

  it("keeps the alpha of a large lossy picture", async () => {
    const pixels = scene(1_700, 1_300, false);
    const decoded = pixelsOf((await encode(pixels, { opaque: false, method: 0 })).file);
    for (let i = 3; i < decoded.length; i += 4 * 101) expect(decoded[i]).toBe(pixels.data[i]);
  });

  it("touches pixels only as near-lossless allows", async () => {
    const pixels = noise(200, 200);
    const files = [100, 60, 20].map((nearLossless) => encode(pixels, { lossless: true, quality: 75, nearLossless }));
    const sizes = (await Promise.all(files)).map(({ file }) => file.length);
    expect(sizes).toEqual([...sizes].sort((a, b) => b - a));
    expect(sizes[2]).toBeLessThan(sizes[0] ?? 0);
  });

  it("writes fewer bytes by few modes and a trellis than by all modes without, and shows no less", async () => {
    const colored = scene(512, 512);
    // Gray, so that nothing but how it is coded differs from the planes that libwebp would make.
    const data = colored.data.map((_, at) => (at % 4 === 3 ? 255 : (colored.data[at - (at % 4) + 1] ?? 0)));
    const pixels = { ...colored, data };
    const [all, few] = [await encode(pixels, { method: 3 }), await encode(pixels, { method: 4 })];
    expect(few.file.length).toBeLessThan(all.file.length);
    const scoreOf = ({ file }: { file: Uint8Array }) => {
      const shown = rowsOver(pixelsOf(file), { ...pixels, opaque: true });
      return scoreRows(rowsOver(pixels.data, { ...pixels, opaque: true }), shown, UNPAUSED);
    };
    expect(await scoreOf(few)).toBeGreaterThan((await scoreOf(all)) - 0.5);
  });

  it.each([
    ["width", { width: 16_384 }],
    ["height", { height: 0 }],
    ["quality", { quality: 101 }],
    ["method", { method: 7 }],
  ])("refuses a %s out of range", async (_name, settings) => {
    const all = { width: 8, height: 8, opaque: true, lossless: false, quality: 80, method: 4, ...settings };
    expect(() => openEncoder(all)).toThrow(NativeError);
    expect(heapOf(webpModule).used).toBe(0);
  });
});
