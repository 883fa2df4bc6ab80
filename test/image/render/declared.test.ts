/**
 * What reading and writing declare beside what they take of an isolate: not less than they hold, and not much more. Sizes
 * go from 0.1 to 24 megapixels, photographs and pages.
 */
import { expect, it } from "vitest";

import type { FormatDefinition } from "../../../src/image/codec/format.ts";
import { decodedFrames } from "../../../src/image/codec/metered-rows.ts";
import type { EncodeSettings } from "../../../src/image/codec/writer.ts";
import { type FormatName, FORMATS } from "../../../src/image/formats.ts";
import { whole } from "../../../src/image/pixels/geometry.ts";
import type { Picture } from "../../../src/image/pixels/picture.ts";
import { identify } from "../../../src/image/plan/detect.ts";
import { encodeSettings } from "../../../src/image/search/presets.ts";
import { isolateBudget } from "../../../src/scheduler/budget.ts";
import { UNPAUSED, type TimeSlice } from "../../../src/scheduler/time-slice.ts";
import type { Estimate } from "../../../wasm/estimate.ts";
import { admittedDuring } from "../../support/admitted.ts";
import { daily, isForToday } from "../../support/exhaustive.ts";
import { pictureOf, scene } from "../../support/rows.ts";

const SIZES = daily([0.1, 1], [0.1, 1, 4, 12, 24]);
/** Up to here all formats are judged; larger pictures of those that are written quickly and with a loss. */
const MOST_OF_ALL = 1;
const LARGE: ReadonlySet<FormatName> = new Set(["gif", "webp"]);
/** Frames of an animation, and the largest that is made. */
const FRAMES = 3;
const MOST_MOVING = 4;

/** How many times of what is taken may be declared, and bytes besides: an instance has memory of its own. */
const FACTOR = 1.6;
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

/** Ways to write a format: what is asked of it. */
function waysOf({ can }: FormatDefinition): readonly EncodeSettings[] {
  const sides = can.sides?.usual;
  const objectives = [
    ...(can.quality ? [{ kind: "quality", quality: 80 } as const] : []),
    ...(can.lossless ? [{ kind: "lossless" } as const] : []),
  ];
  return objectives.map((objective) => ({
    ...encodeSettings(objective, { can } as FormatDefinition, false),
    ...(sides && { sides }),
  }));
}

const CASES = (Object.entries(FORMATS) as [FormatName, FormatDefinition][])
  .flatMap(([name, format]) =>
    SIZES.flatMap((megapixels) =>
      [
        ...(format.can.movesAlone ? [] : [1]),
        ...(format.can.animation && megapixels <= MOST_MOVING ? [FRAMES] : []),
      ].flatMap((frames) =>
        (format.write ? waysOf(format) : [])
          .filter(({ lossless }) => megapixels <= MOST_OF_ALL || (LARGE.has(name) && !lossless))
          .map((settings) => ({
            name,
            how: settings.lossless ? "exactly" : "at quality 80",
            format,
            megapixels,
            frames,
            settings,
          })),
      ),
    ),
  )
  .filter((_, at) => isForToday(at, 3));

/**
 * PNG and icons hold canvases and samples outside of native memory, which nothing here sees: `held.test.ts` does. TIFF has
 * all of its memory there.
 */
const MORE_DECLARED: ReadonlySet<FormatName> = new Set(["png", "ico", "tiff"]);

function expectHonest(what: string, name: FormatName, { declared, held, taken }: Taken): void {
  expect(declared, what).toBeGreaterThanOrEqual(held);
  if (!MORE_DECLARED.has(name)) expect(declared, what).toBeLessThanOrEqual(FACTOR * taken + BESIDE_BYTES);
}

it.each(CASES)(
  "$name $how, $megapixels megapixels, $frames frames",
  async ({ name, format, megapixels, frames, settings }) => {
    const made = picture(megapixels, frames);
    const { write } = format;
    const estimate = write?.estimate(made, settings);
    // What has no room in an isolate is refused.
    if (!write || !estimate || !isolateBudget.canHold(estimate)) return;
    let file = new Uint8Array(0) as Uint8Array;
    const written = await takenBy(estimate, async (timeSlice) => {
      file = await write.encode(made, settings, timeSlice);
      return file.length;
    });
    const seen = await read(file);
    expectHonest("written", name, written);
    expectHonest("read", name, seen);
  },
);

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
