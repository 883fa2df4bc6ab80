/** What a quality from 1 to 100 is in AV1. */
import { INDEXES_PER_QUANTIZER } from "../../../../wasm/av1-encode/module.ts";

/**
 * How pictures are tuned differs: stills for the eye, so that the same quantizer shows more of some places and less of others.
 * With samples of 10 bits less is rounded off, which shows at the best qualities.
 */
type Kind = "still" | "fine" | "frame";

/**
 * libaom's quantizers, 1 (0 is lossless) to 63, at which photographs score on average, by SSIMULACRA 2.1, what JPEG and
 * WebP of a quality do. Measured on five of them at 640 pixels; those of 10 bits by the others, on 19. Frames have limited range:
 * by the same quantizer they lose 255 / 219 as much, so that they have the ones that were measured at full range less that.
 */
const QUANTIZERS: readonly (readonly [quality: number, quantizers: Readonly<Record<Kind, number>>])[] = [
  [1, { still: 61.9, fine: 61.9, frame: 57.9 }],
  [5, { still: 55.3, fine: 54.7, frame: 52.3 }],
  [15, { still: 48.1, fine: 47.8, frame: 45.9 }],
  [25, { still: 42.1, fine: 41.8, frame: 40.5 }],
  [35, { still: 38.5, fine: 38.4, frame: 37 }],
  [45, { still: 35.7, fine: 35.7, frame: 34.4 }],
  [55, { still: 33.2, fine: 33.4, frame: 31.8 }],
  [65, { still: 31.2, fine: 31.5, frame: 29.3 }],
  [75, { still: 27.8, fine: 28.4, frame: 25.4 }],
  [80, { still: 24.8, fine: 25.7, frame: 22.6 }],
  [85, { still: 20.2, fine: 22.3, frame: 18.6 }],
  [90, { still: 14.2, fine: 16.3, frame: 12.3 }],
  [95, { still: 7, fine: 11.4, frame: 6 }],
  [99, { still: 2.3, fine: 6, frame: 2 }],
  [100, { still: 1, fine: 1, frame: 1 }],
];

/**
 * Points that photographs lose at qualities: medians of how steep the curves of 52 of them are, and of 19 of half the
 * size.
 */
export const LOSSES = [
  [1, 85.9],
  [4, 69.7],
  [8, 60.3],
  [12, 54.1],
  [20, 42.8],
  [32, 33.1],
  [45, 28],
  [60, 24.5],
  [70, 22],
  [75, 20.8],
  [78, 19.8],
  [85, 16.5],
  [92, 12.5],
  [96, 10.8],
  [100, 8],
] as const;

/** The quantizer for a quality of 1 to 100, in steps of an index: libaom's own, or one between two of them. */
export function quantizerAt(quality: number, kind: Kind = "still"): number {
  const above = QUANTIZERS.findIndex(([at]) => at >= quality);
  const [high, { [kind]: best }] = QUANTIZERS[above]!;
  const [low, { [kind]: worst }] = QUANTIZERS[Math.max(0, above - 1)]!;
  const quantizer = high === low ? best : worst + ((best - worst) * (quality - low)) / (high - low);
  return Math.round(quantizer * INDEXES_PER_QUANTIZER) / INDEXES_PER_QUANTIZER;
}

/** The quality at which a file with this base_q_idx may have been written; 100 where that is lossless. */
export function estimateQuality(index: number, kind: Kind = "still"): number {
  const quantizer = index / INDEXES_PER_QUANTIZER;
  if (quantizer === 0) return 100;
  const above = QUANTIZERS.findIndex(([, { [kind]: at }]) => at <= quantizer);
  if (above <= 0) return above === 0 ? 1 : 99;
  const [high, { [kind]: best }] = QUANTIZERS[above]!;
  const [low, { [kind]: worst }] = QUANTIZERS[above - 1]!;
  return Math.round(low + ((worst - quantizer) * (high - low)) / (worst - best));
}
