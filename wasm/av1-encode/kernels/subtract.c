// The difference between samples and what was predicted of them: libaom has it in assembly language.
#include <emmintrin.h>

#include "config/aom_dsp_rtcd.h"

void aom_subtract_block_sse2(int rows, int columns, int16_t *difference, ptrdiff_t difference_stride,
                             const uint8_t *source, ptrdiff_t source_stride, const uint8_t *prediction,
                             ptrdiff_t prediction_stride) {
  const __m128i zero = _mm_setzero_si128();
  for (int row = 0; row < rows; row++) {
    int x = 0;
    for (; x + 8 <= columns; x += 8) {
      const __m128i one = _mm_unpacklo_epi8(_mm_loadl_epi64((const __m128i *)(source + x)), zero);
      const __m128i other = _mm_unpacklo_epi8(_mm_loadl_epi64((const __m128i *)(prediction + x)), zero);
      _mm_storeu_si128((__m128i *)(difference + x), _mm_sub_epi16(one, other));
    }
    for (; x < columns; x++) difference[x] = source[x] - prediction[x];
    source += source_stride;
    prediction += prediction_stride;
    difference += difference_stride;
  }
}
