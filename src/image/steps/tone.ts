/** Changes of tone and color, in the cheapest form there is. */
import { GAINS, openTone, toneEstimate } from "../../../wasm/effects/colors.ts";
import { estimated } from "../../../wasm/estimate.ts";
import { bandBytes } from "../pixels/bands.ts";
import type { Size } from "../pixels/geometry.ts";
import { type ColorMatrix, IDENTITY, matrix as multiply } from "./color-matrices.ts";
import { effectStep, rowStep } from "./effect.ts";
import type { Step } from "./operation.ts";
import { mapLevels, mapLevelsEstimate } from "./tables.ts";

/** To multiply a pixel by a matrix. */
const MATRIX_NANOSECONDS = 2.3;

/** A change of tone and color; what is absent stays. Values are 0 to 1, on sRGB's encoding. */
export interface Tone {
  /** What a level of red (0), green (1) or blue (2) becomes. */
  readonly curve?: ((level: number, channel: 0 | 1 | 2) => number) | undefined;
  /** A factor for all three channels, by luma. A color is not lifted past its brightest channel. */
  readonly gain?: ((luma: number) => number) | undefined;
  /** -1 to 1: how much further from its gray a color is, the more the duller it is. */
  readonly vibrance?: number | undefined;
  /** Comes last. */
  readonly matrix?: ColorMatrix | undefined;
}

/** The steps of a change of tone: none, or one, in the cheapest form that rounds only once. */
export function toneSteps(size: Size, { curve, gain, vibrance = 0, matrix }: Tone): Step[] {
  const mixes = gain !== undefined || vibrance !== 0;
  if (!curve && !mixes && !matrix) return [];
  if (!curve && !mixes && matrix) return [matrixStep(size, matrix)];
  const levels = Float32Array.from({ length: 768 }, (_, index) => {
    const level = (index & 255) / 255;
    const bent = curve ? curve(level, (index >> 8) as 0 | 1 | 2) : level;
    return Math.min(1, Math.max(0, bent)) * 255;
  });
  if (!mixes && !matrix) return [levelStep(size, levels)];
  const gains = gain && Float32Array.from({ length: GAINS }, (_, index) => gain(index / (GAINS - 1)));
  const tone = { levels, gains, vibrance, matrix: matrix ?? IDENTITY };
  return [effectStep(size, { estimate: toneEstimate(size), open: () => openTone(size, tone) })];
}

/** Every color as a weighted sum of its red, green and blue. */
export function matrixStep(size: Size, factors: ColorMatrix): Step {
  const estimate = estimated(bandBytes(size.width), size.width * size.height, MATRIX_NANOSECONDS);
  return rowStep(size, estimate, (rows) => multiply(rows, factors));
}

function levelStep(size: Size, levels: Float32Array): Step {
  const table = (channel: number) => Uint8Array.from(levels.subarray(channel * 256, channel * 256 + 256), Math.round);
  const tables = { red: table(0), green: table(1), blue: table(2) };
  return rowStep(size, mapLevelsEstimate(size), (rows) => mapLevels(rows, tables));
}
