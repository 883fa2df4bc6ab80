/** Pictures on their way from a file through a plan: in turns with others, and in stretches as long as is declared. */
import { describe, expect, it } from "vitest";

import type { OperationName } from "../../../src/image/operations.ts";
import { firstFrame } from "../../../src/image/pixels/picture.ts";
import { identify } from "../../../src/image/plan/detect.ts";
import { planSteps, storedSize } from "../../../src/image/plan/plan.ts";
import { pictureOf, pictureEstimate } from "../../../src/image/plan/planned-picture.ts";
import type { Step } from "../../../src/image/steps/operation.ts";
import { type TimeSlice, UNPAUSED } from "../../../src/scheduler/time-slice.ts";
import over from "../../fixtures/effects/over.png";
import displayP3 from "../../fixtures/profiles/display-p3.icc";
import source from "../../fixtures/resample/source.png";
import animated from "../../fixtures/webp/animated-blend.webp";
import { interleaved } from "../../support/interleaved.ts";
import { planned } from "../../support/operations.ts";
import { drain, noise, type Pixels } from "../../support/rows.ts";

/** Steps of many kinds, for a picture of the size of the fixture. */
async function steps(asked: readonly (readonly [OperationName, object])[]): Promise<readonly Step[]> {
  const all: Step[] = [];
  let size = { width: 96, height: 64 };
  for (const [name, params] of asked) {
    const more = await planned(name, params, noise(size.width, size.height), { overlay: over });
    all.push(...more);
    for (const step of more) if ("width" in step) size = { width: step.width, height: step.height };
  }
  return all;
}

const WAYS = [
  [["rotate", { angle: 20 }]],
  [["filter", { blur: { mode: "median", value: 5 }, halftone: { value: 6 } }]],
  [["watermark", { id: "a", x: 3, y: 5 }]],
  [["adjust", { sharpen: 40, hue: 40 }]],
  [["upscale", { factor: 3 }]],
  [["mask", { shape: "ellipse" }]],
  [["filter", { blur: { value: 30 } }]],
] as const satisfies readonly (readonly (readonly [OperationName, object])[])[];

async function shown(file: ArrayBuffer, list: readonly Step[], timeSlice: TimeSlice): Promise<Pixels[]> {
  const stored = identify(new Uint8Array(file));
  const pixels: Pixels[] = [];
  for await (const { rows } of pictureOf(stored, planSteps(storedSize(stored.facts), list)).open(timeSlice)) {
    pixels.push(await drain(rows));
  }
  return pixels;
}

describe("pictures that take turns", () => {
  it("are what they are one after the other", async () => {
    const lists: (readonly Step[])[] = [];
    for (const way of WAYS) lists.push(await steps(way));
    const apart: Pixels[][] = [];
    for (const list of lists) apart.push(await shown(source, list, UNPAUSED));
    expect(await interleaved(lists.map((list) => (timeSlice: TimeSlice) => shown(source, list, timeSlice)))).toEqual(
      apart,
    );
  });

  it("keep their frames apart", async () => {
    const flip: Step = { kind: "turn", orientation: 3 };
    const small: Step = { kind: "resize", width: 21, height: 17, kernel: "lanczos3" };
    const lists = [[flip], [small], []];
    const apart: Pixels[][] = [];
    for (const list of lists) apart.push(await shown(animated, list, UNPAUSED));
    expect(await interleaved(lists.map((list) => (timeSlice: TimeSlice) => shown(animated, list, timeSlice)))).toEqual(
      apart,
    );
  });
});

describe("work that is declared", () => {
  /** What a job declares, in the order in which it does. */
  async function declared(
    list: readonly Step[],
    profile?: Uint8Array,
  ): Promise<{ spent: number[]; estimateMs: number }> {
    const stored = identify(new Uint8Array(source));
    const spent: number[] = [];
    const timeSlice: TimeSlice = { spend: (ms) => void spent.push(ms), worked: () => 0 };
    const one = profile ? { ...stored, facts: { ...stored.facts, profile } } : stored;
    const plan = planSteps(storedSize(stored.facts), list);
    await drain(await firstFrame(pictureOf(one, plan), timeSlice), 7);
    return { spent, estimateMs: pictureEstimate(one, plan).ms };
  }

  it.each(WAYS.map((way) => [JSON.stringify(way), way] as const))("is about the estimate: %s", async (_name, way) => {
    const { spent, estimateMs } = await declared(await steps(way), new Uint8Array(displayP3));
    const sum = spent.reduce((total, ms) => total + ms, 0);
    expect(estimateMs).toBeGreaterThan(0);
    expect(sum).toBeGreaterThan(estimateMs * 0.6);
    expect(sum).toBeLessThan(estimateMs * 2);
  });

  it("ends with the reason of the signal, and frees everything", async () => {
    const spend = () => {
      throw new Error("nobody waits");
    };
    const stored = identify(new Uint8Array(source));
    const plan = planSteps(storedSize(stored.facts), await steps([["filter", { blur: { value: 2 } }]]));
    const rows = await firstFrame(pictureOf(stored, plan), { spend, worked: () => 0 });
    await expect(drain(rows)).rejects.toThrow("nobody waits");
  });
});

it("declares an estimate for every step that an operation plans", async () => {
  for (const way of WAYS) {
    for (const step of await steps(way)) {
      if (step.kind === "rows") expect(step.estimate.ms).toBeGreaterThan(0);
    }
  }
});
