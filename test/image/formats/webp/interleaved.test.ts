/** Two jobs of the WebP format that take turns give what each gives alone. */
import { describe, expect, it } from "vitest";

import type { EncodeSettings } from "../../../../src/image/codec/writer.ts";
import { webp } from "../../../../src/image/formats/webp.ts";
import { type TimeSlice, UNPAUSED } from "../../../../src/scheduler/time-slice.ts";
import { heapOf } from "../../../../wasm/load.ts";
import { webpModule } from "../../../../wasm/webp/instance.ts";
import blend from "../../../fixtures/webp/animated-blend.webp";
import { abandoned, bothWays } from "../../../support/interleaved.ts";
import { drain, noise, pictureOf, type Pixels, scene } from "../../../support/rows.ts";

const LOSSY: EncodeSettings = { lossless: false, quality: 80, progressive: false, effort: 0.5 };
const LOSSLESS: EncodeSettings = { ...LOSSY, lossless: true };

const written =
  (pictures: readonly [Pixels, ...Pixels[]], settings: EncodeSettings, opaque = true) =>
  (timeSlice: TimeSlice) =>
    webp.write.encode(pictureOf(pictures, { opaque, delayMs: 40 }), settings, timeSlice);

const read =
  (bytes: Uint8Array, part = 0) =>
  async (timeSlice: TimeSlice) => {
    const facts = webp.read.factsOf(bytes);
    const { width, height } = facts;
    const box = { x: 0, y: Math.floor(height * part), width, height: height - Math.floor(height * part) };
    const frames: number[] = [];
    for await (const { rows } of webp.read.open(bytes, facts, { box, width, height: box.height }, timeSlice)) {
      for (const value of (await drain(rows)).data) frames.push(value);
    }
    return Uint8Array.from(frames);
  };

const encodeNow = (pixels: Pixels, settings: EncodeSettings) =>
  webp.write.encode(pictureOf([pixels]), settings, UNPAUSED);

describe("two jobs of the WebP format", () => {
  it("decode and encode in turns", async () => {
    const file = await encodeNow(scene(500, 400), LOSSY);
    const { apart, together, pauses } = await bothWays(read(file), written([noise(300, 200)], LOSSY));
    expect(together).toEqual(apart);
    expect(pauses).toBeGreaterThan(20);
  });

  it.each([
    ["lossy", LOSSY, true],
    ["lossless", LOSSLESS, true],
    ["with alpha", LOSSY, false],
  ])("encode two pictures in turns: %s", async (_name, settings, opaque) => {
    const jobs = [
      written([scene(400, 300, opaque)], settings, opaque),
      written([noise(220, 180, opaque)], { ...settings, quality: 60 }, opaque),
    ] as const;
    const { apart, together, pauses } = await bothWays(...jobs);
    expect(together).toEqual(apart);
    expect(pauses).toBeGreaterThan(10);
  });

  it("decode parts of two pictures in turns, which begin far down", async () => {
    const files = [await encodeNow(scene(500, 900), LOSSY), await encodeNow(scene(400, 700), LOSSLESS)] as const;
    const { apart, together } = await bothWays(read(files[0], 0.9), read(files[1], 0.8));
    expect(together).toEqual(apart);
  });

  it("read and write animations in turns", async () => {
    const frames = [scene(80, 60), noise(80, 60), scene(80, 60)] as const;
    const { apart, together } = await bothWays(
      read(new Uint8Array(blend)),
      written(frames, LOSSY),
      written(frames, LOSSLESS),
    );
    expect(together).toEqual(apart);
    expect(heapOf(webpModule).used).toBe(0);
  });

  it("leave nothing behind when nobody waits for them any more", async () => {
    const file = await encodeNow(scene(500, 400), LOSSLESS);
    const frames = [scene(200, 160), noise(200, 160)] as const;
    const jobs = [read(file, 0.5), written([scene(500, 400)], LOSSY), written(frames, LOSSY)] as const;
    for (const job of jobs) {
      for (const after of [1, 3, 9]) {
        await expect(job(abandoned(after)).then(() => "done")).rejects.toThrow("nobody waits");
        expect(heapOf(webpModule).used).toBe(0);
      }
    }
    // What comes after them is as it was.
    expect(await encodeNow(scene(500, 400), LOSSLESS)).toEqual(file);
  });
});
