// Predicts samples of 10 bits from those above and at the left without a direction, four or eight at a time, in place of libaom's
// functions, which do it one by one. What comes out is the same.
#include <stddef.h>
#include <stdint.h>

#include "aom_ports/mem.h"
#include "aom_dsp/intrapred_common.h"
#include "../../simd.h"

#define PREDICT(NAME)                                                                                                  \
  void highbd_##NAME##_predictor(uint16_t *to, ptrdiff_t stride, int width, int height, const uint16_t *above,         \
                                 const uint16_t *left, int bits)

// Whichever of the three is nearest to above + left - corner.
PREDICT(paeth) {
  (void)bits;
  const v128_t corner = wasm_i16x8_splat((int16_t)above[-1]);
  for (int y = 0; y < height; y++, to += stride) {
    const v128_t side = wasm_i16x8_splat((int16_t)left[y]);
    const v128_t change = wasm_i16x8_sub(side, corner), from_above = wasm_i16x8_abs(change);
    for (int x = 0; x < width; x += 8) {
      const v128_t top = wasm_v128_load(above + x), other = wasm_i16x8_sub(top, corner);
      const v128_t from_left = wasm_i16x8_abs(other), from_corner = wasm_i16x8_abs(wasm_i16x8_add(other, change));
      const v128_t is_left = wasm_v128_and(wasm_i16x8_le(from_left, from_above), wasm_i16x8_le(from_left, from_corner));
      const v128_t others = wasm_v128_bitselect(top, corner, wasm_i16x8_le(from_above, from_corner));
      const v128_t chosen = wasm_v128_bitselect(side, others, is_left);
      if (width >= 8) {
        wasm_v128_store(to + x, chosen);
      } else {
        wasm_v128_store64_lane(to, chosen, 0);
      }
    }
  }
}

enum { WEIGHTS = 1 << SMOOTH_WEIGHT_LOG2_SCALE };

// A weight and what is left for another sample.
static inline v128_t pair(int weight) { return wasm_i32x4_splat(weight | (WEIGHTS - weight) << 16); }
// The same of four samples, from 8 bits each.
static inline v128_t pairs(const uint8_t *weights) {
  const v128_t own = wasm_u16x8_load8x8(weights);
  return low16(own, wasm_i16x8_sub(wasm_i16x8_const_splat(WEIGHTS), own));
}
static inline v128_t with(const uint16_t *samples, v128_t other) { return low16(wasm_v128_load64_zero(samples), other); }

static inline void store_rounded(uint16_t *to, v128_t sums, int shift) {
  const v128_t rounded = wasm_u32x4_shr(wasm_i32x4_add(sums, wasm_i32x4_splat(1 << (shift - 1))), shift);
  wasm_v128_store64_lane(to, wasm_u16x8_narrow_i32x4(rounded, rounded), 0);
}

// Weights of four columns are read as eight.
static void smooth(uint16_t *to, ptrdiff_t stride, int width, int height, const uint16_t *above, const uint16_t *left, int down,
                   int across) {
  uint8_t of_columns[64 + 8];
  const uint8_t *const of_rows = smooth_weights + height - 4;
  __builtin_memcpy(of_columns, smooth_weights + width - 4, width);
  const v128_t bottom = wasm_i16x8_splat((int16_t)left[height - 1]);
  const int right = above[width - 1], shift = SMOOTH_WEIGHT_LOG2_SCALE + (down && across);
  for (int x = 0; x < width; x += 4) {
    const v128_t top = with(above + x, bottom), weights = pairs(of_columns + x);
    for (int y = 0; y < height; y++) {
      v128_t sums = wasm_i32x4_const_splat(0);
      if (down) sums = wasm_i32x4_dot_i16x8(top, pair(of_rows[y]));
      if (across) sums = wasm_i32x4_add(sums, wasm_i32x4_dot_i16x8(wasm_i32x4_splat(left[y] | right << 16), weights));
      store_rounded(to + y * stride + x, sums, shift);
    }
  }
}

PREDICT(smooth) {
  (void)bits;
  smooth(to, stride, width, height, above, left, 1, 1);
}
PREDICT(smooth_v) {
  (void)bits;
  smooth(to, stride, width, height, above, left, 1, 0);
}
PREDICT(smooth_h) {
  (void)bits;
  smooth(to, stride, width, height, above, left, 0, 1);
}
