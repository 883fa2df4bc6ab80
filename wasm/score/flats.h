// Flat colors of a picture, and what a rendition makes of them: series of a chart, entries of its legend. Two that a person tells
// apart say nothing any more once they are one, however small a part of the picture they are, and however little each has moved.
#pragma once

#include <math.h>
#include <string.h>

#include "levels.h"

enum {
  FLAT_BITS = 11,
  FLATS = 1 << FLAT_BITS,
  MOST_FLATS = FLATS / 4 * 3,   // colors; a picture that has more is a photograph, or one of slopes
  FLAT_PIXELS = 2 * CELL,       // of a cell, of one color: two rows beside each other, or two columns
  LEAST_FLAT_CELLS = 4,         // a square of 10 pixels has as many, wherever it lies
  MOST_FLAT_CELLS = 1 << 20,    // that are summed
  SLOPE_LEVELS = 4,             // a flat color that is no farther from another one may be a step of a slope
  MERGED_PART = 4,              // colors are one at this part of the distance that they had
};
#define HIDDEN_BETWEEN 4.0f     // levels of luma by which flat colors that are told apart differ, at least
#define MERGED_WEIGHT 1.6f // grays that are farther apart than steps of a slope are told apart

// A flat color, all bytes of it; 0 is none, for it is seen through.
typedef struct {
  uint32_t color, cells, same; // cells, and those of them that a rendition shows as they are
  uint32_t sums[3];            // of the rendition's levels in the others
} Flat;

typedef struct {
  Flat flat[FLATS];
  Flat *last;
  int count, is_full;
} Flats;

// Where the first of two rows of a cell is, or CELL and the first of two columns, that are of one color; -1 where there are none.
static inline int flat_in(const v128_t row[CELL]) {
  enum { WHOLE = (1 << CELL) - 1 };
  uint32_t same[CELL - 1], columns = WHOLE, rows = 0;
  for (int at = 0; at < CELL - 1; at++) {
    same[at] = wasm_i32x4_bitmask(wasm_i32x4_eq(row[at], row[at + 1]));
    columns &= same[at], rows |= same[at] == WHOLE;
  }
  columns &= columns >> 1;
  if (!(rows | columns)) return -1;
  for (int at = 0; at < CELL - 1; at++) {
    const v128_t first = wasm_i32x4_shuffle(row[at], row[at], 0, 0, 0, 0);
    if (same[at] == WHOLE && wasm_i32x4_all_true(wasm_i32x4_eq(row[at], first))) return at;
  }
  columns &= wasm_i32x4_bitmask(wasm_i32x4_eq(row[0], wasm_i32x4_shuffle(row[0], row[0], 1, 2, 3, 3)));
  return columns ? CELL + __builtin_ctz(columns) : -1;
}

// The place of a color; 0 where there is no room for another one, from when on no cell counts.
static inline Flat *flat_of(Flats *flats, uint32_t color) {
  if (flats->last && flats->last->color == color) return flats->last;
  for (uint32_t at = (color * 0x9e3779b1u) >> (32 - FLAT_BITS);; at = (at + 1) & (FLATS - 1)) {
    Flat *const flat = &flats->flat[at];
    if (flat->color == 0) {
      flats->is_full = flats->count == MOST_FLATS;
      if (flats->is_full) return 0;
      flats->count++;
      flat->color = color;
    }
    if (flat->color == color) return flats->last = flat;
  }
}

// Takes a cell of both pictures into account.
static inline void take_flat(Flats *flats, const uint8_t *first, const uint8_t *second, size_t stride, int is_same) {
  if (flats->is_full) return;
  v128_t row[CELL];
  for (int at = 0; at < CELL; at++) row[at] = wasm_v128_load(first + stride * at);
  const int place = flat_in(row);
  if (place < 0) return;
  const int is_column = place >= CELL;
  const size_t from = is_column ? (size_t)(place - CELL) * 4 : stride * place;
  uint32_t color;
  memcpy(&color, first + from, sizeof color);
  if (color >> 24 != 255) return;
  Flat *const flat = flat_of(flats, color);
  if (!flat || flat->cells == MOST_FLAT_CELLS) return;
  flat->cells++;
  if (is_same) {
    flat->same++;
    return;
  }
  // Two pixels at a time: of a row, or of both columns.
  v128_t sums = wasm_i16x8_const_splat(0);
  for (int at = 0; at < CELL; at++) {
    const uint8_t *const made = second + from + (is_column ? stride * at : stride * (at / 2) + at % 2 * 8);
    sums = wasm_i16x8_add(sums, wasm_u16x8_load8x8(made));
  }
  flat->sums[0] += wasm_u16x8_extract_lane(sums, 0) + wasm_u16x8_extract_lane(sums, 4);
  flat->sums[1] += wasm_u16x8_extract_lane(sums, 1) + wasm_u16x8_extract_lane(sums, 5);
  flat->sums[2] += wasm_u16x8_extract_lane(sums, 2) + wasm_u16x8_extract_lane(sums, 6);
}

