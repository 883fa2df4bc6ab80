#include "png-unfilter.h"

// Loads and stores of one pixel. Stores of 3 and 6 bytes write 4 and 8: the next pixel overwrites what is too much.
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
    // avgr rounds up, the specification rounds down
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

// Pixels of one or two bytes: too narrow for SIMD.
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

// ---- four rows at once ----

// What of its neighbors the filter of each row uses: all bits set in the lane of that row, or none.
typedef struct { v128_t left, over, corner, mean; } Uses;

static Uses uses_of(v128_t filter) {
  const v128_t up = wasm_i32x4_eq(filter, wasm_i32x4_const_splat(FILTER_UP));
  const v128_t left = wasm_i32x4_eq(filter, wasm_i32x4_const_splat(FILTER_SUB));
  const v128_t paeth = wasm_i32x4_eq(filter, wasm_i32x4_const_splat(FILTER_PAETH));
  const v128_t mean = wasm_i32x4_eq(filter, wasm_i32x4_const_splat(FILTER_AVERAGE));
  return (Uses){wasm_v128_or(left, paeth), wasm_v128_or(up, paeth), paeth, mean};
}

static inline v128_t distance_of(v128_t a, v128_t b) {
  return wasm_v128_or(wasm_u8x16_sub_sat(a, b), wasm_u8x16_sub_sat(b, a));
}

// The prediction of a pixel of each row. The Paeth predictor is also the others, if what they do not use is 0: with 0
// above it predicts the left sample, with 0 on the left the one above, with nothing 0. Only the mean differs. In 8 bits
// the distance from the corner saturates, but only where it is not the least: both differences have one sign there.
static inline v128_t predict(v128_t left, v128_t over, v128_t corner, const Uses *use) {
  const v128_t a = wasm_v128_and(left, use->left), b = wasm_v128_and(over, use->over);
  const v128_t c = wasm_v128_and(corner, use->corner);
  const v128_t over_more = wasm_u8x16_sub_sat(b, c), over_less = wasm_u8x16_sub_sat(c, b);
  const v128_t left_more = wasm_u8x16_sub_sat(a, c), left_less = wasm_u8x16_sub_sat(c, a);
  const v128_t from_left = wasm_v128_or(over_more, over_less), from_over = wasm_v128_or(left_more, left_less);
  const v128_t from_corner =
      distance_of(wasm_u8x16_add_sat(over_more, left_more), wasm_u8x16_add_sat(over_less, left_less));
  const v128_t least = wasm_u8x16_min(from_corner, wasm_u8x16_min(from_left, from_over));
  const v128_t other = wasm_v128_bitselect(b, c, wasm_i8x16_eq(least, from_over));
  const v128_t nearest = wasm_v128_bitselect(a, other, wasm_i8x16_eq(least, from_left));
  const v128_t odd = wasm_v128_and(wasm_v128_xor(left, over), wasm_i8x16_const_splat(1));
  return wasm_v128_bitselect(wasm_i8x16_sub(wasm_u8x16_avgr(left, over), odd), nearest, use->mean);
}

// v[k] = pixel 0..3 of row k; turned into v[j] = pixel j of rows 0..3, and back.
static inline void transpose(v128_t v[4]) {
  const v128_t a = wasm_i32x4_shuffle(v[0], v[1], 0, 4, 1, 5), b = wasm_i32x4_shuffle(v[2], v[3], 0, 4, 1, 5);
  const v128_t c = wasm_i32x4_shuffle(v[0], v[1], 2, 6, 3, 7), d = wasm_i32x4_shuffle(v[2], v[3], 2, 6, 3, 7);
  v[0] = wasm_i64x2_shuffle(a, b, 0, 2), v[1] = wasm_i64x2_shuffle(a, b, 1, 3);
  v[2] = wasm_i64x2_shuffle(c, d, 0, 2), v[3] = wasm_i64x2_shuffle(c, d, 1, 3);
}

// Four pixels of 3 or 4 bytes, a lane each; stores of 3 write 16 bytes, what is too much is overwritten by the next.
static inline v128_t load_pixels(const uint8_t *p, int distance) {
  const v128_t v = wasm_v128_load(p);
  return distance == 4 ? v : permute(v, wasm_i8x16_const(0, 1, 2, 2, 3, 4, 5, 5, 6, 7, 8, 8, 9, 10, 11, 11));
}
static inline void store_pixels(uint8_t *p, v128_t v, int distance) {
  wasm_v128_store(p, distance == 4 ? v : permute(v, wasm_i8x16_const(0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, 3, 7, 11, 15)));
}

// A front moves over the rows, each row one pixel behind the row above it, so that four pixels that do not wait for
// each other are worked on at once. Before a row begins, its source is taken as 0, which leaves 0 as its left neighbor;
// behind its end it runs into the slack.
static inline void four_rows(const uint8_t *source, uint8_t *rows, size_t stride, size_t count, int distance) {
  const uint8_t *above = rows - stride;
  const size_t from = count + 1 - distance, to = stride - distance; // to the same place of the front, a row below
  const Uses use = uses_of(wasm_i32x4_make(source[0], source[count + 1], source[2 * count + 2], source[3 * count + 3]));
  v128_t left = wasm_i8x16_const_splat(0), corner = left;
  for (size_t i = 0; i < count + 3 * distance; i += 4 * distance) {
    v128_t pixel[4];
    for (int k = 0; k < 4; k++) pixel[k] = load_pixels(source + 1 + i + k * from, distance);
    transpose(pixel);
    if (i == 0) {
      pixel[0] = wasm_v128_and(pixel[0], wasm_i32x4_const(-1, 0, 0, 0));
      pixel[1] = wasm_v128_and(pixel[1], wasm_i32x4_const(-1, -1, 0, 0));
      pixel[2] = wasm_v128_and(pixel[2], wasm_i32x4_const(-1, -1, -1, 0));
    }
    const v128_t first = load_pixels(above + i, distance);
    const v128_t upper[4] = {wasm_i32x4_shuffle(first, first, 0, 0, 0, 0), wasm_i32x4_shuffle(first, first, 1, 1, 1, 1),
                             wasm_i32x4_shuffle(first, first, 2, 2, 2, 2), first};
    for (int j = 0; j < 4; j++) {
      const v128_t over = wasm_i32x4_shuffle(upper[j], left, 3, 4, 5, 6);
      left = pixel[j] = wasm_i8x16_add(pixel[j], predict(left, over, corner, &use));
      corner = over;
    }
    transpose(pixel);
    for (int k = 0; k < 4; k++) store_pixels(rows + i + k * to, pixel[k], distance);
  }
}

// About how long the filter of a row takes by itself, in cycles for each pixel; four rows together take 14.
static const int cycles[FILTER_TYPES] = {1, 2, 1, 5, 11};

int png_unfilter_rows(const uint8_t *source, uint8_t *rows, size_t stride, size_t count, int distance) {
  if (distance != 3 && distance != 4) return 0;
  int alone = 0;
  for (int k = 0; k < UNFILTER_ROWS; k++) {
    const int filter = source[k * (count + 1)];
    if (filter >= FILTER_TYPES) return 0;
    alone += cycles[filter];
  }
  if (alone <= 14) return 0;
  if (distance == 3) four_rows(source, rows, stride, count, 3);
  else four_rows(source, rows, stride, count, 4);
  return 1;
}
