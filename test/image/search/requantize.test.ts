/** Large JPEG files whose coefficients are divided: encodings of the pixels are sought where divisors are too far apart. */
import { expect, it } from "vitest";

import { FORMATS } from "../../../src/image/formats.ts";
import { identify } from "../../../src/image/plan/detect.ts";
import { planSteps, storedSize } from "../../../src/image/plan/plan.ts";
import { requantize } from "../../../src/image/search/requantize.ts";
import { searchPixels } from "../../../src/image/search/search-pixels.ts";
import { Session } from "../../../src/image/search/session.ts";
import { type Task, taskOf } from "../../../src/image/search/task.ts";
import type { TraceEvent } from "../../../src/image/search/trace.ts";
import { SharedBytes } from "../../../src/scheduler/shared-bytes.ts";
import { UNPAUSED } from "../../../src/scheduler/time-slice.ts";
import { rendered } from "../../support/render.ts";
import { paint, pictureOf, type Pixels, scene } from "../../support/rows.ts";

const SIZE = { width: 6_000, height: 4_000 };

/** Slow waves, which qualities hardly tell apart. */
const WAVES = paint(SIZE.width, SIZE.height, (x, y) => {
  const level = 128 + 60 * Math.sin(x / 90) * Math.cos(y / 70);
  return [level, level * 0.9, level * 0.7 + 30, 255];
});

/** A JPEG file of 4:2:0. */
async function fileOf(pixels: Pixels, quality: number): Promise<Uint8Array> {
  const settings = { lossless: false, quality, progressive: false, effort: 0.5, subsample: "4:2:0" } as const;
  return FORMATS.jpeg.write.encode(pictureOf([pixels]), settings, UNPAUSED);
}

function optimizing(file: Uint8Array): Task {
  const stored = identify(file.slice());
  const plan = planSteps(storedSize(stored.facts), []);
  return taskOf({ stored, plan, format: FORMATS.jpeg, objective: { kind: "smart", preset: "medium" }, isLast: true });
}

/** What is done for a file, in the order in which it is. */
async function attemptsOf(file: Uint8Array) {
  const names: string[] = [];
  const trace = (event: TraceEvent) => void (event.kind === "attempt" && names.push(event.name));
  const { output } = await rendered(file, { optimize: { lossless: false }, trace });
  return { names, output };
}

it("sets no memory aside for the pixels of a picture whose divisors are close enough", async () => {
  const file = await fileOf(scene(SIZE.width, SIZE.height), 92);
  const task = optimizing(file);
  const [coefficients, pixels] = [requantize(task), searchPixels(task)];
  expect(coefficients?.estimate.bytes).toBeLessThan((pixels?.estimate.bytes ?? 0) - (8 << 20));
  const { names, output } = await attemptsOf(file);
  expect(names).toEqual(["requantize"]);
  expect(output.score).toBeGreaterThanOrEqual(75);
});

it("comes to the pixels where divisors are too far apart, and takes the smaller file", async () => {
  const { names, output } = await attemptsOf(await fileOf(WAVES, 70));
  expect(names.slice(0, 2)).toEqual(["requantize", "search pixels"]);
  expect(output.score).toBeGreaterThanOrEqual(75);
  const task = optimizing(await fileOf(WAVES, 70));
  const session = new Session(task, SharedBytes.of(task.stored.bytes));
  const divided = await requantize(task)?.run(session, UNPAUSED, 0);
  if (!divided || typeof divided === "symbol") throw new Error("coefficients can be divided");
  expect(output.bytes.length).toBeLessThan(divided.file.bytes.length);
});

it("tries pixels where chroma of theirs can be halved", async () => {
  const settings = { lossless: false, quality: 92, progressive: false, effort: 0.5, subsample: "4:4:4" } as const;
  const file = await FORMATS.jpeg.write.encode(pictureOf([scene(900, 600)]), settings, UNPAUSED);
  const { names } = await attemptsOf(file);
  expect(names.slice(0, 2)).toEqual(["requantize", "search pixels"]);
});
