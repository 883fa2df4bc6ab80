/** Files are recognized and held to the limits before they are decoded. */
import { expect, it } from "vitest";

import { identify, readHeaders } from "../../../src/image/plan/detect.ts";
import { JobLimits } from "../../../src/scheduler/job-limits.ts";
import { isolateThread } from "../../../src/scheduler/time-slice.ts";
import { gridOf } from "../../support/shared-parts.ts";

/** A GIF file of one gray pixel on a canvas of that size. */
function canvas(width: number, height: number): Uint8Array {
  const sides = [width & 255, width >> 8, height & 255, height >> 8];
  const palette = [0x80, 0, 0, 0, 0, 0, 255, 255, 255];
  const frame = [0x2c, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 0x44, 1, 0];
  return Uint8Array.from([0x47, 0x49, 0x46, 0x38, 0x39, 0x61, ...sides, ...palette, ...frame, 0x3b]);
}

it("takes no side that is longer than documented, be the picture ever so narrow", () => {
  expect(identify(canvas(1, 65_500)).facts.height).toBe(65_500);
  for (const [width, height] of [
    [1, 65_501],
    [65_535, 1],
  ] as const) {
    expect(() => identify(canvas(width, height))).toThrow(
      expect.objectContaining({ status: 422, message: "The image must have at most 65500 pixels on each side" }),
    );
  }
});

it("reads headers between the stretches of other work", async () => {
  const order: string[] = [];
  const other = isolateThread.run(async (timeSlice) => {
    order.push("work begins");
    await Promise.resolve();
    await timeSlice.spend(1_000);
    order.push("work ends");
  });
  const reading = readHeaders(canvas(1, 1)).then(() => order.push("headers are read"));
  await Promise.all([other, reading]);
  expect(order).toEqual(["work begins", "headers are read", "work ends"]);
});

it("counts the time for the job where nothing comes of it, and leaves the job to be refused", async () => {
  const jobLimits = new JobLimits({ maxMs: 20_000 });
  await expect(readHeaders(gridOf(160, 4_000_000), jobLimits)).rejects.toMatchObject({ status: 422 });
  expect(jobLimits.takenMs).toBeCloseTo(9, 0);
  expect(jobLimits.hasBegun).toBe(false);
  // What is no picture at all is not read.
  await expect(readHeaders(new Uint8Array(4_000_000), jobLimits)).rejects.toMatchObject({ status: 415 });
  expect(jobLimits.takenMs).toBeCloseTo(9, 0);
});

it("reads nothing for somebody who does not wait any more", async () => {
  const gone = new JobLimits({ signal: AbortSignal.abort(new Error("gone")) });
  await expect(readHeaders(canvas(1, 1), gone)).rejects.toThrow("gone");
});
