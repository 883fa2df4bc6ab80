/** What a quality from 1 to 100 is in AV1. */
import { INDEXES_PER_QUANTIZER } from "../../../../wasm/av1-encode/module.ts";

/**
 * libaom's quantizers, 1 (0 is lossless) to 63, at which photographs score on average, by SSIMULACRA 2.1, what JPEG and
 * WebP of a quality do. Measured on five of them at 640 pixels.
 */
const QUANTIZERS: readonly (readonly [quality: number, quantizer: number])[] = [
  [1, 61.9],
  [5, 56.3],
  [15, 49.9],
  [25, 44.5],
  [35, 41],
  [45, 38.4],
  [55, 35.8],
  [65, 33.3],
  [75, 29.4],
  [80, 26.3],
  [85, 21.6],
  [90, 14.3],
  [95, 7],
  [99, 2.3],
  [100, 1],
];

/** The quantizer for a quality of 1 to 100, in steps of an index: libaom's own, or one between two of them. */
export function quantizerAt(quality: number): number {
  const above = QUANTIZERS.findIndex(([at]) => at >= quality);
  const [high, best] = QUANTIZERS[above]!;
  const [low, worst] = QUANTIZERS[Math.max(0, above - 1)]!;
  const quantizer = high === low ? best : worst + ((best - worst) * (quality - low)) / (high - low);
  return Math.round(quantizer * INDEXES_PER_QUANTIZER) / INDEXES_PER_QUANTIZER;
}

/** The quality at which a file with this base_q_idx may have been written; 100 where that is lossless. */
export function estimateQuality(index: number): number {
  const quantizer = index / INDEXES_PER_QUANTIZER;
  if (quantizer === 0) return 100;
  const above = QUANTIZERS.findIndex(([, at]) => at <= quantizer);
  if (above <= 0) return above === 0 ? 1 : 99;
  const [high, best] = QUANTIZERS[above]!;
  const [low, worst] = QUANTIZERS[above - 1]!;
  return Math.round(low + ((worst - quantizer) * (high - low)) / (worst - best));
}
