/** Palettes and dithering of the native module. */
import { describe, expect, it } from "vitest";

import { UNPAUSED } from "../../src/scheduler/time-slice.ts";
import { nativeStatistics } from "../../wasm/load.ts";
import { QUANTIZE_WINDOW_ROWS } from "../../wasm/quantize/instance.ts";
import { countEstimate, errorWith, Histogram, paletteOf as bestPalette } from "../../wasm/quantize/palette.ts";
import { Remapper, remapperBytes } from "../../wasm/quantize/remapper.ts";
import { noise, paint, type Pixels, psnr, scene } from "../support/rows.ts";

function* bands({ width, data }: Pixels): Iterable<Uint8Array> {
  const step = width * 4 * QUANTIZE_WINDOW_ROWS;
  for (let from = 0; from < data.length; from += step) yield data.subarray(from, from + step);
}

async function paletteOf(pixels: Pixels, colors: number, sharp = false): Promise<Uint8Array> {
  const histogram = new Histogram({ width: pixels.width, sharp });
  try {
    for (const band of bands(pixels)) histogram.add(band);
    return (await bestPalette(histogram.sorted(256), colors, UNPAUSED)).palette;
  } finally {
    histogram.close();
  }
}

function mapped(pixels: Pixels, palette: Uint8Array, dither: number, coherence = 0): Pixels {
  const remapper = new Remapper({ width: pixels.width, height: 0, sharp: false, palette, dither, coherence });
  const data = new Uint8Array(pixels.data.length);
  let at = 0;
  try {
    for (const band of bands(pixels)) {
      data.set(remapper.colors(band), at);
      at += band.length;
    }
    return { ...pixels, data };
  } finally {
    remapper.close();
  }
}

function colorsIn(bytes: Uint8Array): number[] {
  return [...new Set(new Uint32Array(bytes.slice().buffer))].toSorted((a, b) => a - b);
}

