/** ICC profiles for colors that a file names by their code points (ITU-T H.273), as cICP in PNG does. */
import { hybridLogGamma, quantizedPerceptually, type Transfer } from "./high-dynamic-range.ts";

type Chromaticity = readonly [x: number, y: number];

interface Primaries {
  readonly red: Chromaticity;
  readonly green: Chromaticity;
  readonly blue: Chromaticity;
  readonly white: Chromaticity;
}

/** The curve of ICC's parametric type 3: (a v + b) ^ g from d on, c v below. */
type Curve = readonly [g: number, a: number, b: number, c: number, d: number];

const D65: Chromaticity = [0.3127, 0.329];

/** H.273, table 2. */
const PRIMARIES: Readonly<Record<number, Primaries>> = {
  1: { red: [0.64, 0.33], green: [0.3, 0.6], blue: [0.15, 0.06], white: D65 },
  5: { red: [0.64, 0.33], green: [0.29, 0.6], blue: [0.15, 0.06], white: D65 },
  6: { red: [0.63, 0.34], green: [0.31, 0.595], blue: [0.155, 0.07], white: D65 },
  7: { red: [0.63, 0.34], green: [0.31, 0.595], blue: [0.155, 0.07], white: D65 },
  9: { red: [0.708, 0.292], green: [0.17, 0.797], blue: [0.131, 0.046], white: D65 },
  11: { red: [0.68, 0.32], green: [0.265, 0.69], blue: [0.15, 0.06], white: [0.314, 0.351] },
  12: { red: [0.68, 0.32], green: [0.265, 0.69], blue: [0.15, 0.06], white: D65 },
};

const SRGB: Curve = [2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045];
const REC_709: Curve = [1 / 0.45, 1 / 1.099_297, 0.099_297 / 1.099_297, 1 / 4.5, 0.081_243];
const gamma = (exponent: number): Curve => [exponent, 1, 0, 0, 0];

/** H.273, table 3. */
const CURVES: Readonly<Record<number, Curve | Transfer>> = {
  1: REC_709,
  4: gamma(2.2),
  5: gamma(2.8),
  6: REC_709,
  8: gamma(1),
  13: SRGB,
  14: REC_709,
  15: REC_709,
  16: quantizedPerceptually,
  18: hybridLogGamma,
};

/** The profile of gray or RGB samples with these primaries and this transfer; null for code points that have none. */
export function profileOfCodePoints(primaries: number, transfer: number, isGray: boolean): Uint8Array | "srgb" | null {
  const colors = PRIMARIES[primaries];
  const curve = CURVES[transfer];
  if (!colors || !curve) return null;
  if (curve === SRGB && (isGray || primaries === 1)) return "srgb";
  const trc = typeof curve === "function" ? sampled(curve) : parametric(curve);
  const white = xyz(D50);
  if (isGray)
    return profile("GRAY", [
      ["wtpt", white],
      ["kTRC", trc],
    ]);
  const [red, green, blue] = colorants(colors).map(xyz) as [Uint8Array, Uint8Array, Uint8Array];
  return profile("RGB ", [
    ["wtpt", white],
    ["rXYZ", red],
    ["gXYZ", green],
    ["bXYZ", blue],
    ["rTRC", trc],
    ["gTRC", trc],
    ["bTRC", trc],
  ]);
}

type Vector = readonly [number, number, number];
type Matrix = readonly [Vector, Vector, Vector];

/** The white of ICC's connection space. */
const D50: Vector = [0.9642, 1, 0.8249];

/** Lam's cone responses, known as Bradford, which ICC.1 (annex E) recommends for adaptation. */
const BRADFORD: Matrix = [
  [0.8951, 0.2664, -0.1614],
  [-0.7502, 1.7135, 0.0367],
  [0.0389, -0.0685, 1.0296],
];

