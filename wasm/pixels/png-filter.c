#include "png-filter.h"

#include <math.h>

static inline v128_t paeth16(v128_t left, v128_t over, v128_t corner) {
  const v128_t to_over = wasm_i16x8_sub(over, corner), to_left = wasm_i16x8_sub(left, corner);
  const v128_t from_left = wasm_i16x8_abs(to_over), from_over = wasm_i16x8_abs(to_left);
  const v128_t from_corner = wasm_i16x8_abs(wasm_i16x8_add(to_over, to_left));
  const v128_t not_left = wasm_v128_or(wasm_i16x8_gt(from_left, from_over), wasm_i16x8_gt(from_left, from_corner));
  const v128_t other = wasm_v128_bitselect(corner, over, wasm_i16x8_gt(from_over, from_corner));
  return wasm_v128_bitselect(other, left, not_left);
}

void png_filter(int filter, const uint8_t *row, const uint8_t *above, uint8_t *out, size_t count, int distance) {
  for (size_t i = 0; i < count; i += 16) {
    const v128_t value = wasm_v128_load(row + i), over = wasm_v128_load(above + i);
    const v128_t left = wasm_v128_load(row + i - distance), corner = wasm_v128_load(above + i - distance);
    v128_t predicted = wasm_i8x16_const_splat(0);
    if (filter == FILTER_SUB) predicted = left;
    if (filter == FILTER_UP) predicted = over;
    if (filter == FILTER_AVERAGE) {
      const v128_t odd = wasm_v128_and(wasm_v128_xor(left, over), wasm_i8x16_const_splat(1));
      predicted = wasm_i8x16_sub(wasm_u8x16_avgr(left, over), odd);
    }
    if (filter == FILTER_PAETH)
      predicted = wasm_u8x16_narrow_i16x8(
          paeth16(wasm_u16x8_extend_low_u8x16(left), wasm_u16x8_extend_low_u8x16(over), wasm_u16x8_extend_low_u8x16(corner)),
          paeth16(wasm_u16x8_extend_high_u8x16(left), wasm_u16x8_extend_high_u8x16(over), wasm_u16x8_extend_high_u8x16(corner)));
    wasm_v128_store(out + i, wasm_i8x16_sub(value, predicted));
  }
}

// The sum of absolute differences that the specification recommends (12.7).
static float sum_of(const uint8_t *bytes, size_t count) {
  uint32_t sum = 0;
  size_t i = 0;
  v128_t sums = wasm_i32x4_const_splat(0);
  for (; i + 16 <= count; i += 16) {
    const v128_t v = wasm_v128_load(bytes + i), magnitude = wasm_u8x16_min(v, wasm_i8x16_neg(v));
    sums = wasm_i32x4_add(sums, wasm_u32x4_extadd_pairwise_u16x8(wasm_u16x8_extadd_pairwise_u8x16(magnitude)));
  }
  for (; i < count; i++) sum += bytes[i] < 128 ? bytes[i] : 256 - bytes[i];
  sums = wasm_i32x4_add(sums, wasm_i32x4_shuffle(sums, sums, 2, 3, 0, 1));
  sums = wasm_i32x4_add(sums, wasm_i32x4_shuffle(sums, sums, 1, 0, 3, 2));
  return (float)(sum + wasm_i32x4_extract_lane(sums, 0));
}

#define TABLE 1024

// v * log2(v), from a table where it is asked for most.
static float information(uint32_t v) {
  static float table[TABLE];
  if (table[2] == 0)
    for (int i = 1; i < TABLE; i++) table[i] = (float)i * log2f((float)i);
  return v < TABLE ? table[v] : (float)v * log2f((float)v);
}

// Bits by the entropy of single bytes. Four counts of each, so that a run of one value does not wait for itself.
static float entropy_of(const uint8_t *bytes, size_t count) {
  uint32_t times[4][256] = {0};
  size_t i = 0;
  for (; i + 4 <= count; i += 4)
    times[0][bytes[i]]++, times[1][bytes[i + 1]]++, times[2][bytes[i + 2]]++, times[3][bytes[i + 3]]++;
  for (; i < count; i++) times[0][bytes[i]]++;
  float sum = 0;
  for (int v = 0; v < 256; v++) sum -= information(times[0][v] + times[1][v] + times[2][v] + times[3][v]);
  return sum;
}

// The number of distinct pairs of neighbors: few pairs repeat often, which is what LZ77 finds.
static float bigrams_of(const uint8_t *bytes, size_t count) {
  static uint8_t seen[65536];
  int distinct = 0;
  for (size_t i = 1; i < count; i++) {
    uint8_t *pair = seen + (bytes[i - 1] << 8 | bytes[i]);
    distinct += !*pair;
    *pair = 1;
  }
  // A row has fewer pairs than there can be.
  for (size_t i = 1; i < count; i++) seen[bytes[i - 1] << 8 | bytes[i]] = 0;
  return (float)distinct;
}

float png_rate(int strategy, const uint8_t *filtered, size_t count) {
  if (strategy == BY_ENTROPY) return entropy_of(filtered, count);
  if (strategy == BY_BIGRAMS) return bigrams_of(filtered, count);
  return sum_of(filtered, count);
}