describe("quantization", () => {
  it.each([1, 2, 17, 256])("finds the palette of a picture of %i colors exactly", async (count) => {
    const pixels = paint(40, 40, (x, y) => {
      const index = (x + y * 40) % count;
      return [index, (index * 3) % 256, 255 - index, index % 3 === 0 ? 255 : 100 + (index % 100)];
    });
    expect(colorsIn(await paletteOf(pixels, 256))).toEqual(colorsIn(pixels.data));
    expect(mapped(pixels, await paletteOf(pixels, 256), 1).data).toEqual(pixels.data);
  });

  it("puts full transparency first, whatever color is under it", async () => {
    const pixels = paint(10, 10, (x) => (x < 5 ? [x, 7, 9, 0] : [200, x, 0, 255]));
    const palette = await paletteOf(pixels, 256);
    expect([...palette.subarray(0, 4)]).toEqual([0, 0, 0, 0]);
    expect(palette.length / 4).toBe(6);
  });

  it.each([2, 16, 100, 256])("gives at most %i colors for any number of them", async (most) => {
    for (const pixels of [scene(120, 90), noise(120, 90), noise(120, 90, false)]) {
      expect((await paletteOf(pixels, most)).length / 4).toBeLessThanOrEqual(most);
    }
  });

  it("comes closer with more colors", async () => {
    const pixels = scene(120, 90);
    const quality: number[] = [];
    for (const colors of [4, 16, 64, 256])
      quality.push(psnr(mapped(pixels, await paletteOf(pixels, colors), 0), pixels));
    expect(quality).toEqual(quality.toSorted((a, b) => a - b));
    expect(quality[3]).toBeGreaterThan(34);
  });

  it("knows about the error of a palette before it is made", async () => {
    const histogram = new Histogram({ width: 120, sharp: false });
    for (const band of bands(scene(120, 90))) histogram.add(band);
    const sorted = histogram.sorted(256);
    histogram.close();
    for (const colors of [8, 32, 128]) {
      const { error } = await bestPalette(sorted, colors, UNPAUSED);
      expect(errorWith(sorted, colors) / error).toBeGreaterThan(0.95);
      expect(errorWith(sorted, colors) / error).toBeLessThan(1.4);
    }
    expect(errorWith(sorted, 8)).toBeGreaterThan(errorWith(sorted, 9));
  });

  it("keeps alpha: shades of one color stay apart", async () => {
    const pixels = paint(256, 4, (x) => [200, 40, 40, x]);
    const shown = mapped(pixels, await paletteOf(pixels, 32), 0);
    for (let x = 0; x < 256; x++) expect(Math.abs((shown.data[x * 4 + 3] ?? 0) - x)).toBeLessThan(16);
  });

  it("leaves flat areas flat, next to slopes that are dithered", async () => {
    const pixels = paint(128, 32, (x, y) => (x < 64 ? [x * 2 + 60, y * 4, 255 - x, 255] : [12, 200, 90, 255]));
    const { data } = mapped(pixels, await paletteOf(pixels, 16), 1);
    for (let y = 0; y < 32; y++) {
      for (let x = 66; x < 128; x++) {
        expect([...data.subarray((y * 128 + x) * 4, (y * 128 + x) * 4 + 4)]).toEqual([12, 200, 90, 255]);
      }
    }
  });

  it("keeps the mean of a slope when it dithers", async () => {
    const pixels = paint(64, 64, (x) => [x * 4, x * 4, x * 4, 255]);
    const shown = mapped(pixels, await paletteOf(pixels, 4), 1);
    const mean = (data: Uint8Array) => data.reduce((sum, value) => sum + value, 0) / data.length;
    expect(Math.abs(mean(shown.data) - mean(pixels.data))).toBeLessThan(6);
  });

  it("repeats colors of neighbors where a picture is busy, if it may, and stays about as near", async () => {
    const pixels = scene(128, 96);
    for (const [at, value] of pixels.data.entries()) {
      if (at % 4 !== 3) pixels.data[at] = Math.min(255, value + ((Math.imul(at, 2_654_435_761) >>> 28) & 15));
    }
    const palette = await paletteOf(pixels, 100);
    const [plain, coherent] = [mapped(pixels, palette, 0.3), mapped(pixels, palette, 0.3, 0.6)];
    const repeats = ({ data }: Pixels) => {
      const colors = new Uint32Array(data.buffer);
      return colors.filter((color, at) => color === colors[at - 1] || color === colors[at - 128]).length;
    };
    expect(repeats(coherent)).toBeGreaterThan(1.2 * repeats(plain));
    expect(psnr(coherent, pixels)).toBeGreaterThan(psnr(plain, pixels) - 1.5);
  });

  it("keeps colors of the palette, whatever neighbors have", async () => {
    const pixels = paint(64, 64, (x, y) => {
      const index = Math.imul(x + y * 64, 2_654_435_761) >>> 26;
      return [(index & 3) * 64, (index & 12) * 16, (index & 48) * 4, 255];
    });
    const palette = await paletteOf(pixels, 256);
    expect(mapped(pixels, palette, 1, 1).data).toEqual(pixels.data);
  });

  it("does not change what does not change from frame to frame", async () => {
    const first = scene(60, 40);
    const second = paint(60, 40, (x, y) =>
      x < 10 && y > 30 ? [255, 0, 0, 255] : (first.data.slice((y * 60 + x) * 4, (y * 60 + x) * 4 + 4) as never),
    );
    const palette = await paletteOf(first, 16);
    const remapper = new Remapper({ width: 60, height: 40, sharp: false, palette, dither: 1 });
    const frames = [first, second].map((frame) => {
      remapper.restart();
      return [...bands(frame)].flatMap((band) => [...remapper.indices(band)]);
    });
    remapper.close();
    frames[0]?.forEach((index, at) => {
      if (at % 60 >= 10 || at < 31 * 60) expect(frames[1]?.[at]).toBe(index);
    });
  });

  it("stays within the memory that it declares, for any number of colors and any size", async () => {
    const memory = () => nativeStatistics().find(({ name }) => name === "quantize")?.memoryBytes ?? 0;
    await paletteOf(
      paint(1, 1, () => [1, 2, 3, 255]),
      2,
    );
    const before = memory();
    const pixels = noise(3_000, 160, false);
    const palette = await paletteOf(pixels, 256);
    mapped(pixels, palette, 1);
    const declared = countEstimate(3_000, 0).bytes + remapperBytes({ width: 3_000, height: 0 });
    expect(memory() - before).toBeLessThanOrEqual(declared);
  });
});
