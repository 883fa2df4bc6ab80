/** Pixels that are computed once. */
import { describe, expect, it, vi } from "vitest";

import { isWorthKeeping, kept, keptBytes, keptPicture } from "../../src/image/kept.ts";
import { firstFrame } from "../../src/image/picture.ts";
import { render } from "../../src/image/render.ts";
import { skipRows } from "../../src/image/rows.ts";
import macaw from "../fixtures/score/macaw.png";
import { drain, noise, pictureOf, rowsOf } from "../support/rows.ts";

describe.each([true, false])("kept rows, opaque: %s", (opaque) => {
  const pixels = noise(37, 50, opaque);

  it("are those of the picture, each time, in bands of any height", () => {
    const open = kept(() => rowsOf(pixels, opaque, 7));
    for (const max of [1, 16, 50]) expect(drain(open(), max)).toEqual(pixels);
    expect(open()).toMatchObject({ width: 37, height: 50, opaque });
  });

  it("can be skipped", () => {
    const rows = kept(() => rowsOf(pixels, opaque))();
    skipRows(rows, 20);
    expect(rows.read(1)).toEqual(pixels.data.subarray(20 * 37 * 4, 21 * 37 * 4));
    skipRows(rows, 29);
    expect(rows.read(1)).toBeNull();
    rows.close();
  });

  it("are read once, when they are first asked for", () => {
    const read = vi.fn<() => void>();
    const open = vi.fn(() => rowsOf(pixels, opaque));
    const picture = keptPicture({ ...pictureOf([pixels]), open: () => [{ delayMs: 0, rows: open() }] }, read);
    expect(open).not.toHaveBeenCalled();
    for (let time = 0; time < 3; time++) expect(drain(firstFrame(picture))).toEqual(pixels);
    expect(open).toHaveBeenCalledOnce();
    expect(read).toHaveBeenCalledOnce();
  });
});

it("keeps three bytes of an opaque pixel, and of no picture much more than of four megapixels", () => {
  expect(keptBytes({ width: 10, height: 20, opaque: true })).toBe(600);
  expect(keptBytes({ width: 10, height: 20, opaque: false })).toBe(800);
  expect(isWorthKeeping({ width: 2_000, height: 1_500, frames: 1 })).toBe(true);
  expect(isWorthKeeping({ width: 3_000, height: 2_000, frames: 1 })).toBe(false);
  expect(isWorthKeeping({ width: 100, height: 100, frames: 2 })).toBe(false);
});

describe("the file of a job", () => {
  const overlays = new Map<string, Uint8Array>();
  const resize = { width: 100, mode: "auto", gravity: "center", upscale: true, background: "ffffff" } as const;
  const smaller = { operations: { resize: { ...resize, linear: false } }, overlays, accept: undefined };

  /** The result, and whether the file was given up, and taken away, on the way. */
  async function rendered(order: Omit<Parameters<typeof render>[1], "whenRead">) {
    const bytes = new Uint8Array(macaw.slice());
    const whenRead = vi.fn(() => void bytes.buffer.transfer(0));
    const { output } = await render(bytes, { ...order, whenRead });
    const expected = await render(new Uint8Array(macaw), order);
    expect(output.bytes).toEqual(expected.output.bytes);
    return whenRead.mock.calls.length > 0;
  }

  it.each([
    ["searched", undefined],
    ["to fit", { lossless: false, target_bytes: 2_000 }],
  ])("is not read again once its pixels are kept, for a quality that is %s", async (_how, optimize) => {
    const order = { ...smaller, output: { format: "jpg", encoding: "progressive" } as const, optimize };
    expect(await rendered(order)).toBe(true);
  });

  it("is kept while it may be the result", async () => {
    const order = { operations: {}, overlays, accept: undefined, output: undefined, optimize: undefined };
    expect(await rendered(order)).toBe(false);
  });

  it("is kept while other formats are to be tried", async () => {
    const order = { ...smaller, output: { format: "auto", encoding: "progressive" } as const, optimize: undefined };
    expect(await rendered(order)).toBe(true);
  });
});
