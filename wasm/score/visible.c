// What is seen of the differences between two pictures in their worst places: an opinion beside that of the metric.
//
// The metric looks at six scales and takes means over the whole picture. This looks at cells of 4 x 4 pixels at full size and
// takes the mean of the worst 2 % of them, or of the worst 64, which one damaged place of 32 x 32 pixels has, as far as that is
// more than photographs have as well. In a cell count
// - the error of its mean luma, and less so what else differs of its luma: both are hidden by what is busy around the cell, as
//   masking has it (A. B. Watson, "DCT quantization matrices visually optimized for individual images", 1993), and by light;
//   Levels are roots of light: that of a primary which is dark beside a bright one, as green is in red, hardly counts, and
//   neither does its color: of green from 1 to 24 beside red of 240 nothing is seen (0.8 by CIEDE2000).
//   In an even slope without any grain, as shadows and glows are drawn, neither hides anything: there steps become rings.
//   Small pictures are looked at from close by. In them a slope alone is nothing busy, and where most of what is around is flat
//   or an even slope, as the ground of letters and shadows beside edges are drawn, nothing hides: edges ring there. Large
//   photographs have much soft texture that looks the same by the steps of its pixels, and hides what letters do not.
//   Stripes and rims of palettes, and steps between even blocks, are finer than a cell: where a small picture may have some, differences between its quarters
//   count as well, in places where most is even and nothing bends much. Dithering is finer still.
//   Of a large picture that is drawn such steps are the edges of wide rings. In such places of it even less hides them, and the
//   grain that rounded primaries make of a slope does not;
// - the error of its mean chroma, which nothing hides: letters in saturated colors are as busy as it gets. In small pictures, where
//   most of what is around is flat, also that of its quarters: saturated shapes bleed over their edges.
// Beside cells, flat colors are looked at that become one (flats.h).
// What is compared may be a sheet of tiles out of a larger picture: what bleeds over their seams is nothing that the picture has,
// and cells at a seam are not counted.
// Levels are those of sRGB, which are about as far apart for the eye everywhere. What can be seen through is looked at on white,
// black and blue, and a cell counts as it looks on the worst of them.
//
// The constants were fitted to marks of pairs that were looked at (test/bench/look-marks.tsv, look-marks-flat.tsv and
// look-marks-slopes.tsv).
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <wasm_simd128.h>

#include "../native.h"
#include "flats.h"
#include "levels.h"

enum {
  PAIR = 2 * CELL, // pixels across of what is worked on at a time
  PLANES = 3,      // backgrounds
  LINES = 3,       // rows of cells that are kept: a cell is hidden by those around it
  MARGIN = 4,      // floats before and behind a row
  SEAM = 2,        // cells on either side of a seam that are not counted, at most: filters of codecs reach over 8 pixels
  BINS_BITS = 18,  // of a float that are left out: 32 bins for each power of two
  BINS = 512,
};
#define WORST_PART 0.02
#define WORST_CELLS 64
#define WORST_TO_PART 1.7     // the error of the worst cells that weighs as much as one of the worst part
#define LEAST_ERROR 0.015625f // where the bins begin
#define HIDDEN_IN_SLOPE 0.75f // levels of luma that are hidden where nothing bends
#define HIDDEN_IN_DRAWN 0.5f  // the same of large pictures that are drawn: there steps are the edges of wide rings
#define FINE_IN_SLOPE 1.1f    // the same of what is fine, dithering is seen less than rings; and of either in small pictures
#define HIDDEN 1.4f           // the same in black without any detail
#define HIDDEN_IN_LIGHT 1.0f  // and in white besides
#define HIDDEN_BY_DETAIL 0.17f
#define HIDDEN_BY_BENDS 0.22f // the same in small pictures, where slopes are no detail
#define HIDDEN_IN_EVEN 1.65f  // levels of luma that are hidden in small pictures where everything is even
#define LEAST_EVEN 0.6f       // the part of the squares around a cell from which on being even counts
#define LEAST_EVEN_CLEAR 0.45f // the same of pictures that can be seen through: their shapes stand on nothing
#define STRIPES_PART 0.9f     // of luma that differs between quarters of a cell, where all is even
#define LEAST_EVEN_STRIPES 0.7f
#define MOST_EVEN_STRIPES 0.8f
#define LEAST_GRAIN_STRIPES 1.5f // levels of grain: slopes of color have some, since each primary is rounded by itself
#define MOST_GRAIN_STRIPES 3.0f
#define BLEEDING_PART 2.6f    // of chroma that differs within a cell, where all is even
#define LEAST_EVEN_BLEEDING 0.5f
#define MOST_EVEN_BLEEDING 0.9f
#define LEAST_GRAIN 0.5f      // levels, as `grain` below, up to which nothing bends
#define FULL_GRAIN 1.0f
#define OWN_DETAIL 0.25f      // the part of a cell's own detail; the rest is that of the cells around it
#define FINE_PART 0.65f

