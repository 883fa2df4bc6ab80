/** The first network that finds faces, as it is defined: plain arithmetic, as slow as it is clear. */
import type { Hit } from "../../wasm/faces/faces.ts";
import { Field } from "./field.ts";

/** Blocks: channels that come in and go out, and whether they halve the picture. */
const BLOCKS = [
  [24, 24, false],
  [24, 28, false],
  [28, 32, true],
  [32, 36, false],
  [36, 42, false],
  [42, 48, true],
  [48, 56, false],
  [56, 64, false],
  [64, 72, false],
  [72, 80, false],
  [80, 88, false],
  [88, 96, true],
  [96, 96, false],
  [96, 96, false],
  [96, 96, false],
  [96, 96, false],
] as const;
/** Which blocks are looked at: boxes at each of their places, and pixels of the picture from one place to the next. */
const HEADS = [
  { block: 10, anchors: 2, step: 8 },
  { block: 15, anchors: 6, step: 16 },
] as const;
/** Sides come in whole steps of the last layer. */
const LAST_STEP = 16;

/** Weights by input and output, and a constant for every output. */
export interface Sums {
  readonly weights: Float64Array;
  readonly constants: Float64Array;
}

/** Half floats in the order of the file. */
function reader(file: ArrayBuffer): (count: number) => Float64Array {
  const halves = new Uint16Array(file);
  let at = 0;
  return (count) => {
    at += count;
    return Float64Array.from(halves.subarray(at - count, at), fromHalf);
  };
}

export function fromHalf(half: number): number {
  const exponent = (half >> 10) & 31;
  const fraction = (half & 1023) / 1024;
  const size = exponent === 0 ? fraction * 2 ** -14 : (1 + fraction) * 2 ** (exponent - 15);
  return half >> 15 === 1 ? -size : size;
}

/** Every output is a sum over a square of `side` x `side` pixels, the first of them at `step` times x and y and `from`. */
export function convolved(field: Field, { weights, constants }: Sums, side: number, step: number, from: number): Field {
  const outputs = constants.length;
  const result = new Field(field.width / step, field.height / step, outputs, "zero");
  return result.fill((x, y, output) => {
    let sum = constants[output] ?? 0;
    let input = 0;
    for (let row = 0; row < side; row++)
      for (let column = 0; column < side; column++)
        for (let channel = 0; channel < field.channels; channel++, input++)
          sum +=
            field.at(step * x + from + column, step * y + from + row, channel) *
            (weights[input * outputs + output] ?? 0);
    return sum;
  });
}

/** Every channel by itself, over 3 x 3 pixels. */
export function filtered(field: Field, weights: Float64Array, constants: Float64Array, halves: boolean): Field {
  const [step, from] = halves ? [2, 0] : [1, -1];
  return new Field(field.width / step, field.height / step, field.channels, "zero").fill((x, y, channel) => {
    let sum = constants[channel] ?? 0;
    for (let tap = 0; tap < 9; tap++) {
      const value = field.at(step * x + from + (tap % 3), step * y + from + Math.floor(tap / 3), channel);
      sum += value * (weights[tap * field.channels + channel] ?? 0);
    }
    return sum;
  });
}

/** What came into a block, halved by the largest of four pixels. */
export function halved(field: Field, halves: boolean, x: number, y: number, channel: number): number {
  if (!halves) return field.at(x, y, channel);
  const four = [0, 1, 2, 3].map((part) => field.at(2 * x + (part & 1), 2 * y + (part >> 1), channel));
  return Math.max(...four);
}

/** So many pixels, in whole steps. */
export function inSteps(side: number, step: number): number {
  return Math.ceil(side / step) * step;
}

/** Colors from -1 to 1, and gray beyond the picture. */
export function pixelsOf(rgba: Uint8Array, width: number, height: number, across: number, down: number): Field {
  return new Field(across, down, 3, "zero").fill((x, y, color) =>
    x < width && y < height ? (rgba[(y * width + x) * 4 + color] ?? 0) / 127.5 - 1 : 0,
  );
}

/** A score from 0 to 1. */
export function sure(score: number): number {
  return 1 / (1 + Math.exp(-score));
}

/** What all places of a picture are taken for, RGBA8, opaque: as many boxes with their scores as there are anchors. */
export function facesByNetwork(file: ArrayBuffer, width: number, height: number, rgba: Uint8Array): Hit[] {
  const read = reader(file);
  const sums = (inputs: number, outputs: number): Sums => ({
    weights: read(inputs * outputs),
    constants: read(outputs),
  });
  const picture = pixelsOf(rgba, width, height, inSteps(width, LAST_STEP), inSteps(height, LAST_STEP));
  let field = convolved(picture, sums(5 * 5 * 3, 24), 5, 2, -1);
  field.fill((x, y, channel) => Math.max(0, field.at(x, y, channel)));
  const layers = BLOCKS.map(([inputs, outputs, halves]) => {
    const came = field;
    const spread = filtered(came, read(9 * inputs), read(inputs), halves);
    const summed = convolved(spread, sums(inputs, outputs), 1, 1, 0);
    field = new Field(summed.width, summed.height, outputs, "zero").fill((x, y, channel) =>
      Math.max(0, summed.at(x, y, channel) + halved(came, halves, x, y, channel)),
    );
    return field;
  });
  const seen = HEADS.map((head) => ({ ...head, layer: layers[head.block] ?? field }));
  const scores = seen.map(({ layer, anchors }) => convolved(layer, sums(layer.channels, anchors), 1, 1, 0));
  const boxes = seen.map(({ layer, anchors }) => convolved(layer, sums(layer.channels, anchors * 4), 1, 1, 0));
  return seen.flatMap(({ layer, anchors, step }, head) =>
    Array.from({ length: layer.width * layer.height * anchors }, (_, index) => {
      const place = Math.floor(index / anchors);
      const [x, y] = [place % layer.width, Math.floor(place / layer.width)];
      const [right = 0, lower = 0, wide = 0, high = 0] = [0, 1, 2, 3].map(
        (number) => boxes[head]?.at(x, y, (index % anchors) * 4 + number) ?? 0,
      );
      const score = sure(scores[head]?.at(x, y, index % anchors) ?? 0);
      const [middle, level] = [(x + 0.5) * step + right, (y + 0.5) * step + lower];
      return { x: middle - wide / 2, y: level - high / 2, width: wide, height: high, score };
    }),
  );
}
