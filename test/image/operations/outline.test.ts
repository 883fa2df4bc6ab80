/** Mask and border. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { checked } from "../../../src/contract/message.ts";
import { UploadBody } from "../../../src/contract/request.ts";
import { applied, flat, pixel } from "../../support/operations.ts";
import { noise, paint, type Pixels, sample } from "../../support/rows.ts";

const WHITE: Pixels = flat(60, 40, [255, 255, 255, 255]);

/** The sum of alpha, in pixels. */
function area({ data }: Pixels): number {
  let sum = 0;
  for (let at = 3; at < data.length; at += 4) sum += sample(data, at);
  return sum / 255;
}

/** Mirrored left to right and top to bottom. */
function turned({ width, height, data }: Pixels): Pixels {
  return paint(width, height, (x, y) => pixel({ width, height, data }, width - 1 - x, height - 1 - y));
}

describe("mask", () => {
  it("covers the area of an ellipse, evenly on all sides", async () => {
    const side = fc.integer({ min: 1, max: 90 });
    await fc.assert(
      fc.asyncProperty(side, side, async (width, height) => {
        const result = await applied("mask", { shape: "ellipse" }, flat(width, height, [255, 255, 255, 255]));
        const exact = (Math.PI * width * height) / 4;
        expect(Math.abs(area(result) - exact)).toBeLessThan(0.02 * (width + height) + 0.06);
        expect(turned(result).data).toEqual(result.data);
      }),
      { numRuns: 40 },
    );
  });

  it("has a smooth edge, and keeps the color up to it", async () => {
    const result = await applied("mask", { shape: "ellipse" }, WHITE);
    const partial = result.data.filter((alpha, at) => at % 4 === 3 && alpha > 0 && alpha < 255);
    expect(partial.length).toBeGreaterThan(60);
    for (let at = 0; at < result.data.length; at += 4) {
      if (sample(result.data, at + 3) > 0) expect([...result.data.subarray(at, at + 3)]).toEqual([255, 255, 255]);
    }
    expect(pixel(result, 0, 0)).toEqual([0, 0, 0, 0]);
    expect(pixel(result, 30, 20)).toEqual([255, 255, 255, 255]);
  });

  it("has a background: as told, or transparent, or white where nothing is", async () => {
    const corner = async (params: object, alpha: boolean) =>
      pixel(await applied("mask", { shape: "ellipse", ...params }, noise(30, 30), { alpha }), 0, 0);
    expect(await corner({}, true)).toEqual([0, 0, 0, 0]);
    expect(await corner({}, false)).toEqual([255, 255, 255, 255]);
    expect(await corner({ background: "#f00" }, true)).toEqual([255, 0, 0, 255]);
    expect(await corner({ background: "0000ff40" }, true)).toEqual([0, 0, 255, 64]);
  });

  it("leaves what is transparent inside transparent", async () => {
    const result = await applied("mask", { shape: "ellipse", background: "f00" }, flat(9, 9, [0, 0, 0, 0]), {
      opaque: false,
    });
    expect(pixel(result, 4, 4)).toEqual([0, 0, 0, 0]);
  });
});

describe("border", () => {
  it("is painted inside the edges, and only there", async () => {
    const pixels = noise(30, 20);
    const result = await applied("border", { size: 4, color: "112233" }, pixels);
    for (let y = 0; y < 20; y++) {
      for (let x = 0; x < 30; x++) {
        const inside = x >= 4 && x < 26 && y >= 4 && y < 16;
        expect(pixel(result, x, y)).toEqual(inside ? pixel(pixels, x, y) : [0x11, 0x22, 0x33, 255]);
      }
    }
  });

  it("lets the picture through where its color is translucent", async () => {
    const result = await applied("border", { size: 2, color: "ff000080" }, flat(9, 9, [0, 0, 255, 255]));
    expect(pixel(result, 1, 1)).toEqual([128, 0, 127, 255]);
    expect(result.opaque).toBe(true);
  });

  it("rounds the corners, outside and inside", async () => {
    const result = await applied("border", { size: 5, radius: 15, color: "000" }, WHITE);
    expect(pixel(result, 0, 0)).toEqual([0, 0, 0, 0]);
    expect(pixel(result, 2, 20)).toEqual([0, 0, 0, 255]);
    // The inner corner has a radius of 10: its corner pixel is still border.
    expect(pixel(result, 6, 6)).toEqual([0, 0, 0, 255]);
    expect(pixel(result, 9, 9)).toEqual([255, 255, 255, 255]);
    expect(area(result)).toBeCloseTo(60 * 40 - (4 - Math.PI) * 15 ** 2, 0);
    expect(turned(result).data).toEqual(result.data);
  });

  it("rounds without a line, and fills what is behind", async () => {
    const result = await applied("border", { radius: 12, background: "#cccccc" }, WHITE, { alpha: false });
    expect(pixel(result, 0, 0)).toEqual([0xcc, 0xcc, 0xcc, 255]);
    expect(pixel(result, 20, 0)).toEqual([255, 255, 255, 255]);
    expect(result.opaque).toBe(true);
  });

  it("is all there is where the picture is thinner than both sides of it", async () => {
    expect((await applied("border", { size: 9, color: "123456" }, noise(17, 40))).data).toEqual(
      flat(17, 40, [0x12, 0x34, 0x56, 255]).data,
    );
  });
});

it.each([
  [{ mask: {} }, "mask.shape is required"],
  [{ mask: { shape: "star" } }, "mask.shape must be one of ellipse"],
  [{ mask: { shape: "ellipse", background: "red" } }, "mask.background must be a hex color"],
  [{ border: { size: 1_001 } }, "border.size must be an integer between 0 and 1000"],
  [{ border: { radius: -1 } }, "border.radius must be an integer between 0"],
  [{ rotate: {} }, "rotate.angle is required"],
  [{ rotate: { angle: 360 } }, "rotate.angle must be an integer between 0 and 359"],
  [{ auto: { enhance: "yes" } }, "auto.enhance must be true or false"],
])("refuses %o", (body, message) => {
  expect(() => checked(UploadBody, body)).toThrow(message);
});
