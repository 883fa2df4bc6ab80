/** Steps of a request are joined into as few passes over the pixels as possible. */
import { describe, expect, it } from "vitest";

import { demandOf, planSteps } from "../../../src/image/plan/plan.ts";
import type { Resize, Step } from "../../../src/image/steps/operation.ts";
import { turnedSize } from "../../../src/image/steps/rotate.ts";

const stored = { width: 400, height: 300 };
const resize = (width: number, height: number): Resize => ({ kind: "resize", width, height, kernel: "lanczos3" });
const crop = (x: number, y: number, width: number, height: number): Step => ({
  kind: "crop",
  box: { x, y, width, height },
});

/** Of the upright picture, 300 x 400. */
const rotation: Step = {
  kind: "rotate",
  ...turnedSize({ width: 300, height: 400 }, 10),
  angle: 10,
  background: [255, 255, 255, 255],
};

describe("planSteps", () => {
  it("changes no pixels when nothing is asked", () => {
    const plan = planSteps(stored, [{ kind: "turn", orientation: 1 }]);
    expect(plan).toMatchObject({ changesPixels: false, steps: [], size: stored });
  });

  it("drops a resize to the present size", () => {
    expect(planSteps(stored, [resize(400, 300)]).changesPixels).toBe(false);
  });

  it("joins turn, crop and resize into one view of the stored picture", () => {
    const plan = planSteps(stored, [{ kind: "turn", orientation: 6 }, crop(0, 100, 300, 200), resize(150, 100)]);
    expect(plan.steps).toEqual([]);
    expect(plan.size).toEqual({ width: 150, height: 100 });
    // Upright is 300 × 400; its rows 100 to 299 are the stored columns 100 to 299.
    expect(plan.view.box).toEqual({ x: 100, y: 0, width: 200, height: 300 });
    expect(demandOf(plan.view)).toEqual({ box: plan.view.box, width: 100, height: 150 });
  });

  it("adds up crops", () => {
    expect(planSteps(stored, [crop(10, 20, 100, 100), crop(5, 5, 20, 20)]).view.box).toEqual({
      x: 15,
      y: 25,
      width: 20,
      height: 20,
    });
  });

  it("turns after the resize that comes before the turn", () => {
    const plan = planSteps(stored, [resize(40, 30), { kind: "turn", orientation: 8 }]);
    expect(plan.steps).toEqual([]);
    expect(plan.size).toEqual({ width: 30, height: 40 });
    expect(demandOf(plan.view)).toMatchObject({ width: 40, height: 30 });
  });

  it("keeps a second resize as a step of its own, with the crop before it as its region", () => {
    const plan = planSteps(stored, [resize(40, 30), crop(1, 2, 20, 20), crop(0.5, 0, 10, 10), resize(5, 5)]);
    expect(plan.steps).toEqual([{ ...resize(5, 5), box: { x: 1.5, y: 2, width: 10, height: 10 } }]);
    expect(plan.size).toEqual({ width: 5, height: 5 });
  });

  it("has the whole region decoded where light is to be filtered", () => {
    const plan = planSteps(stored, [crop(100, 0, 200, 300), { ...resize(20, 30), linear: true }]);
    expect(demandOf(plan.view)).toEqual({ box: plan.view.box, width: 200, height: 300 });
  });

  it("cuts at whole pixels what keeps its size", () => {
    const plan = planSteps(stored, [crop(0, 100.5, 400, 99), resize(400, 99)]);
    expect(plan.view).toEqual({ box: { x: 0, y: 100, width: 400, height: 99 }, orientation: 1 });
    const later = planSteps(stored, [resize(200, 150), crop(0, 25.5, 200, 99), resize(200, 99)]);
    expect(later.steps).toEqual([crop(0, 25, 200, 99)]);
  });

  it("shrinks before it rotates, when a resize follows", () => {
    const plan = planSteps(stored, [{ kind: "turn", orientation: 6 }, rotation, resize(86, 100)]);
    expect(plan.view.target).toEqual({ width: 141, height: 188, kernel: "lanczos3" });
    expect(plan.steps.map((step) => step.kind)).toEqual(["rotate", "resize"]);
    expect(plan.size).toEqual({ width: 86, height: 100 });
    const [rotate, last] = plan.steps;
    const box = last?.kind === "resize" ? last.box : undefined;
    const canvas = rotate?.kind === "rotate" ? rotate : undefined;
    expect(canvas?.width).toBe(Math.ceil(box?.width ?? 0));
    expect((box?.x ?? 0) * 2 + (box?.width ?? 0)).toBeCloseTo(canvas?.width ?? 0, 9);
  });

  it("rotates at full size when there is little to shrink", () => {
    const plan = planSteps(stored, [{ kind: "turn", orientation: 6 }, rotation, resize(300, 345)]);
    expect(plan.view.target).toBeUndefined();
    expect(plan.steps).toEqual([rotation, resize(300, 345)]);
  });
});
