/** Samples of channels as RGBA. */
import { whenNeeded } from "../../../when-needed.ts";
import { fromLinear } from "../../color/light.ts";
import type { Mode, PsdFile } from "./header.ts";

/** Writes one row: `samples` has a row of 8 bits for every color. */
export type RowColors = (samples: readonly Uint8Array[], target: Uint8Array) => void;

/** Samples of any depth as 8 bits; linear floating point is encoded as sRGB. */
export function toBytes(row: Uint8Array, depth: number, to: Uint8Array): void {
  if (depth === 8) to.set(row.subarray(0, to.length));
  else if (depth === 1) for (let x = 0; x < to.length; x++) to[x] = (row[x >> 3]! >> (7 - (x & 7))) & 1 ? 0 : 255;
  else if (depth === 16) {
    // The nearest of v / 257, for every v of 16 bits, without a division.
    for (let x = 0; x < to.length; x++) to[x] = (((row[x * 2]! << 8) | row[x * 2 + 1]!) * 255 + 32_895) >>> 16;
  } else {
    const view = new DataView(row.buffer, row.byteOffset, row.length);
    for (let x = 0; x < to.length; x++) to[x] = encoded(view.getFloat32(x * 4));
  }
}

/** Alpha is never encoded. */
export function alphaToBytes(row: Uint8Array, depth: number, to: Uint8Array): void {
  if (depth !== 32) {
    toBytes(row, depth, to);
    return;
  }
  const view = new DataView(row.buffer, row.byteOffset, row.length);
  for (let x = 0; x < to.length; x++) to[x] = Math.round(Math.min(1, Math.max(0, view.getFloat32(x * 4))) * 255);
}

/** How samples of a mode become pixels; `inks` keeps CMYK as it is stored, with 255 for no ink. */
export function rowColors({ mode, palette }: PsdFile, inks: boolean): RowColors {
  const colors: Readonly<Record<Mode, RowColors>> = {
    bitmap: writeGray,
    gray: writeGray,
    indexed: (samples, target) => writeIndexed(samples[0]!, palette, target),
    rgb: writeRgb,
    cmyk: inks ? writeInks : writeCmyk,
    lab: writeLab,
  };
  return colors[mode];
}

function writeGray([gray]: readonly Uint8Array[], target: Uint8Array): void {
  for (let x = 0, to = 0; to < target.length; x++, to += 4) {
    target[to] = target[to + 1] = target[to + 2] = gray![x]!;
    target[to + 3] = 255;
  }
}

function writeIndexed(indices: Uint8Array, palette: Uint8Array, target: Uint8Array): void {
  for (let x = 0, to = 0; to < target.length; x++, to += 4) {
    const index = indices[x]!;
    target[to] = palette[index]!;
    target[to + 1] = palette[index + 256]!;
    target[to + 2] = palette[index + 512]!;
    target[to + 3] = 255;
  }
}

function writeRgb([red, green, blue]: readonly Uint8Array[], target: Uint8Array): void {
  for (let x = 0, to = 0; to < target.length; x++, to += 4) {
    target[to] = red![x]!;
    target[to + 1] = green![x]!;
    target[to + 2] = blue![x]!;
    target[to + 3] = 255;
  }
}

function writeInks([cyan, magenta, yellow, key]: readonly Uint8Array[], target: Uint8Array): void {
  for (let x = 0, to = 0; to < target.length; x++, to += 4) {
    target[to] = cyan![x]!;
    target[to + 1] = magenta![x]!;
    target[to + 2] = yellow![x]!;
    target[to + 3] = key![x]!;
  }
}

function writeCmyk([cyan, magenta, yellow, key]: readonly Uint8Array[], target: Uint8Array): void {
  for (let x = 0, to = 0; to < target.length; x++, to += 4) {
    const light = key![x]! / 255;
    target[to] = Math.round(cyan![x]! * light);
    target[to + 1] = Math.round(magenta![x]! * light);
    target[to + 2] = Math.round(yellow![x]! * light);
    target[to + 3] = 255;
  }
}

const ENCODE_STEPS = 4_096;
const encodedSteps = whenNeeded(() =>
  Uint8Array.from({ length: ENCODE_STEPS + 1 }, (_, step) => Math.round(fromLinear(step / ENCODE_STEPS) * 255)),
);

function encoded(linear: number, steps = encodedSteps()): number {
  return steps[Math.round(Math.min(1, Math.max(0, linear || 0)) * ENCODE_STEPS)]!;
}

function inverseLightness(t: number): number {
  return t > 6 / 29 ? t * t * t : (t - 4 / 29) * (108 / 841);
}

/** CIE L*a*b* of white D50 to sRGB, with Bradford's adaptation to D65. */
function writeLab([lightness, a, b]: readonly Uint8Array[], target: Uint8Array): void {
  const steps = encodedSteps();
  for (let x = 0, to = 0; to < target.length; x++, to += 4) {
    const fy = ((lightness![x]! * 100) / 255 + 16) / 116;
    const cieX = 0.9642 * inverseLightness(fy + (a![x]! - 128) / 500);
    const cieY = inverseLightness(fy);
    const cieZ = 0.8249 * inverseLightness(fy - (b![x]! - 128) / 200);
    target[to] = encoded(3.1338561 * cieX - 1.6168667 * cieY - 0.4906146 * cieZ, steps);
    target[to + 1] = encoded(-0.9787684 * cieX + 1.9161415 * cieY + 0.033454 * cieZ, steps);
    target[to + 2] = encoded(0.0719453 * cieX - 0.2289914 * cieY + 1.4052427 * cieZ, steps);
    target[to + 3] = 255;
  }
}

/** Undoes the blending with white with which the merged picture of a transparent document is stored. */
export function removeWhite(samples: readonly Uint8Array[], alpha: Uint8Array): void {
  for (const row of samples) {
    for (let x = 0; x < row.length; x++) {
      const a = alpha[x]!;
      if (a === 0 || a === 255) continue;
      row[x] = Math.min(255, Math.max(0, Math.round(((row[x]! - 255 + a) * 255) / a)));
    }
  }
}
