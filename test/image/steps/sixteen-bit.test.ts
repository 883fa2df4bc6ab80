/** Rows of 16 bits a sample are cut, turned and resized. */
import { describe, expect, it } from "vitest";

import { toSrgb } from "../../../src/image/codec/convert-colors.ts";
import { ownTimeSlice, paced } from "../../../src/image/codec/metered-rows.ts";
import { profileOfCodePoints } from "../../../src/image/color/code-points.ts";
import { displayP3 } from "../../../src/image/color/space.ts";
import { type Orientation, turnOf, turnSize } from "../../../src/image/pixels/geometry.ts";
import { crop } from "../../../src/image/steps/crop.ts";
import type { Kernel } from "../../../src/image/steps/operation.ts";
import { resample } from "../../../src/image/steps/resample.ts";
import { needsStrips, turnByStrips } from "../../../src/image/steps/turn-strips.ts";
import { turn, turnEstimate } from "../../../src/image/steps/turn.ts";
import { UNPAUSED } from "../../../src/scheduler/time-slice.ts";
import {
  type SixteenBitPixels,
  sixteenBitRowsOf,
  sixteenBitScene,
  drain,
  drainSixteenBit,
  paintSixteenBit,
  rowsOf,
} from "../../support/rows.ts";

const FULL = 65_535;
const ORIENTATIONS: readonly Orientation[] = [1, 2, 3, 4, 5, 6, 7, 8];

const colorAt = ({ width, samples }: SixteenBitPixels, x: number, y: number) =>
  [...samples.subarray((y * width + x) * 4, (y * width + x) * 4 + 4)] as [number, number, number, number];

function turned(pixels: SixteenBitPixels, orientation: Orientation): SixteenBitPixels {
  const { transpose, flipX, flipY } = turnOf(orientation);
  const { width, height } = turnSize(pixels, orientation);
  return paintSixteenBit(width, height, (x, y) => {
    const acrossX = flipX ? width - 1 - x : x;
    const acrossY = flipY ? height - 1 - y : y;
    return transpose ? colorAt(pixels, acrossY, acrossX) : colorAt(pixels, acrossX, acrossY);
  });
}

describe("16-bit rows", () => {
  const pixels = sixteenBitScene(53, 41, false);

  it.each([
    { x: 0, y: 0, width: 53, height: 41 },
    { x: 7, y: 3, width: 30, height: 20 },
    { x: 52, y: 40, width: 1, height: 1 },
  ])("keep every sample where they are cut: %o", async (box) => {
    const expected = paintSixteenBit(box.width, box.height, (x, y) => colorAt(pixels, x + box.x, y + box.y));
    expect(await drainSixteenBit(crop(sixteenBitRowsOf(pixels, false, 5), box), 7)).toEqual(expected);
  });

  it.each(ORIENTATIONS)("lie as their orientation says: %i", async (orientation) => {
    expect(await drainSixteenBit(turn(sixteenBitRowsOf(pixels, false, 5), orientation), 7)).toEqual(
      turned(pixels, orientation),
    );
  });

  it.each(ORIENTATIONS.slice(1))("lie so by strips: %i", async (orientation) => {
    const box = { x: 2, y: 1, width: 50, height: 38 };
    const openRegion = async (region: typeof box) => crop(sixteenBitRowsOf(pixels, false), region);
    const strips = turnByStrips(openRegion, {
      box,
      orientation,
      opaque: false,
      sixteenBit: true,
      maxStripBytes: 8 * 50 * 16,
    });
    expect(await drainSixteenBit(strips)).toEqual(
      await drainSixteenBit(turn(crop(sixteenBitRowsOf(pixels, false), box), orientation)),
    );
  });

  it("take twice the memory to be turned", () => {
    const size = { width: 2_000, height: 2_500 };
    expect(turnEstimate({ ...size, sixteenBit: true }, 6).bytes).toBe(2 * turnEstimate(size, 6).bytes);
    expect(needsStrips(size, 6)).toBe(false);
    expect(needsStrips({ ...size, sixteenBit: true }, 6)).toBe(true);
  });

  it("declare all that they take", async () => {
    let spentMs = 0;
    const timeSlice = { ...UNPAUSED, spend: (ms: number) => void (spentMs += ms) };
    await drain(paced(sixteenBitRowsOf(pixels, false, 5), 82, timeSlice, ownTimeSlice(timeSlice)));
    expect(spentMs).toBeCloseTo(82, 5);
  });
});

