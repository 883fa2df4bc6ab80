// Levels of eight pixels, which are those of a row of two cells, and what is said of such cells by them.
#pragma once

#include <stdint.h>
#include <wasm_simd128.h>

enum { CELL = 4 };
#define EVEN_BEND 1           // levels by which steps change in a square of 2 x 2 pixels that is even, at most
#define CHROMA_LEVELS 12.0f
#define RED_PART 0.65f
#define BLUE_PART 0.6f
#define GLARE 8.0f            // levels that screens add to what is dark
#define DARK_PART 0.375f       // of the brightness of a place, below which the light of a primary hardly counts

// The levels of eight pixels.
typedef struct {
  v128_t red, green, blue;
} Levels;

static inline Levels levels_of(const uint8_t *pixels) {
  const v128_t low = wasm_v128_load(pixels), high = wasm_v128_load(pixels + 16);
  const v128_t red_green = wasm_i8x16_shuffle(low, high, 0, 4, 8, 12, 16, 20, 24, 28, 1, 5, 9, 13, 17, 21, 25, 29);
  const v128_t blue = wasm_i8x16_shuffle(low, high, 2, 6, 10, 14, 18, 22, 26, 30, 2, 6, 10, 14, 18, 22, 26, 30);
  return (Levels){wasm_u16x8_extend_low_u8x16(red_green), wasm_u16x8_extend_high_u8x16(red_green), wasm_u16x8_extend_low_u8x16(blue)};
}

// Levels on one of the background, rounded.
static inline v128_t mixed(v128_t level, v128_t alpha, uint8_t under) {
  const v128_t rest = wasm_i16x8_sub(wasm_i16x8_const_splat(255), alpha);
  v128_t sum = wasm_i16x8_add(wasm_i16x8_mul(level, alpha), wasm_i16x8_mul(rest, wasm_i16x8_splat(under)));
  sum = wasm_i16x8_add(sum, wasm_i16x8_const_splat(128));
  return wasm_u16x8_shr(wasm_i16x8_add(sum, wasm_u16x8_shr(sum, 8)), 8);
}

static inline Levels laid_on(const uint8_t *pixels, const uint8_t background[3]) {
  const v128_t low = wasm_v128_load(pixels), high = wasm_v128_load(pixels + 16);
  const v128_t bytes = wasm_i8x16_shuffle(low, high, 3, 7, 11, 15, 19, 23, 27, 31, 3, 7, 11, 15, 19, 23, 27, 31);
  const v128_t alpha = wasm_u16x8_extend_low_u8x16(bytes);
  const Levels levels = levels_of(pixels);
  return (Levels){mixed(levels.red, alpha, background[0]), mixed(levels.green, alpha, background[1]), mixed(levels.blue, alpha, background[2])};
}

// Luma, so many times: 5/16 of red, 9/16 of green and 1/8 of blue, which are closer to Rec. 601's than eighths are: what codecs lose
// of chroma would be seen as luma where they differ.
enum { LUMA = 16 };
static inline v128_t luma_of(Levels of) {
  const v128_t red = wasm_i16x8_add(of.red, wasm_i16x8_shl(of.red, 2)), green = wasm_i16x8_add(of.green, wasm_i16x8_shl(of.green, 3));
  return wasm_i16x8_add(wasm_i16x8_add(red, green), wasm_i16x8_add(of.blue, of.blue));
}

// How far values are apart.
static inline v128_t step_of(v128_t one, v128_t other) { return wasm_i16x8_abs(wasm_i16x8_sub(one, other)); }

// The next values in each of two cells.
static inline v128_t next_of(v128_t values) { return wasm_i16x8_shuffle(values, values, 1, 2, 3, 3, 5, 6, 7, 7); }

// The value beside each in pairs of pixels.
static inline v128_t beside(v128_t values) { return wasm_i16x8_shuffle(values, values, 1, 0, 3, 2, 5, 4, 7, 6); }

// A twelfth of each value: a cell has so many steps across, and as many down.
static inline v128_t twelfth_of(v128_t sums) { return wasm_i16x8_q15mulr_sat(sums, wasm_i16x8_const_splat(2731 /* of 32768 */)); }

// The mean step across of each of two cells, given the sums of their columns, in all its places.
static inline v128_t slope_across(v128_t columns) {
  const v128_t first = wasm_i16x8_shuffle(columns, columns, 0, 0, 0, 0, 4, 4, 4, 4), last = wasm_i16x8_shuffle(columns, columns, 3, 3, 3, 3, 7, 7, 7, 7);
  return twelfth_of(wasm_i16x8_sub(last, first));
}

// The same of steps down, given the first row and the last.
static inline v128_t slope_down(v128_t first, v128_t last) {
  const v128_t pairs = wasm_i16x8_sub(last, first), sums = wasm_i16x8_add(pairs, beside(pairs));
  return twelfth_of(wasm_i16x8_add(sums, wasm_i16x8_shuffle(sums, sums, 2, 3, 0, 1, 6, 7, 4, 5)));
}