static const uint8_t BACKGROUND[PLANES][3] = {{255, 255, 255}, {0, 0, 0}, {0, 60, 220}}; // white, black, blue

// What is known of a row of cells on one background: a value for each cell, and MARGIN before and behind.
typedef struct {
  float *detail; // mean step from pixel to pixel of the original, in levels; in small pictures beyond that of an even slope
  float *grain;  // the mean by which such steps change
  float *even;   // the part of its squares of 2 x 2 pixels that are even; 0 but in small pictures
  float *light;  // mean luma of the original, 0 to 1
  float *luma;   // squared error of the mean, in levels
  float *fine;   // what else is wrong with luma, squared, as far as it counts
  float *stripes; // luma that differs between its quarters, squared; only where they count
  float *chroma; // the same of the mean, in units of what is seen
  float *bleeding; // what else is wrong with chroma, squared; only in small pictures
} Line;
enum { VALUES = sizeof(Line) / sizeof(float *) };

typedef struct {
  int width, across, planes; // pixels, cells of whole pairs, backgrounds
  int is_small, may_stripe;
  int cells_across, cells_down; // cells
  int tile_across, tile_down;   // cells of a tile; 0: one tile
  int rows;                  // rows of pixels that wait
  int lines;                 // rows of cells that came
  uint8_t *first, *second;   // rows of pixels that wait, whole pairs of cells
  float *memory;
  Line line[LINES][PLANES];
  float *details, *grains, *evens, *worst; // of a column of three cells, and of a row of cells on all backgrounds
  uint32_t count[BINS], cells;
  double sum[BINS];
  Flats flats;
} Visible;

void EXPORT(visible_close)(Visible *v) {
  if (!v) return;
  free(v->first), free(v->second), free(v->memory);
  free(v);
}

// A comparison of two pictures of this size, or of sheets of tiles of so many columns and rows, multiples of 4 (0: one tile across,
// or down), by the rules for small ones or not, where the second may have stripes or not; 0 when memory does not suffice.
Visible *EXPORT(visible_open)(int width, int height, int is_opaque, int is_small, int may_stripe, int tile_columns, int tile_rows) {
  Visible *v = calloc(1, sizeof *v);
  if (!v) return 0;
  v->width = width, v->cells_across = (width + CELL - 1) / CELL, v->cells_down = (height + CELL - 1) / CELL;
  v->across = (v->cells_across + 3) & ~3;
  v->planes = is_opaque ? 1 : PLANES, v->is_small = is_small, v->may_stripe = may_stripe;
  v->tile_across = tile_columns / CELL, v->tile_down = tile_rows / CELL;
  const size_t bytes = (size_t)v->across * CELL * CELL * 4, floats = (size_t)v->across + 2 * MARGIN;
  v->first = calloc(1, bytes), v->second = calloc(1, bytes);
  v->memory = calloc(floats * (LINES * v->planes * VALUES + 4), sizeof(float));
  if (!v->first || !v->second || !v->memory) {
    visible_close(v);
    return 0;
  }
  float *next = v->memory + MARGIN;
  for (int line = 0; line < LINES; line++) {
    for (int plane = 0; plane < v->planes; plane++) {
      Line *one = &v->line[line][plane];
      float **const values[VALUES] = {&one->detail, &one->grain, &one->even, &one->light, &one->luma, &one->fine, &one->stripes, &one->chroma, &one->bleeding};
      for (int value = 0; value < VALUES; value++, next += floats) *values[value] = next;
    }
  }
  v->details = next, v->grains = next + floats, v->evens = next + 2 * floats, v->worst = next + 3 * floats;
  return v;
}

