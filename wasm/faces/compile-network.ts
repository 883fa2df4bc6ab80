/**
 * Takes the weights of BlazeFace (short range) out of the file of MediaPipe: `node compile-network.ts
 * face_detection_short_range.tflite network.bin`. They are half floats there and stay it, in the order in which weights.c
 * reads them, without those of the six points of a face. README.md says where the file is from.
 */
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";

const SHA256 = "3bc182eb9f33925d9e58b5c8d59308a760f4adea8f282370e428c51212c26633";

/** Numbers of the operators and of the type in TensorFlow Lite's schema. */
const CONV_2D = 3;
const DEPTHWISE_CONV_2D = 4;
const DEQUANTIZE = 6;

/** A box and six points for each anchor, of which the box is taken. */
const REGRESSED = 16;
const BOX = 4;

const [from = "", to = ""] = process.argv.slice(2);
const bytes = readFileSync(from);
if (createHash("sha256").update(bytes).digest("hex") !== SHA256) throw new Error(`${from} is another file`);
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

/** The halves that each tensor of floats was made of. */
const origins = new Map<number, number>();
const parts: Uint16Array[] = [];
for (const operator of tables(graph, 3)) {
  const code = codes[scalar(operator, 0)];
  const inputs = numbers(operator, 1);
  const constant = (index: number) => tensors[origins.get(inputs[index] ?? -1) ?? -1] ?? NONE;
  if (code === DEQUANTIZE) origins.set(numbers(operator, 2)[0] ?? -1, inputs[0] ?? -1);
  else if (code === CONV_2D) parts.push(...convolution(constant(1), constant(2)));
  else if (code === DEPTHWISE_CONV_2D) parts.push(constant(1).halves, constant(2).halves);
}
writeFileSync(to, Buffer.concat(parts.map((part) => Buffer.from(part.buffer, part.byteOffset, part.byteLength))));

/** From filters of all inputs to inputs of all filters. */
function convolution(weights: Tensor, constants: Tensor): Uint16Array[] {
  const [filters = 0] = weights.shape;
  const inputs = weights.halves.length / filters;
  const isBox = weights.name.startsWith("regressor");
  const kept = Array.from({ length: filters }, (_, filter) => filter).filter(
    (filter) => !isBox || filter % REGRESSED < BOX,
  );
  const turned = Uint16Array.from({ length: kept.length * inputs }, (_, at) => {
    const filter = kept[at % kept.length] ?? 0;
    return weights.halves[filter * inputs + Math.floor(at / kept.length)] ?? 0;
  });
  return [turned, Uint16Array.from(kept, (filter) => constants.halves[filter] ?? 0)];
}
