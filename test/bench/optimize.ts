/**
 * What smart lossy saves, what it takes, and against whom: `PHOTOS="a.jpg b.png" npm run bench -- optimize`. For every
 * picture the preset `medium`, its processor time beside one blind encoding by @jsquash/jpeg, the lossless objective, and the
 * bytes that others need for the same score. Pictures of a folder and format are a class.
 */
import { readFileSync } from "node:fs";
import { basename, dirname } from "node:path";

import mozjpeg from "@jsquash/jpeg/codec/enc/mozjpeg_enc.wasm";
import encodeJpeg, { init } from "@jsquash/jpeg/encode.js";
import sharp, { type Sharp } from "sharp";

import { firstFrame } from "../../src/image/pixels/picture.ts";
import type { Rows } from "../../src/image/pixels/rows.ts";
import { identify } from "../../src/image/plan/detect.ts";
import { planSteps, storedSize } from "../../src/image/plan/plan.ts";
import { pictureOf } from "../../src/image/plan/planned-picture.ts";
import { UNPAUSED } from "../../src/scheduler/time-slice.ts";
import { rendered } from "../support/render.ts";
import { scoreRows } from "../support/scores.ts";
import { given } from "./given.ts";
import { median } from "./harness.ts";

/** Rounds of what is timed; interleaved. */
const ROUNDS = 3;

type Decoded = Parameters<typeof encodeJpeg>[0];

/** A picture as others encode it at a quality of theirs. */
type Baseline = (quality: number, upright: Sharp, image: Decoded) => Promise<ArrayBuffer | Uint8Array>;

const BASELINES: Readonly<Record<string, { readonly format: "jpeg" | "png" | "webp"; readonly encode: Baseline }>> = {
  "sharp mozjpeg": {
    format: "jpeg",
    encode: (quality, upright) => upright.jpeg({ quality, mozjpeg: true }).toBuffer(),
  },
  "@jsquash/jpeg": {
    format: "jpeg",
    encode: (quality, _upright, image) => encodeJpeg(image, { quality }),
  },
  "sharp palette": {
    format: "png",
    encode: (quality, upright) => upright.png({ palette: true, quality, effort: 7 }).toBuffer(),
  },
  "sharp webp": { format: "webp", encode: (quality, upright) => upright.webp({ quality }).toBuffer() },
};

/** Numbers of all pictures of a class, by what they are of. */
type Class = Map<string, number[]>;

export async function main(): Promise<void> {
  sharp.concurrency(1);
  await init(mozjpeg);
  const classes = new Map<string, Class>();
  for (const path of given("PHOTOS")) {
    const bytes = new Uint8Array(readFileSync(path));
    const label = identify(bytes).format.label;
    const name = `${basename(dirname(path))}, ${label}`;
    const numbers = classes.get(name) ?? new Map<string, number[]>();
    classes.set(name, numbers);
    const measured = await measure(bytes, label === "JPEG");
    for (const [what, number] of measured) numbers.set(what, [...(numbers.get(what) ?? []), number]);
    console.log(`  ${basename(path)}: ${measured.map(([what, number]) => `${what} ${number.toFixed(3)}`).join(", ")}`);
  }
  for (const [name, numbers] of classes) {
    console.log(`  ${name}, ${numbers.get("share")?.length} pictures, mean and worst:`);
    for (const [what, values] of numbers) {
      const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
      const worst = what === "score" ? Math.min(...values) : Math.max(...values);
      console.log(`    ${what.padEnd(22)} ${mean.toFixed(3)} ${worst.toFixed(3)}`);
    }
  }
}

/** Shares of the original's bytes, the score, the ratio of processor times, and bytes of ours to those of others. */
async function measure(bytes: Uint8Array, isJpeg: boolean): Promise<[what: string, number: number][]> {
  const image = await decoded(bytes);
  const times = { ours: [] as number[], theirs: [] as number[] };
  for (let round = 0; round < ROUNDS; round++) {
    times.ours.push(await processorMs(() => optimized(bytes, false)));
    times.theirs.push(await processorMs(() => encodeJpeg(image)));
  }
  const smart = await optimized(bytes, false);
  const lossless = await optimized(bytes, true);
  const numbers: [string, number][] = [
    ["share", smart.bytes.length / bytes.length],
    ["score", smart.score ?? Number.NaN],
    ["lossless share", lossless.bytes.length / bytes.length],
    ["time", median(times.ours) / median(times.theirs)],
  ];
  for (const [name, { format, encode }] of Object.entries(BASELINES)) {
    if ((format === "jpeg") !== isJpeg && format !== "webp") continue;
    const ours = format === "webp" ? await optimized(bytes, false, format) : smart;
    const score = Math.min(ours.score ?? 75, 99);
    const theirs = await smallestOf((quality) => encode(quality, uprightOf(bytes), image), bytes, score);
    if (theirs) numbers.push([`to ${name}`, ours.bytes.length / theirs]);
  }
  return numbers;
}

async function processorMs(work: () => Promise<unknown>): Promise<number> {
  const started = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(started);
  return (user + system) / 1_000;
}

async function optimized(bytes: Uint8Array, lossless: boolean, format?: "webp") {
  const output = format && { format, encoding: "progressive" as const };
  return (await rendered(bytes, { output, optimize: { lossless } })).output;
}

function uprightOf(bytes: Uint8Array): Sharp {
  return sharp(bytes).rotate().toColorspace("srgb");
}

async function decoded(bytes: Uint8Array): Promise<Decoded> {
  const { data, info } = await uprightOf(bytes).ensureAlpha().raw().toBuffer({ resolveWithObject: true });
  return { data: Uint8ClampedArray.from(data), width: info.width, height: info.height };
}

/** Bytes at the lowest quality that scores at least `target`; null if none does. */
async function smallestOf(
  encode: (quality: number) => Promise<ArrayBuffer | Uint8Array>,
  bytes: Uint8Array,
  target: number,
): Promise<number | null> {
  let low = 1;
  let high = 100;
  let best: number | null = null;
  while (low <= high) {
    const quality = (low + high) >> 1;
    const encoded = new Uint8Array(await encode(quality));
    if ((await scoreRows(await rowsOf(bytes), await rowsOf(encoded), UNPAUSED)) >= target) {
      best = encoded.length;
      high = quality - 1;
    } else {
      low = quality + 1;
    }
  }
  return best;
}

const IN_ONE_SCAN = { progressive: false };

/** The upright pixels of a file in sRGB. Two large pictures in several scans would not fit into memory together. */
async function rowsOf(bytes: Uint8Array): Promise<Rows> {
  const original = identify(bytes);
  const { facts, format } = original;
  const simple = facts.interlaced ? await format.recompress?.run(bytes, facts, IN_ONE_SCAN, UNPAUSED) : undefined;
  const stored = simple ? { ...original, bytes: simple, facts: format.read.factsOf(simple) } : original;
  const plan = planSteps(storedSize(facts), [{ kind: "turn", orientation: facts.orientation }]);
  return firstFrame(pictureOf(stored, plan), UNPAUSED);
}
