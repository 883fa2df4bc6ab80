/**
 * What reading and writing declare beside what they take of an isolate: not less than they hold, and not much more. Sizes
 * go from 0.1 to 24 megapixels, photographs and pages.
 */
import { expect, it } from "vitest";

import type { FormatDefinition } from "../../../src/image/codec/format.ts";
import { decodedFrames } from "../../../src/image/codec/metered-rows.ts";
import { type FormatName, FORMATS } from "../../../src/image/formats.ts";
import { whole } from "../../../src/image/pixels/geometry.ts";
import type { Picture } from "../../../src/image/pixels/picture.ts";
import { identify } from "../../../src/image/plan/detect.ts";
import { encodeSettings } from "../../../src/image/search/presets.ts";
import { isolateBudget } from "../../../src/scheduler/budget.ts";
import { UNPAUSED, type TimeSlice } from "../../../src/scheduler/time-slice.ts";
import type { Estimate } from "../../../wasm/estimate.ts";
import { admittedDuring } from "../../support/admitted.ts";
import { daily } from "../../support/exhaustive.ts";
import { pictureOf, scene } from "../../support/rows.ts";

const SIZES = daily([0.1, 1], [0.1, 1, 4, 12, 24]);
/** Frames of an animation, and the largest that is made. */
const FRAMES = 3;
const MOST_MOVING = 4;

/** How many times of what is taken may be declared, and bytes besides: an instance has memory of its own. */
const FACTOR = 1.5;
const BESIDE_BYTES = 1 << 20;

interface Taken {
  readonly declared: number;
  /** What was allocated at the same time, and what the memories of modules grew to; the result in both. */
  readonly held: number;
  readonly taken: number;
}

async function takenBy(estimate: Estimate, work: (timeSlice: TimeSlice) => Promise<number>): Promise<Taken> {
  let resultBytes = 0;
  const run = async () => {
    resultBytes = await isolateBudget.run({ bytes: 1, ms: estimate.ms }, work);
  };
  const [piece] = await admittedDuring(run, { now: () => performance.now(), memory: true });
  const { heldBytes = 0, takenBytes = 0 } = piece ?? {};
  return { declared: estimate.bytes, held: heldBytes + resultBytes, taken: takenBytes + 2 * resultBytes };
}

function sized(megapixels: number): { width: number; height: number } {
  const height = Math.round(Math.sqrt(megapixels * 0.75e6));
  return { width: Math.round((height * 4) / 3), height };
}

/** A photograph as good as, and frames of it that differ everywhere. */
function picture(megapixels: number, frames: number): Picture {
  const { width, height } = sized(megapixels);
  const [first, ...others] = Array.from({ length: frames }, (_, index) => scene(width + index, height));
  if (!first) throw new RangeError("no frames");
  const cut = others.map(({ data }, index) => {
    const rows = new Uint8Array(width * height * 4);
    const stride = (width + index + 1) * 4;
    for (let y = 0; y < height; y++) rows.set(data.subarray(y * stride, y * stride + width * 4), y * width * 4);
    return { width, height, data: rows };
  });
  return pictureOf([first, ...cut], { delayMs: 80 });
}

async function read(bytes: Uint8Array): Promise<Taken> {
  const { format, facts } = identify(bytes);
  const demand = { box: whole(facts), width: facts.width, height: facts.height };
  return takenBy(format.read.estimate(facts, demand), async (timeSlice) => {
    for await (const { rows } of decodedFrames(format, bytes, facts, demand, timeSlice)) {
      while (await rows.read(16)) continue;
      rows.close();
    }
    return 0;
  });
}

const WRITERS = (["gif", "webp"] as const satisfies readonly FormatName[]).map((name): [string, FormatDefinition] => [
  name,
  FORMATS[name],
]);

const CASES = WRITERS.flatMap(([name, format]) =>
  SIZES.flatMap((megapixels) =>
    [1, FRAMES]
      .filter((frames) => frames === 1 || megapixels <= MOST_MOVING)
      .map((frames) => ({ name, format, megapixels, frames })),
  ),
);

it.each(CASES)("$name of $megapixels megapixels, $frames frames", async ({ format, megapixels, frames }) => {
  const made = picture(megapixels, frames);
  const settings = encodeSettings({ kind: "quality", quality: 80 }, format, frames > 1);
  const { write } = format;
  if (!write) throw new RangeError("the format is not written");
  let file = new Uint8Array(0) as Uint8Array;
  const written = await takenBy(write.estimate(made, settings), async (timeSlice) => {
    file = await write.encode(made, settings, timeSlice);
    return file.length;
  });
  const all = { written, read: await read(file) };
  for (const [what, { declared, held, taken }] of Object.entries(all)) {
    expect(declared, what).toBeGreaterThanOrEqual(held);
    expect(declared, what).toBeLessThanOrEqual(FACTOR * taken + BESIDE_BYTES);
  }
});

it("noise that takes more than was declared is written all the same", async () => {
  const { width, height } = sized(1);
  const data = new Uint8Array(width * height * 4);
  let state = 1;
  for (let at = 0; at < data.length; at++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    data[at] = at % 4 === 3 ? 255 : state >>> 24;
  }
  const noise = pictureOf([{ width, height, data }]);
  const settings = encodeSettings({ kind: "quality", quality: 80 }, FORMATS.webp, false);
  const { declared, held } = await takenBy(FORMATS.webp.write.estimate(noise, settings), async (timeSlice) => {
    const { length } = await FORMATS.webp.write.encode(noise, settings, timeSlice);
    expect(length).toBe((await FORMATS.webp.write.encode(noise, settings, UNPAUSED)).length);
    return length;
  });
  expect(held).toBeGreaterThan(declared);
});
