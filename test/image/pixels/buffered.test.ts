/** Pixels that are computed once. */
import { describe, expect, it, vi } from "vitest";

import { collectPixels, pixelBytes, rowsOfPixels } from "../../../src/image/pixels/buffered.ts";
import { skipRows } from "../../../src/image/pixels/rows.ts";
import { UNPAUSED } from "../../../src/scheduler/time-slice.ts";
import { interleaved } from "../../support/interleaved.ts";
import { drain, noise, rowsOf } from "../../support/rows.ts";

describe.each([true, false])("collected pixels, opaque: %s", (opaque) => {
  const pixels = noise(37, 50, opaque);
  const collected = (most: number) => collectPixels(rowsOf(pixels, opaque, most), UNPAUSED);

  it("are those of the picture, each time, in bands of any height", async () => {
    const kept = await collected(7);
    for (const max of [1, 16, 50]) expect(await drain(rowsOfPixels(kept), max)).toEqual(pixels);
    expect(rowsOfPixels(kept)).toMatchObject({ width: 37, height: 50, opaque });
  });

  it("can be skipped", async () => {
    const rows = rowsOfPixels(await collected(1_000));
    await skipRows(rows, 20);
    expect(await rows.read(1)).toEqual(pixels.data.subarray(20 * 37 * 4, 21 * 37 * 4));
    await skipRows(rows, 29);
    expect(await rows.read(1)).toBeNull();
    rows.close();
  });

  it("are of rows that are read once, to their end, and closed", async () => {
    const close = vi.fn<() => void>();
    const rows = { ...rowsOf(pixels, opaque), close };
    const kept = await collectPixels(rows, UNPAUSED);
    expect(await rows.read(1)).toBeNull();
    for (let time = 0; time < 3; time++) expect(await drain(rowsOfPixels(kept))).toEqual(pixels);
    expect(close).toHaveBeenCalledOnce();
  });

  it("are each job's own, however jobs take turns", async () => {
    const pictures = [pixels, noise(61, 40, opaque), noise(5, 90, opaque)];
    const jobs = pictures.map((one) => async (timeSlice: Parameters<typeof collectPixels>[1]) => {
      return drain(rowsOfPixels(await collectPixels(rowsOf(one, opaque, 3), timeSlice)));
    });
    expect(await interleaved(jobs)).toEqual(pictures);
  });
});

it("take three bytes of an opaque pixel", () => {
  expect(pixelBytes({ width: 10, height: 20, opaque: true })).toBe(600);
  expect(pixelBytes({ width: 10, height: 20, opaque: false })).toBe(800);
});

it("are closed where reading fails", async () => {
  const close = vi.fn<() => void>();
  const read = () => Promise.reject(new RangeError("damaged"));
  const rows = { width: 3, height: 2, opaque: true, read, close };
  await expect(collectPixels(rows, UNPAUSED)).rejects.toThrow("damaged");
  expect(close).toHaveBeenCalledOnce();
});
