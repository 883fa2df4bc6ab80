/** The resampler's kernels, beside what they compute in plain numbers. */
import { describe, expect, it } from "vitest";

import { openResampler, type ResamplerOptions } from "../../wasm/pixels/resampler.ts";
import { noise, sample } from "../support/rows.ts";

/** One byte a sample. */
interface Plane {
  readonly width: number;
  readonly height: number;
  readonly data: Uint8Array;
}

type Options = Pick<ResamplerOptions, "box" | "last" | "width" | "height" | "kernel">;
type PixelKind = ResamplerOptions["pixels"];

const plane = (width: number, height: number): Plane => ({
  width,
  height,
  data: noise(width, height).data.filter((_, index) => index % 4 === 1),
});

/** @param most rows written and read at a time */
function resampled(source: Plane, options: Options, pixels: "gray" | "opaque", most = 16): Uint8Array {
  const data = pixels === "gray" ? source.data : Uint8Array.from(colored(source.data));
  return resampledBytes({ ...source, data }, options, pixels, most);
}

function resampledBytes(
  source: Plane,
  options: Options & { readonly linear?: boolean },
  pixels: PixelKind,
  most = 16,
): Uint8Array {
  const size = pixels === "gray" ? 1 : 4;
  const rowBytes = source.width * size;
  const resampler = openResampler({ sourceWidth: source.width, sourceHeight: source.height, pixels, ...options });
  const result = new Uint8Array(options.width * options.height * size);
  for (let at = 0, y = 0; at < result.length;) {
    const rows = resampler.read(most);
    result.set(rows, at);
    at += rows.length;
    const count = Math.min(most, resampler.room());
    if (count > 0) resampler.write(source.data.subarray(y * rowBytes, (y + count) * rowBytes));
    y += count;
  }
  resampler.close();
  return result;
}

function* colored(samples: Uint8Array): Iterable<number> {
  for (const level of samples) yield* [level, 255 - level, level >> 1, 255];
}

const WEIGHT_BITS = 14;
const FRACTION = 6;

const KERNELS = {
  lanczos3: (x: number) =>
    x === 0 ? 1 : (3 * Math.sin(Math.PI * x) * Math.sin((Math.PI * x) / 3)) / (Math.PI * x) ** 2,
  linear: (x: number) => 1 - x,
} as const;
const REACH = { lanczos3: 3, linear: 1 } as const;

/** The weights of the source samples for each result sample, from the first on, as taps.h defines them. */
function weightsOf(
  kernel: keyof typeof KERNELS,
  low: number,
  length: number,
  from: number,
  size: number,
  lastCenter: number,
): Map<number, number>[] {
  const stretch = Math.max(1, length / size);
  const [first, last] = [Math.max(0, Math.floor(low)), Math.min(from, Math.ceil(low + length)) - 1];
  return Array.from({ length: size }, (_, index) => {
    const center = Math.min(lastCenter, low + ((index + 0.5) * length) / size);
    const exact = new Map<number, number>();
    let sum = 0;
    const start = Math.floor(center - REACH[kernel] * stretch + 0.5);
    const end = Math.floor(center + REACH[kernel] * stretch + 0.5);
    for (let k = start; k < end; k++) {
      const distance = Math.abs((k + 0.5 - center) / stretch);
      const weight = distance < REACH[kernel] ? KERNELS[kernel](distance) : 0;
      const at = Math.min(last, Math.max(first, k));
      exact.set(at, (exact.get(at) ?? 0) + weight);
      sum += weight;
    }
    const weights = new Map([...exact].map(([at, weight]) => [at, Math.round((weight / sum) * 2 ** WEIGHT_BITS)]));
    const [largest] = [...weights].toSorted(([a, weightA], [b, weightB]) => weightB - weightA || a - b)[0] ?? [0];
    const total = [...weights.values()].reduce((all, weight) => all + weight, 0);
    return weights.set(largest, (weights.get(largest) ?? 0) + 2 ** WEIGHT_BITS - total);
  });
}

/** How many samples are averaged before they are filtered: only strong reductions do so (resample.h). */
const blockOf = (length: number, size: number) =>
  length / size < 8 ? 1 : Math.min(256, Math.floor(length / size / 4));

/** Blocks of samples, rounded to nearest; the last ones of a row or column are smaller where these do not divide. */
function averaged(samples: readonly number[], { width, height }: Size, block: { x: number; y: number }): number[] {
  const result: number[] = [];
  for (let top = 0; top < height; top += block.y)
    for (let left = 0; left < width; left += block.x) {
      const [right, bottom] = [Math.min(left + block.x, width), Math.min(top + block.y, height)];
      const area = (right - left) * (bottom - top);
      let sum = 0;
      for (let y = top; y < bottom; y++) for (let x = left; x < right; x++) sum += samples[y * width + x] ?? NaN;
      result.push(Math.floor((sum + Math.floor(area / 2)) / area));
    }
  return result;
}

