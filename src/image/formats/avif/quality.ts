/** What a quality from 1 to 100 is in AV1. */

/** libaom's quantizers, 0 to 63, are this many of the bitstream's, 0 to 255, apart. */
const INDEXES_PER_QUANTIZER = 4;
const MAX_QUANTIZER = 63;

/** The quantizer of libaom's for a quality of 1 to 100, 1 to 63: 0 would be lossless. */
export function quantizerAt(quality: number): number {
  return Math.max(1, Math.min(MAX_QUANTIZER, Math.round(((100 - quality) * MAX_QUANTIZER) / 100)));
}

/** The quality at which a file with this base_q_idx may have been written. */
export function estimateQuality(index: number): number {
  if (index === 0) return 100;
  const quantizer = Math.min(MAX_QUANTIZER, index / INDEXES_PER_QUANTIZER);
  return Math.max(1, Math.min(99, Math.round(100 - (quantizer * 100) / MAX_QUANTIZER)));
}