// What is known of two cells, whose first is at `at`.
static inline void know_pair(const Line *line, int at, const Levels first[CELL], const Levels second[CELL], int is_small, int may_stripe, int is_same) {
  const v128_t zero = wasm_i16x8_const_splat(0);
  v128_t y[CELL], across = zero, down = zero;
  for (int row = 0; row < CELL; row++) y[row] = luma_of(first[row]);
  const v128_t light = wasm_i16x8_add(wasm_i16x8_add(y[0], y[1]), wasm_i16x8_add(y[2], y[3]));
  if (is_small || may_stripe) {
    const v128_t even = wasm_i16x8_add(even_of(y[0], y[1]), even_of(y[2], y[3]));
    store_pair(line->even + at, scaled(sums_of(even, even), -1.0f / 8, -1.0f / 8));
  }
  if (is_small) across = slope_across(light), down = slope_down(y[0], y[CELL - 1]);
  const v128_t busy = busy_of(y, across, down);
  store_pair(line->detail + at, busy), store_pair(line->grain + at, second_pair(busy));
  if (is_same) {
    store_pair(line->luma + at, zero), store_pair(line->fine + at, zero), store_pair(line->chroma + at, zero);
    store_pair(line->stripes + at, zero), store_pair(line->bleeding + at, zero);
    return;
  }
  Levels errors = {zero, zero, zero}, levels = errors;
  v128_t squares = wasm_i32x4_const_splat(0), error[CELL];
  for (int row = 0; row < CELL; row++) {
    error[row] = wasm_i16x8_sub(luma_of(second[row]), y[row]);
    squares = wasm_i32x4_add(squares, wasm_i32x4_dot_i16x8(error[row], error[row]));
    errors = sum_of(errors, less_of(second[row], first[row]));
    levels = sum_of(levels, sum_of(second[row], first[row]));
  }
  store_pair(line->light + at, scaled(sums_of(light, light), 1.0f / (16 * LUMA * 255), 1.0f / (16 * LUMA * 255)));
  const Means means = {mean_of(errors.red, 16), mean_of(errors.green, 16), mean_of(errors.blue, 16)};
  const v128_t summed = wasm_i32x4_add(squares, wasm_i32x4_shuffle(squares, squares, 1, 0, 3, 2));
  const v128_t all = scaled(wasm_i32x4_shuffle(summed, summed, 0, 2, 0, 2), 1.0f / (16 * LUMA * LUMA), 1.0f / (16 * LUMA * LUMA));
  const v128_t mean = luma_of_means(means), of_mean = wasm_f32x4_mul(mean, mean);
  const v128_t fine = beyond(all, of_mean);
  if (is_small && may_stripe) store_pair(line->stripes + at, beyond(striped_in(error), of_mean));
  store_pair(line->fine + at, wasm_f32x4_mul(fine, wasm_f32x4_const_splat(FINE_PART)));
  const v128_t reds = mean_of(levels.red, 32), greens = mean_of(levels.green, 32), blues = mean_of(levels.blue, 32);
  const v128_t glaring = wasm_f32x4_add(brightness_of(reds, greens, blues), wasm_f32x4_const_splat(GLARE));
  const Means seen = {seen_in(glaring, means.red, reds), seen_in(glaring, means.green, greens), seen_in(glaring, means.blue, blues)};
  const v128_t seen_luma = luma_of_means(seen);
  store_pair(line->luma + at, wasm_f32x4_mul(seen_luma, seen_luma));
  store_pair(line->chroma + at, chroma_of_means(seen_colors(glaring, means, (Means){reds, greens, blues})));
  if (is_small) store_pair(line->bleeding + at, beyond(bleeding_in(first, second), chroma_of_means(means)));
}

