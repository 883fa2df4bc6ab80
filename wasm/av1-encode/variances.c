// By how much samples of 10 bits differ, in the unit of 8 bits. libaom rounds sums of them before it takes their squares, which is
// good enough for what is left of a prediction; of the samples of a picture themselves smooth places and others look alike by
// that, and far more sizes of blocks are tried.
#include "av1/encoder/encoder.h"

AV1_PRIMARY *__real_av1_create_primary_compressor(struct aom_codec_pkt_list *packets, int lags,
                                                  const AV1EncoderConfig *config);

// Of a square of 10 bits to one of 8.
enum { SQUARE_SHIFT = 4 };

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

#define VARIANCE(WIDTH, HEIGHT)                                                                                        \
  static unsigned variance_##WIDTH##x##HEIGHT(const uint8_t *one, int one_stride, const uint8_t *other, int stride,    \
                                              unsigned *squares) {                                                     \
    return variance(one, one_stride, other, stride, WIDTH, HEIGHT, squares);                                           \
  }
SIZES(VARIANCE)

AV1_PRIMARY *__wrap_av1_create_primary_compressor(struct aom_codec_pkt_list *packets, int lags,
                                                  const AV1EncoderConfig *config) {
  AV1_PRIMARY *const primary = __real_av1_create_primary_compressor(packets, lags, config);
  if (primary == NULL || !config->use_highbitdepth) return primary;
#define SET(WIDTH, HEIGHT) primary->fn_ptr[BLOCK_##WIDTH##X##HEIGHT].vf = variance_##WIDTH##x##HEIGHT;
  SIZES(SET)
  return primary;
}
