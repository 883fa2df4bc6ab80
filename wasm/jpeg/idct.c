// Inverse DCT of one block to 8 x 8, 4 x 4 or 2 x 2 samples, with the results of libjpeg's C code (jidctint.c after
// Loeffler, Ligtenberg and Moschytz 1989; jidctred.c), bit for bit wherever a coefficient times its divisor fits 16
// bits.
#define JPEG_INTERNALS
#include "jinclude.h"
#include "jpeglib.h"
#include "jdct.h"
#include "jsimddct.h"
#include "idct.h"
#include "../simd.h"

// Fixed-point constants of 13 bits are written out; each pass adds half of its final shift before shifting.
enum { FIRST_SHIFT = 11, SECOND_SHIFT = 18, CENTER = 0x80 };

INLINE_KERNEL v128_t load_scaled(const JCOEF *block, const short *divisors, int row) {
  return wasm_i16x8_mul(wasm_v128_load(block + 8 * row), wasm_v128_load(divisors + 8 * row));
}

INLINE_KERNEL void transpose8(v128_t r[8]) {
  const v128_t a0 = low16(r[0], r[1]), a1 = high16(r[0], r[1]), a2 = low16(r[2], r[3]), a3 = high16(r[2], r[3]);
  const v128_t a4 = low16(r[4], r[5]), a5 = high16(r[4], r[5]), a6 = low16(r[6], r[7]), a7 = high16(r[6], r[7]);
  const v128_t b0 = low32(a0, a2), b1 = high32(a0, a2), b2 = low32(a1, a3), b3 = high32(a1, a3);
  const v128_t b4 = low32(a4, a6), b5 = high32(a4, a6), b6 = low32(a5, a7), b7 = high32(a5, a7);
  r[0] = low64(b0, b4), r[1] = high64(b0, b4), r[2] = low64(b1, b5), r[3] = high64(b1, b5);
  r[4] = low64(b2, b6), r[5] = high64(b2, b6), r[6] = low64(b3, b7), r[7] = high64(b3, b7);
}

// The 1-D transform for four columns. Arguments are interleaved pairs of the inputs named by their indices; sum04 and
// difference04 are already scaled by 2^13 and rounded.
INLINE_KERNEL void transform_half(v128_t sum04, v128_t difference04, v128_t pair26, v128_t pair_z34, v128_t pair71,
                                  v128_t pair53, int shift, v128_t out[8]) {
  const v128_t t3 = dot_pairs(pair26, 10703, 4433), t2 = dot_pairs(pair26, 4433, -10704);
  const v128_t even0 = wasm_i32x4_add(sum04, t3), even3 = wasm_i32x4_sub(sum04, t3);
  const v128_t even1 = wasm_i32x4_add(difference04, t2), even2 = wasm_i32x4_sub(difference04, t2);
  const v128_t z3 = dot_pairs(pair_z34, -6436, 9633), z4 = dot_pairs(pair_z34, 9633, 6437);
  const v128_t odd0 = wasm_i32x4_add(dot_pairs(pair71, -4927, -7373), z3);
  const v128_t odd1 = wasm_i32x4_add(dot_pairs(pair53, -4176, -20995), z4);
  const v128_t odd2 = wasm_i32x4_add(dot_pairs(pair53, -20995, 4177), z3);
  const v128_t odd3 = wasm_i32x4_add(dot_pairs(pair71, -7373, 4926), z4);
  out[0] = wasm_i32x4_shr(wasm_i32x4_add(even0, odd3), shift);
  out[7] = wasm_i32x4_shr(wasm_i32x4_sub(even0, odd3), shift);
  out[1] = wasm_i32x4_shr(wasm_i32x4_add(even1, odd2), shift);
  out[6] = wasm_i32x4_shr(wasm_i32x4_sub(even1, odd2), shift);
  out[2] = wasm_i32x4_shr(wasm_i32x4_add(even2, odd1), shift);
  out[5] = wasm_i32x4_shr(wasm_i32x4_sub(even2, odd1), shift);
  out[3] = wasm_i32x4_shr(wasm_i32x4_add(even3, odd0), shift);
  out[4] = wasm_i32x4_shr(wasm_i32x4_sub(even3, odd0), shift);
}