// Two cells of all backgrounds: nothing is seen through most of them.
static inline void take_pair(Visible *v, const Line lines[PLANES], int at) {
  const size_t stride = (size_t)v->across * CELL * 4, from = (size_t)at * CELL * 4;
  v128_t all = wasm_i32x4_const_splat(-1), apart = wasm_i32x4_const_splat(0);
  Levels first[CELL], second[CELL];
  for (int row = 0; row < CELL; row++) {
    const uint8_t *one = v->first + stride * row + from, *other = v->second + stride * row + from;
    for (int half = 0; half < 32; half += 16) {
      const v128_t pixels = wasm_v128_load(one + half), others = wasm_v128_load(other + half);
      all = wasm_v128_and(all, wasm_v128_and(pixels, others));
      apart = wasm_v128_or(apart, wasm_v128_xor(pixels, others));
    }
  }
  const int is_same = !wasm_v128_any_true(apart);
  const int is_opaque = v->planes == 1 || wasm_i32x4_all_true(wasm_i32x4_eq(wasm_u32x4_shr(all, 24), wasm_i32x4_const_splat(255)));
  const int cells = MIN(2, v->cells_across - at);
  for (int cell = 0; cell < cells; cell++) take_flat(&v->flats, v->first + from + 16 * cell, v->second + from + 16 * cell, stride, is_same);
  for (int plane = 0; plane < v->planes; plane++) {
    for (int row = 0; row < CELL && (plane == 0 || !is_opaque); row++) {
      const uint8_t *one = v->first + stride * row + from, *other = v->second + stride * row + from;
      first[row] = is_opaque ? levels_of(one) : laid_on(one, BACKGROUND[plane]);
      if (!is_same) second[row] = is_opaque ? levels_of(other) : laid_on(other, BACKGROUND[plane]);
    }
    know_pair(&lines[plane], at, first, second, v->is_small, v->may_stripe, is_same);
  }
}

// Repeats the last cell of a row behind it, and the first before it.
static void extend(float *values, int count) {
  values[-1] = values[0], values[count] = values[count - 1];
}

// The row of cells whose pixels wait.
static void take_cells(Visible *v) {
  const Line *const lines = v->line[v->lines++ % LINES];
  for (int at = 0; at < v->across; at += 2) take_pair(v, lines, at);
  for (int plane = 0; plane < v->planes; plane++) {
    extend(lines[plane].detail, v->cells_across);
    extend(lines[plane].grain, v->cells_across);
    extend(lines[plane].even, v->cells_across);
  }
}

static void count_error(Visible *v, float error) {
  v->cells++;
  if (error <= 0) return;
  uint32_t bits, least;
  const float from = LEAST_ERROR;
  memcpy(&bits, &error, sizeof bits), memcpy(&least, &from, sizeof least);
  int bin = bits <= least ? 0 : (int)((bits - least) >> BINS_BITS);
  if (bin >= BINS) bin = BINS - 1;
  v->count[bin]++;
  v->sum[bin] += error;
}

// The sums, or the most, of columns of three cells.
static void sum_columns(float *to, const float *above, const float *here, const float *below, int across) {
  for (int at = -MARGIN; at < across + MARGIN; at += 4) {
    const v128_t outer = wasm_f32x4_add(wasm_v128_load(above + at), wasm_v128_load(below + at));
    wasm_v128_store(to + at, wasm_f32x4_add(outer, wasm_v128_load(here + at)));
  }
}

static void most_of_columns(float *to, const float *above, const float *here, const float *below, int across) {
  for (int at = -MARGIN; at < across + MARGIN; at += 4) {
    const v128_t outer = wasm_f32x4_pmax(wasm_v128_load(above + at), wasm_v128_load(below + at));
    wasm_v128_store(to + at, wasm_f32x4_pmax(outer, wasm_v128_load(here + at)));
  }
}

// The means around four cells, given the sums of their columns, so many times.
static inline v128_t around(const float *columns, int at, float times) {
  const v128_t sides = wasm_f32x4_add(wasm_v128_load(columns + at - 1), wasm_v128_load(columns + at + 1));
  return wasm_f32x4_mul(wasm_f32x4_add(sides, wasm_v128_load(columns + at)), wasm_f32x4_splat(times / 9));
}

// The levels of luma that are hidden in four cells, but for where nothing bends.
static inline v128_t hidden_in(const Visible *v, const Line *here, int at) {
  const float each = v->is_small ? HIDDEN_BY_BENDS : HIDDEN_BY_DETAIL;
  const v128_t own = wasm_f32x4_mul(wasm_v128_load(here->detail + at), wasm_f32x4_const_splat(OWN_DETAIL));
  const v128_t detail = wasm_f32x4_add(own, around(v->details, at, 1 - OWN_DETAIL));
  const v128_t in_light = wasm_f32x4_mul(wasm_v128_load(here->light + at), wasm_f32x4_const_splat(HIDDEN_IN_LIGHT));
  const v128_t rest = wasm_f32x4_add(in_light, wasm_f32x4_const_splat(HIDDEN));
  const v128_t levels = wasm_f32x4_add(wasm_f32x4_mul(detail, wasm_f32x4_splat(each)), rest);
  if (!v->is_small) return levels;
  return blended(levels, wasm_f32x4_const_splat(HIDDEN_IN_EVEN), between(around(v->evens, at, 1), v->planes == 1 ? LEAST_EVEN : LEAST_EVEN_CLEAR, 1));
}