const REACH = { lanczos3: 3, linear: 1 } as const;
const WEIGHT = {
  lanczos3: (x: number) =>
    x === 0 ? 1 : (3 * Math.sin(Math.PI * x) * Math.sin((Math.PI * x) / 3)) / (Math.PI * x) ** 2,
  linear: (x: number) => 1 - x,
};

/** The samples of a line at another length, each as what pixels it is made of weigh, as taps.h defines it. */
function filtered(kernel: keyof typeof REACH, low: number, length: number, from: number, size: number) {
  const stretch = Math.max(1, length / size);
  const [first, last] = [Math.max(0, Math.floor(low)), Math.min(from, Math.ceil(low + length)) - 1];
  return (line: (at: number) => number, index: number): number => {
    const center = low + ((index + 0.5) * length) / size;
    let [sum, weights] = [0, 0];
    const end = Math.floor(center + REACH[kernel] * stretch + 0.5);
    for (let at = Math.floor(center - REACH[kernel] * stretch + 0.5); at < end; at++) {
      const distance = Math.abs(at + 0.5 - center) / stretch;
      const weight = distance < REACH[kernel] ? WEIGHT[kernel](distance) : 0;
      sum += weight * line(Math.min(last, Math.max(first, at)));
      weights += weight;
    }
    return sum / weights;
  };
}

interface Resizing {
  readonly box: { readonly x: number; readonly y: number; readonly width: number; readonly height: number };
  readonly width: number;
  readonly height: number;
  readonly kernel: Kernel & keyof typeof REACH;
}

const toLight = (v: number) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
const fromLight = (v: number) => (v <= 0.0031308 ? v * 12.92 : 1.055 * v ** (1 / 2.4) - 0.055);
const within = (v: number) => Math.min(1, Math.max(0, v));

/** What resizing is by definition, in double precision, not rounded. */
function resized(pixels: SixteenBitPixels, resizing: Resizing, { opaque = true, linear = false } = {}): number[] {
  const { box, width, height, kernel } = resizing;
  const across = filtered(kernel, box.x, box.width, pixels.width, width);
  const down = filtered(kernel, box.y, box.height, pixels.height, height);
  const premultiplied = (x: number, y: number, channel: number) => {
    const color = colorAt(pixels, x, y);
    const level = (color[channel] ?? 0) / FULL;
    if (channel === 3) return level;
    return (linear ? toLight(level) : level) * (color[3] / FULL);
  };
  const plane = (channel: number) => {
    const rows = Array.from({ length: pixels.height }, (_, y) =>
      Array.from({ length: width }, (__, x) => {
        const value = across((at) => premultiplied(at, y, channel), x);
        return opaque ? within(value) : value;
      }),
    );
    return Array.from({ length: height * width }, (_, at) =>
      down((y) => rows[y]?.[at % width] ?? 0, Math.floor(at / width)),
    );
  };
  const [red = [], green = [], blue = [], alpha = []] = [0, 1, 2, 3].map(plane);
  return alpha.flatMap((share, at) => {
    const level = (value = 0) => (linear ? fromLight(within(value / share)) : within(value / share)) * FULL;
    return within(share) * FULL < 0.5
      ? [0, 0, 0, 0]
      : [...[red, green, blue].map((one) => level(one[at])), within(share) * FULL];
  });
}

/** How far samples are from what they should be, at most, in levels of 65,535. */
function farthest(samples: Uint16Array, exact: readonly number[]): number {
  return exact.reduce((most, value, at) => Math.max(most, Math.abs(value - (samples[at] ?? Infinity))), 0);
}

const RESIZINGS: readonly Resizing[] = [
  { box: { x: 0, y: 0, width: 97, height: 61 }, width: 31, height: 20, kernel: "lanczos3" },
  { box: { x: 3.4, y: 2.7, width: 80.2, height: 50.1 }, width: 40, height: 33, kernel: "lanczos3" },
  { box: { x: 10, y: 5, width: 20, height: 10 }, width: 70, height: 43, kernel: "lanczos3" },
  { box: { x: 0, y: 0, width: 97, height: 61 }, width: 4, height: 3, kernel: "lanczos3" },
  { box: { x: 0, y: 0, width: 97, height: 61 }, width: 50, height: 50, kernel: "linear" },
];

