/**
 * Takes the weights of the third network out of dlib's file: `node compile-mmod.ts mmod_human_face_detector.dat mmod.bin`.
 * What follows a filter there (the mean and the variance of its results, and what they become) is made part of it; weights
 * become whole numbers of 8 bits, in the order in which mmod.c reads them. README.md says where the file is from.
 */
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";

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
const MANY = 10_000;
const MOST_OF_MANY = 19;

/** Of its largest weight, what an output's largest whole number may stand for: what is larger is cut. */
const CUTS = [1, 0.9, 0.8, 0.7];

const LANES = 4;

const [from = "", to = ""] = process.argv.slice(2);
const bytes = readFileSync(from);
if (createHash("sha256").update(bytes).digest("hex") !== HASH) throw new Error(`${from} is another file`);

/** Tensors begin with the version 2 and four sizes; a whole number is the count of its bytes, then these. */
const VERSION = Buffer.from([1, 2]);
const SIZES = 4;

/** The next tensor of so many numbers. */
function tensor(count: number): number[] {
  for (let start = bytes.indexOf(VERSION, at); start >= 0; start = bytes.indexOf(VERSION, start + 1)) {
    let place = start + VERSION.length;
    let product = 1;
    for (let size = 0; size < SIZES; size++) {
      const length = bytes[place] ?? 0;
      if (length < 1 || length > LANES) product = 0;
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
  const lanes = (count: number) => Math.ceil(count / LANES) * LANES;
  const [wholeChannels, wholeOutputs] = [isFirst ? LANES : lanes(channels), lanes(outputs)];
  const limit = channels * outputs * side * side >= MANY ? MOST_OF_MANY : MOST;
  const whole = filters.map(({ weights }) => wholeNumbers(weights, limit));
  const unit = isLast ? 1 : STEPS;
  const inputs = isFirst ? COLOR_STEPS * DIVISOR : STEPS;
  const scales = Float32Array.from(
    { length: wholeOutputs },
    (_, output) => ((whole[output]?.step ?? 0) / inputs) * unit,
  );
  const constants = Float32Array.from({ length: wholeOutputs }, (_, output) => {
    const { constant = 0 } = filters[output] ?? {};
    const { numbers = [], step = 0 } = whole[output] ?? {};
    const means = isFirst ? numbers.reduce((sum, one, place) => sum + one * meanAt(place, side), 0) : 0;
    return (constant - (means * step) / DIVISOR) * unit;
  });
  const ordered = new Int8Array(wholeOutputs * side * side * wholeChannels);
  let place = 0;
  for (let group = 0; group < wholeOutputs; group += LANES) {
    for (let y = 0; y < side; y++) {
      for (let input = 0; input < side * wholeChannels; input += 2) {
        for (let lane = 0; lane < LANES; lane++) {
          for (const one of [input, input + 1]) {
            const [x, channel] = [Math.floor(one / wholeChannels), one % wholeChannels];
            const number = channel < channels ? whole[group + lane]?.numbers[(channel * side + y) * side + x] : 0;
            ordered[place++] = number ?? 0;
          }
        }
      }
    }
  }
  return Buffer.concat([scales, constants, ordered].map((part) => Buffer.from(part.buffer)));
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

/** Whole numbers of at most `limit`, and what one of them stands for, so that the squares of what is lost are least. */
function wholeNumbers(
  weights: readonly number[],
  limit: number,
): { readonly numbers: number[]; readonly step: number } {
  const largest = Math.max(...weights.map(Math.abs));
  const tried = CUTS.map((cut) => {
    const step = (largest * cut) / limit;
    const numbers = weights.map((weight) => Math.max(-limit, Math.min(limit, Math.round(weight / step))));
    const lost = weights.reduce((sum, weight, place) => sum + (weight - (numbers[place] ?? 0) * step) ** 2, 0);
    return { numbers, step, lost };
  });
  return tried.reduce((best, other) => (other.lost < best.lost ? other : best));
}
