/**
 * Several results of one photograph: `PHOTOS=a.jpg npm run bench -- sets`. Processor time of six widths in three formats as
 * one request, as eighteen, and by sharp from one decode at about the same qualities; then, for every width, how alike the
 * picture of a set and the one that is made alone look.
 */
import { readFileSync } from "node:fs";

import * as v from "valibot";

import { OPERATIONS } from "../../src/image/operations.ts";
import type { ResultFile, ResultOrder } from "../../src/image/render/order.ts";
import { render, renderOne } from "../../src/image/render/render.ts";
import { decoded } from "../../src/image/search/probe.ts";
import { SharedBytes } from "../../src/scheduler/shared-bytes.ts";
import { UNPAUSED } from "../../src/scheduler/time-slice.ts";
import { scoreRows } from "../support/scores.ts";
import { given } from "./given.ts";
import { type Candidate, compare, table } from "./harness.ts";

const WIDTHS = [320, 480, 640, 960, 1280, 1920];
const FORMATS = ["avif", "webp", "jpeg"] as const;
/** What sharp is told: about what our searches end at, in its own numbers. */
const SHARP_QUALITY = { avif: 60, webp: 80, jpeg: 80 } as const;
const ROUNDS = 1;
/** Of the time of eighteen requests and of that of sharp, and the score of every picture. */
const TARGETS = { requests: 0.5, sharp: 2, likeness: 95 };

type Made = ResultFile;

function resizedTo(width: number): ResultOrder["operations"] {
  return { resize: v.parse(OPERATIONS.resize.params, { width }) };
}

function entryOf(width: number, output: ResultOrder["output"], optimize: ResultOrder["optimize"]): ResultOrder {
  return { name: `${width}.${output?.format}`, operations: resizedTo(width), output, optimize, analyze: undefined };
}

const common = { accept: undefined, overlays: new Map<string, Uint8Array>() };

async function set(bytes: Uint8Array, entries: readonly ResultOrder[]): Promise<Map<string, Made>> {
  const made = new Map<string, Made>();
  const order = { ...common, operations: {}, analyze: undefined, entries: () => entries, refusalOf: thrown };
  await render(SharedBytes.of(bytes.slice()), order, ({ name }, { output }) => void made.set(name, output));
  return made;
}

function thrown(_entry: ResultOrder, error: unknown): unknown {
  return error;
}

async function single(bytes: Uint8Array, { operations, output, optimize }: ResultOrder): Promise<Made> {
  return (await renderOne(SharedBytes.of(bytes.slice()), { ...common, operations, output, optimize })).output;
}

async function candidatesOf(bytes: Uint8Array): Promise<Candidate[]> {
  const { default: sharp } = await import("sharp");
  sharp.cache(false);
  sharp.concurrency(1);
  const entries = WIDTHS.flatMap((width) => FORMATS.map((format) => entryOf(width, { format }, undefined)));
  return [
    {
      name: "18 requests",
      run: async () => {
        const made: Made[] = [];
        for (const entry of entries) made.push(await single(bytes, entry));
        return shown(made);
      },
    },
    { name: "one request", run: async () => shown([...(await set(bytes, entries)).values()]) },
    {
      name: "sharp, qualities given",
      run: async () => {
        const { data, info } = await sharp(bytes)
          .autoOrient()
          .removeAlpha()
          .raw()
          .toBuffer({ resolveWithObject: true });
        const { width, height, channels } = info;
        let kilobytes = 0;
        for (const wanted of WIDTHS) {
          const small = sharp(data, { raw: { width, height, channels } }).resize(wanted);
          for (const format of FORMATS) {
            const file = await small.clone().toFormat(format, { quality: SHARP_QUALITY[format] }).toBuffer();
            kilobytes += file.length / 1000;
          }
        }
        return { KB: kilobytes.toFixed(0) };
      },
    },
  ];
}

function shown(made: readonly Made[]): object {
  const bytes = made.reduce((sum, { file }) => sum + file.bytes.length, 0);
  const score = made.reduce((sum, { score: one = 0 }) => sum + one, 0) / made.length;
  return { KB: (bytes / 1000).toFixed(0), "mean score": score.toFixed(2) };
}

/** For each width, the score of the picture as a set makes it, against the one that is made alone from the file. */
async function likeness(bytes: Uint8Array): Promise<string[]> {
  const optimize = { lossless: true };
  const entries = WIDTHS.map((width) => entryOf(width, { format: "png" }, optimize));
  const made = await set(bytes, entries);
  const lines: string[] = [];
  for (const entry of entries) {
    const [one, other] = [made.get(entry.name), await single(bytes, entry)];
    if (!one) throw new Error(`${entry.name} is missing`);
    const rows = [one, other].map(({ format, file }) => decoded(format, file.bytes, UNPAUSED));
    const [first, second] = await Promise.all(rows);
    if (first && second)
      lines.push(`  ${entry.name.padEnd(10)} ${(await scoreRows(second, first, UNPAUSED)).toFixed(2)}`);
  }
  return lines;
}

export async function main(): Promise<void> {
  for (const path of given("PHOTOS")) {
    const bytes = new Uint8Array(readFileSync(path));
    const timings = await compare(await candidatesOf(bytes), ROUNDS);
    console.log(table(timings));
    const [requests = NaN, one = NaN, sharp = NaN] = timings.map(({ cpuRatio }) => cpuRatio);
    const objectives = [
      { against: "18 requests", ratio: one / requests, most: TARGETS.requests },
      { against: "sharp", ratio: one / sharp, most: TARGETS.sharp },
    ];
    for (const { against, ratio, most } of objectives) {
      console.log(
        `one request takes ${ratio.toFixed(2)} of ${against} (target ${most}, ${ratio <= most ? "met" : "missed"})`,
      );
    }
    const { default: pictures } = await import("sharp");
    const png = new Uint8Array(
      await pictures(bytes).autoOrient().removeAlpha().png({ compressionLevel: 1 }).toBuffer(),
    );
    for (const [name, file] of [
      ["file", bytes],
      ["PNG of it, which no decoder makes smaller", png],
    ] as const) {
      console.log(`alike, in a set and alone, from the ${name} (100 is identical, target ${TARGETS.likeness}):`);
      for (const line of await likeness(file)) console.log(line);
    }
  }
}
