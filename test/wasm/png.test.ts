/** Rows of PNG files written and read again by the native module, without anything around them. */
import { describe, expect, it } from "vitest";

import { UNPAUSED } from "../../src/scheduler/time-slice.ts";
import { dropNative, nativeMemoryBytes } from "../../wasm/load.ts";
import { COLOR_TYPE } from "../../wasm/pixels/png-header.ts";
import { openPngReader } from "../../wasm/pixels/png-reader.ts";
import { type FilterStrategy, openPngWriter, PNG_WINDOW_ROWS, pngWriterBytes } from "../../wasm/pixels/png-writer.ts";

const GRAY = { depth: 8, type: COLOR_TYPE.gray } as const;
/** What the compressor takes at a time, in bytes. */
const CHUNK = 512 << 10;
/** The filter of a row. */
const FILTER = 1;

/** Gray rows that are not all alike. */
function picture(width: number, height: number): Uint8Array {
  return Uint8Array.from({ length: width * height }, (_, at) => (at * 7 + (at >> 3)) & 255);
}

function written(pixels: Uint8Array, width: number, level: number, strategy: FilterStrategy = "sum"): Uint8Array {
  const writer = openPngWriter({ ...GRAY, width, height: pixels.length / width, input: "stored", strategy, level });
  const pieces: Uint8Array[] = [];
  const step = PNG_WINDOW_ROWS * width;
  for (let from = 0; from < pixels.length; from += step) {
    pieces.push(writer.write(pixels.subarray(from, from + step), from + step >= pixels.length));
  }
  writer.close();
  return Uint8Array.from(pieces.flatMap((piece) => [...piece]));
}

async function read(stream: Uint8Array, width: number, height: number): Promise<Uint8Array> {
  let left = stream;
  const input = (max: number) => {
    const piece = left.subarray(0, max);
    left = left.subarray(piece.length);
    return piece.length > 0 ? piece : null;
  };
  const table = Uint8Array.from({ length: 1024 }, (_, at) => (at % 4 === 3 ? 255 : at >> 2));
  const reader = openPngReader({ ...GRAY, width, height, interlaced: false, table, input }, UNPAUSED);
  const pixels: number[] = [];
  for (let rows = await reader.read(height); rows; rows = await reader.read(height)) {
    for (let at = 0; at < rows.length; at += 4) pixels.push(rows[at] ?? -1);
  }
  reader.close();
  return Uint8Array.from(pixels);
}

describe.for([1, 2, 6, 10, 12])("rows compressed at level %i are read as they were", (level) => {
  it.for([
    ["one pixel", 1, 1],
    ["two pixels", 2, 1],
    ["a few rows of one pixel", 1, 3],
    ["a chunk and two bytes", (CHUNK + 2) / 10 - FILTER, 10],
    ["a chunk and three bytes", (CHUNK + 3) / 29 - FILTER, 29],
  ] as const)("%s", async ([, width, height]) => {
    expect(width).toBe(Math.trunc(width));
    const pixels = picture(width, height);
    expect(await read(written(pixels, width, level), width, height)).toEqual(pixels);
  });
});

/** Numbers of a generator that is always the same. */
function numbers(count: number, most: number): Uint8Array {
  let state = 1;
  return Uint8Array.from({ length: count }, () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return (state >>> 16) % most;
  });
}

describe("a writer of few bytes", () => {
  it.for([1, 6, 10, 12])("holds what is declared of them at level %i, and no more", (level) => {
    dropNative();
    const [width, height] = [96, 72];
    const writer = openPngWriter({ ...GRAY, width, height, input: "stored", strategy: "sum", level });
    expect(nativeMemoryBytes()).toBeLessThanOrEqual(pngWriterBytes(width, level, width * height) + (1 << 18));
    expect(nativeMemoryBytes()).toBeLessThan(4 << 20);
    writer.close();
  });
});

describe("levels that parse near-optimally", () => {
  /** Runs of all lengths, each line three times. */
  const drawing = () => {
    const [lengths, lines] = [numbers(4_000, 70), numbers(200, 120)];
    const line = (index: number) =>
      Array.from(lengths.subarray(index * 30, index * 30 + 30)).flatMap((length, at) => Array(length).fill(at % 7));
    const rows = Array.from(lines, (index) => [...line(index), ...Array(1_000).fill(9)].slice(0, 1_000));
    return Uint8Array.from(rows.flatMap((row) => [...row, ...row, ...row]));
  };

  it("write drawings smaller than levels below", async () => {
    const pixels = drawing();
    const [usual, least] = [written(pixels, 1_000, 9), written(pixels, 1_000, 10)];
    expect(least.length).toBeLessThan(usual.length * 0.97);
    expect(await read(least, 1_000, 600)).toEqual(pixels);
  });

  it("write noise no larger, whose matches are not worth their offsets", () => {
    // The sum of two is more often in the middle: single bytes are cheap.
    const [one, other] = [numbers(24_000, 16), numbers(24_000, 15)];
    const noise = one.map((value, at) => value + (other[at] ?? 0));
    expect(written(noise, 300, 10).length).toBeLessThan(written(noise, 300, 7).length * 1.01);
  });

  it("write a gradient smaller whose levels are mixed by dithering", async () => {
    const [width, height] = [1_200, 200];
    const errors = new Float32Array(width * height + 2 * width);
    const pixels = Uint8Array.from({ length: width * height }, (_, at) => {
      const [x, y] = [at % width, Math.floor(at / width)];
      const wanted = 20 * Math.hypot(x / width - 0.5, y / height - 0.5) + (errors[at] ?? 0);
      const error = wanted - Math.round(wanted);
      const shares = [
        [1, 7],
        [width - 1, 3],
        [width, 5],
        [width + 1, 1],
      ] as const;
      for (const [ahead, part] of shares) errors[at + ahead] = (errors[at + ahead] ?? 0) + (error * part) / 16;
      return Math.round(wanted);
    });
    const [usual, least] = [written(pixels, width, 7, "none"), written(pixels, width, 10, "none")];
    expect(least.length).toBeLessThan(usual.length * 0.93);
    expect(await read(least, width, height)).toEqual(pixels);
  });
});
