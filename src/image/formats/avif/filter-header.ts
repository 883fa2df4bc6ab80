/**
 * The header of a coded still from its quantizers on (AV1 bitstream specification, sections 5.9.12 to 5.9.21), as far as libaom
 * writes it here: without segments, without grain, and without restoration of samples.
 */
import type { Bits } from "../heif/bits.ts";
import type { Sequence } from "./units.ts";

/** Numbers with a sign, of quantizers and of filters, that are said to change. */
const CHANGE_BITS = 7;
/** Kinds of references and of modes for which the filter of edges may differ. */
const REFERENCE_CHANGES = 8;
const MODE_CHANGES = 2;

/** Skips from what follows tile_info to the end of the header. @throws RangeError where a header says more */
export function skipFilters(bits: Bits, sequence: Sequence): void {
  const { quantizer, lossless } = skipQuantizers(bits, sequence);
  if (bits.flag()) throw new RangeError("a still has segments");
  if (quantizer > 0) skipChangesByBlock(bits);
  if (!lossless) {
    skipEdgeFilter(bits, sequence);
    if (sequence.ringingFilter) skipRingingFilter(bits, sequence);
    const planes = sequence.gray ? 1 : 3;
    if (sequence.restoration && bits.number(2 * planes) > 0) throw new RangeError("samples of a still are restored");
    // Whether sizes of transforms are chosen by block.
    bits.skip(1);
  }
  // Whether there are fewer transforms.
  bits.skip(1);
}

/** @returns whether there is a change */
function skipChange(bits: Bits): boolean {
  return bits.flag() && bits.number(CHANGE_BITS) !== 0;
}

/** quantization_params */
function skipQuantizers(bits: Bits, { gray, separateChroma }: Sequence) {
  const quantizer = bits.number(8);
  let changed = skipChange(bits);
  const chroma = gray ? 0 : separateChroma && bits.flag() ? 4 : 2;
  for (let change = 0; change < chroma; change++) changed = skipChange(bits) || changed;
  if (bits.flag()) bits.skip(separateChroma ? 12 : 8);
  return { quantizer, lossless: quantizer === 0 && !changed };
}

/** delta_q_params and delta_lf_params */
function skipChangesByBlock(bits: Bits): void {
  if (!bits.flag()) return;
  bits.skip(2);
  if (bits.flag()) bits.skip(3);
}

/** loop_filter_params */
function skipEdgeFilter(bits: Bits, { gray }: Sequence): void {
  const levels = [bits.number(6), bits.number(6)];
  if (!gray && levels.some((level) => level > 0)) bits.skip(12);
  bits.skip(3);
  if (!bits.flag() || !bits.flag()) return;
  for (let change = 0; change < REFERENCE_CHANGES + MODE_CHANGES; change++) skipChange(bits);
}

/** cdef_params */
function skipRingingFilter(bits: Bits, { gray }: Sequence): void {
  bits.skip(2);
  const strengths = 2 ** bits.number(2);
  bits.skip(strengths * (gray ? 6 : 12));
}
