/**
 * Takes the weights of the first two networks out of the files of MediaPipe: `node compile-network.ts
 * face_detection_short_range.tflite network.bin`, `node compile-network.ts face_detection_full_range.tflite far.bin`. They
 * are half floats there. Those of the first network stay it, to seven bits, in the order in which weights.c reads them; those
 * of the second become whole numbers of 4 and 7 bits, in the order in which far.c does. Those of the six points of a face
 * are left out. README.md says where the files are from.
 */
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";

import { LANES, MANY, wholeNumbers } from "./whole-numbers.ts";

/** Hashes of the files, and what is made of each. */
const COMPILED = new Map([
  ["3bc182eb9f33925d9e58b5c8d59308a760f4adea8f282370e428c51212c26633", inHalves],
  ["99bf9494d84f50acc6617d89873f71bf6635a841ea699c17cb3377f9507cfec3", inWholeNumbers],
]);

/** Numbers of the operators and of the type in TensorFlow Lite's schema. */
const CONV_2D = 3;
const DEPTHWISE_CONV_2D = 4;
const DEQUANTIZE = 6;

/** A box and six points for each anchor, of which the box is taken. */
const REGRESSED = 16;
const BOX = 4;

/** Of the ten bits after the point, those that the first network does without: what it scores moves by 0.01. */
const DROPPED_BITS = 4;

/** Weights of the second network reach so far: those of sums that have many have 4 bits, three quarters of all. */
const MOST = 63;
const MOST_OF_MANY = 7;

const [from = "", to = ""] = process.argv.slice(2);
const bytes = readFileSync(from);
const compiled = COMPILED.get(createHash("sha256").update(bytes).digest("hex"));
if (!compiled) throw new Error(`${from} is another file`);
const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);

interface Tensor {
  readonly name: string;
  readonly shape: readonly number[];
  readonly halves: Uint16Array;
}

/** Where field number `index` of the table at `table` is, or 0. */
function field(table: number, index: number): number {
  const fields = table - view.getInt32(table, true);
  const at = 4 + 2 * index;
  const offset = at < view.getUint16(fields, true) ? view.getUint16(fields + at, true) : 0;
  return offset && table + offset;
}

function target(at: number): number {
  return at + view.getUint32(at, true);
}

function list(table: number, index: number): { readonly at: number; readonly length: number } {
  const place = field(table, index);
  const start = place && target(place);
  return place ? { at: start + 4, length: view.getUint32(start, true) } : { at: 0, length: 0 };
}

function tables(table: number, index: number): number[] {
  const { at, length } = list(table, index);
  return Array.from({ length }, (_, item) => target(at + 4 * item));
}

function numbers(table: number, index: number): number[] {
  const { at, length } = list(table, index);
  return Array.from({ length }, (_, item) => view.getInt32(at + 4 * item, true));
}

function scalar(table: number, index: number): number {
  const place = field(table, index);
  return place && view.getInt32(place, true);
}

const model = target(0);
const codes = tables(model, 1).map((code) => view.getInt8(field(code, 0)));
const [graph = 0] = tables(model, 2);
const buffers = tables(model, 4);
const tensors = tables(graph, 0).map((tensor): Tensor => {
  const { at, length } = list(buffers[scalar(tensor, 2)] ?? 0, 0);
  const halves = new Uint16Array(bytes.buffer.slice(bytes.byteOffset + at, bytes.byteOffset + at + (length & ~1)));
  const name = list(tensor, 3);
  return { name: bytes.toString("latin1", name.at, name.at + name.length), shape: numbers(tensor, 0), halves };
});

const NONE: Tensor = { name: "", shape: [], halves: new Uint16Array() };

interface Layer {
  readonly kind: typeof CONV_2D | typeof DEPTHWISE_CONV_2D;
  readonly weights: Tensor;
  readonly constants: Tensor;
}

writeFileSync(
  to,
  Buffer.concat(compiled(layers()).map((part) => Buffer.from(part.buffer, part.byteOffset, part.byteLength))),
);

function layers(): Layer[] {
  // The halves that each tensor of floats was made of.
  const origins = new Map<number, number>();
  return tables(graph, 3).flatMap((operator): Layer[] => {
    const kind = codes[scalar(operator, 0)];
    const inputs = numbers(operator, 1);
    const constant = (index: number) => tensors[origins.get(inputs[index] ?? -1) ?? -1] ?? NONE;
    if (kind === DEQUANTIZE) origins.set(numbers(operator, 2)[0] ?? -1, inputs[0] ?? -1);
    return kind === CONV_2D || kind === DEPTHWISE_CONV_2D
      ? [{ kind, weights: constant(1), constants: constant(2) }]
      : [];
  });
}

function inHalves(all: readonly Layer[]): Uint16Array[] {
  return all
    .flatMap((layer) => {
      if (layer.kind === DEPTHWISE_CONV_2D) return [layer.weights.halves, layer.constants.halves];
      const { rows, constants } = kept(layer);
      return [turned(rows), Uint16Array.from(constants)];
    })
    .map((halves) => halves.map(rounded));
}

