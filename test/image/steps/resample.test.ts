/** Resampling, against other implementations and by its laws. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import type { Kernel } from "../../../src/image/steps/operation.ts";
import { resample, resampleEstimate } from "../../../src/image/steps/resample.ts";
import { nativeStatistics } from "../../../wasm/load.ts";
import alphaLanczos from "../../fixtures/resample/alpha-lanczos3-37x25.png";
import cubic from "../../fixtures/resample/cubic-60x40.png";
import cubicLarger from "../../fixtures/resample/cubic-150x100.png";
import lanczosTiny from "../../fixtures/resample/lanczos3-12x8.png";
import lanczosTall from "../../fixtures/resample/lanczos3-24x50.png";
import lanczos from "../../fixtures/resample/lanczos3-37x25.png";
import lanczosLarger from "../../fixtures/resample/lanczos3-150x100.png";
import mitchell from "../../fixtures/resample/mitchell-41x27.png";
import sourceAlpha from "../../fixtures/resample/source-alpha.png";
import source from "../../fixtures/resample/source.png";
import { decoded } from "../../support/operations.ts";
import { drain, paint, type Pixels, rowsOf, sample, scene } from "../../support/rows.ts";

const KERNELS: readonly Kernel[] = ["lanczos3", "mitchell", "cubic", "linear", "nearest"];

interface Options {
  readonly kernel?: Kernel;
  readonly opaque?: boolean;
  readonly linear?: boolean;
  readonly box?: { x: number; y: number; width: number; height: number };
  readonly most?: number;
}

async function resized(pixels: Pixels, width: number, height: number, options: Options = {}): Promise<Pixels> {
  const { kernel = "lanczos3", opaque = true, linear = false, most = 1_000 } = options;
  const box = options.box ?? { x: 0, y: 0, width: pixels.width, height: pixels.height };
  return drain(resample(rowsOf(pixels, opaque, most), { box, width, height, kernel, linear }));
}

/** The largest difference of two samples, colors weighted with their alpha. */
function largestDifference(a: Pixels, b: Pixels): number {
  let largest = 0;
  for (let i = 0; i < a.data.length; i++) {
    const alpha = i % 4 === 3 ? 255 : sample(b.data, i | 3);
    largest = Math.max(largest, (Math.abs(sample(a.data, i) - sample(b.data, i)) * alpha) / 255);
  }
  return largest;
}

function mirrored({ width, height, data }: Pixels): Pixels {
  return paint(width, height, (x, y) => {
    const at = (y * width + width - 1 - x) * 4;
    return [sample(data, at), sample(data, at + 1), sample(data, at + 2), sample(data, at + 3)];
  });
}