#define scaled_low(x, rounding) wasm_i32x4_add(wasm_i32x4_shl(wasm_i32x4_extend_low_i16x8(x), 13), rounding)
#define scaled_high(x, rounding) wasm_i32x4_add(wasm_i32x4_shl(wasm_i32x4_extend_high_i16x8(x), 13), rounding)

INLINE_KERNEL void transform_columns(v128_t r[8], int shift) {
  const v128_t sum = wasm_i16x8_add(r[0], r[4]), difference = wasm_i16x8_sub(r[0], r[4]);
  const v128_t z3 = wasm_i16x8_add(r[7], r[3]), z4 = wasm_i16x8_add(r[5], r[1]);
  const v128_t half = wasm_i32x4_splat(1 << (shift - 1));
  v128_t low[8], high[8];
  transform_half(scaled_low(sum, half), scaled_low(difference, half), low16(r[2], r[6]), low16(z3, z4),
                 low16(r[7], r[1]), low16(r[5], r[3]), shift, low);
  transform_half(scaled_high(sum, half), scaled_high(difference, half), high16(r[2], r[6]), high16(z3, z4),
                 high16(r[7], r[1]), high16(r[5], r[3]), shift, high);
  for (int i = 0; i < 8; i++) r[i] = wasm_i16x8_narrow_i32x4(low[i], high[i]);
}

// Columns of 16-bit samples around 0 to rows of 8-bit samples around 128.
INLINE_KERNEL void store_columns(const v128_t r[8], JSAMPLE *const *rows, JDIMENSION column) {
  const v128_t center = wasm_i8x16_splat(-CENTER);
  const v128_t a0 = wasm_v128_xor(wasm_i8x16_narrow_i16x8(r[0], r[4]), center);
  const v128_t a1 = wasm_v128_xor(wasm_i8x16_narrow_i16x8(r[1], r[5]), center);
  const v128_t a2 = wasm_v128_xor(wasm_i8x16_narrow_i16x8(r[2], r[6]), center);
  const v128_t a3 = wasm_v128_xor(wasm_i8x16_narrow_i16x8(r[3], r[7]), center);
  const v128_t b0 = low8(a0, a1), b1 = high8(a0, a1), b2 = low8(a2, a3), b3 = high8(a2, a3);
  const v128_t c0 = low16(b0, b2), c1 = high16(b0, b2), c2 = low16(b1, b3), c3 = high16(b1, b3);
  const v128_t d[4] = {low32(c0, c2), high32(c0, c2), low32(c1, c3), high32(c1, c3)};
  for (int i = 0; i < 4; i++) {
    wasm_v128_store64_lane(rows[2 * i] + column, d[i], 0);
    wasm_v128_store64_lane(rows[2 * i + 1] + column, d[i], 1);
  }
}

// A block with nothing but a DC coefficient is flat.
static void fill_block(int dc, JSAMPLE *const *rows, JDIMENSION column, int size) {
  int sample = ((dc + 4) >> 3) + CENTER;
  sample = sample < 0 ? 0 : sample > 255 ? 255 : sample;
  for (int y = 0; y < size; y++) __builtin_memset(rows[y] + column, sample, size);
}

INLINE_KERNEL v128_t or_rows(const JCOEF *block, int first, int last) {
  v128_t any = wasm_v128_load(block + 8 * first);
  for (int row = first + 1; row <= last; row++) any = wasm_v128_or(any, wasm_v128_load(block + 8 * row));
  return any;
}