// What is seen of squared errors, of which so many levels are hidden, and of those in a slope only so many.
static inline v128_t seen_of(v128_t squares, v128_t levels, v128_t bent, v128_t in_slope) {
  const v128_t hidden = blended(in_slope, levels, bent);
  return wasm_f32x4_div(squares, wasm_f32x4_mul(hidden, hidden));
}

// How far four cells are in a slope that is drawn, 0 to 1, given the most grain around them.
static inline v128_t sloping(const Visible *v, int at, v128_t grain) {
  const v128_t even = between(around(v->evens, at, 1), LEAST_EVEN_STRIPES, MOST_EVEN_STRIPES);
  const v128_t smooth = wasm_f32x4_sub(wasm_f32x4_const_splat(1), between(grain, LEAST_GRAIN_STRIPES, MOST_GRAIN_STRIPES));
  return wasm_f32x4_mul(even, smooth);
}

// What is seen of stripes in four cells that are in a slope by so much.
static inline v128_t stripes_seen(const Line *here, int at, v128_t sloping) {
  return wasm_f32x4_mul(wasm_v128_load(here->stripes + at), wasm_f32x4_mul(sloping, wasm_f32x4_const_splat(STRIPES_PART)));
}

// What is seen of chroma in four cells.
static inline v128_t chroma_seen(const Visible *v, const Line *here, int at) {
  const v128_t chroma = wasm_v128_load(here->chroma + at);
  if (!v->is_small) return chroma;
  const v128_t part = between(around(v->evens, at, 1), LEAST_EVEN_BLEEDING, MOST_EVEN_BLEEDING);
  const v128_t bleeding = wasm_f32x4_mul(wasm_v128_load(here->bleeding + at), wasm_f32x4_const_splat(BLEEDING_PART));
  return wasm_f32x4_add(chroma, wasm_f32x4_mul(bleeding, part));
}

// The squared errors of a row of cells on one background, given those above and below it, where they are the most so far.
static void find_errors(Visible *v, const Line *above, const Line *here, const Line *below) {
  sum_columns(v->details, above->detail, here->detail, below->detail, v->across);
  most_of_columns(v->grains, above->grain, here->grain, below->grain, v->across);
  if (v->is_small || v->may_stripe) sum_columns(v->evens, above->even, here->even, below->even, v->across);
  const v128_t hidden_in_slope = wasm_f32x4_splat(v->is_small ? FINE_IN_SLOPE : HIDDEN_IN_SLOPE);
  for (int at = 0; at < v->across; at += 4) {
    const v128_t luma = wasm_v128_load(here->luma + at), fine = wasm_v128_load(here->fine + at);
    const v128_t sides = wasm_f32x4_pmax(wasm_v128_load(v->grains + at - 1), wasm_v128_load(v->grains + at + 1));
    const v128_t grain = wasm_f32x4_pmax(sides, wasm_v128_load(v->grains + at));
    v128_t bent = between(grain, LEAST_GRAIN, FULL_GRAIN), in_slope = hidden_in_slope, striped = wasm_f32x4_const_splat(0);
    if (v->may_stripe) {
      const v128_t drawn = sloping(v, at, grain);
      if (v->is_small) striped = stripes_seen(here, at, drawn);
      else bent = beyond(bent, drawn), in_slope = blended(in_slope, wasm_f32x4_const_splat(HIDDEN_IN_DRAWN), drawn);
    }
    const v128_t levels = hidden_in(v, here, at);
    v128_t error = wasm_f32x4_add(seen_of(luma, levels, bent, in_slope), seen_of(fine, levels, bent, wasm_f32x4_const_splat(FINE_IN_SLOPE)));
    error = wasm_f32x4_add(error, striped);
    error = wasm_f32x4_add(error, chroma_seen(v, here, at));
    wasm_v128_store(v->worst + at, wasm_f32x4_pmax(wasm_v128_load(v->worst + at), error));
  }
}

