/** Two jobs of the JPEG format that take turns give what each gives alone. */
import { describe, expect, it } from "vitest";

import type { EncodeSettings } from "../../../../src/image/codec/writer.ts";
import { jpeg } from "../../../../src/image/formats/jpeg.ts";
import type { TimeSlice } from "../../../../src/scheduler/time-slice.ts";
import { jpegModule } from "../../../../wasm/jpeg/instance.ts";
import { heapOf } from "../../../../wasm/load.ts";
import { abandoned, bothWays } from "../../../support/interleaved.ts";
import { jpegFile } from "../../../support/jpeg-files.ts";
import { encode } from "../../../support/jpeg-pixels.ts";
import { drain, noise, pictureOf, type Pixels, scene } from "../../../support/rows.ts";

const SETTINGS: EncodeSettings = { lossless: false, quality: 80, progressive: true, effort: 0.5 };

const written = (pixels: Pixels, settings: EncodeSettings) => (timeSlice: TimeSlice) =>
  jpeg.write.encode(pictureOf([pixels]), settings, timeSlice);

const read = (bytes: Uint8Array, part: number) => async (timeSlice: TimeSlice) => {
  const facts = jpeg.read.factsOf(bytes);
  const { width, height } = facts;
  const box = { x: 0, y: Math.floor(height * part), width, height: height - Math.floor(height * part) };
  for await (const { rows } of jpeg.read.open(bytes, facts, { box, width, height: box.height }, timeSlice))
    return (await drain(rows)).data;
  throw new Error("no frame");
};

const rewritten = (bytes: Uint8Array, settings: object) => async (timeSlice: TimeSlice) =>
  jpeg.coefficients.requantize(
    bytes,
    jpeg.read.factsOf(bytes),
    { progressive: true, quality: 60, ...settings },
    timeSlice,
  );

const resized = (bytes: Uint8Array, width: number, height: number) => async (timeSlice: TimeSlice) => {
  const { width: fullWidth, height: fullHeight } = jpeg.read.factsOf(bytes);
  const box = { x: 0, y: 0, width: fullWidth, height: fullHeight };
  const wanted = { box, width, height, kernel: "lanczos3" } as const;
  return (await jpeg.coefficients.resize(bytes, { ...SETTINGS, subsample: "4:2:0" }, wanted)?.run(timeSlice)) ?? null;
};

/** Large enough that what is done in pieces has several. */
const large = scene(1_600, 1_200);
const progressive = encode(large, { progressive: true });

describe("two jobs of the JPEG format", () => {
  it("decode and encode in turns", async () => {
    const jobs = [read(progressive, 0), written(noise(700, 500), SETTINGS)] as const;
    const { apart, together, pauses } = await bothWays(...jobs);
    expect(together).toEqual(apart);
    expect(pauses).toBeGreaterThan(20);
  });

  it("encode two pictures in turns", async () => {
    const other = scene(900, 1_100);
    const jobs = [written(large, SETTINGS), written(other, { ...SETTINGS, quality: 95, fast: true })] as const;
    const { apart, together } = await bothWays(...jobs);
    expect(together).toEqual(apart);
  });

  it("decode parts of two pictures in turns, which begin far down", async () => {
    const jobs = [read(progressive, 0.8), read(encode(scene(2_000, 1_500)), 0.9)] as const;
    const { apart, together } = await bothWays(...jobs);
    expect(together).toEqual(apart);
  });

  it("rewrite and resize two pictures in turns", async () => {
    const jobs = [
      rewritten(progressive, {}),
      rewritten(encode(noise(640, 480), { subsampling: "4:4:4" }), { turn: 6, quality: 90 }),
      resized(progressive, 700, 525),
      resized(jpegFile("s420"), 40, 30),
    ] as const;
    const { apart, together } = await bothWays(...jobs);
    expect(together).toEqual(apart);
    expect(together.every((file) => file !== null)).toBe(true);
    expect(heapOf(jpegModule).used).toBe(0);
  });

  it("leave nothing behind when nobody waits for them any more", async () => {
    const jobs = [
      read(progressive, 0),
      written(large, SETTINGS),
      rewritten(progressive, {}),
      resized(progressive, 700, 525),
    ] as const;
    for (const job of jobs) {
      for (const after of [1, 3]) {
        await expect(job(abandoned(after)).then(() => "done")).rejects.toThrow("nobody waits");
        expect(heapOf(jpegModule).used).toBe(0);
      }
    }
  });
});