describe("resizing 16-bit rows", () => {
  it.each(RESIZINGS)("is within rounding of the definition: %o", async (resizing) => {
    const opaque = sixteenBitScene(97, 61);
    const made = await drainSixteenBit(resample(sixteenBitRowsOf(opaque, true, 5), resizing), 7);
    expect(farthest(made.samples, resized(opaque, resizing))).toBeLessThan(0.6);
  });

  it.each(RESIZINGS)("is so in linear light: %o", async (resizing) => {
    const opaque = sixteenBitScene(97, 61);
    const made = await drainSixteenBit(resample(sixteenBitRowsOf(opaque), { ...resizing, linear: true }));
    expect(farthest(made.samples, resized(opaque, resizing, { linear: true }))).toBeLessThan(0.6);
  });

  it.each(RESIZINGS)("is so where something shows through: %o", async (resizing) => {
    // Alpha from a quarter on: where there is next to none, a rounding of it is any color.
    const { samples, ...size } = sixteenBitScene(97, 61, false);
    const translucent = {
      ...size,
      samples: samples.map((sample, at) => (at % 4 === 3 ? 16_384 + sample / 2 : sample)),
    };
    const made = await drainSixteenBit(resample(sixteenBitRowsOf(translucent, false), resizing));
    expect(farthest(made.samples, resized(translucent, resizing, { opaque: false }))).toBeLessThan(0.6);
  });

  it("leaves no color where nothing is to be seen", async () => {
    const resizing = { box: { x: 0, y: 0, width: 20, height: 20 }, width: 7, height: 7, kernel: "lanczos3" } as const;
    const hidden = paintSixteenBit(20, 20, () => [60_000, 40_000, 20_000, 0]);
    const { samples } = await drainSixteenBit(resample(sixteenBitRowsOf(hidden, false), resizing));
    expect(samples.every((sample) => sample === 0)).toBe(true);
  });

  it("shows what resizing 8 bits does", async () => {
    const sixteenBit = sixteenBitScene(300, 200);
    const shallow = {
      width: 300,
      height: 200,
      data: Uint8Array.from(sixteenBit.samples, (sample) => Math.round(sample / 257)),
    };
    const exact = { ...sixteenBit, samples: Uint16Array.from(shallow.data, (level) => level * 257) };
    const options = {
      box: { x: 0, y: 0, width: 300, height: 200 },
      width: 77,
      height: 51,
      kernel: "lanczos3",
    } as const;
    const { samples } = await drainSixteenBit(resample(sixteenBitRowsOf(exact), options));
    const { data } = await drain(resample(rowsOf(shallow), options));
    const farthestLevel = data.reduce(
      (most, level, at) => Math.max(most, Math.abs(level - (samples[at] ?? 0) / 257)),
      0,
    );
    expect(farthestLevel).toBeLessThan(1.1);
  });
});

describe("16-bit rows in other colors", () => {
  it.each([400, 20_000])("become sRGB as those of 8 bits do, %i pixels wide", async (width) => {
    const { samples, ...size } = sixteenBitScene(width, 5, false);
    const data = Uint8Array.from(samples, (sample) => Math.round(sample / 257));
    const exact = { ...size, samples: Uint16Array.from(data, (level) => level * 257) };
    const { profile } = displayP3();
    const sixteenBit = await drainSixteenBit(toSrgb(sixteenBitRowsOf(exact, false), profile, "RGB"));
    const shallow = await drain(toSrgb(rowsOf({ ...size, data }, false), profile, "RGB"));
    const apart = shallow.data.map((level, at) =>
      Math.abs(level - (sixteenBit.samples[at] ?? 0) / 257) > 0.8 ? 1 : 0,
    );
    expect(apart.some(Boolean)).toBe(false);
  });

  it("become sRGB from gray", async () => {
    const gray = paintSixteenBit(256, 2, (x) => [x * 257, x * 257, x * 257, 65_535]);
    const profile = profileOfCodePoints(1, 8, true);
    if (!(profile instanceof Uint8Array)) throw new Error("linear light has a profile");
    const { samples } = await drainSixteenBit(toSrgb(sixteenBitRowsOf(gray), profile, "Gray"));
    for (let level = 0; level < 256; level++) {
      const expected = fromLight(level / 255) * FULL;
      expect(Math.abs((samples[level * 4 + 1] ?? 0) - expected)).toBeLessThan(16);
    }
  });
});
