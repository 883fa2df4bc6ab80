/** The kernels for planes of one channel, beside what they compute in plain numbers. */
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

const plane = (width: number, height: number): Plane => ({
  width,
  height,
  data: noise(width, height).data.filter((_, index) => index % 4 === 1),
});

/** @param most rows written and read at a time */
function resampled(source: Plane, options: Options, pixels: "gray" | "opaque", most = 16): Uint8Array {
  const size = pixels === "gray" ? 1 : 4;
  const rowBytes = source.width * size;
  const data = pixels === "gray" ? source.data : Uint8Array.from(colored(source.data));
  const resampler = openResampler({ sourceWidth: source.width, sourceHeight: source.height, pixels, ...options });
  const result = new Uint8Array(options.width * options.height * size);
  for (let at = 0, y = 0; at < result.length;) {
    const rows = resampler.read(most);
    result.set(rows, at);
    at += rows.length;
    const count = Math.min(most, resampler.room());
    if (count > 0) resampler.write(data.subarray(y * rowBytes, (y + count) * rowBytes));
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
    const rounded = new Map([...exact].map(([at, weight]) => [at, Math.round((weight / sum) * 2 ** WEIGHT_BITS)]));
    const [largest] = [...rounded].toSorted(([a, weightA], [b, weightB]) => weightB - weightA || a - b)[0] ?? [0];
    const total = [...rounded.values()].reduce((all, weight) => all + weight, 0);
    return rounded.set(largest, (rounded.get(largest) ?? 0) + 2 ** WEIGHT_BITS - total);
  });
}

const clamp = (value: number, most: number) => Math.min(most, Math.max(0, value));

function reference(source: Plane, { box, last, width, height, kernel }: Options): Uint8Array {
  if (kernel !== "lanczos3" && kernel !== "linear") throw new Error("not known here");
  const down = weightsOf(kernel, box.y, box.height, source.height, height, last?.y ?? Infinity);
  const across = weightsOf(kernel, box.x, box.width, source.width, width, last?.x ?? Infinity);
  const apply = (weights: ReadonlyMap<number, number>, shift: number, most: number, at: (index: number) => number) => {
    let sum = 2 ** (shift - 1);
    for (const [index, weight] of weights) sum += weight * at(index);
    return clamp(Math.floor(sum / 2 ** shift), most);
  };
  const rows = down.map((weights) =>
    Array.from({ length: source.width }, (_, x) =>
      apply(weights, WEIGHT_BITS - FRACTION, 255 << FRACTION, (y) => sample(source.data, y * source.width + x)),
    ),
  );
  return new Uint8Array(
    rows.flatMap((row) => across.map((weights) => apply(weights, WEIGHT_BITS + FRACTION, 255, (x) => row[x] ?? 0))),
  );
}

const whole = ({ width, height }: Plane) => ({ x: 0, y: 0, width, height });

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

  it.each([
    [200, 160, 20, 16],
    [300, 30, 30, 30],
    [40, 500, 40, 31],
  ])(
    "gives each channel of colors where blocks are averaged first: %i x %i to %i x %i",
    (width, height, toWidth, toHeight) => {
      const source = plane(width, height);
      const options = { box: whole(source), width: toWidth, height: toHeight, kernel: "lanczos3" } as const;
      const colors = resampled(source, options, "opaque").filter((_, index) => index % 4 === 0);
      expect(resampled(source, options, "gray")).toEqual(colors);
    },
  );

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