/** XYZ of full red, green and blue, adapted to D50. */
function colorants({ red, green, blue, white }: Primaries): Vector[] {
  const [r, g, b] = [red, green, blue].map(fromChromaticity) as [Vector, Vector, Vector];
  const columns: Matrix = [
    [r[0], g[0], b[0]],
    [r[1], g[1], b[1]],
    [r[2], g[2], b[2]],
  ];
  const source = fromChromaticity(white);
  const amounts = solve(columns, source);
  const [from, to] = [times(BRADFORD, source), times(BRADFORD, D50)];
  const adapted = (color: Vector, amount: number): Vector => {
    const cones = times(BRADFORD, color);
    return solve(BRADFORD, [
      (cones[0] * amount * to[0]) / from[0],
      (cones[1] * amount * to[1]) / from[1],
      (cones[2] * amount * to[2]) / from[2],
    ]);
  };
  return [adapted(r, amounts[0]), adapted(g, amounts[1]), adapted(b, amounts[2])];
}

function fromChromaticity([x, y]: Chromaticity): Vector {
  return [x / y, 1, (1 - x - y) / y];
}

function times([a, b, c]: Matrix, v: Vector): Vector {
  return [dot(a, v), dot(b, v), dot(c, v)];
}

function dot(a: Vector, b: Vector): number {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

function cross(a: Vector, b: Vector): Vector {
  return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
}

/** The vector that a matrix turns into `v` (Cramer's rule). */
function solve([a, b, c]: Matrix, v: Vector): Vector {
  const columns: Matrix = [
    [a[0], b[0], c[0]],
    [a[1], b[1], c[1]],
    [a[2], b[2], c[2]],
  ];
  const determinant = dot(columns[0], cross(columns[1], columns[2]));
  return [
    dot(v, cross(columns[1], columns[2])) / determinant,
    dot(columns[0], cross(v, columns[2])) / determinant,
    dot(columns[0], cross(columns[1], v)) / determinant,
  ];
}

function xyz(color: Vector): Uint8Array {
  return element("XYZ ", color);
}

/** Type 3 of parametricCurveType. */
function parametric(curve: Curve): Uint8Array {
  return element("para", curve, 3);
}

const CURVE_POINTS = 1_024;

/** curveType: a curve by points on it, with straight lines between them. */
function sampled(curve: Transfer): Uint8Array {
  const bytes = new Uint8Array(12 + CURVE_POINTS * 2);
  const view = new DataView(bytes.buffer);
  write(bytes, 0, "curv");
  view.setUint32(8, CURVE_POINTS);
  for (let point = 0; point < CURVE_POINTS; point++) {
    view.setUint16(12 + point * 2, Math.round(curve(point / (CURVE_POINTS - 1)) * 65_535));
  }
  return bytes;
}

/** A tag's data: its type, four bytes that only curves use, numbers of 16 bits before and behind the point. */
function element(type: string, numbers: readonly number[], kind?: number): Uint8Array {
  const start = kind === undefined ? 8 : 12;
  const bytes = new Uint8Array(start + numbers.length * 4);
  const view = new DataView(bytes.buffer);
  write(bytes, 0, type);
  if (kind !== undefined) view.setUint16(8, kind);
  for (const [index, number] of numbers.entries()) view.setInt32(start + index * 4, Math.round(number * 65_536));
  return bytes;
}

const HEADER_BYTES = 128;

/** A display profile of version 4 (ICC.1:2010, 7). */
function profile(space: string, tags: readonly (readonly [string, Uint8Array])[]): Uint8Array {
  const start = HEADER_BYTES + 4 + tags.length * 12;
  const bytes = new Uint8Array(tags.reduce((sum, [, data]) => sum + data.length, start));
  const view = new DataView(bytes.buffer);
  view.setUint32(0, bytes.length);
  view.setUint32(8, 0x04300000);
  write(bytes, 12, "mntr");
  write(bytes, 16, space);
  write(bytes, 20, "XYZ ");
  write(bytes, 36, "acsp");
  for (const [index, number] of D50.entries()) view.setInt32(68 + index * 4, Math.round(number * 65_536));
  view.setUint32(HEADER_BYTES, tags.length);
  let offset = start;
  for (const [index, [name, data]] of tags.entries()) {
    const row = HEADER_BYTES + 4 + index * 12;
    write(bytes, row, name);
    view.setUint32(row + 4, offset);
    view.setUint32(row + 8, data.length);
    bytes.set(data, offset);
    offset += data.length;
  }
  return bytes;
}

function write(bytes: Uint8Array, at: number, text: string): void {
  bytes.set(new TextEncoder().encode(text), at);
}
