/** The native GIF module: its memory, and data that is damaged. */
import { describe, expect, it } from "vitest";

import { gif } from "../../src/image/formats/gif.ts";
import { parseGif } from "../../src/image/formats/gif/container.ts";
import { UNPAUSED } from "../../src/scheduler/time-slice.ts";
import { bandsBytes, canvasEstimate, FrameBands } from "../../wasm/gif/reader.ts";
import { FrameWriter, writerBytes } from "../../wasm/gif/writer.ts";
import { NativeError, nativeStatistics } from "../../wasm/load.ts";
import { drain, noise, paint, pictureOf } from "../support/rows.ts";

const SETTINGS = { lossless: false, quality: 80, progressive: false, effort: 0.5 };

function memory(name: string): number {
  return nativeStatistics().find((entry) => entry.name === name)?.memoryBytes ?? 0;
}

/** How much linear memory `work` made the module grow. */
async function growth(work: () => Promise<unknown>): Promise<number> {
  await gif.write.encode(pictureOf([paint(1, 1, () => [0, 0, 0, 255])]), SETTINGS, UNPAUSED);
  const before = memory("gif");
  await work();
  return memory("gif") - before;
}

async function decode(bytes: Uint8Array): Promise<void> {
  const facts = gif.read.factsOf(bytes);
  const { width, height } = facts;
  for await (const { rows } of gif.read.open(
    bytes,
    facts,
    { box: { x: 0, y: 0, width, height }, width, height },
    UNPAUSED,
  ))
    await drain(rows);
}

describe("memory of the GIF module", () => {
  it("is a few rows of a still picture, however large it is", async () => {
    const bytes = await gif.write.encode(pictureOf([noise(500, 2_000)]), SETTINGS, UNPAUSED);
    expect(await growth(() => decode(bytes))).toBeLessThanOrEqual(bandsBytes(500) + 65_536);
    expect(bandsBytes(500)).toBeLessThan(500 * 2_000);
  });

  it("stays within what encoders declare: stills", async () => {
    const grown = await growth(() => gif.write.encode(pictureOf([noise(1_200, 1_500)]), SETTINGS, UNPAUSED));
    expect(grown).toBeLessThanOrEqual(writerBytes(1_200 * 1_500, false) + 65_536);
  });

  it("stays within what animations declare, written and read", async () => {
    const picture = pictureOf([noise(700, 500), noise(700, 500, false)], { opaque: false, delayMs: 40 });
    let bytes = new Uint8Array(0);
    const written = await growth(async () => {
      bytes = (await gif.write.encode(picture, SETTINGS, UNPAUSED)).slice();
    });
    expect(written).toBeLessThanOrEqual(gif.write.estimate(picture, SETTINGS).bytes);
    expect(await growth(() => decode(bytes))).toBeLessThanOrEqual(canvasEstimate(700, 500).bytes + 65_536);
  });

  it("declares room for the result, even of noise", async () => {
    const picture = pictureOf([noise(300, 300)]);
    const { length } = await gif.write.encode(picture, { ...SETTINGS, quality: 100 }, UNPAUSED);
    expect(length * 2).toBeLessThan(gif.write.estimate(picture, SETTINGS).bytes);
  });
});

describe("the GIF module", () => {
  it("writes what it reads, whatever the size of an index", async () => {
    for (const bits of [2, 3, 5, 8]) {
      const writer = new FrameWriter(4_000, false);
      const indices = Uint8Array.from({ length: 4_000 }, (_, at) => (at * at + (at >> 3)) % (1 << bits));
      writer.indices(0, indices.length).set(indices);
      const options = { count: indices.length, minSize: bits, patience: 0.9, transparent: -1, tolerance: 0 };
      const [data = new Uint8Array(0)] = await writer.encode(options, UNPAUSED);
      writer.close();
      expect(data[0]).toBe(bits);
      expect(read(data, bits)).toEqual([...indices]);
    }
  });

  it("refuses data that ends too early", async () => {
    const bytes = await gif.write.encode(pictureOf([noise(40, 40)]), SETTINGS, UNPAUSED);
    const [frame] = parseGif(bytes).frames;
    if (!frame) throw new Error("no frame");
    const bands = new FrameBands(40, 40, { ...frame, input: () => null });
    expect(() => bands.read(16)).toThrow(NativeError);
    bands.close();
    expect(() => bands.read(16)).toThrow();
  });
});

/** The indices in image data, as the red of a palette of grays. */
function read(data: Uint8Array, minSize: number): number[] {
  const palette = Uint8Array.from({ length: 768 }, (_, at) => Math.floor(at / 3));
  const pieces: Uint8Array[] = [];
  for (let at = 1; data[at]; at += (data[at] ?? 0) + 1) pieces.push(data.subarray(at + 1, at + 1 + (data[at] ?? 0)));
  const frame = { x: 0, y: 0, width: 100, height: 40, interlaced: false, transparent: -1, minSize, palette };
  const bands = new FrameBands(100, 40, { ...frame, input: () => pieces.shift() ?? null });
  const found: number[] = [];
  for (let band = bands.read(16); band; band = bands.read(16)) found.push(...band.filter((_, at) => at % 4 === 0));
  bands.close();
  return found;
}
