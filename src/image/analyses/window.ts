/**
 * Which part of a picture holds most of what stands out, for a part of a given size. A place counts the more the nearer it
 * is to the part's middle, so that subjects come to the middle and not just inside.
 */
import type { Size } from "../pixels/geometry.ts";
import type { Point } from "../pixels/gravity.ts";

/** Values of a grid of cells, row by row. */
export interface Grid extends Size {
  readonly values: Float32Array;
}

/** What little stands out is texture: this power makes a subject outweigh a wide surface with some of it. */
const POWER = 1.5;
/** How much less a part at an edge of the picture counts than one in the middle. */
const EDGE_LOSS = 0.3;
/** The same for places: photographers put what matters into the middle. */
const PLACE_LOSS = 0.3;
/** Smaller parts, as shares of a side, are placed as one of this size is: they hold no whole subject. */
const LEAST_SHARE = 0.3;
/** Places of a part within a cell that are tried, along each side. */
const STEPS = 2;

/**
 * The middle of the part, as shares of the sides.
 * @param usual what stands out no more than this does not count
 * @param part shares of the sides
 */
export function bestWindow({ width, height, values }: Grid, usual: number, part: Size): Point {
  const mass = new Float32Array(width * height);
  for (let y = 0, at = 0; y < height; y++) {
    for (let x = 0; x < width; x++, at++) {
      const loss = PLACE_LOSS * (offMiddle(x, width) + offMiddle(y, height));
      mass[at] = Math.max(0, values[at]! - usual) ** POWER * (1 - loss / 2);
    }
  }
  const across = positions(width, part.width);
  const down = positions(height, part.height);
  const sums = columnSums(mass, width, height, across);
  let [best, point] = [-1, { x: 0.5, y: 0.5 }];
  for (const { middle: y, weights: rows } of down) {
    for (const [column, { middle: x }] of across.entries()) {
      let sum = 0;
      for (let row = 0; row < height; row++) sum += rows[row]! * sums[column * height + row]!;
      const weighted = sum * (1 - EDGE_LOSS * 4 * ((x - 0.5) ** 2 + (y - 0.5) ** 2));
      if (weighted > best) [best, point] = [weighted, { x, y }];
    }
  }
  return point;
}

/** From 0 in the middle to 1 at an end. */
function offMiddle(place: number, cells: number): number {
  return (((place + 0.5) / cells) * 2 - 1) ** 2;
}

interface Position {
  /** A share of the side. */
  readonly middle: number;
  /** Of each cell along the side. */
  readonly weights: Float32Array;
}

/** Where a part may lie along a side; at one place alone if it is as long. */
function positions(cells: number, share: number): Position[] {
  const length = Math.min(1, Math.max(LEAST_SHARE, share)) * cells;
  const count = Math.floor((cells - length) * STEPS) + 1;
  // A single place is the middle; several reach from end to end.
  const step = count > 1 ? (cells - length) / (count - 1) : 0;
  return Array.from({ length: count }, (_, index) => {
    const start = count > 1 ? index * step : (cells - length) / 2;
    const weights = Float32Array.from({ length: cells }, (__, cell) =>
      Math.max(0, 1 - (((cell + 0.5 - start) / length) * 2 - 1) ** 2),
    );
    return { middle: (start + length / 2) / cells, weights };
  });
}

/** For each position across, the weighted sum of each row. */
function columnSums(mass: Float32Array, width: number, height: number, across: readonly Position[]): Float32Array {
  const sums = new Float32Array(across.length * height);
  for (const [column, { weights }] of across.entries()) {
    for (let row = 0; row < height; row++) {
      let sum = 0;
      for (let x = 0; x < width; x++) sum += weights[x]! * mass[row * width + x]!;
      sums[column * height + row] = sum;
    }
  }
  return sums;
}
