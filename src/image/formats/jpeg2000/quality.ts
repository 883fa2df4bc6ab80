/**
 * Quality of lossy JPEG 2000. It is set by quantization alone, the same all over the picture, as JPEG has it: no rate is
 * allotted, so tiles do not differ and nothing finer is coded than what is kept.
 */
import type { Codestream } from "./codestream.ts";

type Curve = readonly (readonly [x: number, y: number])[];

/**
 * Log2 of the base step by quality: chosen so that the mean SSIMULACRA 2.1 score over seven photographs is that of JPEG
 * and WebP at the same number (76 at 80, 84 at 90).
 */
const STEPS: Curve = [
  [1, 6],
  [10, 5],
  [20, 4.4],
  [30, 4.02],
  [40, 3.8],
  [50, 3.57],
  [60, 3.35],
  [70, 3.07],
  [80, 2.7],
  [85, 2.4],
  [90, 1.82],
  [95, 1.05],
  [98, 0],
  [100, -1.5],
];

/** Log2 of the base step by log2 of the bits per pixel that it comes to, the mean over the same photographs. */
const RATES: Curve = [
  [-3.3, 6],
  [-2.29, 5],
  [-1.37, 4],
  [-0.55, 3],
  [0.18, 2],
  [0.85, 1],
  [1.49, 0],
  [2.07, -1],
];

/** Steps this fine are no choice of quality: the encoder cut its code where the file was full. */
const FINEST_QUALITY = 98;

/** L2 norms of the 9/7 synthesis as OpenJPEG scales it, by orientation (low, horizontal, vertical, diagonal) and level. */
const NORMS = [
  [1, 1.965, 4.177, 8.403, 16.9, 33.84],
  [2.022, 3.989, 8.355, 17.04, 34.27],
  [2.022, 3.989, 8.355, 17.04, 34.27],
  [2.08, 3.865, 8.307, 17.18, 34.71],
] as const;

/**
 * How much coarser bands are quantized than the least square error asks for, from the finest level on. Found by descent
 * on the bytes that seven photographs need for scores of 65, 75 and 88: 13 percent fewer than with equal weights.
 */
const LUMA = { low: 1, levels: [2.2, 1.3, 0.86, 1, 0.77], diagonal: [1.46, 1.3, 1, 1, 1] };
const CHROMA = { low: 1.69, levels: [4.83, 2.55, 2.2, 1.35, 1.69], diagonal: [1, 1, 1, 1, 1] };

/** The steps of luma and of chroma, as the encoder takes them. */
export function stepsFor(quality: number): (levels: number) => Float32Array {
  const base = 2 ** interpolated(STEPS, quality);
  return (levels) =>
    Float32Array.from(
      [LUMA, CHROMA].flatMap((weights) => [
        (base * weights.low) / norm(0, levels),
        ...Array.from({ length: levels }, (_, index) => levels - 1 - index).flatMap((level) => {
          const weight = base * (weights.levels[level] ?? 1);
          const diagonal = weight * (weights.diagonal[level] ?? 1);
          return [weight / norm(1, level), weight / norm(2, level), diagonal / norm(3, level)];
        }),
      ]),
    );
}

function norm(orientation: 0 | 1 | 2 | 3, level: number): number {
  return NORMS[orientation][level] ?? 1;
}

/**
 * 1 to 99, 100 where nothing is lost: from the quantization step, which says it all about files of ours, or where that
 * is very fine, from the bits that a pixel takes.
 */
export function estimateQuality(
  { lossy, finestStep, components }: Pick<Codestream, "lossy" | "finestStep" | "components">,
  bitsPerPixel: number,
): number {
  if (!lossy) return 100;
  const range = 2 ** ((components[0]?.depth ?? 8) - 8);
  const base = ((finestStep / range) * norm(3, 0)) / (LUMA.levels[0]! * LUMA.diagonal[0]!);
  const byStep = qualityOf(Math.log2(base));
  const byRate = byStep < FINEST_QUALITY ? byStep : qualityOf(interpolated(RATES, Math.log2(bitsPerPixel)));
  return Math.max(1, Math.min(99, Math.round(Math.min(byStep, byRate))));
}

function qualityOf(step: number): number {
  const inverse = STEPS.map(([quality, log]) => [log, quality] as const).toReversed();
  return interpolated(inverse, step);
}

/** Straight lines between the points of a curve, which rise in x; level before and after. */
function interpolated(curve: Curve, x: number): number {
  const next = curve.findIndex(([place]) => place > x);
  if (next < 0) return curve.at(-1)![1];
  if (next === 0) return curve[0]![1];
  const [[x0, y0], [x1, y1]] = [curve[next - 1]!, curve[next]!];
  return y0 + ((y1 - y0) * (x - x0)) / (x1 - x0);
}
