/** Watermarks: their place, size and opacity. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { checked } from "../../../src/contract/message.ts";
import { UploadBody } from "../../../src/contract/request.ts";
import over from "../../fixtures/effects/over.png";
import { applied, decoded, flat, pixel } from "../../support/operations.ts";
import type { Pixels } from "../../support/rows.ts";

/** A translucent picture of 40 x 24. */
const OVER = await decoded(over);
const GREEN: Pixels = flat(100, 60, [0, 255, 0, 255]);

async function marked(params: object, pixels: Pixels = GREEN, overlay: ArrayBuffer = over): Promise<Pixels> {
  return applied("watermark", { id: "a", ...params }, pixels, { overlay });
}

/** Where pixels differ: left, top, right, bottom. */
function changed(result: Pixels, from: Pixels = GREEN): number[] {
  let [left, top, right, bottom] = [result.width, result.height, 0, 0];
  for (let y = 0; y < result.height; y++) {
    for (let x = 0; x < result.width; x++) {
      if (pixel(result, x, y).every((value, c) => value === pixel(from, x, y)[c])) continue;
      [left, top, right, bottom] = [
        Math.min(left, x),
        Math.min(top, y),
        Math.max(right, x + 1),
        Math.max(bottom, y + 1),
      ];
    }
  }
  return [left, top, right, bottom];
}

describe("place", () => {
  it.each([
    [{}, [30, 18, 70, 42]],
    [{ gravity: "top-left" }, [0, 0, 40, 24]],
    [{ gravity: "top-left", padding: 5 }, [5, 5, 45, 29]],
    [{ gravity: "bottom-right", padding: 7 }, [53, 29, 93, 53]],
    [{ gravity: "left", padding: 3 }, [3, 18, 43, 42]],
    [{ gravity: "bottom", padding: 3 }, [30, 33, 70, 57]],
    [{ x: 12, y: 3 }, [12, 3, 52, 27]],
    [{ x: "12" }, [12, 0, 52, 24]],
    [{ x: -10, y: 50 }, [0, 50, 30, 60]],
    [{ gravity: "center", padding: 9 }, [30, 18, 70, 42]],
  ])("%o", async (params, expected) => {
    expect(changed(await marked(params))).toEqual(expected);
  });

  it("clips what stands out on every side", async () => {
    const small = flat(10, 8, [0, 255, 0, 255]);
    const result = await marked({}, small);
    const whole = await marked({}, flat(40, 24, [0, 255, 0, 255]));
    for (let y = 0; y < 8; y++)
      for (let x = 0; x < 10; x++) expect(pixel(result, x, y)).toEqual(pixel(whole, x + 15, y + 8));
  });
});

describe("size", () => {
  const size = async (params: object, pixels?: Pixels) => {
    const [left = 0, top = 0, right = 0, bottom = 0] = changed(await marked(params, pixels), pixels);
    return [right - left, bottom - top];
  };

  it.each([
    [{ scale: 0.5 }, [20, 12]],
    [{ width: 10 }, [10, 6]],
    [{ height: 12 }, [20, 12]],
    [{ width: 30, height: 6 }, [10, 6]],
    [{ scale: 0.5, width: 30 }, [20, 12]],
    [{ width: 400, height: 400 }, [40, 24]],
    [{ fit: true }, [40, 24]],
  ])("%o", async (params, expected) => {
    expect(await size(params)).toEqual(expected);
  });

  it("fits into a smaller picture only when asked", async () => {
    const small = flat(20, 20, [0, 255, 0, 255]);
    expect(await size({}, small)).toEqual([20, 20]);
    expect(await size({ fit: true }, small)).toEqual([20, 12]);
    expect(await size({ fit: true, padding: 5 }, small)).toEqual([10, 6]);
  });

  it("is never enlarged", async () => {
    const side = fc.integer({ min: 41, max: 300 });
    const params = fc.record({ width: side, height: side, fit: fc.boolean() }, { requiredKeys: [] });
    await fc.assert(
      fc.asyncProperty(params, async (options) => {
        const [width = 0, height = 0] = await size(options);
        expect(width <= OVER.width && height <= OVER.height).toBe(true);
      }),
      { numRuns: 20 },
    );
  });
});

describe("opacity", () => {
  it("multiplies the alpha of the watermark", async () => {
    const [red, green, blue, alpha] = pixel(OVER, 20, 12);
    const share = (alpha / 255) * 0.25;
    const result = pixel(await marked({ x: 0, y: 0, opacity: 0.25 }), 20, 12);
    const expected = [red * share, green * share + 255 * (1 - share), blue * share, 255];
    for (const [c, value] of expected.entries()) expect(Math.abs((result[c] ?? 0) - value)).toBeLessThanOrEqual(1);
  });

  it("changes at most two levels at its least", async () => {
    const result = await marked({ opacity: 0.01 });
    for (const [at, value] of result.data.entries())
      expect(Math.abs(value - (GREEN.data[at] ?? 0))).toBeLessThanOrEqual(3);
  });

  it("makes a transparent picture as opaque as the watermark is", async () => {
    const empty = flat(40, 24, [9, 9, 9, 0]);
    const result = await applied("watermark", { id: "a" }, empty, { opaque: false, overlay: over });
    for (const [at, value] of result.data.entries()) {
      if (at % 4 === 3) expect(Math.abs(value - (OVER.data[at] ?? 0))).toBeLessThanOrEqual(1);
    }
  });
});

it("says that the watermark, and not the picture, cannot be read", async () => {
  const message = "watermark.id names a picture that cannot be read";
  await expect(marked({}, GREEN, new Uint8Array([1, 2, 3]).buffer)).rejects.toThrow(message);
  await expect(marked({}, GREEN, over.slice(0, 300))).rejects.toThrow(message);
});

it.each([
  [{}, "watermark.id is required"],
  [{ id: "a b" }, "watermark.id must be the id of a saved watermark"],
  [{ id: "a", x: 1, gravity: "top" }, "watermark must have either gravity or x and y, not both"],
  [{ id: "a", opacity: 0 }, "watermark.opacity must be a number between 0.01 and 1"],
  [{ id: "a", scale: 1.1 }, "watermark.scale must be a number between 0.01 and 1"],
  [{ id: "a", width: 0 }, "watermark.width must be a positive integer"],
  [{ id: "a", gravity: "face" }, "watermark.gravity must be one of center, top-left"],
])("refuses %o", (watermark, message) => {
  expect(() => checked(UploadBody, { watermark })).toThrow(message);
});
