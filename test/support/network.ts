/** The network of super-resolution as it is defined: plain arithmetic, as slow as it is clear. */

const CHANNELS = 24;
const MIDDLE = 4;
/** Shifts that the file begins with: one for every layer, and room. */
const SHIFTS = 8;
/** Outputs whose weights lie together, each with those of two neighboring inputs. */
const LANES = 4;
/** Fractions of a level that samples count. */
const PARTS = 64;
/** Pixels to each side that a result depends on. */
const REACH = 7;

/** Numbers of a picture, by pixel and channel; those beyond its sides are those at its sides. */
class Field {
  readonly data: Float64Array;
  readonly width: number;
  readonly height: number;
  readonly channels: number;

  constructor(width: number, height: number, channels: number) {
    this.data = new Float64Array(width * height * channels);
    this.width = width;
    this.height = height;
    this.channels = channels;
  }

  at(x: number, y: number, channel: number): number {
    const column = Math.min(this.width - 1, Math.max(0, x));
    const row = Math.min(this.height - 1, Math.max(0, y));
    return this.data[(row * this.width + column) * this.channels + channel] ?? 0;
  }
}

/** Filters of `side` x `side`, `inputs` numbers from each of the pixels, as they lie in the file. */
interface Layer {
  readonly weights: Int16Array;
  readonly side: number;
  readonly inputs: number;
  readonly outputs: number;
  readonly shift: number;
}

function filtered(field: Field, { weights, side, inputs, outputs, shift }: Layer): Field {
  const result = new Field(field.width, field.height, outputs);
  const steps = Math.ceil((side * inputs) / 2);
  const reach = (side - 1) / 2;
  let at = 0;
  for (let y = 0; y < field.height; y++)
    for (let x = 0; x < field.width; x++)
      for (let output = 0; output < outputs; output++) {
        let sum = 2 ** (shift - 1);
        for (let row = 0; row < side; row++)
          for (let input = 0; input < side * inputs; input++) {
            const group = (row * steps + (input >> 1)) * (outputs / LANES) + Math.floor(output / LANES);
            const weight = weights[(group * LANES + (output % LANES)) * 2 + (input & 1)] ?? 0;
            const column = Math.floor(input / inputs);
            sum += weight * field.at(x + column - reach, y + row - reach, input % inputs);
          }
        result.data[at++] = Math.floor(sum / 2 ** shift);
      }
  return result;
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

/** Twice the size of a gray picture, in levels, by the weights of `network.bin`. */
export function doubledByNetwork(
  file: ArrayBuffer,
  { width, height, levels }: { width: number; height: number; levels: readonly number[] },
): Uint8Array {
  const numbers = new Int16Array(file);
  const shifts = [...numbers.subarray(0, SHIFTS)];
  let at = SHIFTS;
  const layer = (side: number, inputs: number, outputs: number, index: number): Layer => {
    const count = side * Math.ceil((side * inputs) / 2) * 2 * outputs;
    at += count;
    return { weights: numbers.subarray(at - count, at), side, inputs, outputs, shift: shifts[index] ?? 0 };
  };
  const picture = new Field(width, height, 1);
  picture.data.set(levels.map((level) => level * PARTS));
  // The picture goes on as it ends, for all layers.
  const source = new Field(width + 2 * REACH, height + 2 * REACH, 1);
  source.data.forEach((_, place) => {
    const row = Math.floor(place / source.width);
    source.data[place] = picture.at((place % source.width) - REACH, row - REACH, 0);
  });
  let hidden = activate(filtered(source, layer(5, 1, CHANNELS, 0)));
  for (let index = 1; index <= MIDDLE; index++)
    hidden = activate(filtered(hidden, layer(3, CHANNELS, CHANNELS, index)));
  const details = filtered(hidden, layer(3, CHANNELS, 4, MIDDLE + 1));
  const linear = filtered(source, layer(5, 1, 4, MIDDLE + 2));
  const result = new Uint8Array(width * height * 4);
  for (let y = 0; y < 2 * height; y++)
    for (let x = 0; x < 2 * width; x++) {
      const place = [(x >> 1) + REACH, (y >> 1) + REACH] as const;
      const phase = (y % 2) * 2 + (x % 2);
      const [low, high] = bounds(source, ...place);
      const sum = source.at(...place, 0) + linear.at(...place, phase) + details.at(...place, phase);
      const sample = Math.min(high, Math.max(low, sum));
      result[y * 2 * width + x] = Math.min(255, Math.floor((sample + PARTS / 2) / PARTS));
    }
  return result;
}
