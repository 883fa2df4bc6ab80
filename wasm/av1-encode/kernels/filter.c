// Predicts samples of 10 bits by filters, of which each makes 4 x 2 samples of the seven above and at the left of them, in place of
// libaom's function, which makes one after the other. What comes out is the same.
#include <string.h>

#include "av1/common/reconintra.h"
#include "../../simd.h"

enum { INPUTS = 7, OUTPUTS = 8, MOST = 32, FULL = 1023 };

// What each input counts in the outputs. 16 bits suffice for the sums: positive taps come to 32 at most, of 1,023 each.
static void read_taps(int mode, v128_t taps[INPUTS]) {
  int16_t by_input[INPUTS][OUTPUTS];
  for (int output = 0; output < OUTPUTS; output++) {
    for (int input = 0; input < INPUTS; input++) by_input[input][output] = av1_filter_intra_taps[mode][output][input];
  }
  for (int input = 0; input < INPUTS; input++) taps[input] = wasm_v128_load(by_input[input]);
}

void highbd_filter_intra_predictor(uint16_t *to, ptrdiff_t stride, TX_SIZE size, const uint16_t *above, const uint16_t *left,
                                   int mode, int bits) {
  (void)bits;
  v128_t taps[INPUTS];
  read_taps(mode, taps);
  const int width = tx_size_wide[size], height = tx_size_high[size];
  for (int y = 0; y < height; y += 2) {
    // The row above, from the one before its first sample on.
    uint16_t row[1 + MOST];
    row[0] = y == 0 ? above[-1] : left[y - 1];
    memcpy(row + 1, y == 0 ? above : to + (y - 1) * stride, (size_t)width * sizeof *row);
    uint16_t *const top = to + y * stride, *const bottom = top + stride;
    uint16_t before[2] = {left[y], left[y + 1]};
    for (int x = 0; x < width; x += 4) {
      v128_t sum = wasm_i16x8_const_splat(1 << (FILTER_INTRA_SCALE_BITS - 1));
      for (int i = 0; i < 5; i++) sum = wasm_i16x8_add(sum, wasm_i16x8_mul(taps[i], wasm_i16x8_splat((int16_t)row[x + i])));
      for (int i = 0; i < 2; i++) sum = wasm_i16x8_add(sum, wasm_i16x8_mul(taps[5 + i], wasm_i16x8_splat((int16_t)before[i])));
      const v128_t samples = wasm_i16x8_max(wasm_i16x8_min(wasm_i16x8_shr(sum, FILTER_INTRA_SCALE_BITS), wasm_i16x8_const_splat(FULL)),
                                            wasm_i16x8_const_splat(0));
      wasm_v128_store64_lane(top + x, samples, 0);
      wasm_v128_store64_lane(bottom + x, samples, 1);
      before[0] = top[x + 3];
      before[1] = bottom[x + 3];
    }
  }
}
