/** Rotation by any angle. */
import { describe, expect, it } from "vitest";

import { WHITE } from "../../../src/image/color/rgba.ts";
import type { Rows } from "../../../src/image/pixels/rows.ts";
import { planSteps } from "../../../src/image/plan/plan.ts";
import { applied as stepped } from "../../../src/image/plan/planned-picture.ts";
import type { Step } from "../../../src/image/steps/operation.ts";
import { rotateEstimate, turnedSize } from "../../../src/image/steps/rotate.ts";
import { UNPAUSED } from "../../../src/scheduler/time-slice.ts";
import { applied, flat, pixel } from "../../support/operations.ts";
import { drain, noise, paint, type Pixels, psnr, rowsOf, sample, scene } from "../../support/rows.ts";

async function rotated(angle: number, pixels: Pixels, params: object = {}, opaque = true): Promise<Pixels> {
  return applied("rotate", { angle, ...params }, pixels, { opaque });
}

function alphaOf({ data }: Pixels): number {
  let sum = 0;
  for (let at = 3; at < data.length; at += 4) sum += sample(data, at);
  return sum / 255;
}

describe("rotation", () => {
  it("loses nothing in quarter turns, clockwise", async () => {
    const pixels = noise(7, 4, false);
    const turned = await rotated(90, pixels, {}, false);
    expect([turned.width, turned.height]).toEqual([4, 7]);
    expect(turned.data).toEqual(paint(4, 7, (x, y) => pixel(pixels, y, 3 - x)).data);
    expect((await rotated(270, turned, {}, false)).data).toEqual(pixels.data);
    expect((await rotated(180, await rotated(180, pixels, {}, false), {}, false)).data).toEqual(pixels.data);
  });

  it("turns clockwise by any angle", async () => {
    const pixels = paint(41, 41, (x) => (x < 20 ? [255, 0, 0, 255] : [0, 0, 255, 255]));
    const center = async (angle: number, dx: number, dy: number) => {
      const result = await rotated(angle, pixels);
      return pixel(result, Math.floor(result.width / 2) + dx, Math.floor(result.height / 2) + dy);
    };
    // What was on the left is above after most of a quarter turn, and below after one the other way.
    expect((await center(80, 0, -12))[0]).toBeGreaterThan(250);
    expect((await center(280, 0, 12))[0]).toBeGreaterThan(250);
    expect((await center(200, 12, 0))[0]).toBeGreaterThan(250);
  });

  it.each([1, 30, 45, 46, 100, 359])("keeps the picture's area, in the middle of its canvas: %d", async (angle) => {
    const result = await rotated(angle, flat(60, 30, [10, 200, 30, 255]));
    const radians = (angle * Math.PI) / 180;
    const [across, down] = [Math.abs(Math.cos(radians)), Math.abs(Math.sin(radians))];
    expect([result.width, result.height]).toEqual([
      Math.ceil(60 * across + 30 * down),
      Math.ceil(60 * down + 30 * across),
    ]);
    expect(Math.abs(alphaOf(result) - 1_800)).toBeLessThan(12);
    const { data } = result;
    for (let at = 0; at < data.length; at += 4) {
      if (sample(data, at + 3) > 0) expect([...data.subarray(at, at + 3)]).toEqual([10, 200, 30]);
    }
    const [width, height] = [result.width, result.height];
    const around = paint(width, height, (x, y) => pixel(result, width - 1 - x, height - 1 - y));
    for (const [at, value] of around.data.entries()) {
      expect(Math.abs(value - sample(data, at))).toBeLessThanOrEqual(1);
    }
  });

  it("puts a background behind", async () => {
    const black = flat(30, 30, [0, 0, 0, 255]);
    expect(pixel(await rotated(45, black, { background: "ff8000" }), 0, 0)).toEqual([255, 128, 0, 255]);
    expect(pixel(await rotated(45, black), 0, 0)).toEqual([0, 0, 0, 0]);
    const white = await applied("rotate", { angle: 45 }, black, { alpha: false });
    expect(pixel(white, 0, 0)).toEqual([255, 255, 255, 255]);
    expect(white.opaque).toBe(true);
  });

  it("takes no color out of transparent pixels", async () => {
    const pixels = paint(40, 40, (x) => (x < 20 ? [0, 0, 255, 255] : [255, 255, 0, 0]));
    const { data } = await rotated(33, pixels, {}, false);
    for (let at = 0; at < data.length; at += 4) {
      if (sample(data, at + 3) > 8) expect([...data.subarray(at, at + 2)]).toEqual([0, 0]);
    }
  });

  it("needs few rows for small angles, and says so", () => {
    const wide = { width: 2_000, height: 200 };
    const bytes = (angle: number) =>
      rotateEstimate(wide, true, { ...turnedSize(wide, angle), angle, background: WHITE }).bytes;
    expect(bytes(1)).toBeLessThan(bytes(5) / 2);
    expect(bytes(-1)).toBe(bytes(1));
  });

  it.each([7, -28, 45])("looks the same when the planner shrinks the picture first: %d", async (angle) => {
    const pixels = scene(900, 640);
    const canvas = turnedSize(pixels, angle);
    const rotation: Step = { kind: "rotate", ...canvas, angle, background: WHITE };
    const box = { x: 101.5, y: 40, width: 700, height: 600 };
    const resize: Step = { kind: "resize", box, width: 140, height: 120, kernel: "lanczos3" };
    const { view, steps } = planSteps(pixels, [rotation, resize]);
    expect(view.target).toMatchObject({ width: 360, height: 256 });
    const run = (rows: Rows, list: readonly Step[]) =>
      drain(list.reduce((before, step) => stepped(before, step, UNPAUSED), rows));
    const shrunk: Step = { kind: "resize", width: 360, height: 256, kernel: "lanczos3" };
    const first = await run(rowsOf(pixels), [shrunk, ...steps]);
    const exact = await run(rowsOf(pixels), [rotation, resize]);
    expect(psnr(first, exact)).toBeGreaterThan(38);
  });
});
