/** Writing GIF files, animated ones included. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import type { EncodeSettings } from "../../../../src/image/codec/writer.ts";
import { gif } from "../../../../src/image/formats/gif.ts";
import { parseGif } from "../../../../src/image/formats/gif/container.ts";
import { UNPAUSED } from "../../../../src/scheduler/time-slice.ts";
import redBlue from "../../../fixtures/gif/animated-red-blue.gif";
import disposeBackground from "../../../fixtures/gif/dispose-background.gif";
import disposePrevious from "../../../fixtures/gif/dispose-previous.gif";
import fire from "../../../fixtures/gif/fire.gif";
import noTime from "../../../fixtures/gif/no_time_for_that_tiny.gif";
import { noise, paint, pictureOf, type Pixels, psnr, scene } from "../../../support/rows.ts";
import { framesOf } from "./frames.ts";

const EXACT: EncodeSettings = { lossless: false, quality: 100, progressive: false, effort: 0.5 };

/** Pixels that are opaque or transparent black, of `colors` colors. */
function spots(width: number, height: number, colors: number, clear: number, shift = 0): Pixels {
  return paint(width, height, (x, y) => {
    const index = (x * 7 + y * 13 + ((x * y) % 5) + shift) % colors;
    return index < clear ? [0, 0, 0, 0] : [(index * 37) % 256, (index * 91) % 256, index % 256, 255];
  });
}

