// By how much samples of 10 bits differ, in the unit of 8 bits. The file of libaom that says which functions measure it is built
// for 8 bits alone, whose functions take the address of a sample of 10 bits for one at half of it. Its variances for 10 bits round
// sums before they take their squares, which is good enough for what is left of a prediction; of the samples of a picture
// themselves smooth places and others look alike by that, and far more sizes of blocks are tried.
#include <stdlib.h>

#include "av1/encoder/encoder.h"

AV1_PRIMARY *__real_av1_create_primary_compressor(struct aom_codec_pkt_list *packets, int lags,
                                                  const AV1EncoderConfig *config);

// Of a difference of 10 bits to one of 8, and of its square.
enum { SHIFT = 2, SQUARE_SHIFT = 2 * SHIFT };

static inline unsigned sum_of_differences(const uint8_t *one, int one_stride, const uint8_t *other, int other_stride, int width,
                                          int height) {
  const uint16_t *a = CONVERT_TO_SHORTPTR(one), *b = CONVERT_TO_SHORTPTR(other);
  unsigned sum = 0;
  for (int y = 0; y < height; y++, a += one_stride, b += other_stride)
    for (int x = 0; x < width; x++) sum += (unsigned)abs(a[x] - b[x]);
  return sum >> SHIFT;
}

static inline unsigned variance(const uint8_t *one, int one_stride, const uint8_t *other, int other_stride, int width, int height,
                                unsigned *squares) {
  const uint16_t *a = CONVERT_TO_SHORTPTR(one), *b = CONVERT_TO_SHORTPTR(other);
  int64_t sum = 0, all = 0;
  for (int y = 0; y < height; y++, a += one_stride, b += other_stride) {
    int row = 0, row_squares = 0;
    for (int x = 0; x < width; x++) {
      const int difference = a[x] - b[x];
      row += difference;
      row_squares += difference * difference;
    }
    sum += row;
    all += row_squares;
  }
  *squares = (unsigned)((all + (1 << (SQUARE_SHIFT - 1))) >> SQUARE_SHIFT);
  return (unsigned)((all - sum * sum / (width * height) + (1 << (SQUARE_SHIFT - 1))) >> SQUARE_SHIFT);
}

#define SIZES(DO)                                                                                                      \
  DO(4, 4) DO(4, 8) DO(8, 4) DO(8, 8) DO(8, 16) DO(16, 8) DO(16, 16) DO(16, 32) DO(32, 16) DO(32, 32) DO(32, 64)        \
  DO(64, 32) DO(64, 64) DO(64, 128) DO(128, 64) DO(128, 128) DO(4, 16) DO(16, 4) DO(8, 32) DO(32, 8) DO(16, 64) DO(64, 16)

#define MEASURES(WIDTH, HEIGHT)                                                                                        \
  static unsigned sum_##WIDTH##x##HEIGHT(const uint8_t *one, int one_stride, const uint8_t *other, int stride) {       \
    return sum_of_differences(one, one_stride, other, stride, WIDTH, HEIGHT);                                          \
  }                                                                                                                    \
  static unsigned variance_##WIDTH##x##HEIGHT(const uint8_t *one, int one_stride, const uint8_t *other, int stride,    \
                                              unsigned *squares) {                                                     \
    return variance(one, one_stride, other, stride, WIDTH, HEIGHT, squares);                                           \
  }
SIZES(MEASURES)

AV1_PRIMARY *__wrap_av1_create_primary_compressor(struct aom_codec_pkt_list *packets, int lags,
                                                  const AV1EncoderConfig *config) {
  AV1_PRIMARY *const primary = __real_av1_create_primary_compressor(packets, lags, config);
  if (primary == NULL || !config->use_highbitdepth) return primary;
#define SET(WIDTH, HEIGHT)                                                                                             \
  primary->fn_ptr[BLOCK_##WIDTH##X##HEIGHT].sdf = sum_##WIDTH##x##HEIGHT;                                              \
  primary->fn_ptr[BLOCK_##WIDTH##X##HEIGHT].vf = variance_##WIDTH##x##HEIGHT;
  SIZES(SET)
  return primary;
}
