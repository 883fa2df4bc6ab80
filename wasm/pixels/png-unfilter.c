#include "png-unfilter.h"

/* Loads and stores of one pixel. Stores of 3 and 6 bytes write 4 and 8: the next pixel overwrites what is too much. */
static inline v128_t load_pixel(const uint8_t *p, int distance) {
  return distance <= 4 ? wasm_v128_load32_zero(p) : wasm_v128_load64_zero(p);
}
static inline void store_pixel(uint8_t *p, v128_t v, int distance) {
  if (distance <= 4) wasm_v128_store32_lane(p, v, 0);
  else wasm_v128_store64_lane(p, v, 0);
}

static void up(const uint8_t *source, const uint8_t *above, uint8_t *row, size_t count) {
  for (size_t i = 0; i < count; i += 16)
    wasm_v128_store(row + i, wasm_i8x16_add(wasm_v128_load(source + i), wasm_v128_load(above + i)));
}

static inline void sub_wide(const uint8_t *source, uint8_t *row, size_t count, int distance) {
  v128_t left = wasm_i8x16_const_splat(0);
  for (size_t i = 0; i < count; i += distance) {
    left = wasm_i8x16_add(left, load_pixel(source + i, distance));
    store_pixel(row + i, left, distance);
  }
}

static inline void average_wide(const uint8_t *source, const uint8_t *above, uint8_t *row, size_t count, int distance) {
  v128_t left = wasm_i8x16_const_splat(0);
  for (size_t i = 0; i < count; i += distance) {
    const v128_t over = load_pixel(above + i, distance);
    /* avgr rounds up, the specification rounds down */
    const v128_t odd = wasm_v128_and(wasm_v128_xor(left, over), wasm_i8x16_const_splat(1));
    const v128_t mean = wasm_i8x16_sub(wasm_u8x16_avgr(left, over), odd);
    left = wasm_i8x16_add(mean, load_pixel(source + i, distance));
    store_pixel(row + i, left, distance);
  }
}

static inline void paeth_wide(const uint8_t *source, const uint8_t *above, uint8_t *row, size_t count, int distance) {
  v128_t left = wasm_i16x8_const_splat(0), corner = left;
  for (size_t i = 0; i < count; i += distance) {
    const v128_t over = wasm_u16x8_extend_low_u8x16(load_pixel(above + i, distance));
    const v128_t to_over = wasm_i16x8_sub(over, corner), to_left = wasm_i16x8_sub(left, corner);
    const v128_t from_left = wasm_i16x8_abs(to_over), from_over = wasm_i16x8_abs(to_left);
    const v128_t from_corner = wasm_i16x8_abs(wasm_i16x8_add(to_over, to_left));
    const v128_t least = wasm_i16x8_min(from_corner, wasm_i16x8_min(from_left, from_over));
    const v128_t other = wasm_v128_bitselect(over, corner, wasm_i16x8_eq(least, from_over));
    const v128_t predicted = wasm_v128_bitselect(left, other, wasm_i16x8_eq(least, from_left));
    const v128_t sum = wasm_i16x8_add(predicted, wasm_u16x8_extend_low_u8x16(load_pixel(source + i, distance)));
    left = wasm_v128_and(sum, wasm_i16x8_const_splat(255));
    corner = over;
    store_pixel(row + i, wasm_u8x16_narrow_i16x8(left, left), distance);
  }
}

static inline int paeth(int left, int over, int corner) {
  const int p = left + over - corner, a = abs(p - left), b = abs(p - over), c = abs(p - corner);
  return a <= b && a <= c ? left : b <= c ? over : corner;
}

/* Pixels of one or two bytes: too narrow for SIMD. */
static inline void narrow(int filter, const uint8_t *source, const uint8_t *above, uint8_t *row, size_t count, int distance) {
  for (size_t i = 0; i < count; i++) {
    const int left = row[(ptrdiff_t)i - distance], over = above[i], corner = above[(ptrdiff_t)i - distance];
    const int predicted = filter == FILTER_SUB ? left : filter == FILTER_AVERAGE ? (left + over) / 2 : paeth(left, over, corner);
    row[i] = (uint8_t)(source[i] + predicted);
  }
}

static inline int wide(int filter, const uint8_t *source, const uint8_t *above, uint8_t *row, size_t count, int distance) {
  if (filter == FILTER_SUB) sub_wide(source, row, count, distance);
  else if (filter == FILTER_AVERAGE) average_wide(source, above, row, count, distance);
  else paeth_wide(source, above, row, count, distance);
  return 1;
}

int png_unfilter(int filter, const uint8_t *source, const uint8_t *above, uint8_t *row, size_t count, int distance) {
  if (filter >= FILTER_TYPES) return 0;
  if (filter == FILTER_NONE) memcpy(row, source, count);
  else if (filter == FILTER_UP) up(source, above, row, count);
  else if (distance == 3) wide(filter, source, above, row, count, 3);
  else if (distance == 4) wide(filter, source, above, row, count, 4);
  else if (distance == 6) wide(filter, source, above, row, count, 6);
  else if (distance == 8) wide(filter, source, above, row, count, 8);
  else if (filter == FILTER_SUB) narrow(FILTER_SUB, source, above, row, count, distance);
  else if (filter == FILTER_AVERAGE) narrow(FILTER_AVERAGE, source, above, row, count, distance);
  else narrow(FILTER_PAETH, source, above, row, count, distance);
  return 1;
}