const WHITE = 255 << FRACTION;

/** What the filters make of samples in fixed point, with WEIGHT_BITS more; clamped between them to `range`. */
function filtered(samples: readonly number[], source: Size, options: Options, [least, most]: Range): number[] {
  const { box, last, width, height, kernel } = options;
  if (kernel !== "lanczos3" && kernel !== "linear") throw new Error("not known here");
  const block = { x: blockOf(box.width, width), y: blockOf(box.height, height) };
  const [columns, rows] = [Math.ceil(source.width / block.x), Math.ceil(source.height / block.y)];
  const blocks = averaged(samples, source, block);
  const across = weightsOf(
    kernel,
    box.x / block.x,
    box.width / block.x,
    columns,
    width,
    (last?.x ?? Infinity) / block.x,
  );
  const down = weightsOf(kernel, box.y / block.y, box.height / block.y, rows, height, (last?.y ?? Infinity) / block.y);
  const apply = (weights: ReadonlyMap<number, number>, at: (index: number) => number) => {
    let sum = 0;
    for (const [index, weight] of weights) sum += weight * at(index);
    return sum;
  };
  return down.flatMap((weights) => {
    const row = Array.from({ length: columns }, (_, x) =>
      clamp(
        rounded(
          apply(weights, (y) => blocks[y * columns + x] ?? NaN),
          WEIGHT_BITS,
        ),
        least,
        most,
      ),
    );
    return across.map((taps) => apply(taps, (x) => row[x] ?? NaN));
  });
}

type Size = Pick<Plane, "width" | "height">;
type Range = readonly [least: number, most: number];

const clamp = (value: number, least: number, most: number) => Math.min(most, Math.max(least, value));
const rounded = (value: number, bits: number) => Math.floor((value + 2 ** (bits - 1)) / 2 ** bits);

function reference(source: Plane, options: Options): Uint8Array {
  const samples = Array.from(source.data, (level) => level << FRACTION);
  const sums = filtered(samples, source, options, [0, WHITE]);
  return Uint8Array.from(sums, (sum) => clamp(rounded(sum, WEIGHT_BITS + FRACTION), 0, 255));
}

const channelOf = (data: Uint8Array, channel: number) => data.filter((_, index) => index % 4 === channel);

/** Premultiplied, filtered without clamping, and divided in 32-bit floats. */
function referenceOfAlpha(source: Plane, options: Options): Uint8Array {
  const unclamped = [-32_768, 32_767] as const;
  const alphas = channelOf(source.data, 3);
  const planes = [0, 1, 2, 3].map((channel) => {
    const samples = Array.from(channel === 3 ? alphas.map(() => 255) : channelOf(source.data, channel), (level, at) => {
      const product = level * sample(alphas, at);
      return (product + (product >> 8) + 2) >> 2;
    });
    return filtered(samples, source, options, unclamped);
  });
  const [, , , opacity = []] = planes;
  const { fround } = Math;
  return Uint8Array.from(
    opacity.flatMap((sum, at) => {
      const alpha = clamp(Math.trunc(fround(fround(fround(sum) / 2 ** 20) + 0.5)), 0, 255);
      if (alpha === 0) return [0, 0, 0, 0];
      const colors = planes.slice(0, 3).map((plane) => {
        const straight = fround(fround(fround(plane[at] ?? NaN) * 255) / fround(sum));
        return clamp(Math.trunc(fround(straight + 0.5)), 0, 255);
      });
      return [...colors, alpha];
    }),
  );
}

/** Opaque colors of levels 0 and 255, which are 0 and 1 in linear light. */
function referenceOfLight(source: Plane, options: Options): Uint8Array {
  const toLevel = (light: number) => (light <= 0.0031308 ? light * 12.92 : 1.055 * light ** (1 / 2.4) - 0.055);
  const planes = [0, 1, 2].map((channel) => {
    const samples = Array.from(channelOf(source.data, channel), (level) => level << FRACTION);
    return filtered(samples, source, options, [0, WHITE]);
  });
  const [first = []] = planes;
  const levelOf = (sum: number) => {
    const light = clamp(Math.trunc(Math.fround(Math.fround(sum) / 2 ** WEIGHT_BITS + 0.5)), 0, WHITE);
    return Math.round(toLevel(light / WHITE) * 255);
  };
  return Uint8Array.from(first.flatMap((_, at) => [...planes.map((plane) => levelOf(plane[at] ?? NaN)), 255]));
}

/** Reductions by 8 and more in one direction or both, to blocks of 2 and up, most of them with narrower ones at the end. */
const STRONG: readonly (readonly [from: Size, width: number, height: number])[] = [
  [{ width: 200, height: 160 }, 20, 16],
  [{ width: 300, height: 30 }, 30, 30],
  [{ width: 40, height: 500 }, 40, 31],
  [{ width: 127, height: 121 }, 9, 8],
  [{ width: 131, height: 67 }, 10, 5],
  [{ width: 97, height: 9 }, 2, 1],
  [{ width: 1_100, height: 40 }, 1, 3],
  [{ width: 5, height: 350 }, 5, 1],
];

