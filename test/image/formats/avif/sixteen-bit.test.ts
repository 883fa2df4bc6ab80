/** AVIF pictures of high dynamic range that stay what they are: samples of 10 bits, with their own code points. */
import { describe, expect, it } from "vitest";

import { checked } from "../../../../src/contract/message.ts";
import type { EncodeSettings } from "../../../../src/image/codec/writer.ts";
import type { CodePoints } from "../../../../src/image/color/code-points.ts";
import { avif } from "../../../../src/image/formats/avif.ts";
import { av1 } from "../../../../src/image/formats/avif/codec.ts";
import { readImage } from "../../../../src/image/formats/heif/overlay.ts";
import { type OperationName, OPERATIONS } from "../../../../src/image/operations.ts";
import { stillPicture } from "../../../../src/image/pixels/picture.ts";
import { bytesPerPixel, type Rows } from "../../../../src/image/pixels/rows.ts";
import type { SingleOrder } from "../../../../src/image/render/order.ts";
import type { OperationRow } from "../../../../src/image/steps/operation.ts";
import { UNPAUSED } from "../../../../src/scheduler/time-slice.ts";
import { av1EncodeHeap } from "../../../../wasm/av1-encode/module.ts";
import rec2020 from "../../../fixtures/avif/colors_hdr_rec2020.avif";
import p3 from "../../../fixtures/avif/cosmos1650_yuv444_10bpc_p3pq.avif";
import { rendered } from "../../../support/render.ts";

const SETTINGS = { lossless: false, quality: 90, progressive: false, effort: 0.5, subsample: "4:4:4" } as const;
const PQ: CodePoints = { primaries: 9, transfer: 16 };

interface SixteenBit {
  readonly width: number;
  readonly height: number;
  readonly data: Uint16Array;
}

/** Slow waves of all levels, one for each channel, with alpha that comes to be less to the right. */
function waves(width: number, height: number, opaque = true): SixteenBit {
  const data = new Uint16Array(width * height * 4);
  for (let at = 0; at < width * height; at++) {
    const [x, y] = [at % width, Math.floor(at / width)];
    const level = (period: number) => Math.round(32_767.5 * (1 + Math.sin((x + 2 * y) / period)));
    data.set([level(23), level(37), level(51), opaque ? 65_535 : Math.round((65_535 * (width - x)) / width)], at * 4);
  }
  return { width, height, data };
}

function rowsOf({ width, height, data }: SixteenBit, opaque: boolean): Rows {
  let y = 0;
  return {
    width,
    height,
    opaque,
    sixteenBit: true,
    async read(max) {
      const count = Math.min(max, height - y);
      if (count === 0) return null;
      y += count;
      return new Uint8Array(data.buffer, (y - count) * width * 8, count * width * 8);
    },
    close() {},
  };
}

function encode(pixels: SixteenBit, settings: EncodeSettings, opaque = true, codePoints = PQ): Promise<Uint8Array> {
  const { width, height } = pixels;
  const space = { profile: new Uint8Array(), isP3: false, codePoints };
  return avif.write.encode(
    stillPicture({ width, height, opaque, space, bits: 10 }, () => rowsOf(pixels, opaque)),
    settings,
    UNPAUSED,
  );
}

/** Samples of a file as they are, whatever they mean. */
async function decode(bytes: Uint8Array): Promise<SixteenBit> {
  const facts = avif.read.factsOf(bytes);
  const { width, height } = facts;
  const demand = { box: { x: 0, y: 0, width, height }, width, height, sixteenBit: true };
  for await (const { rows } of avif.read.open(bytes, facts, demand, UNPAUSED)) {
    const data = new Uint16Array(width * height * 4);
    const written = new Uint8Array(data.buffer);
    let at = 0;
    for (let band = await rows.read(16); band; band = await rows.read(16)) {
      written.set(band, at);
      at += band.length;
    }
    expect(at).toBe(width * height * bytesPerPixel(rows));
    return { width, height, data };
  }
  throw new Error("there is no picture");
}

/** The largest difference of samples and the mean one, of 65,535. */
function difference(one: SixteenBit, other: SixteenBit): { readonly most: number; readonly mean: number } {
  expect([other.width, other.height]).toEqual([one.width, one.height]);
  let [most, sum] = [0, 0];
  for (const [at, sample] of one.data.entries()) {
    const off = Math.abs(sample - (other.data[at] ?? 0));
    most = Math.max(most, off);
    sum += off;
  }
  return { most, mean: sum / one.data.length };
}

function region({ width, data }: SixteenBit, box: { x: number; y: number; width: number; height: number }): SixteenBit {
  const cut = new Uint16Array(box.width * box.height * 4);
  for (let y = 0; y < box.height; y++) {
    const from = ((box.y + y) * width + box.x) * 4;
    cut.set(data.subarray(from, from + box.width * 4), y * box.width * 4);
  }
  return { width: box.width, height: box.height, data: cut };
}

