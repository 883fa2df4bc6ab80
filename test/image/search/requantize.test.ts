/** Large JPEG files whose coefficients are divided: encodings of the pixels are sought where divisors are too far apart. */
import { expect, it } from "vitest";

import { FORMATS } from "../../../src/image/formats.ts";
import { identify } from "../../../src/image/plan/detect.ts";
import { planSteps, storedSize } from "../../../src/image/plan/plan.ts";
import { TARGET_SCORE } from "../../../src/image/search/presets.ts";
import { requantize, requantizeWithoutPixels } from "../../../src/image/search/requantize.ts";
import { Session } from "../../../src/image/search/session.ts";
import { type Task, taskOf } from "../../../src/image/search/task.ts";
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

/** The file that an attempt makes, marked as results are; undefined where it makes none. */
async function madeBy(attempt: ReturnType<typeof requantize>, task: Task): Promise<Uint8Array | undefined> {
  const session = new Session(task, SharedBytes.of(task.stored.bytes));
  const outcome = await attempt?.run(session, UNPAUSED, 0);
  if (!outcome || typeof outcome === "symbol") return undefined;
  return FORMATS.jpeg.mark.write(outcome.file.bytes, TARGET_SCORE.medium);
}

it("sets no memory aside for the pixels of a picture whose divisors are close enough, and makes the same file", async () => {
  const file = await fileOf(scene(SIZE.width, SIZE.height), 92);
  const task = optimizing(file);
  const [without, both] = [requantizeWithoutPixels(task), requantize(task)];
  expect(without?.estimate.bytes).toBeLessThan((both?.estimate.bytes ?? 0) - (8 << 20));
  const made = await madeBy(without, task);
  expect(made).toEqual(await madeBy(both, optimizing(file)));
  const { output } = await rendered(file, { optimize: { lossless: false } });
  expect(output.bytes).toEqual(made);
});

it("comes to the pixels where divisors are too far apart, and makes nothing before", async () => {
  const file = await fileOf(WAVES, 70);
  const task = optimizing(file);
  expect(await madeBy(requantizeWithoutPixels(task), task)).toBeUndefined();
  const { output } = await rendered(file, { optimize: { lossless: false } });
  expect(output.bytes).toEqual(await madeBy(requantize(optimizing(file)), optimizing(file)));
  expect(output.score).toBeGreaterThanOrEqual(75);
});

it("tries both at once where the picture is small", async () => {
  expect(requantizeWithoutPixels(optimizing(await fileOf(scene(900, 600), 92)))).toBeNull();
});
