/** Writing PNG files without loss. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { png } from "../../../../src/image/formats/png.ts";
import { chunkParts, Chunks, TYPE } from "../../../../src/image/formats/png/chunks.ts";
import { joined } from "../../../../src/joined.ts";
import { UNPAUSED } from "../../../../src/scheduler/time-slice.ts";
import { nativeStatistics } from "../../../../wasm/load.ts";
import { drain, noise, paint, pictureOf, type Pixels, scene } from "../../../support/rows.ts";

const LOSSLESS = { lossless: true, quality: 100, progressive: false };

function encode(pixels: Pixels, { opaque = false, effort = 0.5 } = {}): Promise<Uint8Array> {
  return png.write.encode(pictureOf([pixels], { opaque }), { ...LOSSLESS, effort }, UNPAUSED);
}

async function decode(bytes: Uint8Array): Promise<Pixels> {
  const facts = png.read.factsOf(bytes);
  const { width, height } = facts;
  for await (const { rows } of png.read.open(
    bytes,
    facts,
    { box: { x: 0, y: 0, width, height }, width, height },
    UNPAUSED,
  )) {
    return await drain(rows);
  }
  throw new Error("no frame");
}

/** Pictures that PNG can hold in less than RGBA, and how. */
const REPRESENTATIONS: readonly [string, Pixels, string, number][] = [
  ["black and white", paint(70, 40, (x, y) => gray(scattered(x, y, 2) * 255)), "Gray", 1],
  ["four grays", paint(70, 40, (x, y) => gray(scattered(x, y, 4) * 85)), "Gray", 2],
  ["sixteen grays", paint(70, 40, (x, y) => gray(scattered(x, y, 16) * 17)), "Gray", 4],
  ["grays", paint(70, 40, (x, y) => gray(x * 3 + y + scattered(x, y, 50))), "Gray", 8],
  ["grays with alpha", paint(256, 40, (x, y) => [x, x, x, y * 6]), "Gray", 16],
  ["two colors", paint(70, 40, (x, y) => (scattered(x, y, 2) ? [9, 8, 7, 255] : [200, 0, 0, 128])), "Palette", 1],
  ["three colors", paint(70, 40, (x, y) => [scattered(x, y, 3), 2, 3, 255]), "Palette", 2],
  ["sixteen colors", paint(70, 40, (x, y) => [scattered(x, y, 16) * 3, 9, 200, 255]), "Palette", 4],
  ["256 colors", paint(256, 40, (x, y) => manyColored(scattered(x, y, 256))), "Palette", 8],
  ["257 colors", paint(257, 40, (x) => [x & 255, x >> 8, 255, 255]), "RGB", 24],
  ["many colors", scene(90, 70), "RGB", 24],
  ["many colors with alpha", scene(90, 70, false), "RGB", 32],
  ["gray and holes", paint(80, 40, (x, y) => holed(x, y, 10 + x + y, 10 + x + y, 10 + x + y)), "Gray", 8],
  ["many colors and holes", paint(300, 90, (x, y) => holed(x, y, x & 255, 10 + y, scattered(x, y, 256))), "RGB", 24],
  ["one pixel", paint(1, 1, () => [1, 2, 3, 4]), "RGB", 32],
];

function manyColored(index: number): [number, number, number, number] {
  return [index, (index * 37) & 255, (index * 91) & 255, 255];
}

/** A color, or a hole of a color that no other pixel has. */
function holed(x: number, y: number, ...color: [number, number, number]): [number, number, number, number] {
  return (x >> 3) % 5 === 0 && y % 7 < 3 ? [3, 3, 3, 0] : [...color, 255];
}

/** One of `count` numbers, without a pattern that filters could find. */
function scattered(x: number, y: number, count: number): number {
  let hash = Math.imul(x * 1_103 + y * 40_503 + 17, 2_654_435_761);
  hash = Math.imul(hash ^ (hash >>> 15), 2_246_822_519);
  return ((hash ^ (hash >>> 13)) >>> 4) % count;
}

function gray(level: number): [number, number, number, number] {
  return [level & 255, level & 255, level & 255, 255];
}

