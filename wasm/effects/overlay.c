// One picture on another (Porter and Duff 1984, source over).
#include "effects.h"

// Lays rows of `over_width` pixels on rows of `width` pixels, beginning at pixel x of each, with their alpha times
// `opacity`, 0 to 1. The overlay must lie inside.
void EXPORT(overlay_rows)(uint8_t *base, int width, int x, const uint8_t *over, int over_width, int rows,
                          float opacity) {
  for (int row = 0; row < rows; row++) {
    uint8_t *below = base + ((size_t)row * width + x) * 4;
    for (int column = 0; column < over_width; column++, below += 4, over += 4) {
      const float above = over[3] * opacity;
      if (above <= 0) continue;
      const float rest = below[3] * (255 - above) * (1 / 255.0f), alpha = above + rest;
      const v128_t a = wasm_f32x4_convert_i32x4(
          wasm_u32x4_extend_low_u16x8(wasm_u16x8_extend_low_u8x16(wasm_v128_load32_zero(over))));
      const v128_t b = wasm_f32x4_convert_i32x4(
          wasm_u32x4_extend_low_u16x8(wasm_u16x8_extend_low_u8x16(wasm_v128_load32_zero(below))));
      const v128_t color = wasm_f32x4_add(wasm_f32x4_mul(a, wasm_f32x4_splat(above / alpha)),
                                          wasm_f32x4_mul(b, wasm_f32x4_splat(rest / alpha)));
      store_bytes(below, wasm_f32x4_replace_lane(color, 3, alpha));
    }
  }
}
