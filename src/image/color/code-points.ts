/** ICC profiles for colors that a file names by their code points (ITU-T H.273), as cICP in PNG does. */
import { hybridLogGamma, quantizedPerceptually, type Transfer } from "./high-dynamic-range.ts";
import { type Curve, D50, iccProfile, parametric, sampled, values } from "./icc.ts";

/** ITU-T H.273, sections 8.1 and 8.2. */
export interface CodePoints {
  readonly primaries: number;
  readonly transfer: number;
}

type Chromaticity = readonly [x: number, y: number];

export interface Primaries {
  readonly red: Chromaticity;
  readonly green: Chromaticity;
  readonly blue: Chromaticity;
  readonly white: Chromaticity;
}

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

/** Transfer functions of high dynamic range: what a profile makes of them has been brought into that of a screen. */
const HIGH_DYNAMIC_RANGE: ReadonlySet<number> = new Set([16, 18]);

export function isHighDynamicRange(transfer: number): boolean {
  return HIGH_DYNAMIC_RANGE.has(transfer);
}

/** The profile of gray or RGB samples with these primaries and this transfer; null for code points that have none. */
export function profileOfCodePoints(primaries: number, transfer: number, isGray: boolean): Uint8Array | "srgb" | null {
  const colors = PRIMARIES[primaries];
  const curve = CURVES[transfer];
  if (!colors || !curve) return null;
  if (curve === SRGB && (isGray || primaries === 1)) return "srgb";
  const trc = typeof curve === "function" ? sampled(levels(curve)) : parametric(curve);
  const name = nameOf(primaries, transfer);
  return isGray ? iccProfile("GRAY", name, [WHITE_POINT, ["kTRC", trc]]) : rgbProfile(name, colors, trc);
}

const WHITE_POINT = ["wtpt", values("XYZ ", D50)] as const;

function rgbProfile(name: string, primaries: Primaries, trc: Uint8Array): Uint8Array {
  const [red, green, blue] = colorants(primaries);
  return iccProfile("RGB ", name, [
    WHITE_POINT,
    ["chad", values("sf32", adaptation(primaries.white))],
    ["rXYZ", values("XYZ ", red)],
    ["gXYZ", values("XYZ ", green)],
    ["bXYZ", values("XYZ ", blue)],
    ["rTRC", trc],
    ["gTRC", trc],
    ["bTRC", trc],
  ]);
}

/** How far chromaticities may be from those of sRGB that are meant to be the same: files round them, and some writers twice. */
const TOLERANCE = 0.002;
/** Colors that span less than this part of a plane cannot be told apart: no picture was made in them. */
const LEAST_AREA = 0.01;

/**
 * The profile of RGB samples with primaries of a file's own and a power for a curve; null where the primaries are those of
 * sRGB, which leaves the curve alone, or cannot be.
 * @param exponent of the light that a level stands for, 2.2 for most displays
 */
export function profileOfPrimaries(primaries: Primaries, exponent: number): Uint8Array | null {
  if (!arePossible(primaries, exponent) || areSrgb(primaries)) return null;
  return rgbProfile("Primaries of a file", primaries, parametric(gamma(exponent)));
}

/** Light of which levels stand for less than this, or more than that power, was never meant. */
const EXPONENTS = { least: 0.1, most: 10 } as const;

function arePossible({ red, green, blue, white }: Primaries, exponent: number): boolean {
  const all = [red, green, blue, white];
  const area = Math.abs((green[0] - red[0]) * (blue[1] - red[1]) - (blue[0] - red[0]) * (green[1] - red[1])) / 2;
  const arePlaces = all.every(([x, y]) => y > 0 && x >= 0 && x + y <= 1 + TOLERANCE);
  return arePlaces && area >= LEAST_AREA && exponent >= EXPONENTS.least && exponent <= EXPONENTS.most;
}

function areSrgb(primaries: Primaries): boolean {
  const srgb = PRIMARIES[1]!;
  const names = ["red", "green", "blue", "white"] as const;
  return names.every((name) => primaries[name].every((value, at) => Math.abs(value - srgb[name][at]!) <= TOLERANCE));
}

function nameOf(primaries: number, transfer: number): string {
  return primaries === 12 && transfer === 13 ? "Display P3" : `H.273 ${primaries}-${transfer}`;
}

const CURVE_POINTS = 1_024;

function levels(curve: Transfer): number[] {
  return Array.from({ length: CURVE_POINTS }, (_, point) => curve(point / (CURVE_POINTS - 1)));
}

type Vector = readonly [number, number, number];
type Matrix = readonly [Vector, Vector, Vector];

/** Lam's cone responses, known as Bradford, which ICC.1 (annex E) recommends for adaptation. */
const BRADFORD: Matrix = [
  [0.8951, 0.2664, -0.1614],
  [-0.7502, 1.7135, 0.0367],
  [0.0389, -0.0685, 1.0296],
];

/** XYZ of full red, green and blue, adapted to D50. */
function colorants({ red, green, blue, white }: Primaries): [Vector, Vector, Vector] {
  const [r, g, b] = [red, green, blue].map(fromChromaticity) as [Vector, Vector, Vector];
  const amounts = solve(fromColumns(r, g, b), fromChromaticity(white));
  const scaled = (color: Vector, amount: number): Vector =>
    adapted([color[0] * amount, color[1] * amount, color[2] * amount], white);
  return [scaled(r, amounts[0]), scaled(g, amounts[1]), scaled(b, amounts[2])];
}

/** A color under another white as it looks under D50. */
function adapted(color: Vector, white: Chromaticity): Vector {
  const cones = times(BRADFORD, color);
  const [from, to] = [times(BRADFORD, fromChromaticity(white)), times(BRADFORD, D50)];
  return solve(BRADFORD, [(cones[0] * to[0]) / from[0], (cones[1] * to[1]) / from[1], (cones[2] * to[2]) / from[2]]);
}

/** The matrix of `adapted`, row by row. */
function adaptation(white: Chromaticity): number[] {
  const columns = fromColumns(adapted([1, 0, 0], white), adapted([0, 1, 0], white), adapted([0, 0, 1], white));
  return columns.flat();
}

function fromColumns(a: Vector, b: Vector, c: Vector): Matrix {
  return [
    [a[0], b[0], c[0]],
    [a[1], b[1], c[1]],
    [a[2], b[2], c[2]],
  ];
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
