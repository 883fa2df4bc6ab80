/** Photographs of 24 megapixels: the ways to write them for which an isolate has the memory, by what is declared. */
import { expect, it } from "vitest";

import type { FormatDefinition } from "../../../src/image/codec/format.ts";
import { type FormatName, FORMATS } from "../../../src/image/formats.ts";
import { identify } from "../../../src/image/plan/detect.ts";
import type { Objective } from "../../../src/image/plan/output.ts";
import { planSteps, storedSize } from "../../../src/image/plan/plan.ts";
import { attemptsFor, estimateOfOptions } from "../../../src/image/search/attempts.ts";
import { fits } from "../../../src/image/search/estimates.ts";
import type { Rendition } from "../../../src/image/search/rendition.ts";
import type { Session } from "../../../src/image/search/session.ts";
import { taskOf } from "../../../src/image/search/task.ts";
import avif from "../../fixtures/avif/colors_hdr_rec2020.avif";
import heic from "../../fixtures/heic/s422.heic";
import jpeg from "../../fixtures/jpeg/whole-s420.jpg";
import webp from "../../fixtures/webp/video-001-lossy.webp";

const SIZE = { width: 6_000, height: 4_000 };
/** Of the file of such a photograph. */
const HELD_BYTES = 4 << 20;

const OBJECTIVES = {
  usual: { kind: "smart", preset: "medium", effort: "balanced" },
  "quality 80": { kind: "quality", quality: 80 },
  lossless: { kind: "lossless" },
} as const satisfies Record<string, Objective>;

function optionsOf(to: FormatName, file: ArrayBuffer, objective: Objective) {
  const bytes = new Uint8Array(file);
  const found = identify(bytes);
  const facts = { ...found.facts, ...SIZE };
  const stored = { ...found, facts, bytes, heldBytes: HELD_BYTES };
  const plan = planSteps(storedSize(facts), []);
  return { stored, plan, format: FORMATS[to] as FormatDefinition, objective, isLast: true };
}

/** What makes a file of a photograph, as large as it is, for which there is memory; undefined where nothing does. */
function wayTo(to: FormatName, file: ArrayBuffer, objective: Objective): string | undefined {
  const options = optionsOf(to, file, objective);
  const task = taskOf(options);
  const made = attemptsFor(task).filter(({ name, isBesides }) => name !== "keep original" && !isBesides);
  const way = made.find(({ estimate }) => fits(task, estimate));
  // What only competes says nothing of the time that a file takes.
  if (way) expect(estimateOfOptions(options)?.ms).toBeGreaterThanOrEqual(way.estimate.ms);
  return way?.name;
}

it.each([
  ["JPEG", "jpeg", jpeg, ["requantize", "re-encode planes", "recompress"]],
  ["JPEG", "webp", jpeg, ["search pixels", "encode blind", undefined]],
  ["JPEG", "avif", jpeg, ["search pixels", "encode blind", "encode exactly"]],
  ["JPEG", "png", jpeg, ["encode blind", "encode blind", "encode exactly"]],
  ["JPEG", "heic", jpeg, ["encode blind", "encode blind", "encode exactly"]],
  ["JPEG", "jpeg2000", jpeg, ["search pixels", "encode blind", undefined]],
  ["WebP", "jpeg", webp, ["search pixels", "encode blind", undefined]],
  ["WebP", "webp", webp, ["search pixels", "encode blind", undefined]],
  ["WebP", "avif", webp, ["search pixels", "encode blind", "encode exactly"]],
  ["AVIF", "jpeg", avif, ["search pixels", "encode blind", undefined]],
  ["AVIF", "webp", avif, ["search pixels", "encode blind", undefined]],
  ["HEIC", "jpeg", heic, ["search pixels", "encode blind", undefined]],
  ["HEIC", "webp", heic, ["search pixels", "encode blind", undefined]],
  ["HEIC", "avif", heic, ["search pixels", "encode blind", "encode exactly"]],
] as const)("a %s of 24 megapixels becomes %s", (_name, to, file, ways) => {
  expect(Object.values(OBJECTIVES).map((objective) => wayTo(to, file, objective))).toEqual(ways);
});

it.each([
  ["4:4:4", 76, true],
  ["4:2:0", 76, false],
  ["4:2:0", 77, false],
  ["4:2:0", 78, true],
] as const)(
  "of chroma %s is searched through by its pixels beside coefficients of score %d: %s",
  (subsample, score, is) => {
    const options = optionsOf("jpeg", jpeg, OBJECTIVES.usual);
    const facts = { ...options.stored.facts, subsample };
    const attempts = attemptsFor(taskOf({ ...options, stored: { ...options.stored, facts } }));
    const pixels = attempts.find(({ name }) => name === "search pixels");
    expect(pixels?.mayBeat?.({ score } as Rendition, {} as Session)).toBe(is);
    expect(pixels?.mayBeat?.(null, {} as Session)).toBe(true);
  },
);
