/** What drafts of a picture say of its curve, in a format that makes them. */
import { expect, it } from "vitest";

import type { EncodeSettings, Scale } from "../../../src/image/codec/writer.ts";
import { FORMATS } from "../../../src/image/formats.ts";
import { usualLoss } from "../../../src/image/search/losses.ts";
import { type Judge, type PictureEncoder } from "../../../src/image/search/probe.ts";
import { referenceOf } from "../../../src/image/search/reference.ts";
import { writableIn } from "../../../src/image/search/task.ts";
import { bestChoice } from "../../../src/image/search/written.ts";
import { UNPAUSED } from "../../../src/scheduler/time-slice.ts";
import { noise, pictureOf } from "../../support/rows.ts";

const SIDE = 300;
const TARGET = 75;
const SCALE: Scale = { step: 0.25, draft: 2 };
/** What a draft loses, more than is expected of it: so the first rendition is above the target. */
const LOST_BY_DRAFT = 1.2;
/** The quality that is wanted: drafts begin far from it. */
const WANTED = 90;

/** Searches a picture whose curve is so much steeper than usual, and says what was encoded as it stays. */
async function searched(steepness: number) {
  const lostAt = (quality: number) => (100 - TARGET) * (usualLoss(quality) / usualLoss(WANTED)) ** steepness;
  const files = new Map<Uint8Array, number>();
  const stays: number[] = [];
  const encode = async ({ quality, draft }: EncodeSettings) => {
    const bytes = new Uint8Array(Math.round(quality * 100));
    files.set(bytes, 100 - lostAt(quality) * (draft ? LOST_BY_DRAFT : 1));
    if (!draft) stays.push(quality);
    return bytes;
  };
  const picture = pictureOf([noise(SIDE, SIDE)]);
  const format = writableIn({ format: FORMATS.avif });
  if (!format) throw new Error("AVIF can be written");
  const judge: Judge = {
    ofRows: () => Promise.reject(new Error("nothing is decoded")),
    ofFile: async (bytes) => ({ score: files.get(bytes) ?? 0, points: files.get(bytes) ?? 0 }),
    timeSlice: UNPAUSED,
  };
  const encoder: PictureEncoder = { encode, finish: encode, onSample: async () => ({ encode }), variants: [{}] };
  const search = {
    format,
    settings: { lossless: false, quality: 80, progressive: false, effort: 0.5 },
    targetScore: TARGET,
    patience: { margin: 0.4, close: 1.8, triesAll: false },
    upperBoundBytes: Infinity,
    keepsResults: true,
    triesFinal: true,
    reference: await referenceOf(picture, false, UNPAUSED),
    scale: SCALE,
    onSample: judge,
    onWhole: judge,
    timeSlice: UNPAUSED,
  };
  const best = await bestChoice(search, encoder, Infinity);
  return { score: best.score, stays };
}

it.each([0.6, 1, 1.8])(
  "says after one rendition where the next one is, of a curve %f times as steep",
  async (steepness) => {
    const { score, stays } = await searched(steepness);
    expect(score).toBeGreaterThanOrEqual(TARGET);
    expect(score).toBeLessThan(TARGET + 0.9);
    expect(stays.length).toBeLessThanOrEqual(2);
  },
);
