// YCbCr to RGBA with the results of libjpeg's tables (jdcolor.c), bit for bit: each product is rounded on its own.
#ifndef SCALAR
#include <string.h>
#define JPEG_INTERNALS
#include "jinclude.h"
#include "jpeglib.h"
#include "jerror.h"
#include "jsimd.h"
#include "../simd.h"

struct rgb { v128_t r, g, b; };

// Eight pixels of 16-bit lanes, chroma around 0. Factors above 1 are split so that they fit 16 bits: 1.402 cr is
// cr + 0.402 cr, 1.772 cb is 2 cb - 0.228 cb, -0.714 cr is -cr + 0.286 cr. The fractions of red and blue in 15 bits,
// and rounded, are what the tables hold for all 256 values.
INLINE_KERNEL struct rgb convert8(v128_t y, v128_t cb, v128_t cr) {
  const v128_t half = wasm_i32x4_splat(1 << 15);
  const v128_t red = wasm_i16x8_q15mulr_sat(cr, wasm_i16x8_splat(13173));
  const v128_t blue = wasm_i16x8_q15mulr_sat(cb, wasm_i16x8_splat(-7471));
  const v128_t green_low = wasm_i32x4_add(dot_pairs(low16(cb, cr), -22554, 18734), half);
  const v128_t green_high = wasm_i32x4_add(dot_pairs(high16(cb, cr), -22554, 18734), half);
  const v128_t green = wasm_i16x8_narrow_i32x4(wasm_i32x4_shr(green_low, 16), wasm_i32x4_shr(green_high, 16));
  struct rgb out;
  out.r = wasm_i16x8_add(y, wasm_i16x8_add(cr, red));
  out.g = wasm_i16x8_add(y, wasm_i16x8_sub(green, cr));
  out.b = wasm_i16x8_add(y, wasm_i16x8_add(wasm_i16x8_shl(cb, 1), blue));
  return out;
}

INLINE_KERNEL void convert16(const JSAMPLE *y, const JSAMPLE *cb, const JSAMPLE *cr, JSAMPLE *out) {
  const v128_t center = wasm_i16x8_splat(CENTERJSAMPLE);
  const v128_t ys = wasm_v128_load(y), cbs = wasm_v128_load(cb), crs = wasm_v128_load(cr);
  const struct rgb low = convert8(wasm_u16x8_extend_low_u8x16(ys),
                                  wasm_i16x8_sub(wasm_u16x8_extend_low_u8x16(cbs), center),
                                  wasm_i16x8_sub(wasm_u16x8_extend_low_u8x16(crs), center));
  const struct rgb high = convert8(wasm_u16x8_extend_high_u8x16(ys),
                                   wasm_i16x8_sub(wasm_u16x8_extend_high_u8x16(cbs), center),
                                   wasm_i16x8_sub(wasm_u16x8_extend_high_u8x16(crs), center));
  const v128_t r = wasm_u8x16_narrow_i16x8(low.r, high.r), g = wasm_u8x16_narrow_i16x8(low.g, high.g);
  const v128_t b = wasm_u8x16_narrow_i16x8(low.b, high.b), a = wasm_i8x16_splat(-1);
  const v128_t rg_low = low8(r, g), rg_high = high8(r, g), ba_low = low8(b, a), ba_high = high8(b, a);
  wasm_v128_store(out, low16(rg_low, ba_low));
  wasm_v128_store(out + 16, high16(rg_low, ba_low));
  wasm_v128_store(out + 32, low16(rg_high, ba_high));
  wasm_v128_store(out + 48, high16(rg_high, ba_high));
}

void jsimd_ycc_rgb_convert(j_decompress_ptr jpeg, JSAMPIMAGE in, JDIMENSION row, JSAMPARRAY out, int count) {
  if (jpeg->out_color_space != JCS_EXT_RGBA) ERREXIT(jpeg, JERR_CONVERSION_NOTIMPL);
  const uint32_t width = jpeg->output_width;
  for (int i = 0; i < count; i++, row++) {
    const JSAMPLE *y = in[0][row], *cb = in[1][row], *cr = in[2][row];
    uint32_t x = 0;
    for (; x + 16 <= width; x += 16) convert16(y + x, cb + x, cr + x, out[i] + 4 * x);
    if (x == width) continue;
    const uint32_t rest = width - x;
    JSAMPLE ends[3][16] = {{0}}, pixels[64];
    memcpy(ends[0], y + x, rest);
    memcpy(ends[1], cb + x, rest);
    memcpy(ends[2], cr + x, rest);
    convert16(ends[0], ends[1], ends[2], pixels);
    memcpy(out[i] + 4 * x, pixels, 4 * rest);
  }
}
#endif
