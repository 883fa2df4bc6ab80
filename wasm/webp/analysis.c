// How easily blocks can be compressed, by which they are sorted into segments: libwebp's analysis, whose histograms of
// coefficients are told without counting each of them. Compiled in place of analysis_enc.c, which it contains.
#include "src/dsp/dsp.h"
#include "src/enc/vp8i_enc.h"

#ifdef WEBP_USE_SSE41
#include <smmintrin.h>

// This file of kernels also has a function that makes them the ones in use; that is done elsewhere.
#define VP8EncDspInitSSE2 use_analysis_kernels
#include "src/dsp/enc_sse2.c"

// Bytes that are equal to a value.
static inline int count_of(const __m128i bins[], int vectors, int value) {
  const __m128i wanted = _mm_set1_epi8((char)value);
  __m128i found = _mm_setzero_si128();
  for (int at = 0; at < vectors; at++) found = _mm_sub_epi8(found, _mm_cmpeq_epi8(bins[at], wanted));
  const __m128i sums = _mm_sad_epu8(found, _mm_setzero_si128());
  return _mm_cvtsi128_si32(sums) + _mm_extract_epi16(sums, 4);
}

static inline int most_of(__m128i bins) {
  bins = _mm_max_epu8(bins, _mm_srli_si128(bins, 8));
  bins = _mm_max_epu8(bins, _mm_srli_si128(bins, 4));
  bins = _mm_max_epu8(bins, _mm_srli_si128(bins, 2));
  bins = _mm_max_epu8(bins, _mm_srli_si128(bins, 1));
  return _mm_cvtsi128_si32(bins) & 255;
}

// The highest bin of coefficients, and how many there are in the fullest, as a histogram has it: bins are counted until no
// further one can be fuller. Blocks lie in pairs, side by side.
static void collect_histogram(const uint8_t *source, const uint8_t *prediction, int start, int end,
                              VP8Histogram *const histogram) {
  const __m128i highest = _mm_set1_epi16(MAX_COEFF_THRESH);
  __m128i bins[16], most = _mm_setzero_si128();
  int fullest = 0, left = (end - start) * 16;
  for (int block = start; block < end; block += 2) {
    int16_t out[32];
    __m128i bin[4];
    FTransform2_SSE2(source + VP8DspScan[block], prediction + VP8DspScan[block], out);
    for (int part = 0; part < 4; part++) {
      const __m128i size = _mm_abs_epi16(_mm_loadu_si128((const __m128i *)(out + 8 * part)));
      bin[part] = _mm_min_epi16(_mm_srai_epi16(size, 3), highest);
    }
    for (int part = 0; part < 2; part++) {
      const __m128i packed = _mm_packus_epi16(bin[2 * part], bin[2 * part + 1]);
      bins[block - start + part] = packed;
      most = _mm_max_epu8(most, packed);
    }
  }
  for (int value = 0; left > fullest; value++) {
    const int count = count_of(bins, end - start, value);
    if (count > fullest) fullest = count;
    left -= count;
  }
  histogram->max_value = fullest;
  histogram->last_non_zero = most_of(most);
}
#define VP8CollectHistogram collect_histogram
#endif

#include "src/enc/analysis_enc.c"