/** Without the last bits, to the nearest, and of two the even one: a deployment packs what is left in fewer bytes. */
function rounded(half: number): number {
  const unit = 1 << DROPPED_BITS;
  return (half + unit / 2 - 1 + ((half >> DROPPED_BITS) & 1)) & -unit;
}

/** From filters of all inputs to inputs of all filters. */
function turned(rows: readonly Uint16Array[]): Uint16Array {
  const inputs = rows[0]?.length ?? 0;
  return Uint16Array.from(
    { length: rows.length * inputs },
    (_, at) => rows[at % rows.length]?.[Math.floor(at / rows.length)] ?? 0,
  );
}

/** The weights of each output, without those of the points of a face. */
function kept({ weights, constants }: Layer): { rows: Uint16Array[]; constants: number[] } {
  const [filters = 0] = weights.shape;
  const inputs = weights.halves.length / filters;
  const outputs = Array.from({ length: filters }, (_, filter) => filter).filter(
    (filter) => !weights.name.startsWith("regressor") || filter % REGRESSED < BOX,
  );
  return {
    rows: outputs.map((output) => weights.halves.subarray(output * inputs, (output + 1) * inputs)),
    constants: outputs.map((output) => constants.halves[output] ?? 0),
  };
}

function inWholeNumbers(all: readonly Layer[]): (Uint16Array | Int8Array)[] {
  const heads = all.slice(-2).map(kept);
  const sums = (layer: Layer) => wholeSums(kept(layer));
  return [
    ...all.slice(0, -2).flatMap((layer) => (layer.kind === CONV_2D ? sums(layer) : wholeFilters(layer))),
    ...wholeSums({ rows: heads.flatMap(({ rows }) => rows), constants: heads.flatMap(({ constants }) => constants) }),
  ];
}

/** Four outputs at a time, input by input; of 4 bits, two inputs are in a byte, the first in its lower half. */
function wholeSums({ rows, constants }: ReturnType<typeof kept>): (Uint16Array | Int8Array)[] {
  const inputs = rows[0]?.length ?? 0;
  const outputs = Math.ceil(rows.length / LANES) * LANES;
  const areMany = inputs * outputs >= MANY;
  const whole = Array.from({ length: outputs }, (_, output) =>
    wholeHalves(rows[output] ?? new Uint16Array(inputs), areMany ? MOST_OF_MANY : MOST),
  );
  const weights = Int8Array.from({ length: outputs * inputs }, (_, at) => {
    const group = Math.floor(at / (inputs * LANES));
    const input = Math.floor(at / LANES) % inputs;
    return whole[group * LANES + (at % LANES)]?.numbers[input] ?? 0;
  });
  const padded = Uint16Array.from({ length: outputs }, (_, output) => constants[output] ?? 0);
  return [Uint16Array.from(whole, ({ most }) => most), padded, areMany ? halved(weights) : weights];
}

function halved(weights: Int8Array): Int8Array {
  return Int8Array.from({ length: weights.length / 2 }, (_, at) => {
    const lower = 2 * at - (at % LANES);
    return ((weights[lower] ?? 0) & 15) | ((weights[lower + LANES] ?? 0) << 4);
  });
}

/** Four channels at a time, place by place. */
function wholeFilters({ weights, constants }: Layer): (Uint16Array | Int8Array)[] {
  const channels = weights.shape.at(-1) ?? 0;
  const places = weights.halves.length / channels;
  const whole = Array.from({ length: channels }, (_, channel) =>
    wholeHalves(
      Uint16Array.from({ length: places }, (__, place) => weights.halves[place * channels + channel] ?? 0),
      MOST,
    ),
  );
  const ordered = Int8Array.from({ length: channels * places }, (_, at) => {
    const group = Math.floor(at / (places * LANES));
    return whole[group * LANES + (at % LANES)]?.numbers[Math.floor(at / LANES) % places] ?? 0;
  });
  return [Uint16Array.from(whole, ({ most }) => most), constants.halves, ordered];
}

/** Whole numbers of at most `limit`, and as a half float what that stands for. */
function wholeHalves(halves: Uint16Array, limit: number): { most: number; numbers: Int8Array } {
  const { numbers, most } = wholeNumbers(Array.from(halves, fromHalf), limit, (value) => fromHalf(toHalf(value)));
  return { numbers, most: toHalf(most) };
}

function fromHalf(half: number): number {
  const exponent = (half >> 10) & 31;
  const fraction = (half & 1023) / 1024;
  const size = exponent === 0 ? fraction * 2 ** -14 : (1 + fraction) * 2 ** (exponent - 15);
  return half >> 15 === 1 ? -size : size;
}

/** The half float next to a positive number. */
function toHalf(value: number): number {
  if (value === 0) return 0;
  const exponent = Math.max(-14, Math.floor(Math.log2(value)));
  return (exponent + 14) * 1024 + Math.round(value / 2 ** (exponent - 10));
}