/** What a file says of its samples, in the container and in the bitstream. */
function said(bytes: Uint8Array) {
  const image = readImage(bytes, av1);
  if ("parts" in image) throw new Error("an overlay");
  const { color, alpha, colors } = image;
  return {
    bits: color.headers.bits,
    alphaBits: alpha?.headers.bits,
    primaries: colors.primaries,
    transfer: colors.transfer,
    matrix: colors.samples?.matrix,
  };
}

async function result(
  file: Uint8Array,
  options: Pick<Partial<SingleOrder>, "output" | "optimize"> & { readonly operations?: object } = {},
) {
  const operations = Object.entries(options.operations ?? {}).map(([name, params]) => {
    const row: OperationRow = OPERATIONS[name as OperationName];
    return [name, checked(row.params, params)] as const;
  });
  const output = { hdr: "keep", format: "avif", ...options.output } as const;
  return (await rendered(file, { ...options, operations: Object.fromEntries(operations), output })).output;
}

/** A level of 10 bits, of 65,535. */
const LEVEL = 65_535 / 1_023;

describe("16-bit rows as AVIF", () => {
  it("have 10 bits, alpha too, and code points in the container", async () => {
    const file = await encode(waves(90, 70, false), SETTINGS, false, { primaries: 12, transfer: 18 });
    expect(said(file)).toEqual({ bits: 10, alphaBits: 10, primaries: 12, transfer: 18, matrix: 9 });
    expect(avif.read.factsOf(file)).toMatchObject({ depth: 40, bits: 10, highDynamicRange: true });
  });

  it("keep every sample of 10 bits without loss", async () => {
    const pixels = waves(67, 41, false);
    const file = await encode(pixels, { ...SETTINGS, lossless: true }, false);
    expect(said(file)).toMatchObject({ bits: 10, matrix: 0 });
    const ten = (sample: number) => Math.round((Math.round((sample * 1_023) / 65_535) * 65_535) / 1_023);
    expect(difference(await decode(file), { ...pixels, data: pixels.data.map(ten) }).most).toBeLessThanOrEqual(1);
  });

  it.each(["4:4:4", "4:2:0"] as const)("come close with loss, chroma %s", async (subsample) => {
    for (const [width, height] of [
      [200, 150],
      [131, 77],
    ] as const) {
      const pixels = waves(width, height);
      const { mean } = difference(await decode(await encode(pixels, { ...SETTINGS, subsample })), pixels);
      expect(mean).toBeLessThan(4 * LEVEL);
    }
  });

  it("take no more memory than they declare, and leave none behind", async () => {
    await encode(waves(8, 8), SETTINGS);
    const before = av1EncodeHeap().used;
    const { width, height, data } = waves(300, 200, false);
    crypto.getRandomValues(data.subarray(0, 32_768));
    data.copyWithin(32_768, 0);
    for (const opaque of [true, false]) {
      for (const settings of [
        { ...SETTINGS, quality: 100 },
        { ...SETTINGS, lossless: true },
        { ...SETTINGS, effort: 0 },
      ]) {
        av1EncodeHeap(true);
        await encode({ width, height, data }, settings, opaque);
        const { peak, used } = av1EncodeHeap();
        expect(used).toBe(before);
        const space = { profile: new Uint8Array(), isP3: false, codePoints: PQ };
        const picture = { width, height, opaque, frames: 1, bits: 10, space };
        expect(peak - before).toBeLessThanOrEqual(avif.write.estimate(picture, settings).bytes);
      }
    }
  });

  it("are tiles of one picture where they are many", async () => {
    const pixels = waves(1_300, 1_100);
    const { mean } = difference(await decode(await encode(pixels, { ...SETTINGS, quality: 70, effort: 0 })), pixels);
    expect(mean).toBeLessThan(6 * LEVEL);
  });
});