describe("encoding PNG", () => {
  it("copies what is compressed once, into the file", () => {
    const pieces = [Uint8Array.of(1, 2, 3), Uint8Array.of(4)];
    const parts = chunkParts(TYPE.fdAT, ...pieces);
    for (const piece of pieces) expect(parts).toContain(piece);
    const chunks = new Chunks(joined(parts), 0);
    expect(chunks.next()).toBe(true);
    expect(chunks).toMatchObject({ type: TYPE.fdAT, data: Uint8Array.of(1, 2, 3, 4), end: 16, isIntact: true });
  });

  it.each(REPRESENTATIONS)("finds the smallest exact representation: %s", async (_name, pixels, colorspace, depth) => {
    const bytes = await encode(pixels);
    expect(png.read.factsOf(bytes)).toMatchObject({ colorspace, depth, interlaced: false });
    expect(await decode(bytes)).toEqual(pixels);
  });

  it("gives back every picture exactly, at every effort", async () => {
    const channel = fc.integer({ min: 0, max: 255 });
    const colors = fc.array(fc.tuple(channel, channel, channel, channel), { minLength: 1, maxLength: 300 });
    const side = fc.integer({ min: 1, max: 64 });
    await fc.assert(
      fc.asyncProperty(side, side, colors, fc.constantFrom(0, 0.3, 0.5, 1), async (width, height, palette, effort) => {
        const pixels = paint(
          width,
          height,
          (x, y) => palette[(x * 7 + y * 31 + x * y) % palette.length] ?? [0, 0, 0, 0],
        );
        expect(await decode(await encode(pixels, { effort }))).toEqual(pixels);
      }),
      { numRuns: 40 },
    );
  });

  it("keeps colors under full transparency only where pixels must survive exactly", async () => {
    const pixels = paint(50, 50, (x, y) => [x, y, scattered(x, y, 200), x < 20 ? 0 : 255]);
    const lossy = await png.write.encode(
      pictureOf([pixels], { opaque: false }),
      { ...LOSSLESS, lossless: false, effort: 0.5 },
      UNPAUSED,
    );
    expect(lossy.length).toBeLessThan((await encode(pixels)).length);
    expect([...(await decode(lossy)).data.subarray(0, 4)]).toEqual([0, 0, 0, 0]);
    expect((await decode(lossy)).data.subarray(100, 200)).toEqual(pixels.data.subarray(100, 200));
  });

  it("streams pictures that are larger than its sample and its chunks", async () => {
    const pixels = scene(1_200, 1_000);
    const { data } = await decode(await encode(pixels, { opaque: true, effort: 0 }));
    expect(Buffer.compare(data, pixels.data)).toBe(0);
  });

  it("compresses what is not like its sample by what it is", async () => {
    const grain = noise(1_100, 1_000).data;
    const photograph = paint(1_100, 1_000, (x, y) => {
      const at = (y * 1_100 + x) * 4;
      const level = 60 + ((x * 90) >> 10) + ((y * 60) >> 10);
      return [level + ((grain[at] ?? 0) & 7), level + ((grain[at + 1] ?? 0) & 7), level, 255];
    });
    const half = paint(1_100, 1_000, (x, y) => {
      const at = (y * 1_100 + x) * 4;
      if (y > 500) return (x >> 4) % 2 ? [20, 90, 200, 255] : [255, 255, 255, 255];
      return [photograph.data[at] ?? 0, photograph.data[at + 1] ?? 0, photograph.data[at + 2] ?? 0, 255];
    });
    const lengthOf = async (pixels: Pixels) => {
      const bytes = await encode(pixels, { opaque: true });
      expect(Buffer.compare((await decode(bytes)).data, pixels.data)).toBe(0);
      return bytes.length;
    };
    const whole = await lengthOf(photograph);
    const part = await lengthOf(half);
    // Matches win nothing in grain: with them it takes a twentieth more.
    expect(whole).toBeLessThan(1_100 * 1_000 * 1.2);
    expect(part).toBeLessThan(whole * 0.52);
  });

  it("reads a photograph once", async () => {
    const pixels = scene(1_200, 1_000);
    let opened = 0;
    const picture = pictureOf([pixels]);
    const counted = {
      ...picture,
      open() {
        opened++;
        return picture.open(UNPAUSED);
      },
    };
    await png.write.encode(counted, { ...LOSSLESS, effort: 0.5 }, UNPAUSED);
    expect(opened).toBe(1);
  });

  it("stays near the size of the raw data for what cannot be compressed", async () => {
    const bytes = await encode(noise(64, 64, false));
    expect(bytes.length).toBeLessThan(64 * 64 * 4 + 64 + 200);
  });

  it("holds the memory it declares", async () => {
    const pixels = scene(700, 500);
    const before = memory();
    await encode(pixels, { opaque: true, effort: 1 });
    const declared = png.write.estimate(
      { width: 700, height: 500, opaque: true, frames: 1 },
      { ...LOSSLESS, effort: 1 },
    );
    expect(memory() - before).toBeLessThanOrEqual(declared.bytes);
  });

  it("does not grow over many pictures", async () => {
    const pixels = scene(64, 64);
    await encode(pixels);
    const before = memory();
    for (let round = 0; round < 30; round++) await encode(pixels);
    expect(memory()).toBe(before);
  });
});

function memory(): number {
  return nativeStatistics().find(({ name }) => name === "pixels")?.memoryBytes ?? 0;
}
