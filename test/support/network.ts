/** The networks of super-resolution as they are defined: plain arithmetic, as slow as it is clear. */
import { Field } from "./field.ts";

/** Numbers of a pixel between layers, and layers between the first and the last. */
export interface Shape {
  readonly channels: number;
  readonly middle: number;
}

export const SMALL: Shape = { channels: 24, middle: 4 };
export const LARGE: Shape = { channels: 48, middle: 5 };

/** Shifts that the file begins with: one for every layer, and room. */
const SHIFTS = 8;
/** Outputs whose weights lie together, each with those of two neighboring inputs. */
const LANES = 4;
/** Fractions of a level that samples count. */
const PARTS = 64;
/** Filters of `side` x `side`, `inputs` numbers from each of the pixels, in the order of the file. */
interface Layer {
  readonly weights: ArrayLike<number>;
  readonly side: number;
  readonly inputs: number;
  readonly outputs: number;
  readonly shift: number;
}

function filtered(field: Field, layer: Layer): Field {
  const { side, inputs, outputs, shift } = layer;
  const result = new Field(field.width, field.height, outputs, "side");
  const filters = Array.from({ length: outputs }, (_, output) => filterOf(layer, output));
  const reach = (side - 1) / 2;
  let at = 0;
  const around = new Float64Array(side * side * inputs);
  for (let y = 0; y < field.height; y++)
    for (let x = 0; x < field.width; x++) {
      around.forEach((_, index) => {
        const place = Math.floor(index / inputs);
        around[index] = field.at(x + (place % side) - reach, y + Math.floor(place / side) - reach, index % inputs);
      });
      for (const filter of filters) {
        let sum = 2 ** (shift - 1);
        for (let index = 0; index < filter.length; index++) sum += (filter[index] ?? 0) * (around[index] ?? 0);
        result.data[at++] = Math.floor(sum / 2 ** shift);
      }
    }
  return result;
}

/** The weights of one output, in the order of what they are for: rows, pixels in a row, numbers of a pixel. */
function filterOf({ weights, side, inputs, outputs }: Layer, output: number): Float64Array {
  const steps = Math.ceil((side * inputs) / 2);
  return Float64Array.from({ length: side * side * inputs }, (_, index) => {
    const [row, input] = [Math.floor(index / (side * inputs)), index % (side * inputs)];
    const group = (row * steps + (input >> 1)) * (outputs / LANES) + Math.floor(output / LANES);
    return weights[(group * LANES + (output % LANES)) * 2 + (input & 1)] ?? 0;
  });
}

/** Sixteen bits, of which what is negative counts an eighth. */
function activate(field: Field): Field {
  field.data.forEach((value, at) => {
    const held = Math.min(32_767, Math.max(-32_768, value));
    field.data[at] = Math.max(held, Math.floor(held / 8));
  });
  return field;
}

/** The least and the greatest of the nine levels around, and what the network may leave them by. */
function bounds(field: Field, x: number, y: number): readonly [number, number] {
  let least = Infinity;
  let most = -Infinity;
  for (let row = y - 1; row <= y + 1; row++)
    for (let column = x - 1; column <= x + 1; column++) {
      least = Math.min(least, field.at(column, row, 0));
      most = Math.max(most, field.at(column, row, 0));
    }
  const slack = Math.min(Math.floor((most - least) / 4), 8 * PARTS);
  return [Math.max(0, least - slack), most + slack];
}

/**
 * The layers of a file, the linear one last. The first and the linear one are numbers of 16 bits; of the others there are
 * a scale for each filter, and weights of eight bits.
 */
function layersOf(file: ArrayBuffer, { channels, middle }: Shape): readonly Layer[] {
  const shifts = new Int16Array(file, 0, SHIFTS);
  let at = shifts.byteLength;
  const numbersOf = (side: number, inputs: number, outputs: number) =>
    side * Math.ceil((side * inputs) / 2) * 2 * outputs;
  const wide = (outputs: number, index: number): Layer => {
    const weights = new Int16Array(file, at, numbersOf(5, 1, outputs));
    at += weights.byteLength;
    return { weights, side: 5, inputs: 1, outputs, shift: shifts[index] ?? 0 };
  };
  const narrow = (outputs: number, index: number): Layer => {
    const scales = new Uint8Array(file, at, outputs);
    const eight = new Int8Array(file, at + outputs, numbersOf(3, channels, outputs));
    at += scales.byteLength + eight.byteLength;
    const weights = Int16Array.from(eight, (weight, place) => weight * (scales[(place >> 1) % outputs] ?? 0));
    return { weights, side: 3, inputs: channels, outputs, shift: shifts[index] ?? 0 };
  };
  const first = wide(channels, 0);
  const linear = wide(4, middle + 2);
  const between = Array.from({ length: middle }, (_, index) => narrow(channels, index + 1));
  return [first, ...between, narrow(4, middle + 1), linear];
}

interface Gray {
  readonly width: number;
  readonly height: number;
  readonly levels: readonly number[];
}

/** A picture that goes on as it ends, so far to each side. */
function extended({ width, height, levels }: Gray, reach: number): Field {
  const picture = new Field(width, height, 1, "side");
  picture.data.set(levels.map((level) => level * PARTS));
  return new Field(width + 2 * reach, height + 2 * reach, 1, "side").fill((x, y) =>
    picture.at(x - reach, y - reach, 0),
  );
}

/** What a network makes of a picture, row by row, before anything bounds it: 16 bits. */
function samplesOf(layers: readonly Layer[], gray: Gray): number[] {
  // Pixels to each side that a result depends on, each of which all layers know.
  const reach = layers.length;
  const source = extended(gray, reach);
  let hidden = source;
  for (const layer of layers.slice(0, -2)) hidden = activate(filtered(hidden, layer));
  const [details, linear] = layers.slice(-2).map((layer) => filtered(layer.inputs === 1 ? source : hidden, layer));
  const across = 2 * gray.width;
  return Array.from({ length: across * 2 * gray.height }, (_, index) => {
    const [x, y] = [index % across, Math.floor(index / across)];
    const place = [(x >> 1) + reach, (y >> 1) + reach] as const;
    const phase = (y % 2) * 2 + (x % 2);
    const sum = source.at(...place, 0) + (linear?.at(...place, phase) ?? 0) + (details?.at(...place, phase) ?? 0);
    return Math.min(32_767, Math.max(-32_768, sum));
  });
}

/** Twice the size of a gray picture, in levels, by the weights of a file: of its form alone, and the mean of both forms. */
export function doubledByNetwork(
  file: ArrayBuffer,
  shape: Shape,
  gray: Gray,
): { readonly one: Uint8Array; readonly both: Uint8Array } {
  const layers = layersOf(file, shape);
  const upright = samplesOf(layers, gray);
  // The other form is turned by 180 degrees.
  const turned = samplesOf(layers, { ...gray, levels: gray.levels.toReversed() }).toReversed();
  const means = upright.map((sample, index) => Math.floor((sample + (turned[index] ?? 0) + 1) / 2));
  return { one: levelsOf(upright, gray), both: levelsOf(means, gray) };
}

/** Samples as levels, which the source around them bounds. */
function levelsOf(samples: readonly number[], gray: Gray): Uint8Array {
  const source = extended(gray, 1);
  const across = 2 * gray.width;
  return Uint8Array.from(samples, (sample, index) => {
    const [x, y] = [index % across, Math.floor(index / across)];
    const [low, high] = bounds(source, (x >> 1) + 1, (y >> 1) + 1);
    return Math.min(255, Math.floor((Math.min(high, Math.max(low, sample)) + PARTS / 2) / PARTS));
  });
}