describe("pictures of high dynamic range in 10 bits, with output.hdr: keep", () => {
  const pq = new Uint8Array(rec2020);
  const cosmos = new Uint8Array(p3);

  it("stay what they are through crops and turns", async () => {
    const box = { x: 301, y: 50, width: 160, height: 120 };
    const operations = { crop: box, rotate: { angle: 180 } };
    const { bytes } = await result(cosmos, { operations, output: { quality: 95 } });
    expect(said(bytes)).toEqual({ bits: 10, alphaBits: undefined, primaries: 12, transfer: 16, matrix: 9 });
    // Turned first, it is cut at the other end.
    const { width, height } = await decode(cosmos);
    const opposite = { ...box, x: width - box.x - box.width, y: height - box.y - box.height };
    const wanted = region(await decode(cosmos), opposite);
    const turned = new Uint16Array(wanted.data.length);
    for (let at = 0; at < turned.length; at += 4) {
      turned.set(wanted.data.subarray(at, at + 4), turned.length - 4 - at);
    }
    expect(difference(await decode(bytes), { ...wanted, data: turned }).mean).toBeLessThan(8 * LEVEL);
  });

  it("keep HLG, and alpha", async () => {
    const file = await encode(waves(120, 80, false), SETTINGS, false, { primaries: 9, transfer: 18 });
    const { bytes } = await result(file, { operations: { flip: { horizontal: true } }, output: { quality: 90 } });
    expect(said(bytes)).toEqual({ bits: 10, alphaBits: 10, primaries: 9, transfer: 18, matrix: 9 });
    const [from, made] = [await decode(file), await decode(bytes)];
    for (const x of [0, 30, 90]) {
      const [left, right] = [from.data[x * 4 + 3] ?? 0, made.data[(119 - x) * 4 + 3] ?? 0];
      expect(Math.abs(left - right)).toBeLessThan(8 * LEVEL);
    }
  });

  it("are resized as their samples are coded", async () => {
    const file = await encode(waves(120, 80), { ...SETTINGS, quality: 95 });
    const { bytes } = await result(file, { operations: { resize: { width: 60 } }, output: { quality: 95 } });
    expect(said(bytes)).toMatchObject({ bits: 10, transfer: 16 });
    const [from, made] = [await decode(file), await decode(bytes)];
    expect([made.width, made.height]).toEqual([60, 40]);
    const sums = made.data.map((_, at) => {
      const [x, y] = [(at >> 2) % 60, Math.floor(at / 240)];
      const sample = (column: number, row: number) =>
        from.data[((2 * y + row) * 120 + 2 * x + column) * 4 + (at & 3)] ?? 0;
      return Math.round((sample(0, 0) + sample(1, 0) + sample(0, 1) + sample(1, 1)) / 4);
    });
    expect(difference(made, { ...made, data: sums }).mean).toBeLessThan(8 * LEVEL);
  });

  it("lose nothing of their 10 bits without loss", async () => {
    const operations = { crop: { x: 5, y: 7, width: 101, height: 83 } };
    const { bytes } = await result(pq, { operations, optimize: { lossless: true } });
    expect(said(bytes)).toMatchObject({ bits: 10, primaries: 9, transfer: 16, matrix: 0 });
    const wanted = region(await decode(pq), operations.crop);
    expect(difference(await decode(bytes), wanted).most).toBeLessThanOrEqual(LEVEL / 2 + 1);
  });

  it("look on an ordinary screen as good as a preset promises", async () => {
    const operations = { crop: { x: 200, y: 0, width: 320, height: 240 } };
    const { score } = await result(cosmos, { operations });
    expect(score).toBeGreaterThanOrEqual(75);
    expect(score).toBeLessThan(80);
  });

  it("have at most the bytes that are asked for", async () => {
    const operations = { crop: { x: 200, y: 0, width: 320, height: 240 } };
    const { bytes } = await result(cosmos, { operations, optimize: { lossless: false, target_bytes: 4_000 } });
    expect(said(bytes)).toMatchObject({ bits: 10, transfer: 16 });
    expect(bytes.length).toBeLessThanOrEqual(4_000);
    expect(bytes.length).toBeGreaterThan(2_500);
  });

  it("stay the file that they are where nothing is done to them that makes it smaller", async () => {
    const file = await encode(waves(120, 80), { ...SETTINGS, quality: 20 });
    expect((await result(file, { optimize: { lossless: false, quality: 100 } })).bytes).toEqual(file);
  });

  it.each([
    ["light was filtered", { resize: { width: 100, linear: true } }, {}],
    ["other steps", { filter: { blur: { mode: "gaussian", value: 2 } } }, {}],
    ["colors that are named", {}, { profile: "p3" }],
  ] as const)("are pictures for ordinary screens with a gain map after %s", async (_, operations, output) => {
    const { bytes } = await result(pq, { operations, output: { ...output, quality: 80 } });
    expect(said(bytes)).toMatchObject({ bits: 10, matrix: 6, transfer: 13 });
    expect(avif.gainMap.read(bytes)).toBeDefined();
  });

  it("are pictures for ordinary screens where nothing is to be kept", async () => {
    const { bytes } = await result(pq, { output: { hdr: "drop", quality: 80 } });
    expect(said(bytes)).toEqual({ bits: 10, alphaBits: undefined, primaries: 1, transfer: 13, matrix: 6 });
    expect(avif.gainMap.read(bytes)).toBeUndefined();
  });
});
