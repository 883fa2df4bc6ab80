/** The third network that judges faces, as it is defined: whole numbers between layers, and each sum by itself. */
import { SQUARE_SIDE } from "../../wasm/faces/faces.ts";

const LAYERS = [
  { channels: 4, outputs: 16, side: 5, step: 2 },
  { channels: 16, outputs: 32, side: 5, step: 2 },
  { channels: 32, outputs: 32, side: 5, step: 2 },
  { channels: 32, outputs: 48, side: 5, step: 1 },
  { channels: 48, outputs: 48, side: 5, step: 1 },
  { channels: 48, outputs: 48, side: 5, step: 1 },
  { channels: 48, outputs: 4, side: 9, step: 1 },
] as const;

const LARGEST = 4_095;
const COLOR_STEPS = 16;

interface Plane {
  readonly side: number;
  readonly numbers: Float64Array;
}

/** The best score of the places in the middle of a square, RGBA8, opaque. */
export function scoreByMmod(file: ArrayBuffer, rgba: Uint8Array): number {
  const view = new DataView(file);
  let at = 0;
  let plane: Plane = { side: SQUARE_SIDE, numbers: Float64Array.from(rgba, (value, index) => colorStep(value, index)) };
  for (const shape of LAYERS) {
    const { channels, outputs, side } = shape;
    const floats = Array.from({ length: 2 * outputs }, (_, index) => view.getFloat32(at + 4 * index, true));
    const count = outputs * side * side * channels;
    const weights = new Int8Array(file, at + 8 * outputs, count);
    at += 8 * outputs + count;
    plane = made(plane, shape, weights, floats);
    if (shape !== LAYERS.at(-1)) plane.numbers.forEach((value, index) => (plane.numbers[index] = whole(value)));
  }
  return Math.max(...plane.numbers.filter((_, index) => index % 4 === 0));
}

function colorStep(value: number, index: number): number {
  return index % 4 === 3 ? 0 : value * COLOR_STEPS;
}

function whole(value: number): number {
  const cut = Math.min(LARGEST, Math.max(0, value));
  const near = Math.round(cut);
  return near - cut === 0.5 && near % 2 === 1 ? near - 1 : near;
}

function made(from: Plane, shape: (typeof LAYERS)[number], weights: Int8Array, floats: readonly number[]): Plane {
  const { channels, outputs, side, step } = shape;
  const next = Math.floor((from.side - side) / step) + 1;
  const numbers = new Float64Array(next * next * outputs);
  const inputs = side * side * channels;
  for (let y = 0; y < next; y++) {
    for (let x = 0; x < next; x++) {
      for (let output = 0; output < outputs; output++) {
        // Four outputs after the other; in these, of each two inputs those of the first output, then those of the next.
        const first = Math.floor(output / 4) * inputs * 4 + (output % 4) * 2;
        let sum = 0;
        for (let row = 0, input = 0; row < side; row++) {
          const start = ((y * step + row) * from.side + x * step) * channels;
          for (let along = 0; along < side * channels; along++, input++) {
            const weight = weights[first + Math.floor(input / 2) * 8 + (input % 2)] ?? 0;
            sum += weight * (from.numbers[start + along] ?? 0);
          }
        }
        const scaled = Math.fround(Math.fround(sum) * (floats[output] ?? 0));
        numbers[(y * next + x) * outputs + output] = Math.fround(scaled + (floats[outputs + output] ?? 0));
      }
    }
  }
  return { side: next, numbers };
}
