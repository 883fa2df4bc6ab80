/** Quality of lossy JPEG 2000: what the encoder is told, and what a file was written with. */
import type { Codestream } from "./codestream.ts";

/** Log2 of the base step at qualities 1, 10, 20 ... 100. */
const LOG_STEPS = [6, 5.5, 5, 4.5, 4, 3.5, 3, 2.5, 2, 1, -1];

export function baseStep(quality: number): number {
  const place = Math.max(0, Math.min(100, quality)) / 10;
  const below = Math.min(9, Math.floor(place));
  const [low, high] = [LOG_STEPS[below]!, LOG_STEPS[below + 1]!];
  return 2 ** (low + (high - low) * (place - below));
}

export function estimateQuality({ lossy }: Pick<Codestream, "lossy" | "finestStep">, _bitsPerPixel: number): number {
  return lossy ? 75 : 100;
}

/** L2 norms of the 9/7 synthesis by level and orientation (low, horizontal, vertical, diagonal), as OpenJPEG's transform has them. */
const NORMS = [
  [1.0, 1.965, 4.177, 8.403, 16.9, 33.84, 67.69],
  [2.022, 3.989, 8.355, 17.04, 34.27, 68.63],
  [2.022, 3.989, 8.355, 17.04, 34.27, 68.63],
  [2.08, 3.865, 8.307, 17.18, 34.71, 69.59],
];

export function stepsFor(quality: number): (levels: number) => Float32Array {
  const base = baseStep(quality);
  return (levels) => {
    const steps: number[] = [];
    for (const _component of [0, 1]) {
      steps.push(base / NORMS[0]![levels]!);
      for (let level = levels - 1; level >= 0; level--) {
        for (const orientation of [1, 2, 3]) steps.push(base / NORMS[orientation]![level]!);
      }
    }
    return Float32Array.from(steps);
  };
}