void restore_block(const short divisors[64], const JCOEF block[64], JSAMPLE *const rows[8], uint32_t column) {
  v128_t r[8];
  r[0] = load_scaled(block, divisors, 0);
  if (!wasm_v128_any_true(or_rows(block, 1, 7))) {
    const v128_t without_dc = wasm_i16x8_replace_lane(wasm_v128_load(block), 0, 0);
    if (!wasm_v128_any_true(without_dc)) {
      fill_block(wasm_i16x8_extract_lane(r[0], 0), rows, column, 8);
      return;
    }
    // All columns are flat: what the first pass would give, already transposed.
    const v128_t first = wasm_i16x8_shl(r[0], 2);
    r[0] = wasm_i16x8_shuffle(first, first, 0, 0, 0, 0, 0, 0, 0, 0);
    r[1] = wasm_i16x8_shuffle(first, first, 1, 1, 1, 1, 1, 1, 1, 1);
    r[2] = wasm_i16x8_shuffle(first, first, 2, 2, 2, 2, 2, 2, 2, 2);
    r[3] = wasm_i16x8_shuffle(first, first, 3, 3, 3, 3, 3, 3, 3, 3);
    r[4] = wasm_i16x8_shuffle(first, first, 4, 4, 4, 4, 4, 4, 4, 4);
    r[5] = wasm_i16x8_shuffle(first, first, 5, 5, 5, 5, 5, 5, 5, 5);
    r[6] = wasm_i16x8_shuffle(first, first, 6, 6, 6, 6, 6, 6, 6, 6);
    r[7] = wasm_i16x8_shuffle(first, first, 7, 7, 7, 7, 7, 7, 7, 7);
  } else {
    for (int i = 1; i < 8; i++) r[i] = load_scaled(block, divisors, i);
    transform_columns(r, FIRST_SHIFT);
    transpose8(r);
  }
  transform_columns(r, SECOND_SHIFT);
  store_columns(r, rows, column);
}

#ifndef SCALAR
void jsimd_idct_islow(j_decompress_ptr jpeg, jpeg_component_info *component, JCOEFPTR block, JSAMPARRAY rows,
                      JDIMENSION column) {
  (void)jpeg;
  restore_block(component->dct_table, block, rows, column);
}

// One half of the reduced 1-D transform to four samples; `dc` is scaled by 2^14 and rounded.
INLINE_KERNEL void reduce_half(v128_t dc, v128_t pair26, v128_t pair75, v128_t pair31, int shift, v128_t out[4]) {
  const v128_t even = dot_pairs(pair26, 15137, -6270);
  const v128_t sum = wasm_i32x4_add(dc, even), difference = wasm_i32x4_sub(dc, even);
  const v128_t odd0 = wasm_i32x4_add(dot_pairs(pair75, -1730, 11893), dot_pairs(pair31, -17799, 8697));
  const v128_t odd2 = wasm_i32x4_add(dot_pairs(pair75, -4176, -4926), dot_pairs(pair31, 7373, 20995));
  out[0] = wasm_i32x4_shr(wasm_i32x4_add(sum, odd2), shift);
  out[3] = wasm_i32x4_shr(wasm_i32x4_sub(sum, odd2), shift);
  out[1] = wasm_i32x4_shr(wasm_i32x4_add(difference, odd0), shift);
  out[2] = wasm_i32x4_shr(wasm_i32x4_sub(difference, odd0), shift);
}

