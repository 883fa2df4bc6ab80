// The XYB color space of JPEG XL, four pixels at a time.
#pragma once
#include <wasm_simd128.h>

enum { CHANNELS = 3 };

// Cube root of values in 0..2, to the last bits of a float and without divisions: an estimate of the inverse root from
// the exponent, off by 3 percent at most, then two steps of its series in h = 1 - value * inverse^3.
static v128_t cube_root(v128_t value) {
  const v128_t one = wasm_f32x4_splat(1), third = wasm_f32x4_splat(1.0f / 3);
  v128_t bits = wasm_i32x4_add(wasm_i32x4_shr(value, 2), wasm_i32x4_shr(value, 4));
  bits = wasm_i32x4_add(bits, wasm_i32x4_shr(bits, 4));
  bits = wasm_i32x4_add(bits, wasm_i32x4_shr(bits, 8));
  v128_t inverse = wasm_i32x4_sub(wasm_i32x4_splat(0x54a21d2a), bits);
  v128_t h = wasm_f32x4_sub(one, wasm_f32x4_mul(value, wasm_f32x4_mul(inverse, wasm_f32x4_mul(inverse, inverse))));
  v128_t series = wasm_f32x4_add(wasm_f32x4_splat(2.0f / 9), wasm_f32x4_mul(h, wasm_f32x4_splat(14.0f / 81)));
  series = wasm_f32x4_mul(h, wasm_f32x4_add(third, wasm_f32x4_mul(h, series)));
  inverse = wasm_f32x4_add(inverse, wasm_f32x4_mul(inverse, series));
  v128_t square = wasm_f32x4_mul(inverse, inverse), root = wasm_f32x4_mul(value, square);
  h = wasm_f32x4_sub(one, wasm_f32x4_mul(root, inverse));
  return wasm_f32x4_add(root, wasm_f32x4_mul(root, wasm_f32x4_mul(h, wasm_f32x4_splat(2.0f / 3))));
}

static v128_t mix(v128_t r, v128_t g, v128_t b, float mr, float mg, float mb) {
  v128_t sum = wasm_f32x4_add(wasm_f32x4_mul(r, wasm_f32x4_splat(mr)), wasm_f32x4_mul(g, wasm_f32x4_splat(mg)));
  sum = wasm_f32x4_add(sum, wasm_f32x4_add(wasm_f32x4_mul(b, wasm_f32x4_splat(mb)), wasm_f32x4_splat(0.0037930732552754493f)));
  return wasm_f32x4_sub(cube_root(sum), wasm_f32x4_splat(0.15595420054924862f));
}

// One row of linear RGB (planar, `width` floats each) to the XYB of JPEG XL, moved into 0..1.
static void to_xyb(const float *linear, int width, float *x_row, float *y_row, float *b_row) {
  for (int at = 0; at < width; at += 4) {
    // The last step may read into the next plane, or past the last one into the slack; those lanes are cleared below.
    v128_t r = wasm_v128_load(linear + at);
    v128_t g = wasm_v128_load(linear + width + at);
    v128_t b = wasm_v128_load(linear + 2 * width + at);
    v128_t l = mix(r, g, b, 0.30f, 0.622f, 0.078f);
    v128_t m = mix(r, g, b, 0.23f, 0.692f, 0.078f);
    v128_t y = wasm_f32x4_mul(wasm_f32x4_add(l, m), wasm_f32x4_splat(0.5f));
    if (x_row) {
      v128_t x = wasm_f32x4_mul(wasm_f32x4_sub(l, m), wasm_f32x4_splat(0.5f));
      wasm_v128_store(x_row + at, wasm_f32x4_add(wasm_f32x4_mul(x, wasm_f32x4_splat(14)), wasm_f32x4_splat(0.42f)));
    }
    if (b_row) {
      v128_t s = mix(r, g, b, 0.24342268924547819f, 0.20476744424496821f, 0.5518098665095536f);
      wasm_v128_store(b_row + at, wasm_f32x4_add(wasm_f32x4_sub(s, y), wasm_f32x4_splat(0.55f)));
    }
    if (y_row) wasm_v128_store(y_row + at, wasm_f32x4_add(y, wasm_f32x4_splat(0.01f)));
  }
  float *rows[CHANNELS] = {x_row, y_row, b_row};
  for (int channel = 0; channel < CHANNELS; channel++) {
    for (int at = width; rows[channel] && at < ((width + 3) & ~3); at++) rows[channel][at] = 0;
  }
}
