// The XYB color space of JPEG XL, four pixels at a time, rounded as the reference tool rounds: what its blur makes of a
// plain area depends on the last bits. See gauss.h.
#pragma once
#include "gauss.h"

enum { CHANNELS = 3 };

enum { CONES = 6 }; // of two vectors of pixels

// The cube roots of positive values, and `add`: an estimate of the inverse root from the exponent, then Newton's steps. A
// step waits for the one before it, so several values take little longer than one.
static inline void cube_roots(v128_t *values, int count, v128_t add) {
  const v128_t third = wasm_f32x4_splat(1.0f / 3), four_thirds = wasm_f32x4_splat(4.0f / 3);
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

static inline v128_t mix(const v128_t rgb[3], float mr, float mg, float mb) {
  v128_t sum = fused(wasm_f32x4_splat(mb), rgb[2], wasm_f32x4_splat(0.0037930732552754493f));
  return fused(wasm_f32x4_splat(mr), rgb[0], fused(wasm_f32x4_splat(mg), rgb[1], sum));
}

// Two vectors of pixels; the second may be the first.
static inline void convert(const float *linear, int stride, const int at[2], float *const rows[CHANNELS], int has_blue) {
  const float mr = 0.24342268924547819f, mg = 0.20476744424496821f;
  const v128_t half = wasm_f32x4_splat(0.5f);
  v128_t cones[CONES];
  for (int vector = 0; vector < 2; vector++) {
    v128_t rgb[3];
    for (int plane = 0; plane < 3; plane++) rgb[plane] = wasm_v128_load(linear + plane * stride + at[vector]);
    cones[vector] = mix(rgb, 0.30f, 1.0f - 0.078f - 0.30f, 0.078f);
    cones[2 + vector] = mix(rgb, 0.23f, 1.0f - 0.078f - 0.23f, 0.078f);
    if (has_blue) cones[4 + vector] = mix(rgb, mr, mg, 1.0f - mr - mg);
  }
  cube_roots(cones, has_blue ? 6 : 4, wasm_f32x4_splat(-0.155954202f));
  for (int vector = 0; vector < 2; vector++) {
    v128_t l = cones[vector], m = cones[2 + vector], y = wasm_f32x4_mul(half, wasm_f32x4_add(l, m));
    if (rows[0]) {
      v128_t x = wasm_f32x4_mul(wasm_f32x4_mul(half, wasm_f32x4_sub(l, m)), wasm_f32x4_splat(14));
      wasm_v128_store(rows[0] + at[vector], wasm_f32x4_add(x, wasm_f32x4_splat(0.42f)));
    }
    if (has_blue) {
      v128_t b = wasm_f32x4_sub(cones[4 + vector], y);
      wasm_v128_store(rows[2] + at[vector], wasm_f32x4_add(b, wasm_f32x4_splat(0.55f)));
    }
    if (rows[1]) wasm_v128_store(rows[1] + at[vector], wasm_f32x4_add(y, wasm_f32x4_splat(0.01f)));
  }
}

// One row of linear RGB, planes of `stride` floats, to XYB, moved into 0..1; channels without a row are left out.
static void to_xyb(const float *linear, int stride, float *const rows[CHANNELS]) {
  for (int at = 0; at < stride; at += 8) {
    const int both[2] = {at, at + 4 < stride ? at + 4 : at};
    if (rows[2]) convert(linear, stride, both, rows, 1);
    else convert(linear, stride, both, rows, 0);
  }
}
