// Rows of opaque pixels as 16-bit samples, and back.
#include "effects.h"

void extend_samples(int16_t *row, int width, int padding, int channels) {
  const size_t bytes = (size_t)channels * sizeof(int16_t);
  int16_t *first = row + (size_t)padding * channels, *last = first + (size_t)(width - 1) * channels;
  for (ptrdiff_t x = 1; x <= padding; x++) {
    memcpy(first - x * channels, first, bytes);
    memcpy(last + x * channels, last, bytes);
  }
}

void take_samples(int16_t *place, const uint8_t *source, int width, int padding, int fraction) {
  const v128_t without_alpha = wasm_i8x16_const(0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, 15, 15, 15, 15);
  int16_t *sample = place + (size_t)padding * 3;
  int x = 0;
  for (; x + 4 <= width; x += 4, sample += 12) {
    const v128_t rgb = permute(wasm_v128_load(source + (size_t)x * 4), without_alpha);
    wasm_v128_store(sample, wasm_i16x8_shl(wasm_u16x8_extend_low_u8x16(rgb), (uint32_t)fraction));
    wasm_v128_store(sample + 8, wasm_i16x8_shl(wasm_u16x8_extend_high_u8x16(rgb), (uint32_t)fraction));
  }
  for (; x < width; x++, sample += 3)
    for (int c = 0; c < 3; c++) sample[c] = (int16_t)(source[(size_t)x * 4 + c] << fraction);
  extend_samples(place, width, padding, 3);
}

void store_opaque(uint8_t *result, const uint8_t *rgb, int width) {
  const v128_t spread = wasm_i8x16_const(0, 1, 2, 0, 3, 4, 5, 0, 6, 7, 8, 0, 9, 10, 11, 0);
  const v128_t alpha = wasm_i32x4_const_splat((int)0xff000000);
  int x = 0;
  for (; x + 4 <= width; x += 4)
    wasm_v128_store(result + (size_t)x * 4, wasm_v128_or(permute(wasm_v128_load(rgb + (size_t)x * 3), spread), alpha));
  for (; x < width; x++) {
    memcpy(result + (size_t)x * 4, rgb + (size_t)x * 3, 3);
    result[(size_t)x * 4 + 3] = 255;
  }
}
