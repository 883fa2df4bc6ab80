// Pointwise work on RGBA8 pixels with straight alpha, in place.
#include "pixels.h"

static inline v128_t load4(const uint8_t *p) { return wasm_u32x4_extend_low_u16x8(wasm_u16x8_extend_low_u8x16(wasm_v128_load32_zero(p))); }

// Stores four floats, rounded and clamped, as four bytes.
static inline void store4(uint8_t *p, v128_t v) {
  v = wasm_i32x4_trunc_sat_f32x4(wasm_f32x4_add(v, wasm_f32x4_const_splat(0.5f)));
  v = wasm_i16x8_narrow_i32x4(v, v);
  wasm_v128_store32_lane(p, wasm_u8x16_narrow_i16x8(v, v), 0);
}

// Mirrors each of `rows` rows of `width` pixels.
void EXPORT(flip_rows)(uint32_t *pixel, int width, int rows) {
  for (; rows > 0; rows--, pixel += width)
    for (int left = 0, right = width - 1; left < right; left++, right--) {
      const uint32_t swap = pixel[left];
      pixel[left] = pixel[right], pixel[right] = swap;
    }
}

// Makes what cannot be seen the same everywhere: fully transparent pixels become 0.
void EXPORT(clear_hidden)(uint32_t *pixel, int count) {
  for (int i = 0; i < count; i++) pixel[i] = pixel[i] >> 24 ? pixel[i] : 0;
}

// Puts the pixels on an opaque color.
void EXPORT(flatten_pixels)(uint8_t *p, int count, int red, int green, int blue) {
  for (int i = 0; i < count; i++, p += 4) {
    const int alpha = p[3];
    if (alpha == 255) continue;
    p[0] = (uint8_t)divide255(p[0] * alpha + red * (255 - alpha));
    p[1] = (uint8_t)divide255(p[1] * alpha + green * (255 - alpha));
    p[2] = (uint8_t)divide255(p[2] * alpha + blue * (255 - alpha));
    p[3] = 255;
  }
}

// One color of four pixels, by its factors; rounded, not yet clamped.
static inline v128_t weighted(const float *m, v128_t red, v128_t green, v128_t blue) {
  v128_t sum = wasm_f32x4_add(wasm_f32x4_splat(m[3]), wasm_f32x4_mul(wasm_f32x4_splat(m[0]), red));
  sum = wasm_f32x4_add(sum, wasm_f32x4_mul(wasm_f32x4_splat(m[1]), green));
  sum = wasm_f32x4_add(sum, wasm_f32x4_mul(wasm_f32x4_splat(m[2]), blue));
  // The sums are far from the ends of 32 bits: the relaxed form does the same, in one instruction.
  return wasm_i32x4_relaxed_trunc_f32x4(wasm_f32x4_add(sum, wasm_f32x4_const_splat(0.5f)));
}

// Four pixels, each color a weighted sum of the three.
static inline v128_t multiplied(const float *m, v128_t pixels) {
  const v128_t level = wasm_i32x4_const_splat(255);
  const v128_t red = wasm_f32x4_convert_i32x4(wasm_v128_and(pixels, level));
  const v128_t green = wasm_f32x4_convert_i32x4(wasm_v128_and(wasm_u32x4_shr(pixels, 8), level));
  const v128_t blue = wasm_f32x4_convert_i32x4(wasm_v128_and(wasm_u32x4_shr(pixels, 16), level));
  const v128_t rg = wasm_i16x8_narrow_i32x4(weighted(m, red, green, blue), weighted(m + 4, red, green, blue));
  const v128_t ba = wasm_i16x8_narrow_i32x4(weighted(m + 8, red, green, blue), wasm_u32x4_shr(pixels, 24));
  return permute(wasm_u8x16_narrow_i16x8(rg, ba), wasm_i8x16_const(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15));
}