static inline float level_of(uint32_t color, int primary) { return (float)(color >> (8 * primary) & 255); }

// The most by which a primary of two colors differs.
static inline float primaries_apart(const float one[3], const float other[3]) {
  float most = 0;
  for (int primary = 0; primary < 3; primary++) most = fmaxf(most, fabsf(one[primary] - other[primary]));
  return most;
}

// How far two flat colors are apart, in units of what is seen.
static inline float colors_apart(const float one[3], const float other[3]) {
  const Means errors = {wasm_f32x4_splat(other[0] - one[0]), wasm_f32x4_splat(other[1] - one[1]), wasm_f32x4_splat(other[2] - one[2])};
  const Means levels = {wasm_f32x4_splat((one[0] + other[0]) / 2), wasm_f32x4_splat((one[1] + other[1]) / 2), wasm_f32x4_splat((one[2] + other[2]) / 2)};
  const v128_t glaring = wasm_f32x4_add(brightness_of(levels.red, levels.green, levels.blue), wasm_f32x4_const_splat(GLARE));
  const Means seen = {seen_in(glaring, errors.red, levels.red), seen_in(glaring, errors.green, levels.green), seen_in(glaring, errors.blue, levels.blue)};
  const float luma = wasm_f32x4_extract_lane(luma_of_means(seen), 0) / HIDDEN_BETWEEN;
  return sqrtf(luma * luma + wasm_f32x4_extract_lane(chroma_of_means(seen_colors(glaring, errors, levels)), 0));
}

// Whether no other color is so near that both may be steps of a slope; the last ones of all are none.
static inline int is_alone(const uint32_t color, const uint32_t colors[MOST_FLATS], int all) {
  const v128_t own = wasm_i32x4_splat((int32_t)color), most = wasm_i8x16_const_splat(SLOPE_LEVELS), none = wasm_i8x16_const_splat(0);
  int near = 0;
  for (int at = 0; at < all && near < 2; at += 4) {
    const v128_t others = wasm_v128_load(colors + at);
    const v128_t apart = wasm_v128_or(wasm_u8x16_sub_sat(own, others), wasm_u8x16_sub_sat(others, own));
    near += __builtin_popcount(wasm_i32x4_bitmask(wasm_i32x4_eq(wasm_u8x16_sub_sat(apart, most), none)));
  }
  return near < 2;
}

// The farthest that two flat colors were apart which are one in the rendition, as a difference; 0 where there are none.
static float merged_in(const Flats *flats) {
  uint32_t colors[MOST_FLATS] = {0};
  float shown[MOST_FLATS][3], made[MOST_FLATS][3];
  int all = 0, alone = 0;
  for (int at = 0; at < FLATS; at++) {
    if (flats->flat[at].color) colors[all++] = flats->flat[at].color;
  }
  for (int at = 0; at < FLATS; at++) {
    const Flat *const flat = &flats->flat[at];
    if (flat->cells < LEAST_FLAT_CELLS || !is_alone(flat->color, colors, all)) continue;
    for (int primary = 0; primary < 3; primary++) {
      const float level = level_of(flat->color, primary);
      shown[alone][primary] = level;
      made[alone][primary] = (flat->sums[primary] + (float)flat->same * FLAT_PIXELS * level) / ((float)flat->cells * FLAT_PIXELS);
    }
    alone++;
  }
  float most = 0;
  for (int one = 0; one < alone; one++) {
    for (int other = one + 1; other < alone; other++) {
      if (primaries_apart(made[one], made[other]) * MERGED_PART > primaries_apart(shown[one], shown[other])) continue;
      most = fmaxf(most, colors_apart(shown[one], shown[other]));
    }
  }
  return most * MERGED_WEIGHT;
}
