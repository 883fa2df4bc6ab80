// Divides coefficients by the matrices for the eye, four at a time, which libaom does one by one. The linker sends calls here
// (--wrap); what comes out is the same. Coefficients are below 2^22: of samples of 10 bits, too.
#include <smmintrin.h>
#include <string.h>

#include "aom_dsp/quantize.h"
#include "av1/encoder/av1_quantize.h"

// A number for the first coefficient, and one for the others.
static inline __m128i first_and_others(int first, int other) { return _mm_setr_epi32(first, other, other, other); }

static inline __m128i load_bytes(const uint8_t *from) {
  int four;
  memcpy(&four, from, sizeof four);
  return _mm_cvtepu8_epi32(_mm_cvtsi32_si128(four));
}

static inline __m128i with_sign(__m128i number, __m128i sign) {
  return _mm_sub_epi32(_mm_xor_si128(number, sign), sign);
}

// The products of positive numbers, shifted to the right until they fit.
static inline __m128i scaled_product(__m128i one, __m128i other, __m128i shift) {
  const __m128i even = _mm_srl_epi64(_mm_mul_epu32(one, other), shift);
  const __m128i odd = _mm_srl_epi64(_mm_mul_epu32(_mm_srli_epi64(one, 32), _mm_srli_epi64(other, 32)), shift);
  return _mm_or_si128(even, _mm_slli_epi64(odd, 32));
}

// What stands for a matrix where there is none: all coefficients count alike.
enum { MOST_COEFFICIENTS = 32 * 32 };
static const qm_val_t *flat(void) {
  static qm_val_t weights[MOST_COEFFICIENTS];
  if (weights[0] == 0) memset(weights, 1 << AOM_QM_BITS, sizeof weights);
  return weights;
}

// Values by which a decoder multiplies the quotients, for what the matrix says of these coefficients.
static inline __m128i weighted_steps(__m128i steps, const qm_val_t *inverse) {
  const __m128i half = _mm_set1_epi32(1 << (AOM_QM_BITS - 1));
  return _mm_srai_epi32(_mm_add_epi32(_mm_mullo_epi32(steps, load_bytes(inverse)), half), AOM_QM_BITS);
}

// One more than the place, in the order of writing, of each quotient that is not 0, or what it was.
static inline __m128i later(__m128i ends, __m128i quotients, const int16_t *places) {
  const __m128i after = _mm_sub_epi32(_mm_cvtepi16_epi32(_mm_loadl_epi64((const __m128i *)places)), _mm_set1_epi32(-1));
  return _mm_max_epi32(ends, _mm_and_si128(_mm_cmpgt_epi32(quotients, _mm_setzero_si128()), after));
}

static inline uint16_t last_of(__m128i ends) {
  ends = _mm_max_epi32(ends, _mm_shuffle_epi32(ends, 0x4e));
  return (uint16_t)_mm_cvtsi128_si32(_mm_max_epi32(ends, _mm_shuffle_epi32(ends, 0xb1)));
}

static inline __m128i others(__m128i numbers) { return _mm_shuffle_epi32(numbers, 0x55); }

