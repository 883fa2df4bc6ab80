// Chroma upsampling by libjpeg's triangle filter (jdsample.c), bit for bit.
#ifndef SCALAR
#define JPEG_INTERNALS
#include "jinclude.h"
#include "jpeglib.h"
#include "jsimd.h"
#include "../simd.h"

enum { STEP = 8 };  // input samples per vector

// Eight samples in[i] with their neighbors to sixteen: (3 in[i] + in[i -/+ 1] + bias) / 4.
INLINE_KERNEL void widen_step(const JSAMPLE *in, JSAMPLE *out) {
  const v128_t before = wasm_u16x8_load8x8(in - 1), here = wasm_u16x8_load8x8(in), after = wasm_u16x8_load8x8(in + 1);
  const v128_t three = wasm_i16x8_add(here, wasm_i16x8_shl(here, 1));
  const v128_t even = wasm_u16x8_shr(wasm_i16x8_add(wasm_i16x8_add(three, before), wasm_i16x8_splat(1)), 2);
  const v128_t odd = wasm_u16x8_shr(wasm_i16x8_add(wasm_i16x8_add(three, after), wasm_i16x8_splat(2)), 2);
  wasm_v128_store(out, wasm_v128_or(even, wasm_i16x8_shl(odd, 8)));
}

static void widen_row(const JSAMPLE *in, JSAMPLE *out, uint32_t width) {
  out[0] = in[0];
  out[1] = (in[0] * 3 + in[1] + 2) >> 2;
  uint32_t x = 1;
  for (; x + STEP < width; x += STEP) widen_step(in + x, out + 2 * x);
  for (; x < width - 1; x++) {
    out[2 * x] = (in[x] * 3 + in[x - 1] + 1) >> 2;
    out[2 * x + 1] = (in[x] * 3 + in[x + 1] + 2) >> 2;
  }
  out[2 * x] = (in[x] * 3 + in[x - 1] + 1) >> 2;
  out[2 * x + 1] = in[x];
}

void jsimd_h2v1_fancy_upsample(j_decompress_ptr jpeg, jpeg_component_info *component, JSAMPARRAY in,
                               JSAMPARRAY *out) {
  for (int row = 0; row < jpeg->max_v_samp_factor; row++)
    widen_row(in[row], (*out)[row], component->downsampled_width);
}

// Sums of a column: 3 near + far.
INLINE_KERNEL v128_t column_sums(const JSAMPLE *near, const JSAMPLE *far) {
  const v128_t n = wasm_u16x8_load8x8(near);
  return wasm_i16x8_add(wasm_i16x8_add(n, wasm_i16x8_shl(n, 1)), wasm_u16x8_load8x8(far));
}

INLINE_KERNEL void enlarge_step(const JSAMPLE *near, const JSAMPLE *far, JSAMPLE *out) {
  const v128_t before = column_sums(near - 1, far - 1), here = column_sums(near, far);
  const v128_t after = column_sums(near + 1, far + 1), three = wasm_i16x8_add(here, wasm_i16x8_shl(here, 1));
  const v128_t even = wasm_u16x8_shr(wasm_i16x8_add(wasm_i16x8_add(three, before), wasm_i16x8_splat(8)), 4);
  const v128_t odd = wasm_u16x8_shr(wasm_i16x8_add(wasm_i16x8_add(three, after), wasm_i16x8_splat(7)), 4);
  wasm_v128_store(out, wasm_v128_or(even, wasm_i16x8_shl(odd, 8)));
}

static void enlarge_row(const JSAMPLE *near, const JSAMPLE *far, JSAMPLE *out, uint32_t width) {
  int here = near[0] * 3 + far[0], after = near[1] * 3 + far[1];
  out[0] = (here * 4 + 8) >> 4;
  out[1] = (here * 3 + after + 7) >> 4;
  uint32_t x = 1;
  for (; x + STEP < width; x += STEP) enlarge_step(near + x, far + x, out + 2 * x);
  int before = near[x - 1] * 3 + far[x - 1];
  here = near[x] * 3 + far[x];
  for (; x < width - 1; x++) {
    after = near[x + 1] * 3 + far[x + 1];
    out[2 * x] = (here * 3 + before + 8) >> 4;
    out[2 * x + 1] = (here * 3 + after + 7) >> 4;
    before = here;
    here = after;
  }
  out[2 * x] = (here * 3 + before + 8) >> 4;
  out[2 * x + 1] = (here * 4 + 7) >> 4;
}

void jsimd_h2v2_fancy_upsample(j_decompress_ptr jpeg, jpeg_component_info *component, JSAMPARRAY in,
                               JSAMPARRAY *out) {
  for (int row = 0; row < jpeg->max_v_samp_factor; row += 2, in++) {
    enlarge_row(in[0], in[-1], (*out)[row], component->downsampled_width);
    enlarge_row(in[0], in[1], (*out)[row + 1], component->downsampled_width);
  }
}
#endif
