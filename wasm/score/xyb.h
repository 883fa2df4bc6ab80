// The XYB color space of JPEG XL, four pixels at a time, rounded as the reference tool rounds: what its blur makes of a
// plain area depends on the last bits. See gauss.h.
#pragma once
#include "gauss.h"

enum { CHANNELS = 3 };

enum { CONES = 6 }; // of two vectors of pixels

// What colors are made with.
typedef struct {
  float cones[CHANNELS][3];      // what each takes of red, green and blue
  float bias, minus_root;        // what is added to them, and the cube root of it, which is taken away again
  float third, four_thirds, half;
  float x_factor, x_moved, y_moved, b_moved; // what moves the channels into 0..1
} Colors;
extern const Colors COLORS;

#define COLOR(name) everywhere(&COLORS.name)

// The cube roots of positive values, and `add`: an estimate of the inverse root from the exponent, then Newton's steps. A
// step waits for the one before it, so several values take little longer than one.
static inline void cube_roots(v128_t *values, int count, v128_t add) {
  const v128_t third = COLOR(third), four_thirds = COLOR(four_thirds);
  v128_t inverse[CONES], part[CONES], square[CONES];
  for (int at = 0; at < count; at++) {
    v128_t exponents = wasm_i32x4_mul(wasm_u32x4_shr(values[at], 23), wasm_i32x4_splat(0x2aaaaa));
    inverse[at] = wasm_i32x4_sub(wasm_i32x4_splat(0x54800000), exponents);
    part[at] = wasm_f32x4_mul(third, values[at]);
  }
  for (int step = 0; step < 3; step++) {
    for (int at = 0; at < count; at++) square[at] = wasm_f32x4_mul(inverse[at], inverse[at]);
    for (int at = 0; at < count; at++) square[at] = wasm_f32x4_mul(square[at], square[at]);
    for (int at = 0; at < count; at++) {
      inverse[at] = wasm_f32x4_relaxed_nmadd(part[at], square[at], wasm_f32x4_mul(four_thirds, inverse[at]));
    }
  }
  for (int at = 0; at < count; at++) square[at] = wasm_f32x4_mul(inverse[at], inverse[at]);
  for (int at = 0; at < count; at++) {
    v128_t left = wasm_f32x4_relaxed_nmadd(values[at], wasm_f32x4_mul(square[at], square[at]), inverse[at]);
    inverse[at] = fused(third, left, inverse[at]);
  }
  for (int at = 0; at < count; at++) values[at] = fused(wasm_f32x4_mul(inverse[at], inverse[at]), values[at], add);
}

static inline v128_t mix(const v128_t rgb[3], const float of[3]) {
  v128_t sum = fused(everywhere(&of[2]), rgb[2], COLOR(bias));
  return fused(everywhere(&of[0]), rgb[0], fused(everywhere(&of[1]), rgb[1], sum));
}

// Two vectors of pixels; the second may be the first.
static inline void convert(const float *linear, int stride, const int at[2], float *const rows[CHANNELS], int has_blue) {
  const v128_t half = COLOR(half);
  v128_t cones[CONES];
  for (int vector = 0; vector < 2; vector++) {
    v128_t rgb[3];
    for (int plane = 0; plane < 3; plane++) rgb[plane] = wasm_v128_load(linear + plane * stride + at[vector]);
    cones[vector] = mix(rgb, COLORS.cones[0]);
    cones[2 + vector] = mix(rgb, COLORS.cones[1]);
    if (has_blue) cones[4 + vector] = mix(rgb, COLORS.cones[2]);
  }
  cube_roots(cones, has_blue ? 6 : 4, COLOR(minus_root));
  for (int vector = 0; vector < 2; vector++) {
    v128_t l = cones[vector], m = cones[2 + vector], y = wasm_f32x4_mul(half, wasm_f32x4_add(l, m));
    if (rows[0]) {
      v128_t x = wasm_f32x4_mul(wasm_f32x4_mul(half, wasm_f32x4_sub(l, m)), COLOR(x_factor));
      wasm_v128_store(rows[0] + at[vector], wasm_f32x4_add(x, COLOR(x_moved)));
    }
    if (has_blue) {
      v128_t b = wasm_f32x4_sub(cones[4 + vector], y);
      wasm_v128_store(rows[2] + at[vector], wasm_f32x4_add(b, COLOR(b_moved)));
    }
    if (rows[1]) wasm_v128_store(rows[1] + at[vector], wasm_f32x4_add(y, COLOR(y_moved)));
  }
}

enum { BLOCK = 8, BLOCKS = 64 }; // pixels, and blocks of them that are looked through before any is converted

// What four values differ by from the ones before them.
static inline v128_t steps_of(const float *values) { return wasm_v128_xor(wasm_v128_load(values), wasm_v128_load(values - 1)); }

// Whether the pixels of a block are all like the one before it, as most of a drawing are.
static inline int is_plain(const float *linear, int stride, int at) {
  v128_t steps = steps_of(linear + stride + at);
  if (wasm_v128_any_true(steps)) return 0;
  const int second = at + 4 < stride ? at + 4 : at;
  for (int plane = 0; plane < 3; plane++, linear += stride)
    steps = wasm_v128_or(steps, wasm_v128_or(steps_of(linear + at), steps_of(linear + second)));
  return !wasm_v128_any_true(steps);
}

static inline void convert_block(const float *linear, int stride, int at, float *const rows[CHANNELS]) {
  const int both[2] = {at, at + 4 < stride ? at + 4 : at};
  if (rows[2]) convert(linear, stride, both, rows, 1);
  else convert(linear, stride, both, rows, 0);
}

static inline void repeat(float *row, int stride, int at) {
  const v128_t value = everywhere(&row[at - 1]);
  wasm_v128_store(row + at, value);
  if (at + 4 < stride) wasm_v128_store(row + at + 4, value);
}

// One row of linear RGB, planes of `stride` floats, to XYB, moved into 0..1; channels without a row are left out.
static void to_xyb(const float *linear, int stride, float *const rows[CHANNELS]) {
  for (int from = 0; from < stride; from += BLOCK * BLOCKS) {
    const int to = from + BLOCK * BLOCKS < stride ? from + BLOCK * BLOCKS : stride;
    uint64_t plain = 0;
    for (int at = from > 0 ? from : BLOCK; at < to; at += BLOCK)
      plain |= (uint64_t)is_plain(linear, stride, at) << (at - from) / BLOCK;
    uint64_t left = plain;
    for (int at = from; at < to; at += BLOCK, left >>= 1)
      if (!(left & 1)) convert_block(linear, stride, at, rows);
    for (int at = from; plain; at += BLOCK, plain >>= 1) {
      if (!(plain & 1)) continue;
      for (int c = 0; c < CHANNELS; c++)
        if (rows[c]) repeat(rows[c], stride, at);
    }
  }
}