// `limit` is the most that a coefficient is taken to be.
static inline void quantize_fp(const tran_low_t *coefficients, intptr_t count, const MACROBLOCK_PLANE *plane, tran_low_t *quantized,
                               tran_low_t *restored, uint16_t *end, const SCAN_ORDER *order, const QUANT_PARAM *how, int limit) {
  const qm_val_t *const matrix = how->qmatrix ? how->qmatrix : flat();
  const qm_val_t *const inverse = how->iqmatrix ? how->iqmatrix : flat();
  const int scale = how->log_scale;
  const int16_t *const dequant = plane->dequant_QTX;
  __m128i steps = first_and_others(dequant[0], dequant[1]);
  __m128i factors = first_and_others(plane->quant_fp_QTX[0], plane->quant_fp_QTX[1]);
  __m128i rounding = first_and_others(ROUND_POWER_OF_TWO(plane->round_fp_QTX[0], scale),
                                      ROUND_POWER_OF_TWO(plane->round_fp_QTX[1], scale));
  const __m128i most = _mm_set1_epi32(limit);
  const __m128i one = _mm_set1_epi32(1);
  const __m128i shift = _mm_cvtsi32_si128(16 - scale + AOM_QM_BITS);
  const __m128i scale_shift = _mm_cvtsi32_si128(scale);
  const __m128i step_shift = _mm_cvtsi32_si128(AOM_QM_BITS - (1 + scale));
  __m128i ends = _mm_setzero_si128();
  for (intptr_t i = 0; i < count; i += 4) {
    const __m128i signed_numbers = _mm_loadu_si128((const __m128i *)(coefficients + i));
    const __m128i sign = _mm_srai_epi32(signed_numbers, 31);
    const __m128i numbers = with_sign(signed_numbers, sign);
    const __m128i weights = load_bytes(matrix + i);
    // Not less than the threshold: more than one less than it.
    const __m128i below = _mm_sub_epi32(_mm_sll_epi32(steps, step_shift), one);
    const __m128i kept = _mm_cmpgt_epi32(_mm_mullo_epi32(numbers, weights), below);
    __m128i quotients = _mm_setzero_si128();
    __m128i values = _mm_setzero_si128();
    if (_mm_movemask_epi8(kept) != 0) {
      const __m128i rounded = _mm_min_epi32(_mm_add_epi32(numbers, rounding), most);
      quotients = _mm_and_si128(scaled_product(_mm_mullo_epi32(rounded, weights), factors, shift), kept);
      values = _mm_mullo_epi32(quotients, weighted_steps(steps, inverse + i));
      values = with_sign(_mm_sra_epi32(values, scale_shift), sign);
      ends = later(ends, quotients, order->iscan + i);
    }
    _mm_storeu_si128((__m128i *)(quantized + i), with_sign(quotients, sign));
    _mm_storeu_si128((__m128i *)(restored + i), values);
    if (i == 0) {
      steps = others(steps);
      factors = others(factors);
      rounding = others(rounding);
    }
  }
  *end = last_of(ends);
}

// libaom's own kernel for samples of 8 bits without a matrix stays; that for more is slower than this.
void __real_av1_quantize_fp_facade(const tran_low_t *coefficients, intptr_t count, const MACROBLOCK_PLANE *plane,
                                   tran_low_t *quantized, tran_low_t *restored, uint16_t *end, const SCAN_ORDER *order,
                                   const QUANT_PARAM *how);

void __wrap_av1_quantize_fp_facade(const tran_low_t *coefficients, intptr_t count, const MACROBLOCK_PLANE *plane,
                                   tran_low_t *quantized, tran_low_t *restored, uint16_t *end, const SCAN_ORDER *order,
                                   const QUANT_PARAM *how) {
  if (how->qmatrix == NULL || how->iqmatrix == NULL) {
    __real_av1_quantize_fp_facade(coefficients, count, plane, quantized, restored, end, order, how);
  } else {
    quantize_fp(coefficients, count, plane, quantized, restored, end, order, how, INT16_MAX);
  }
}

void __wrap_av1_highbd_quantize_fp_facade(const tran_low_t *coefficients, intptr_t count, const MACROBLOCK_PLANE *plane,
                                          tran_low_t *quantized, tran_low_t *restored, uint16_t *end,
                                          const SCAN_ORDER *order, const QUANT_PARAM *how) {
  quantize_fp(coefficients, count, plane, quantized, restored, end, order, how, INT32_MAX);
}