// Where squares of 2 x 2 pixels of two rows are even, flat or a slope: all bits of them.
static inline v128_t even_of(v128_t row, v128_t next) {
  const v128_t down = wasm_i16x8_sub(next, row);
  return wasm_i16x8_le(step_of(down, beside(down)), wasm_i16x8_const_splat(EVEN_BEND * LUMA));
}

// The sums of two values, each over the pixels of two cells.
static inline v128_t sums_of(v128_t one, v128_t other) {
  const v128_t pairs = wasm_i32x4_extadd_pairwise_i16x8(one), others = wasm_i32x4_extadd_pairwise_i16x8(other);
  return wasm_i32x4_add(wasm_i32x4_shuffle(pairs, others, 0, 2, 4, 6), wasm_i32x4_shuffle(pairs, others, 1, 3, 5, 7));
}

static inline v128_t scaled(v128_t sums, float one, float other) {
  return wasm_f32x4_mul(wasm_f32x4_convert_i32x4(sums), wasm_f32x4_make(one, one, other, other));
}

static inline void store_pair(float *to, v128_t values) { wasm_v128_store64_lane(to, values, 0); }
static inline v128_t second_pair(v128_t values) { return wasm_i32x4_shuffle(values, values, 2, 3, 2, 3); }

static inline Levels sum_of(Levels one, Levels other) {
  return (Levels){wasm_i16x8_add(one.red, other.red), wasm_i16x8_add(one.green, other.green), wasm_i16x8_add(one.blue, other.blue)};
}

static inline Levels less_of(Levels one, Levels other) {
  return (Levels){wasm_i16x8_sub(one.red, other.red), wasm_i16x8_sub(one.green, other.green), wasm_i16x8_sub(one.blue, other.blue)};
}

// The means of two cells, of which so many values were added to each.
static inline v128_t mean_of(v128_t values, int count) {
  return scaled(sums_of(values, values), 1.0f / count, 1.0f / count);
}

// Means of two cells, of each primary.
typedef struct {
  v128_t red, green, blue;
} Means;

// The luma of what is known of two cells by its primaries.
static inline v128_t luma_of_means(Means of) {
  const v128_t five = wasm_f32x4_mul(of.red, wasm_f32x4_const_splat(5.0f / LUMA)), nine = wasm_f32x4_mul(of.green, wasm_f32x4_const_splat(9.0f / LUMA));
  return wasm_f32x4_add(wasm_f32x4_add(five, nine), wasm_f32x4_mul(of.blue, wasm_f32x4_const_splat(2.0f / LUMA)));
}

// The squared errors of chroma that go with errors of means, in units of what is seen.
static inline v128_t chroma_of_means(Means of) {
  const v128_t to_red = wasm_f32x4_sub(of.red, of.green);
  const v128_t to_blue = wasm_f32x4_sub(of.blue, wasm_f32x4_mul(wasm_f32x4_add(of.red, of.green), wasm_f32x4_const_splat(0.5f)));
  const float unit = 1 / (CHROMA_LEVELS * CHROMA_LEVELS);
  const v128_t of_red = wasm_f32x4_mul(wasm_f32x4_mul(to_red, to_red), wasm_f32x4_const_splat(RED_PART * unit));
  const v128_t of_blue = wasm_f32x4_mul(wasm_f32x4_mul(to_blue, to_blue), wasm_f32x4_const_splat(BLUE_PART * unit));
  return wasm_f32x4_add(of_red, of_blue);
}

// How bright two cells are, as the level of a gray: light is about the square of levels.
static inline v128_t brightness_of(v128_t red, v128_t green, v128_t blue) {
  const v128_t of_red = wasm_f32x4_mul(wasm_f32x4_mul(red, red), wasm_f32x4_const_splat(0.2126f));
  const v128_t of_green = wasm_f32x4_mul(wasm_f32x4_mul(green, green), wasm_f32x4_const_splat(0.7152f));
  const v128_t of_blue = wasm_f32x4_mul(wasm_f32x4_mul(blue, blue), wasm_f32x4_const_splat(0.0722f));
  return wasm_f32x4_sqrt(wasm_f32x4_add(wasm_f32x4_add(of_red, of_green), of_blue));
}

// What is seen of the error of a primary: little where its level is far below the brightness of its place.
static inline v128_t seen_in(v128_t glaring, v128_t error, v128_t level) {
  const v128_t dark = wasm_f32x4_div(wasm_f32x4_add(level, wasm_f32x4_const_splat(GLARE)), wasm_f32x4_mul(glaring, wasm_f32x4_const_splat(DARK_PART)));
  return wasm_f32x4_mul(error, wasm_f32x4_pmin(wasm_f32x4_const_splat(1), wasm_f32x4_mul(dark, dark)));
}

// What is seen of the error of a primary as color: what becomes bright is seen, too.
static inline v128_t seen_as_color(v128_t glaring, v128_t error, v128_t level) {
  const v128_t half = wasm_f32x4_mul(wasm_f32x4_abs(error), wasm_f32x4_const_splat(0.5f));
  return seen_in(glaring, error, wasm_f32x4_add(level, half));
}