// Whether a cell is at the seam of two of `tiles`, which fill `cells`: the edges of the sheet are no seams. Of a small tile fewer
// cells are, so that some of every tile count: what nobody looked at would be called the same.
static inline int is_at_seam(int cell, int cells, int tile) {
  if (tile == 0) return 0;
  const int start = cell - cell % tile, length = tile < cells - start ? tile : cells - start;
  const int has_before = start > 0, has_behind = start + length < cells;
  if (!has_before && !has_behind) return 0;
  const int most = (length - 1) / (has_before + has_behind), at_seam = most < SEAM ? most : SEAM;
  return (has_before && cell - start < at_seam) || (has_behind && start + length - cell <= at_seam);
}

// Counts the errors of a row of cells, given those above and below it.
static void count_cells(Visible *v, int row, const Line *above, const Line *here, const Line *below) {
  if (is_at_seam(row, v->cells_down, v->tile_down)) return;
  memset(v->worst, 0, sizeof(float) * v->across);
  for (int plane = 0; plane < v->planes; plane++) find_errors(v, &above[plane], &here[plane], &below[plane]);
  for (int at = 0; at < v->across; at += 4) wasm_v128_store(v->worst + at, wasm_f32x4_sqrt(wasm_v128_load(v->worst + at)));
  for (int at = 0; at < v->cells_across; at++) {
    if (!is_at_seam(at, v->cells_across, v->tile_across)) count_error(v, v->worst[at]);
  }
}

// A row of cells is whole: the one before it has all its neighbors.
static void step(Visible *v) {
  take_cells(v);
  v->rows = 0;
  const int last = v->lines - 1;
  if (last < 1) return;
  const int above = last > 1 ? last - 2 : 0;
  count_cells(v, last - 1, v->line[above % LINES], v->line[(last - 1) % LINES], v->line[last % LINES]);
}

// Takes a row into those that wait, its last pixel repeated to whole cells.
static void wait_row(const Visible *v, uint8_t *to, const uint8_t *row) {
  to += (size_t)v->across * CELL * 4 * v->rows;
  memcpy(to, row, (size_t)v->width * 4);
  for (int at = v->width; at < v->across * CELL; at++) memcpy(to + at * 4, row + (v->width - 1) * 4, 4);
}

// Takes the next rows of both pictures: RGBA8, straight alpha, sRGB.
void EXPORT(visible_push)(Visible *v, const uint8_t *first, const uint8_t *second, int rows) {
  const size_t stride = (size_t)v->width * 4;
  for (int row = 0; row < rows; row++) {
    wait_row(v, v->first, first + row * stride);
    wait_row(v, v->second, second + row * stride);
    if (++v->rows == CELL) step(v);
  }
}

// The mean error of so many cells that have most of it.
static double worst_of(const Visible *v, double cells) {
  double sum = 0, left = cells;
  for (int bin = BINS - 1; bin >= 0 && left > 0; bin--) {
    if (v->count[bin] == 0) continue;
    const double taken = v->count[bin] < left ? v->count[bin] : left;
    sum += v->sum[bin] / v->count[bin] * taken;
    left -= taken;
  }
  return sum / cells;
}

// The mean error of the worst cells once all rows are in: 0 for identical pictures, 1 is hardly to be seen; infinite without any
// cell. Ends it.
double EXPORT(visible_result)(Visible *v) {
  const size_t stride = (size_t)v->across * CELL * 4;
  while (v->rows > 0) {
    memcpy(v->first + stride * v->rows, v->first + stride * (v->rows - 1), stride);
    memcpy(v->second + stride * v->rows, v->second + stride * (v->rows - 1), stride);
    if (++v->rows == CELL) step(v);
  }
  const int last = v->lines - 1;
  if (last < 0) return INFINITY;
  const int above = last > 0 ? last - 1 : 0;
  count_cells(v, last, v->line[above % LINES], v->line[last % LINES], v->line[last % LINES]);
  const double part = floor(v->cells * WORST_PART + 0.5);
  return fmax(merged_in(&v->flats), fmax(worst_of(v, fmax(1, part)), worst_of(v, WORST_CELLS) / WORST_TO_PART));
}