// What is not weighed against its bits: a quotient is found by two multiplications, (number * a / 2^16 + number) * b.
static inline void quantize_b(const tran_low_t *coefficients, intptr_t count, const int16_t *zero, const int16_t *round,
                              const int16_t *quotient, const int16_t *quotient_shift, tran_low_t *quantized, tran_low_t *restored,
                              const int16_t *dequant, uint16_t *end, const int16_t *places, const qm_val_t *matrix,
                              const qm_val_t *inverse, int scale, int limit) {
  __m128i steps = first_and_others(dequant[0], dequant[1]);
  __m128i factors = first_and_others(quotient[0], quotient[1]);
  __m128i last_factors = first_and_others(quotient_shift[0], quotient_shift[1]);
  __m128i rounding = first_and_others(ROUND_POWER_OF_TWO(round[0], scale), ROUND_POWER_OF_TWO(round[1], scale));
  // Not less than the threshold: more than one less than it.
  __m128i below = first_and_others((ROUND_POWER_OF_TWO(zero[0], scale) << AOM_QM_BITS) - 1,
                                   (ROUND_POWER_OF_TWO(zero[1], scale) << AOM_QM_BITS) - 1);
  const __m128i most = _mm_set1_epi32(limit);
  const __m128i low = _mm_set1_epi32(UINT16_MAX);
  const __m128i shift = _mm_cvtsi32_si128(16 - scale + AOM_QM_BITS);
  const __m128i scale_shift = _mm_cvtsi32_si128(scale);
  __m128i ends = _mm_setzero_si128();
  for (intptr_t i = 0; i < count; i += 4) {
    const __m128i signed_numbers = _mm_loadu_si128((const __m128i *)(coefficients + i));
    const __m128i sign = _mm_srai_epi32(signed_numbers, 31);
    const __m128i numbers = with_sign(signed_numbers, sign);
    const __m128i weights = load_bytes(matrix + i);
    const __m128i kept = _mm_cmpgt_epi32(_mm_mullo_epi32(numbers, weights), below);
    __m128i quotients = _mm_setzero_si128();
    __m128i values = _mm_setzero_si128();
    if (_mm_movemask_epi8(kept) != 0) {
      const __m128i weighed = _mm_mullo_epi32(_mm_min_epi32(_mm_add_epi32(numbers, rounding), most), weights);
      // The factor has a sign, and both parts of the product fit.
      const __m128i high_part = _mm_mullo_epi32(_mm_srli_epi32(weighed, 16), factors);
      const __m128i low_part = _mm_srai_epi32(_mm_mullo_epi32(_mm_and_si128(weighed, low), factors), 16);
      const __m128i sum = _mm_add_epi32(_mm_add_epi32(high_part, low_part), weighed);
      quotients = _mm_and_si128(scaled_product(sum, last_factors, shift), kept);
      values = _mm_mullo_epi32(quotients, weighted_steps(steps, inverse + i));
      values = with_sign(_mm_sra_epi32(values, scale_shift), sign);
      ends = later(ends, quotients, places + i);
    }
    _mm_storeu_si128((__m128i *)(quantized + i), with_sign(quotients, sign));
    _mm_storeu_si128((__m128i *)(restored + i), values);
    if (i == 0) {
      steps = others(steps);
      factors = others(factors);
      last_factors = others(last_factors);
      rounding = others(rounding);
      below = others(below);
    }
  }
  *end = last_of(ends);
}

void __real_aom_quantize_b_helper_c(const tran_low_t *coefficients, intptr_t count, const int16_t *zero,
                                    const int16_t *round, const int16_t *quotient, const int16_t *quotient_shift,
                                    tran_low_t *quantized, tran_low_t *restored, const int16_t *dequant, uint16_t *end,
                                    const int16_t *scan, const int16_t *places, const qm_val_t *matrix,
                                    const qm_val_t *inverse, int scale);

void __wrap_aom_quantize_b_helper_c(const tran_low_t *coefficients, intptr_t count, const int16_t *zero,
                                    const int16_t *round, const int16_t *quotient, const int16_t *quotient_shift,
                                    tran_low_t *quantized, tran_low_t *restored, const int16_t *dequant, uint16_t *end,
                                    const int16_t *scan, const int16_t *places, const qm_val_t *matrix,
                                    const qm_val_t *inverse, int scale) {
  if (matrix == NULL || inverse == NULL) {
    __real_aom_quantize_b_helper_c(coefficients, count, zero, round, quotient, quotient_shift, quantized, restored,
                                   dequant, end, scan, places, matrix, inverse, scale);
  } else {
    quantize_b(coefficients, count, zero, round, quotient, quotient_shift, quantized, restored, dequant, end, places,
               matrix, inverse, scale, INT16_MAX);
  }
}

void __wrap_aom_highbd_quantize_b_helper_c(const tran_low_t *coefficients, intptr_t count, const int16_t *zero,
                                           const int16_t *round, const int16_t *quotient, const int16_t *quotient_shift,
                                           tran_low_t *quantized, tran_low_t *restored, const int16_t *dequant,
                                           uint16_t *end, const int16_t *scan, const int16_t *places,
                                           const qm_val_t *matrix, const qm_val_t *inverse, int scale) {
  (void)scan;
  quantize_b(coefficients, count, zero, round, quotient, quotient_shift, quantized, restored, dequant, end, places,
             matrix ? matrix : flat(), inverse ? inverse : flat(), scale, INT32_MAX);
}