// The same of all primaries, given the means of their levels in both pictures.
static inline Means seen_colors(v128_t glaring, Means errors, Means levels) {
  return (Means){seen_as_color(glaring, errors.red, levels.red), seen_as_color(glaring, errors.green, levels.green),
                 seen_as_color(glaring, errors.blue, levels.blue)};
}

// How busy two cells are, and their grain, given their rows of luma and the steps of an even slope, which is nothing busy.
static inline v128_t busy_of(const v128_t y[CELL], v128_t across, v128_t down) {
  const v128_t within = wasm_i16x8_const(-1, -1, -1, 0, -1, -1, -1, 0), inner = wasm_i16x8_const(-1, -1, 0, 0, -1, -1, 0, 0);
  v128_t steps = wasm_i16x8_const_splat(0), bends = steps, last = steps;
  for (int row = 0; row < CELL; row++) {
    const v128_t step = wasm_i16x8_sub(next_of(y[row]), y[row]);
    steps = wasm_i16x8_add_sat(steps, wasm_v128_and(within, step_of(step, across)));
    bends = wasm_i16x8_add_sat(bends, wasm_v128_and(inner, step_of(step, next_of(step))));
    if (row == 0) continue;
    const v128_t fall = wasm_i16x8_sub(y[row], y[row - 1]);
    steps = wasm_i16x8_add_sat(steps, step_of(fall, down));
    if (row > 1) bends = wasm_i16x8_add_sat(bends, step_of(fall, last));
    last = fall;
  }
  return scaled(sums_of(steps, bends), 1.0f / (12 * LUMA), 1.0f / (16 * LUMA));
}

// The squares of sums over 2 x 2 pixels of two rows.
static inline v128_t squares_of(v128_t row, v128_t next) {
  const v128_t sums = wasm_f32x4_convert_i32x4(wasm_i32x4_extadd_pairwise_i16x8(wasm_i16x8_add(row, next)));
  return wasm_f32x4_mul(sums, sums);
}

// The sums of both columns of squares of 2 x 2 pixels of two cells.
static inline v128_t folded(v128_t columns) {
  return wasm_f32x4_add(wasm_i32x4_shuffle(columns, columns, 0, 2, 0, 2), wasm_i32x4_shuffle(columns, columns, 1, 3, 1, 3));
}

// The squared errors of chroma in the squares of 2 x 2 pixels of two cells, in units of what is seen.
static inline v128_t bleeding_in(const Levels first[CELL], const Levels second[CELL]) {
  v128_t to_red[CELL], to_blue[CELL]; // the latter twice
  for (int row = 0; row < CELL; row++) {
    const Levels error = less_of(second[row], first[row]);
    to_red[row] = wasm_i16x8_sub(error.red, error.green);
    to_blue[row] = wasm_i16x8_sub(wasm_i16x8_add(error.blue, error.blue), wasm_i16x8_add(error.red, error.green));
  }
  const v128_t reds = wasm_f32x4_add(squares_of(to_red[0], to_red[1]), squares_of(to_red[2], to_red[3]));
  const v128_t blues = wasm_f32x4_add(squares_of(to_blue[0], to_blue[1]), squares_of(to_blue[2], to_blue[3]));
  const float unit = 1 / (CHROMA_LEVELS * CHROMA_LEVELS);
  const v128_t all = wasm_f32x4_add(wasm_f32x4_mul(reds, wasm_f32x4_const_splat(RED_PART * unit / 64)), wasm_f32x4_mul(blues, wasm_f32x4_const_splat(BLUE_PART * unit / 256)));
  return folded(all);
}

// The squared errors of luma in the same squares, given those of its rows.
static inline v128_t striped_in(const v128_t errors[CELL]) {
  const v128_t columns = wasm_f32x4_add(squares_of(errors[0], errors[1]), squares_of(errors[2], errors[3]));
  return wasm_f32x4_mul(folded(columns), wasm_f32x4_const_splat(1.0f / (64 * LUMA * LUMA)));
}

// What some values are more than others.
static inline v128_t beyond(v128_t values, v128_t others) {
  return wasm_f32x4_pmax(wasm_f32x4_const_splat(0), wasm_f32x4_sub(values, others));
}

// How far values are between two, 0 to 1.
static inline v128_t between(v128_t values, float least, float most) {
  const v128_t part = wasm_f32x4_mul(wasm_f32x4_sub(values, wasm_f32x4_splat(least)), wasm_f32x4_splat(1 / (most - least)));
  return wasm_f32x4_pmin(wasm_f32x4_const_splat(1), wasm_f32x4_pmax(wasm_f32x4_const_splat(0), part));
}

// Values between two others.
static inline v128_t blended(v128_t from, v128_t to, v128_t part) {
  return wasm_f32x4_add(from, wasm_f32x4_mul(part, wasm_f32x4_sub(to, from)));
}
