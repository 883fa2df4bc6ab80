/** The second network that finds faces, as it is defined: plain arithmetic, as slow as it is clear. */
import type { Hit } from "../../wasm/faces/faces.ts";
import { convolved, filtered, fromHalf, halved, inSteps, pixelsOf, type Sums, sure } from "./face-network.ts";
import type { Field } from "./field.ts";

/** Units on the way down: channels that come in, that are between, that go out, and whether they halve the picture. */
const UNITS = [
  [32, 8, 32, false],
  [32, 8, 32, false],
  [32, 12, 48, true],
  [48, 12, 48, false],
  [48, 16, 64, false],
  [64, 24, 96, true],
  [96, 32, 128, false],
  [128, 32, 128, false],
  [128, 36, 144, true],
  [144, 48, 192, false],
  [192, 64, 256, false],
  [256, 96, 384, true],
  [384, 96, 384, false],
  [384, 96, 384, false],
  [384, 96, 384, false],
] as const;
/** The way up: the unit whose layer is added, channels, and units after that. */
const RISES = [
  { kept: 10, channels: 96, units: 2 },
  { kept: 7, channels: 64, units: 2 },
  { kept: 4, channels: 48, units: 1 },
] as const;
const STEP = 32;
const PLACE = 4;
const OUTPUTS = 8;

type Unit = readonly [from: number, between: number, to: number, halves: boolean];

/** From so many weights on sums have 4 bits a weight, else 8. */
const MANY = 10_000;

/** Whole numbers, in fours of outputs, each with a half float for the largest and a constant. */
function reader(file: ArrayBuffer): (inputs: number, outputs: number) => Sums {
  const view = new DataView(file);
  let at = 0;
  return (inputs, outputs) => {
    const areMany = inputs * outputs >= MANY;
    const most = areMany ? 7 : 63;
    const halves = Array.from({ length: 2 * outputs }, (_, index) => fromHalf(view.getUint16(at + 2 * index, true)));
    at += 4 * outputs;
    const weights = new Float64Array(inputs * outputs);
    // Of 4 bits, a byte has those of two inputs, the first in its lower half.
    const whole = (index: number, isUpper: boolean) =>
      areMany ? (view.getInt8(at + index) << (isUpper ? 24 : 28)) >> 28 : view.getInt8(at + index);
    for (let index = 0; index < inputs * outputs; index++) {
      const [lane, input] = [index % 4, Math.floor(index / 4) % inputs];
      const output = Math.floor(index / 4 / inputs) * 4 + lane;
      const byte = areMany ? Math.floor(index / 8) * 4 + lane : index;
      weights[input * outputs + output] = (whole(byte, input % 2 === 1) * (halves[output] ?? 0)) / most;
    }
    at += areMany ? (inputs * outputs) / 2 : inputs * outputs;
    return { weights, constants: Float64Array.from(halves.slice(outputs)) };
  };
}

function cut(field: Field): Field {
  return field.fill((x, y, channel) => Math.max(0, field.at(x, y, channel)));
}

/** A layer of twice the sides, between the middles of whose pixels it is interpolated; at the sides it stays the same. */
function doubled(field: Field, x: number, y: number, channel: number): number {
  const { width, height } = field;
  const ends = (place: number, side: number) => {
    const near = Math.floor(place / 2);
    const other = Math.min(side - 1, Math.max(0, place % 2 ? near + 1 : near - 1));
    return [
      [near, 0.75],
      [other, 0.25],
    ] as const;
  };
  return ends(y, height)
    .flatMap(([row, down]) => ends(x, width).map(([column, across]) => down * across * field.at(column, row, channel)))
    .reduce((sum, part) => sum + part);
}

/** What all places of a picture are taken for, RGBA8, opaque. */
export function facesByFarNetwork(file: ArrayBuffer, width: number, height: number, rgba: Uint8Array): Hit[] {
  const read = reader(file);
  const filter = (field: Field, halves: boolean) => {
    const { weights, constants } = read(9, field.channels);
    return filtered(field, weights, constants, halves);
  };
  const unit = (came: Field, [from, between, to, halves]: Unit) => {
    const narrow = cut(convolved(filter(came, halves), read(from, between), 1, 1, 0));
    const wide = convolved(filter(narrow, false), read(between, to), 1, 1, 0);
    return wide.fill((x, y, channel) => Math.max(0, wide.at(x, y, channel) + halved(came, halves, x, y, channel)));
  };
  const picture = pixelsOf(rgba, width, height, inSteps(width, STEP), inSteps(height, STEP));
  let field = cut(convolved(picture, read(27, 32), 3, 2, 0));
  const down = UNITS.map((shape) => (field = unit(field, shape)));
  for (const { kept, channels, units } of RISES) {
    const small = cut(convolved(field, read(field.channels, channels), 1, 1, 0));
    const beside = down[kept] ?? field;
    const sum = cut(convolved(beside, read(beside.channels, channels), 1, 1, 0));
    field = sum.fill((x, y, channel) => sum.at(x, y, channel) + doubled(small, x, y, channel));
    for (let index = 0; index < units; index++) field = unit(field, [channels, channels / 2, channels, false]);
  }
  const seen = convolved(field, read(48, OUTPUTS), 1, 1, 0);
  return Array.from({ length: seen.width * seen.height }, (_, place) => {
    const [x, y] = [place % seen.width, Math.floor(place / seen.width)];
    const [score = 0, right = 0, lower = 0, wide = 0, high = 0] = [0, 1, 2, 3, 4].map((channel) =>
      seen.at(x, y, channel),
    );
    const [middle, level] = [(x + 0.5) * PLACE + right, (y + 0.5) * PLACE + lower];
    return { x: middle - wide / 2, y: level - high / 2, width: wide, height: high, score: sure(score) };
  });
}
