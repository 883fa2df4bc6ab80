/**
 * Takes the weights of the third network out of dlib's file: `node compile-mmod.ts mmod_human_face_detector.dat mmod.bin`.
 * What follows a filter there (the mean and the variance of its results, and what they become) is made part of it; weights
 * become whole numbers of 8 bits, in the order in which mmod.c reads them. README.md says where the file is from.
 */
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";

import { LANES, MANY, wholeNumbers } from "./whole-numbers.ts";

const HASH = "be467b1a76f482693de3b0f6a1ff91d092319be71523d4d4b0628f6a53fcb87a";

/** Channels, outputs and the side of the filters of each layer. */
const SHAPES = [
  [3, 16, 5],
  [16, 32, 5],
  [32, 32, 5],
  [32, 45, 5],
  [45, 45, 5],
  [45, 45, 5],
  [45, 1, 9],
] as const;

/** What the network takes off colors and divides them by, and what dlib adds to variances. */
const MEANS = [122.782, 117.001, 104.298];
const DIVISOR = 256;
const EPSILON = 1e-4;

/** Steps of whole numbers: of colors, and between layers. */
const COLOR_STEPS = 16;
const STEPS = 256;

/** Weights reach so far; those of layers that have many less, so that a deployment is smaller. */
const MOST = 127;
const MOST_OF_MANY = 19;

const [from = "", to = ""] = process.argv.slice(2);
const bytes = readFileSync(from);
if (createHash("sha256").update(bytes).digest("hex") !== HASH) throw new Error(`${from} is another file`);

/** Tensors begin with the version 2 and four sizes; a whole number is the count of its bytes, at most four, then these. */
const VERSION = Buffer.from([1, 2]);
const SIZES = 4;
const MOST_BYTES = 4;

/** The next tensor of so many numbers. */
function tensor(count: number): number[] {
  for (let start = bytes.indexOf(VERSION, at); start >= 0; start = bytes.indexOf(VERSION, start + 1)) {
    let place = start + VERSION.length;
    let product = 1;
    for (let size = 0; size < SIZES; size++) {
      const length = bytes[place] ?? 0;
      if (length < 1 || length > MOST_BYTES) product = 0;
      else product *= bytes.readUIntLE(place + 1, length);
      place += 1 + length;
    }
    if (product !== count) continue;
    at = place + 4 * count;
    return Array.from({ length: count }, (_, index) => bytes.readFloatLE(place + 4 * index));
  }
  throw new Error(`There is no tensor of ${count} numbers`);
}

let at = 0;
writeFileSync(to, Buffer.concat(SHAPES.map((shape, index) => compiled(shape, index))));

interface Filter {
  /** Of every channel the rows of its square. */
  readonly weights: readonly number[];
  readonly constant: number;
}

function compiled([channels, outputs, side]: (typeof SHAPES)[number], index: number): Buffer {
  const isFirst = index === 0;
  const isLast = index === SHAPES.length - 1;
  const filters = filtersOf(channels * side * side, outputs, isLast);
  const limit = channels * outputs * side * side >= MANY ? MOST_OF_MANY : MOST;
  const whole = filters.map(({ weights, constant }) => {
    const { numbers, most } = wholeNumbers(weights, limit);
    const step = most / limit;
    const means = isFirst ? numbers.reduce((sum, one, place) => sum + one * meanAt(place, side), 0) : 0;
    return { numbers, step, constant: constant - (means * step) / DIVISOR };
  });
  const length = inLanes(outputs);
  const unit = isLast ? 1 : STEPS;
  const inputs = isFirst ? COLOR_STEPS * DIVISOR : STEPS;
  const scales = Float32Array.from({ length }, (_, output) => ((whole[output]?.step ?? 0) / inputs) * unit);
  const constants = Float32Array.from({ length }, (_, output) => (whole[output]?.constant ?? 0) * unit);
  const rows = Array.from({ length }, (_, output) => inRows(whole[output]?.numbers, channels, side));
  return Buffer.concat([scales, constants, inPairs(rows)].map((part) => Buffer.from(part.buffer)));
}

function inLanes(count: number): number {
  return Math.ceil(count / LANES) * LANES;
}

/** Pixel by pixel instead of channel by channel, with whole lanes of channels. */
function inRows(numbers: Int8Array | undefined, channels: number, side: number): Int8Array {
  const wide = inLanes(channels);
  return Int8Array.from({ length: side * side * wide }, (_, at) => {
    const channel = at % wide;
    const pixel = Math.floor(at / wide);
    return channel < channels ? (numbers?.[channel * side * side + pixel] ?? 0) : 0;
  });
}

/** Four outputs at a time, and two inputs after the other of each. */
function inPairs(rows: readonly Int8Array[]): Int8Array {
  const inputs = rows[0]?.length ?? 0;
  return Int8Array.from({ length: rows.length * inputs }, (_, at) => {
    const group = Math.floor(at / (inputs * LANES));
    const pair = Math.floor(at / (2 * LANES)) % (inputs / 2);
    const lane = Math.floor(at / 2) % LANES;
    return rows[group * LANES + lane]?.[2 * pair + (at % 2)] ?? 0;
  });
}

function meanAt(place: number, side: number): number {
  return MEANS[Math.floor(place / (side * side))] ?? 0;
}

function filtersOf(inputs: number, outputs: number, isLast: boolean): Filter[] {
  const filters = tensor(outputs * inputs + outputs);
  const weights = (output: number) => filters.slice(output * inputs, (output + 1) * inputs);
  const constant = (output: number) => filters[outputs * inputs + output] ?? 0;
  const all = Array.from({ length: outputs }, (_, output) => ({
    weights: weights(output),
    constant: constant(output),
  }));
  if (isLast) return all;
  // The factors and what is added; running means and variances come after those of the last pictures that it learned from.
  const turned = tensor(2 * outputs);
  const [, , means = [], variances = []] = [1, 2, 3, 4].map(() => tensor(outputs));
  return all.map((filter, output) => {
    const factor = (turned[output] ?? 0) / Math.sqrt((variances[output] ?? 0) + EPSILON);
    return {
      weights: filter.weights.map((weight) => weight * factor),
      constant: (filter.constant - (means[output] ?? 0)) * factor + (turned[outputs + output] ?? 0),
    };
  });
}