void jsimd_idct_4x4(j_decompress_ptr jpeg, jpeg_component_info *component, JCOEFPTR block, JSAMPARRAY rows,
                    JDIMENSION column) {
  (void)jpeg;
  enum { FIRST = 12, SECOND = 19 };
  const short *divisors = component->dct_table;
  const v128_t r0 = load_scaled(block, divisors, 0), r1 = load_scaled(block, divisors, 1);
  const v128_t r2 = load_scaled(block, divisors, 2), r3 = load_scaled(block, divisors, 3);
  const v128_t r5 = load_scaled(block, divisors, 5), r6 = load_scaled(block, divisors, 6);
  const v128_t r7 = load_scaled(block, divisors, 7);
  v128_t half = wasm_i32x4_splat(1 << (FIRST - 1)), low[4], high[4], r[4];
  reduce_half(wasm_i32x4_add(wasm_i32x4_shl(wasm_i32x4_extend_low_i16x8(r0), 14), half), low16(r2, r6),
              low16(r7, r5), low16(r3, r1), FIRST, low);
  reduce_half(wasm_i32x4_add(wasm_i32x4_shl(wasm_i32x4_extend_high_i16x8(r0), 14), half), high16(r2, r6),
              high16(r7, r5), high16(r3, r1), FIRST, high);
  for (int i = 0; i < 4; i++) r[i] = wasm_i16x8_narrow_i32x4(low[i], high[i]);

  // Four rows of eight columns to pairs of columns, four rows each.
  const v128_t a0 = low16(r[0], r[1]), a1 = low16(r[2], r[3]), a2 = high16(r[0], r[1]), a3 = high16(r[2], r[3]);
  const v128_t c01 = low32(a0, a1), c23 = high32(a0, a1), c45 = low32(a2, a3), c67 = high32(a2, a3);
  half = wasm_i32x4_splat(1 << (SECOND - 1));
  v128_t out[4];
  reduce_half(wasm_i32x4_add(wasm_i32x4_shl(wasm_i32x4_extend_low_i16x8(c01), 14), half), low16(c23, c67),
              high16(c67, c45), high16(c23, c01), SECOND, out);
  v128_t samples = wasm_i8x16_narrow_i16x8(wasm_i16x8_narrow_i32x4(out[0], out[1]),
                                           wasm_i16x8_narrow_i32x4(out[2], out[3]));
  samples = wasm_v128_xor(samples, wasm_i8x16_splat(-CENTER));
  samples = wasm_i8x16_shuffle(samples, samples, 0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
  wasm_v128_store32_lane(rows[0] + column, samples, 0);
  wasm_v128_store32_lane(rows[1] + column, samples, 1);
  wasm_v128_store32_lane(rows[2] + column, samples, 2);
  wasm_v128_store32_lane(rows[3] + column, samples, 3);
}

INLINE_KERNEL JSAMPLE clamp_centered(int x) {
  x += CENTER;
  return x < 0 ? 0 : x > 255 ? 255 : x;
}

void jsimd_idct_2x2(j_decompress_ptr jpeg, jpeg_component_info *component, JCOEFPTR block, JSAMPARRAY rows,
                    JDIMENSION column) {
  (void)jpeg;
  enum { FIRST = 13, SECOND = 20 };
  const short *divisors = component->dct_table;
  const v128_t r0 = load_scaled(block, divisors, 0), r1 = load_scaled(block, divisors, 1);
  const v128_t r3 = load_scaled(block, divisors, 3), r5 = load_scaled(block, divisors, 5);
  const v128_t r7 = load_scaled(block, divisors, 7);
  const v128_t half = wasm_i32x4_splat(1 << (FIRST - 1));
  const v128_t even_low = wasm_i32x4_add(wasm_i32x4_shl(wasm_i32x4_extend_low_i16x8(r0), 15), half);
  const v128_t even_high = wasm_i32x4_add(wasm_i32x4_shl(wasm_i32x4_extend_high_i16x8(r0), 15), half);
  const v128_t odd_low =
    wasm_i32x4_add(dot_pairs(low16(r7, r5), -5906, 6967), dot_pairs(low16(r3, r1), -10426, 29692));
  const v128_t odd_high =
    wasm_i32x4_add(dot_pairs(high16(r7, r5), -5906, 6967), dot_pairs(high16(r3, r1), -10426, 29692));
  const v128_t top = wasm_i16x8_narrow_i32x4(wasm_i32x4_shr(wasm_i32x4_add(even_low, odd_low), FIRST),
                                             wasm_i32x4_shr(wasm_i32x4_add(even_high, odd_high), FIRST));
  const v128_t bottom = wasm_i16x8_narrow_i32x4(wasm_i32x4_shr(wasm_i32x4_sub(even_low, odd_low), FIRST),
                                                wasm_i32x4_shr(wasm_i32x4_sub(even_high, odd_high), FIRST));
  const v128_t odd = wasm_i16x8_const(0, 29692, 0, -10426, 0, 6967, 0, -5906);
  const v128_t a = wasm_i32x4_dot_i16x8(top, odd), b = wasm_i32x4_dot_i16x8(bottom, odd);
  const v128_t sums = wasm_i32x4_add(low64(a, b), high64(a, b));
  const int odd_top = wasm_i32x4_extract_lane(sums, 0) + wasm_i32x4_extract_lane(sums, 1);
  const int odd_bottom = wasm_i32x4_extract_lane(sums, 2) + wasm_i32x4_extract_lane(sums, 3);
  const int even_top = (wasm_i16x8_extract_lane(top, 0) << 15) + (1 << (SECOND - 1));
  const int even_bottom = (wasm_i16x8_extract_lane(bottom, 0) << 15) + (1 << (SECOND - 1));
  rows[0][column] = clamp_centered((even_top + odd_top) >> SECOND);
  rows[0][column + 1] = clamp_centered((even_top - odd_top) >> SECOND);
  rows[1][column] = clamp_centered((even_bottom + odd_bottom) >> SECOND);
  rows[1][column + 1] = clamp_centered((even_bottom - odd_bottom) >> SECOND);
}
#endif
