import { describe, expect, it } from "vitest";

import type { Step } from "../../src/image/operation.ts";
import { demandOf, planSteps } from "../../src/image/plan.ts";

const stored = { width: 400, height: 300 };
const resize = (width: number, height: number): Step => ({ kind: "resize", width, height, kernel: "lanczos3" });
const crop = (x: number, y: number, width: number, height: number): Step => ({
  kind: "crop",
  box: { x, y, width, height },
});

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

  it("keeps a crop after a resize, and a second resize, as steps of their own", () => {
    const plan = planSteps(stored, [resize(40, 30), crop(0, 0, 10, 10), resize(5, 5)]);
    expect(plan.steps.map((step) => step.kind)).toEqual(["crop", "resize"]);
    expect(plan.size).toEqual({ width: 5, height: 5 });
  });
});