describe("the GIF encoder", () => {
  it.each([
    [1, 1, 1, 0],
    [17, 5, 2, 0],
    [40, 30, 3, 1],
    [64, 64, 16, 0],
    [80, 50, 255, 1],
    [100, 100, 256, 0],
  ])(
    "keeps pictures of at most 256 colors exactly: %i x %i, %i colors, %i of them transparent",
    async (w, h, colors, clear) => {
      const pixels = spots(w, h, colors, clear);
      const bytes = await gif.write.encode(pictureOf([pixels], { opaque: clear === 0 }), EXACT, UNPAUSED);
      expect((await framesOf(bytes))[0]?.pixels.data).toEqual(pixels.data);
    },
  );

  it("makes alpha all or nothing", async () => {
    const pixels = paint(16, 1, (x) => [10, 20, 30, x < 7 ? 0 : x > 8 ? 255 : x * 17]);
    const [shown] = await framesOf(await gif.write.encode(pictureOf([pixels], { opaque: false }), EXACT, UNPAUSED));
    const alphas = [...(shown?.pixels.data ?? [])].filter((_, at) => at % 4 === 3);
    expect(alphas.map((alpha) => alpha / 255).join("")).toBe("0000000011111111");
  });

  it("comes close to pictures of more colors", async () => {
    const pixels = scene(160, 120);
    const [shown] = await framesOf(await gif.write.encode(pictureOf([pixels]), EXACT, UNPAUSED));
    expect(psnr(shown.pixels, pixels)).toBeGreaterThan(32);
  });

  it("writes fewer bytes at a lower quality", async () => {
    for (const pixels of [scene(160, 120), noise(60, 50)]) {
      const sizes: number[] = [];
      for (const quality of [100, 90, 80, 70, 60, 50, 40, 30, 20, 10, 1]) {
        sizes.push((await gif.write.encode(pictureOf([pixels]), { ...EXACT, quality }, UNPAUSED)).length);
      }
      // Dithering differs from quality to quality, and noise is the same size dithered or not.
      sizes.forEach((size, at) => expect(size).toBeLessThanOrEqual((sizes[at - 1] ?? size) * 1.002));
      expect(sizes.at(-1)).toBeLessThan((sizes[0] ?? 0) / 2);
    }
  });

  it.each([
    ["fire", fire],
    ["palettes of their own", redBlue],
    ["holes", noTime],
    ["frames that vanish", disposeBackground],
    ["frames that uncover what was there", disposePrevious],
  ])("writes an animation anew with the same pixels, delays and loops: %s", async (_name, file) => {
    const original = new Uint8Array(file);
    const shown = await framesOf(original);
    const facts = gif.read.factsOf(original);
    const picture = { ...facts, opaque: !facts.alpha, open: () => openAll(original) };
    const bytes = await gif.write.encode(picture, EXACT, UNPAUSED);
    expect(gif.read.factsOf(bytes)).toMatchObject({ frames: facts.frames, loops: facts.loops });
    expect(await framesOf(bytes)).toEqual(shown);
    // A few colors more in one table for all frames may cost a little.
    expect(bytes.length).toBeLessThanOrEqual(original.length + 48);
  });

  it.each([0, 1, 2, 40])("keeps a loop count of %i", async (loops) => {
    const bytes = await gif.write.encode(
      pictureOf([spots(9, 9, 4, 0), spots(9, 9, 4, 0, 1)], { loops, delayMs: 70 }),
      EXACT,
      UNPAUSED,
    );
    expect(gif.read.factsOf(bytes).loops).toBe(loops);
  });

  it("writes only the rectangle that changes", async () => {
    const ground = scene(60, 40);
    const change = paint(60, 40, (x, y) => {
      const inside = x >= 20 && x < 30 && y >= 10 && y < 16;
      return inside ? [255, 0, 0, 255] : (ground.data.slice((y * 60 + x) * 4, (y * 60 + x) * 4 + 4) as never);
    });
    const bytes = await gif.write.encode(pictureOf([ground, change]), EXACT, UNPAUSED);
    expect(parseGif(bytes).frames[1]).toMatchObject({ x: 20, y: 10, width: 10, height: 6 });
  });

  it("keeps frames that change nothing", async () => {
    const frame = spots(20, 20, 7, 0);
    const shown = await framesOf(
      await gif.write.encode(pictureOf([frame, frame, frame], { delayMs: 50 }), EXACT, UNPAUSED),
    );
    expect(shown.map(({ delayMs }) => delayMs)).toEqual([50, 50, 50]);
    expect(shown[2]?.pixels.data).toEqual(frame.data);
  });

  it("is the inverse of the decoder for any animation of few colors", async () => {
    const cell = fc.constantFrom(0, 1, 2, 3, 4);
    const frame = fc.array(cell, { minLength: 48, maxLength: 48 });
    await fc.assert(
      fc.asyncProperty(fc.array(frame, { minLength: 1, maxLength: 5 }), async (frames) => {
        const pictures = frames.map((cells) =>
          paint(8, 6, (x, y) => {
            const value = cells[y * 8 + x] ?? 0;
            return value === 0 ? [0, 0, 0, 0] : [value * 50, 9, 255 - value * 20, 255];
          }),
        );
        const bytes = await gif.write.encode(
          pictureOf(pictures as [Pixels, ...Pixels[]], { opaque: false, delayMs: 20 }),
          EXACT,
          UNPAUSED,
        );
        expect((await framesOf(bytes)).map(({ pixels }) => pixels.data)).toEqual(pictures.map(({ data }) => data));
      }),
      { numRuns: 300, seed: 9 },
    );
  });

  it("is the inverse of the decoder when code tables fill and are cleared", async () => {
    const pixels = paint(300, 200, (x, y) => [((x * 7919 + y * 104_729 + ((x * y) >> 3)) >> 2) & 255, 0, 0, 255]);
    const bytes = await gif.write.encode(pictureOf([pixels]), EXACT, UNPAUSED);
    expect((await framesOf(bytes))[0]?.pixels.data).toEqual(pixels.data);
  });

  it("stays near an animation when it may lose something", async () => {
    const pictures = [0, 1, 2, 3]
      .map((shift) => scene(80 + shift, 60))
      .map(({ data }) => ({ width: 80, height: 60, data }));
    const cut = pictures.map(({ data }, i) =>
      paint(80, 60, (x, y) => data.slice((y * (80 + i) + x) * 4, (y * (80 + i) + x) * 4 + 4) as never),
    );
    const picture = pictureOf(cut as unknown as [Pixels, ...Pixels[]], { delayMs: 40 });
    const exact = await gif.write.encode(picture, EXACT, UNPAUSED);
    const lossy = await gif.write.encode(picture, { ...EXACT, quality: 60 }, UNPAUSED);
    expect(lossy.length).toBeLessThan(exact.length * 0.8);
    for (const [i, { pixels }] of (await framesOf(lossy)).entries())
      expect(psnr(pixels, cut[i] ?? pixels)).toBeGreaterThan(24);
  });
});

async function* openAll(bytes: Uint8Array) {
  const facts = gif.read.factsOf(bytes);
  const { width, height } = facts;
  yield* gif.read.open(bytes, facts, { box: { x: 0, y: 0, width, height }, width, height }, UNPAUSED);
}