const whole = ({ width, height }: Size) => ({ x: 0, y: 0, width, height });

describe("the resampler of one channel", () => {
  it.each([
    ["half", 64, 48, 32, 24],
    ["a little less, odd sizes", 67, 41, 61, 37],
    ["less across", 131, 9, 23, 9],
    ["a seventh", 140, 70, 20, 10],
    ["more", 19, 13, 50, 43],
    ["one sample of some", 7, 5, 1, 1],
    ["many of one", 1, 1, 9, 7],
    ["the same", 21, 18, 21, 18],
  ])("gives what plain numbers give: %s", (_name, width, height, toWidth, toHeight) => {
    const source = plane(width, height);
    for (const kernel of ["lanczos3", "linear"] as const) {
      const options = { box: whole(source), width: toWidth, height: toHeight, kernel };
      expect(resampled(source, options, "gray")).toEqual(reference(source, options));
    }
  });

  it("does so for a region, also for one that goes on beyond the edges", () => {
    const source = plane(90, 60);
    for (const box of [
      { x: 3.25, y: 7.5, width: 70.5, height: 40 },
      { x: 0, y: 0, width: 110, height: 75 },
    ]) {
      const options = { box, width: 41, height: 30, kernel: "lanczos3" } as const;
      expect(resampled(source, options, "gray")).toEqual(reference(source, options));
    }
  });

  it("repeats the last sample that may be computed", () => {
    const source = plane(50, 30);
    const box = { x: 0, y: 0, width: 64, height: 40 };
    const options = { box, last: { x: 49, y: 28.5 }, width: 32, height: 20, kernel: "lanczos3" } as const;
    const result = resampled(source, options, "gray");
    expect(result).toEqual(reference(source, options));
    for (let y = 0; y < 20; y++) {
      const [last, ...beyond] = result.subarray(y * 32 + 24, y * 32 + 32);
      for (const level of beyond) expect(level).toBe(last);
    }
  });

  it("gives the same whatever number of rows come and go at a time", () => {
    const source = plane(70, 90);
    const options = { box: whole(source), width: 33, height: 50, kernel: "lanczos3" } as const;
    const expected = resampled(source, options, "gray");
    for (const most of [1, 2, 3, 5, 7]) expect(resampled(source, options, "gray", most)).toEqual(expected);
  });

  it("averages blocks first where it makes a picture much smaller", () => {
    for (const [from, width, height] of STRONG) {
      const source = plane(from.width, from.height);
      const options = { box: whole(source), width, height, kernel: "lanczos3" } as const;
      expect(resampled(source, options, "gray")).toEqual(reference(source, options));
    }
  });

  it("takes rows that lie apart", () => {
    const source = plane(40, 24);
    const options = { box: { x: 0, y: 0, width: 30, height: 24 }, width: 15, height: 12, kernel: "lanczos3" } as const;
    const apart = openResampler({ ...options, sourceWidth: 30, sourceHeight: 24, pixels: "gray" });
    apart.write(source.data.subarray(0, 16 * 40 - 10), 40);
    const rows = apart.read(4).slice();
    apart.close();
    expect(rows).toEqual(resampled(source, options, "gray").subarray(0, rows.length));
    expect(rows.length).toBeGreaterThan(0);
  });
});

describe("strong reductions of colors", () => {
  const options = (from: Size, width: number, height: number) =>
    ({ box: whole(from), width, height, kernel: "lanczos3" }) as const;

  it("give each channel what a plane of it gives", () => {
    for (const [from, width, height] of STRONG) {
      const { data } = noise(from.width, from.height, true);
      const result = resampledBytes({ ...from, data }, options(from, width, height), "opaque");
      for (const channel of [0, 1, 2])
        expect(channelOf(result, channel)).toEqual(
          reference({ ...from, data: channelOf(data, channel) }, options(from, width, height)),
        );
      expect(new Set(channelOf(result, 3))).toEqual(new Set([255]));
    }
  });

  it("weigh colors by their alpha", () => {
    for (const [from, width, height] of STRONG) {
      const source = { ...from, data: noise(from.width, from.height, false).data };
      const result = resampledBytes(source, options(from, width, height), "rgba");
      expect(result).toEqual(referenceOfAlpha(source, options(from, width, height)));
    }
  });

  it("average light where that is asked for", () => {
    for (const [from, width, height] of STRONG) {
      const { data } = noise(from.width, from.height, true);
      const source = { ...from, data: data.map((level) => (level < 128 ? 0 : 255)) };
      const result = resampledBytes(source, { ...options(from, width, height), linear: true }, "opaque");
      expect(result).toEqual(referenceOfLight(source, options(from, width, height)));
    }
  });
});