// color' = m[0..2] . color + m[3] for red, and so on for green and blue: 12 factors, row by row; offsets in levels.
void EXPORT(apply_matrix)(uint8_t *p, int count, const float *m) {
  int i = 0;
  for (; i + 4 <= count; i += 4) wasm_v128_store(p + i * 4, multiplied(m, wasm_v128_load(p + i * 4)));
  uint32_t rest[4] = {0};
  memcpy(rest, p + i * 4, (size_t)(count - i) * 4);
  wasm_v128_store(rest, multiplied(m, wasm_v128_load(rest)));
  memcpy(p + i * 4, rest, (size_t)(count - i) * 4);
}

// Replaces each sample by its entry: 256 for red, then green, blue, alpha.
void EXPORT(apply_tables)(uint8_t *p, int count, const uint8_t *table) {
  for (int i = 0; i < count; i++, p += 4) {
    p[0] = table[p[0]], p[1] = table[256 + p[1]], p[2] = table[512 + p[2]], p[3] = table[768 + p[3]];
  }
}

// Lays `over` on `base` (Porter and Duff 1984, source over) with its alpha times `opacity`, 0 to 255; the result is in
// `base`.
void EXPORT(composite_pixels)(uint8_t *base, const uint8_t *over, int count, int opacity) {
  for (int i = 0; i < count; i++, base += 4, over += 4) {
    const int above = divide255(over[3] * opacity);
    if (above == 0) continue;
    if (above == 255) {
      memcpy(base, over, 4);
      continue;
    }
    const int below = base[3] * (255 - above);      // times 255
    const int total = above * 255 + below;          // alpha of the result, times 255
    const float reciprocal = 1.0f / (float)total;
    const float from_over = (float)(above * 255) * reciprocal, from_base = (float)below * reciprocal;
    const v128_t a = wasm_f32x4_mul(wasm_f32x4_convert_i32x4(load4(over)), wasm_f32x4_splat(from_over));
    const v128_t b = wasm_f32x4_mul(wasm_f32x4_convert_i32x4(load4(base)), wasm_f32x4_splat(from_base));
    store4(base, wasm_f32x4_add(a, b));
    base[3] = (uint8_t)divide255(total);
  }
}

// Color times alpha, rounded; and back (a pixel without alpha becomes 0).
void EXPORT(premultiply_pixels)(uint8_t *p, int count) {
  for (int i = 0; i < count; i++, p += 4)
    for (int c = 0; c < 3; c++) p[c] = (uint8_t)divide255(p[c] * p[3]);
}

void EXPORT(unpremultiply_pixels)(uint8_t *p, int count) {
  for (int i = 0; i < count; i++, p += 4) {
    const int alpha = p[3];
    for (int c = 0; c < 3; c++) p[c] = alpha ? (uint8_t)MIN(255, (p[c] * 255 + alpha / 2) / alpha) : 0;
  }
}

// Four opaque pixels of three bytes, to be found in the first twelve.
static inline v128_t opaque4(v128_t colors) {
  const v128_t spread = permute(colors, wasm_i8x16_const(0, 1, 2, 12, 3, 4, 5, 12, 6, 7, 8, 12, 9, 10, 11, 12));
  return wasm_v128_or(spread, wasm_u32x4_const_splat(0xff000000));
}

// Packs the colors of the pixels, three bytes each, from the start on.
void EXPORT(drop_alpha)(uint8_t *p, int count) {
  for (int i = 0; i < count; i++) memmove(p + i * 3, p + i * 4, 3);
}

// The reverse: from colors to opaque pixels; the last first, as pixels take more room.
void EXPORT(add_alpha)(uint8_t *p, int count) {
  int i = count;
  for (; i % 4; i--) {
    const uint32_t pixel = p[i * 3 - 3] | (uint32_t)p[i * 3 - 2] << 8 | (uint32_t)p[i * 3 - 1] << 16 | 0xff000000;
    memcpy(p + (i - 1) * 4, &pixel, 4);
  }
  for (i -= 4; i >= 0; i -= 4) wasm_v128_store(p + i * 4, opaque4(wasm_v128_load(p + i * 3)));
}
