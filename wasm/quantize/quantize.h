// What counting, choosing and mapping of colors share.
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <wasm_simd128.h>

#include "../native.h"

enum {
  MOST_COLORS = 256,
  FEW_COLORS = 48,  // of which all are looked at
};

// A pixel is a word with the bytes R, G, B, A in memory. A color is a point of a space in which distances are
// alike: see space.c.
typedef v128_t Color;

void space_init(void);
Color color_of(uint32_t pixel);
void colors_of(const uint32_t pixel[4], Color to[4]);
uint32_t pixel_of(Color color);

static inline float sum4(v128_t v) {
  v = wasm_f32x4_add(v, wasm_i32x4_shuffle(v, v, 2, 3, 0, 1));
  v = wasm_f32x4_add(v, wasm_i32x4_shuffle(v, v, 1, 0, 3, 2));
  return wasm_f32x4_extract_lane(v, 0);
}

static inline float distance(Color a, Color b) {
  const v128_t d = wasm_f32x4_sub(a, b);
  return sum4(wasm_f32x4_mul(d, d));
}

// Colors with their neighbors, nearest first: what makes searching among them fast.
typedef struct {
  Color color[MOST_COLORS];
  uint32_t pixel[MOST_COLORS];
  int count, sorted;  // `sorted`: the order below is one of these colors
  uint8_t order[MOST_COLORS][MOST_COLORS];
  float apart[MOST_COLORS][MOST_COLORS];  // squared, in that order
  v128_t few[FEW_COLORS / 4][4];  // the coordinates of four colors each, where there are few
  int axes;                       // of those, that tell them apart: not the last where all have the same alpha
} Palette;

void palette_group(Palette *palette);
int palette_nearest_of_few(const Palette *palette, Color color);
void palette_index(Palette *palette);
int palette_nearest(const Palette *palette, Color color, int guess, float *squared);
