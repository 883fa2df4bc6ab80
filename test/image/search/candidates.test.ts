/** Ways to encode that are tried on a sample: one after the other, for they have the thread together. */
import { expect, it } from "vitest";

import type { EncodeSettings, Variant } from "../../../src/image/codec/writer.ts";
import { png } from "../../../src/image/formats/png.ts";
import { candidatesFor } from "../../../src/image/search/candidates.ts";
import { patienceOf } from "../../../src/image/search/presets.ts";
import { type Encode, type Judge, judgeBy, type PictureEncoder } from "../../../src/image/search/probe.ts";
import { Thread } from "../../../src/scheduler/time-slice.ts";
import { noise, paint, pictureOf, type Pixels } from "../../support/rows.ts";

const SETTINGS: EncodeSettings = { lossless: false, quality: 70, progressive: false, effort: 0 };

/** No rendition reaches the target score, so that none is written before candidates are put in order. */
const SCORE = 50;
const TARGET_SCORE = 90;

/** The candidates of a picture as PNG, by what is said of its renditions. */
async function candidatesOf(
  pixels: Pixels,
  variants: readonly Variant[],
  judge: Judge["ofRows"],
  { now = (): number => 0, by = (encode: Encode) => encode } = {},
) {
  const picture = pictureOf([pixels]);
  const study = png.write.study(picture);
  return new Thread(now, () => scheduler.wait(0)).run((timeSlice) => {
    const encode = by((settings) => study.encode(settings, timeSlice));
    const encoder: PictureEncoder = {
      encode,
      preview: (settings) => study.preview(settings, timeSlice),
      finish: encode,
      onSample: () => Promise.reject(new Error("the sample is the picture")),
      variants,
    };
    const search = {
      sample: { picture },
      judge: judgeBy(judge, png, { space: undefined }, timeSlice),
      format: png,
      settings: SETTINGS,
      targetScore: TARGET_SCORE,
      patience: patienceOf({ kind: "smart", preset: "medium" }),
      timeSlice,
    };
    return candidatesFor(search, encoder);
  });
}

it("never writes two renditions at a time", async () => {
  const active = { now: 0, most: 0, files: 0 };
  let clock = 0;
  const counted =
    (encode: Encode): Encode =>
    async (settings) => {
      active.most = Math.max(active.most, ++active.now);
      active.files++;
      const bytes = await encode(settings);
      active.now--;
      return bytes;
    };
  const judge = async () => ({ score: SCORE, points: SCORE });
  const around = { now: () => (clock += 1_000), by: counted };
  expect((await candidatesOf(noise(48, 40), png.write.variants, judge, around)).length).toBeGreaterThan(2);
  expect(active.files).toBeGreaterThan(1);
  expect(active.most).toBe(1);
});

const GRAY = paint(48, 40, (x, y) => {
  const level = (x * 37 + y * 101) % 251;
  return [level, level, level, 255];
});

it.each([
  ["a few colors reach the target score", noise(48, 40), 95, 1],
  ["no palette does", noise(48, 40), SCORE, 3],
  ["a palette has all colors, as of what is gray", GRAY, 95, 3],
])("tries other losses only where palettes of a few colors do not do: %s", async (_name, pixels, score, most) => {
  const judge = async () => ({ score, points: score });
  expect(await candidatesOf(pixels, png.write.variants, judge)).toHaveLength(most);
});

it("looks on where a preview is more than a point above the target score", async () => {
  const above = [1.5, 0.5];
  let looks = 0;
  await candidatesOf(noise(48, 40), [{ loss: "colors" }], async () => {
    const points = TARGET_SCORE + (above[looks++] ?? 0);
    return { score: points, points };
  });
  expect(looks).toBe(2);
});
