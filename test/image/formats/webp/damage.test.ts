/** Damaged WebP files are refused and leave no memory behind. */
import { describe, expect, it } from "vitest";

import { ApiError } from "../../../../src/errors.ts";
import { webp } from "../../../../src/image/formats/webp.ts";
import { UNPAUSED } from "../../../../src/scheduler/time-slice.ts";
import { heapOf, nativeStatistics } from "../../../../wasm/load.ts";
import { webpModule } from "../../../../wasm/webp/instance.ts";
import roseAlpha from "../../../fixtures/webp/1-webp-a.webp";
import blend from "../../../fixtures/webp/animated-blend.webp";
import magicOnly from "../../../fixtures/webp/broken/magic-only.webp";
import badAlpha from "../../../fixtures/webp/broken/webp-alpha-flag-bad-alph.webp";
import animationCut from "../../../fixtures/webp/broken/webp-anim-truncated.webp";
import hugeCanvas from "../../../fixtures/webp/broken/webp-canvas-16777216.webp";
import chunkSizeMax from "../../../fixtures/webp/broken/webp-chunk-size-max.webp";
import sides0 from "../../../fixtures/webp/broken/webp-dims-0.webp";
import sides16383 from "../../../fixtures/webp/broken/webp-dims-16383.webp";
import frameOutside from "../../../fixtures/webp/broken/webp-frame-outside.webp";
import losslessGarbage from "../../../fixtures/webp/broken/webp-lossless-garbage.webp";
import losslessCut from "../../../fixtures/webp/broken/webp-lossless-truncated.webp";
import riffSize0 from "../../../fixtures/webp/broken/webp-riff-size-0.webp";
import riffSizeMax from "../../../fixtures/webp/broken/webp-riff-size-max.webp";
import sizeMismatch from "../../../fixtures/webp/broken/webp-size-mismatch.webp";
import cut from "../../../fixtures/webp/broken/webp-truncated.webp";
import noImage from "../../../fixtures/webp/broken/webp-vp8x-no-image.webp";
import gopherAlpha from "../../../fixtures/webp/gopher-doc-with-alpha-lossless.webp";
import video from "../../../fixtures/webp/video-001-lossy.webp";
import { drain, pictureOf, scene } from "../../../support/rows.ts";

const REFUSED = {
  "nothing but a signature": magicOnly,
  "noise as alpha": badAlpha,
  "an animation that ends in its second frame": animationCut,
  "a canvas of 2^48 pixels": hugeCanvas,
  "a chunk that is longer than the file": chunkSizeMax,
  "no width": sides0,
  "more pixels than data": sides16383,
  "a frame outside the canvas": frameOutside,
  "noise as pixels": losslessGarbage,
  "the first half of a lossless picture": losslessCut,
  "a canvas that is not the size of its picture": sizeMismatch,
  "the first half of a lossy picture": cut,
  "no picture": noImage,
};

async function decodeAll(bytes: Uint8Array): Promise<number> {
  const facts = webp.read.factsOf(bytes);
  const { width, height } = facts;
  let rows = 0;
  const demand = { box: { x: 0, y: 0, width, height }, width, height };
  for await (const frame of webp.read.open(bytes, facts, demand, UNPAUSED)) {
    rows += (await drain(frame.rows)).height;
  }
  return rows;
}

/** What a decoder does with a file: the rows it gave, or 422. Anything else fails the test. */
async function outcome(bytes: Uint8Array): Promise<number> {
  try {
    return await decodeAll(bytes);
  } catch (error) {
    if (error instanceof ApiError) return error.status;
    throw error;
  }
}

describe("damaged WebP files", () => {
  it.each(Object.entries(REFUSED))("are refused: %s", async (_name, file) => {
    await expect(decodeAll(new Uint8Array(file))).rejects.toThrow(
      expect.objectContaining({ status: 422, message: "The WebP file is damaged or cut short" }),
    );
  });

  it.each([
    ["0", riffSize0],
    ["more than there is", riffSizeMax],
  ])("are read when only the RIFF header lies: %s", async (_name, file) => {
    expect(await decodeAll(new Uint8Array(file))).toBe(16);
  });

  it.each([
    ["lossy", video],
    ["lossy with alpha", roseAlpha],
    ["lossless", gopherAlpha],
    ["animated", blend],
  ])("are refused wherever they end: %s", async (_name, file) => {
    const bytes = new Uint8Array(file);
    const step = Math.max(1, Math.floor(bytes.length / 60));
    for (let length = 0; length < bytes.length - 2; length += step) {
      expect(await outcome(bytes.subarray(0, length))).toBe(422);
    }
  });

  it("do no harm to the jobs after them, and leave no memory behind", async () => {
    const files = [video, roseAlpha, gopherAlpha, blend].map((file) => new Uint8Array(file));
    const all = async () => {
      const rows: number[] = [];
      for (const file of files) rows.push(await decodeAll(file));
      return rows;
    };
    const good = await all();
    const before = heapOf(webpModule, true);
    let state = 1;
    for (let round = 0; round < 2_000; round++) {
      const original = files[round % 4] ?? new Uint8Array(0);
      const mutated = original.slice();
      for (let change = 0; change <= round % 5; change++) {
        state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
        mutated[state % mutated.length] = (state >>> 16) & 255;
      }
      await outcome(mutated);
      if (round % 100 === 0) expect(await all()).toEqual(good);
    }
    const after = heapOf(webpModule);
    expect(after.used).toBe(before.used);
    expect(after.memory).toBeLessThanOrEqual(24 << 20);
    expect(nativeStatistics().find(({ name }) => name === "webp")?.replaced).toBe(0);
  }, 240_000);

  it("leave no memory behind when a job stops half way", async () => {
    const bytes = new Uint8Array(roseAlpha);
    const facts = webp.read.factsOf(bytes);
    const demand = { box: { x: 0, y: 0, width: 400, height: 301 }, width: 400, height: 301 };
    const before = heapOf(webpModule).used;
    for (let round = 0; round < 300; round++) {
      for await (const { rows } of webp.read.open(bytes, facts, demand, UNPAUSED)) {
        await rows.read(20);
        if (round % 2) rows.close();
        break;
      }
      const picture = pictureOf([scene(90, 80)]);
      const broken = {
        ...picture,
        async *open() {
          let read = 0;
          const stop = async () => {
            if (read++ > 1) throw new ApiError(422, "stop");
            return new Uint8Array(90 * 4 * 16);
          };
          yield { delayMs: 0, rows: { width: 90, height: 80, opaque: true, read: stop, close() {} } };
        },
      };
      const settings = { lossless: round % 2 === 0, quality: 80, progressive: false, effort: 0 };
      await expect(webp.write.encode(broken, settings, UNPAUSED)).rejects.toThrow("stop");
    }
    expect(heapOf(webpModule).used).toBe(before);
  });
});