describe("resampling", () => {
  // Reductions by `vips resize --gap 0` of libvips 8.14, enlargements by `convert -filter` of ImageMagick 6.9 (libvips
  // enlarges with another filter). The last digit of each implementation differs; our own is within 0.51 of exact.
  it.each([
    ["lanczos3", lanczos, 37, 25, 1],
    ["lanczos3", lanczosTall, 24, 50, 1],
    ["lanczos3", lanczosTiny, 12, 8, 2],
    ["mitchell", mitchell, 41, 27, 1],
    ["cubic", cubic, 60, 40, 1],
    ["lanczos3", lanczosLarger, 150, 100, 2],
    ["cubic", cubicLarger, 150, 100, 1],
  ] as const)("agrees with other implementations: %s to %o x %o", async (kernel, file, width, height, tolerance) => {
    expect(
      largestDifference(await resized(await decoded(source), width, height, { kernel }), await decoded(file)),
    ).toBeLessThanOrEqual(tolerance);
  });

  it("filters premultiplied colors, as libvips does between premultiply and unpremultiply", async () => {
    const result = await resized(await decoded(sourceAlpha), 37, 25, { opaque: false });
    expect(largestDifference(result, await decoded(alphaLanczos))).toBeLessThanOrEqual(1);
  });

  it("keeps the color of transparent pixels out of their neighbors", async () => {
    const pixels = paint(40, 40, (x) => (x < 20 ? [255, 0, 0, 255] : [0, 255, 0, 0]));
    const { data } = await resized(pixels, 10, 10, { opaque: false });
    for (let i = 0; i < data.length; i += 4) expect(data[i + 1]).toBe(0);
  });

  it("keeps a flat picture flat, at every scale and kernel", async () => {
    const side = fc.integer({ min: 1, max: 90 });
    const color = fc.tuple(fc.nat(255), fc.nat(255), fc.nat(255), fc.integer({ min: 8, max: 255 }));
    await fc.assert(
      fc.asyncProperty(
        side,
        side,
        side,
        side,
        color,
        fc.constantFrom(...KERNELS),
        fc.boolean(),
        async (a, b, c, d, rgba, kernel, alpha) => {
          const flat = (width: number, height: number) =>
            paint(width, height, () => [...rgba.slice(0, 3), alpha ? rgba[3] : 255] as never);
          expect((await resized(flat(a, b), c, d, { kernel, opaque: !alpha })).data).toEqual(flat(c, d).data);
        },
      ),
      { numRuns: 60 },
    );
  });

  it("changes nothing at the same size, translucent pixels and every kernel included", async () => {
    const pixels = scene(37, 23, false);
    for (const kernel of KERNELS)
      expect((await resized(pixels, 37, 23, { kernel, opaque: false })).data).toEqual(pixels.data);
  });

  it("crops when the region already has the size", async () => {
    const pixels = scene(40, 30);
    const box = { x: 7, y: 5, width: 20, height: 12 };
    const expected = paint(
      20,
      12,
      (x, y) => pixels.data.subarray(((y + 5) * 40 + x + 7) * 4, ((y + 5) * 40 + x + 8) * 4) as never,
    );
    expect((await resized(pixels, 20, 12, { box })).data).toEqual(expected.data);
  });

  it("gives a mirrored picture for a mirrored picture", async () => {
    const pixels = scene(61, 20);
    for (const width of [13, 30, 61, 100]) {
      const straight = mirrored(await resized(pixels, width, 15));
      expect(largestDifference(await resized(mirrored(pixels), width, 15), straight)).toBeLessThanOrEqual(1);
    }
  });

  it("shifts nothing: the center of a ramp stays the center", async () => {
    const ramp = paint(101, 9, (x) => [x * 2, x * 2, x * 2, 255]);
    for (const width of [11, 33, 77, 101, 203]) {
      const { data } = await resized(ramp, width, 9, { kernel: "linear" });
      expect(Math.abs(sample(data, (4 * width + (width - 1) / 2) * 4) - 100)).toBeLessThanOrEqual(1);
    }
  });

  it("resamples a fractional region as the same region of a larger picture", async () => {
    const pixels = paint(64, 64, (x, y) => [2 * x + y, 3 * y, 128, 255]);
    const { data } = await resized(pixels, 20, 20, {
      kernel: "linear",
      box: { x: 10.25, y: 20.5, width: 20, height: 20 },
    });
    // A plane, so that every sample is known: pixel i is centered on 10.25 + i + 0.5, where level k lies at k + 0.5.
    for (const i of [3, 10, 16]) {
      expect(data[(i * 20 + i) * 4]).toBe(Math.round(2 * (10.25 + i) + 20.5 + i));
      expect(data[(i * 20 + i) * 4 + 1]).toBe(Math.round(3 * (20.5 + i)));
    }
  });

  it("lets nothing bleed in from outside the region", async () => {
    const pixels = paint(60, 60, (x, y) =>
      x >= 20 && x < 40 && y >= 20 && y < 40 ? [10, 200, 30, 255] : [255, 0, 255, 255],
    );
    const { data } = await resized(pixels, 7, 7, { box: { x: 20, y: 20, width: 20, height: 20 } });
    for (let i = 0; i < data.length; i += 4) expect([...data.subarray(i, i + 3)]).toEqual([10, 200, 30]);
  });

  it("averages light, not levels, when asked", async () => {
    const stripes = paint(64, 64, (x) => (x % 2 ? [255, 255, 255, 255] : [0, 0, 0, 255]));
    const middle = async (linear: boolean) => sample((await resized(stripes, 8, 8, { linear })).data, (4 * 8 + 4) * 4);
    expect(Math.abs((await middle(false)) - 128)).toBeLessThanOrEqual(1);
    expect(Math.abs((await middle(true)) - 188)).toBeLessThanOrEqual(1);
  });

  it("gives the same result however the rows come and go", async () => {
    const pixels = scene(83, 71);
    const whole = (await resized(pixels, 29, 90)).data;
    for (const most of [1, 2, 3, 16]) expect((await resized(pixels, 29, 90, { most })).data).toEqual(whole);
  });

  it("reduces a hundredfold close to the average of each block, in the memory it declares", async () => {
    const pixels = scene(1_600, 1_200);
    const before = memory();
    const { data } = await resized(pixels, 16, 12, { kernel: "linear" });
    const declared = resampleEstimate(pixels, { width: 16, height: 12 }).bytes;
    expect(memory() - before).toBeLessThanOrEqual(declared + 65_536);
    expect(declared).toBeLessThan(4_000_000);
    expect(data[(6 * 16 + 8) * 4 + 3]).toBe(255);
    expect(Math.abs(sample(data, (6 * 16 + 8) * 4 + 1) - (200 * 650) / 1_200 - 6)).toBeLessThanOrEqual(3);
  });

  it("frees everything, also when it is closed early", async () => {
    const pixels = scene(300, 200);
    await resized(pixels, 50, 40);
    const before = memory();
    for (let round = 0; round < 200; round++) {
      const rows = resample(rowsOf(pixels), {
        box: { x: 0, y: 0, width: 300, height: 200 },
        width: 99,
        height: 70,
        kernel: "mitchell",
      });
      await rows.read(16);
      rows.close();
      rows.close();
    }
    expect(memory()).toBe(before);
  });
});

function memory(): number {
  return nativeStatistics().find(({ name }) => name === "pixels")?.memoryBytes ?? 0;
}
