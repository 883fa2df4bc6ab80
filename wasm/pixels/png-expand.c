// PNG rows as they are stored, of any color type and depth, to RGBA8; those of 16 bits also to RGBA16.
#include "png-reader.h"

static void expand_indexed(const Reader *r, const uint8_t *row, uint8_t *out, int width) {
  const int depth = r->depth, mask = (1 << depth) - 1;
  uint32_t *pixel = (uint32_t *)out;
  if (depth == 8)
    for (int x = 0; x < width; x++) pixel[x] = r->table[row[x]];
  else
    for (int x = 0; x < width; x++) {
      const int bit = x * depth;
      pixel[x] = r->table[row[bit >> 3] >> (8 - depth - (bit & 7)) & mask];
    }
}

static void expand_rgb(const Reader *r, const uint8_t *row, uint8_t *out, int width) {
  const v128_t opaque = wasm_i32x4_const_splat((int)0xff000000);
  for (int x = 0; x < width; x += 4) {
    const v128_t v = wasm_v128_load(row + 3 * x);
    const v128_t rgb = permute(v, wasm_i8x16_const(0, 1, 2, 2, 3, 4, 5, 5, 6, 7, 8, 8, 9, 10, 11, 11));
    wasm_v128_store(out + 4 * x, wasm_v128_or(rgb, opaque));
  }
  if (!r->has_key) return;
  for (int x = 0; x < width; x++)
    if (row[3 * x] == r->key[0] && row[3 * x + 1] == r->key[1] && row[3 * x + 2] == r->key[2]) out[4 * x + 3] = 0;
}

static void expand_gray_alpha(const uint8_t *row, uint8_t *out, int width) {
  for (int x = 0; x < width; x += 4) {
    const v128_t v = wasm_v128_load64_zero(row + 2 * x);
    wasm_v128_store(out + 4 * x, permute(v, wasm_i8x16_const(0, 0, 0, 1, 2, 2, 2, 3, 4, 4, 4, 5, 6, 6, 6, 7)));
  }
}

static inline int sample16(const uint8_t *p) { return p[0] << 8 | p[1]; }

// 16 bits to 8, to nearest: v * 255 / 65535.
static inline uint8_t narrow16(int v) { return (uint8_t)(((uint32_t)v * 255 + 32895) >> 16); }

static void expand16(Reader *r, const uint8_t *row, uint8_t *out, int width) {
  const uint8_t *const levels = r->levels;
  const int channels = r->channels, color = channels >= 3 ? 3 : 1, has_alpha = channels % 2 == 0;
  for (int x = 0; x < width; x++, row += 2 * channels, out += 4) {
    int transparent = r->has_key;
    for (int c = 0; c < 3; c++) {
      const int v = sample16(row + 2 * (c % color));
      transparent &= v == r->key[c % color];
      r->inexact |= (v >> 8) ^ (v & 255);
      out[c] = levels ? levels[v] : narrow16(v);
    }
    const int alpha = has_alpha ? sample16(row + 2 * color) : transparent ? 0 : 65535;
    r->inexact |= (alpha >> 8) ^ (alpha & 255);
    out[3] = narrow16(alpha);
  }
}

// The same, all 16 bits of it.
static void expand_deep(const Reader *r, const uint8_t *row, uint16_t *out, int width) {
  const uint16_t *const levels = r->levels;
  const int channels = r->channels, color = channels >= 3 ? 3 : 1, has_alpha = channels % 2 == 0;
  for (int x = 0; x < width; x++, row += 2 * channels, out += 4) {
    int transparent = r->has_key;
    for (int c = 0; c < 3; c++) {
      const int v = sample16(row + 2 * (c % color));
      transparent &= v == r->key[c % color];
      out[c] = levels ? levels[v] : (uint16_t)v;
    }
    out[3] = (uint16_t)(has_alpha ? sample16(row + 2 * color) : transparent ? 0 : 65535);
  }
}

static void apply_levels(const uint8_t *levels, uint8_t *out, int width) {
  for (int i = 0; i < 4 * width; i += 4) out[i] = levels[out[i]], out[i + 1] = levels[out[i + 1]], out[i + 2] = levels[out[i + 2]];
}

void png_expand(Reader *r, const uint8_t *row, uint8_t *out, int width) {
  if (r->form == ROWS_OF_RGBA16) {
    expand_deep(r, row, (uint16_t *)out, width);
    return;
  }
  if (r->depth == 16) {
    expand16(r, row, out, width);
    return;
  }
  if (r->channels == 1) {
    expand_indexed(r, row, out, width);
    return;
  }
  if (r->channels == 3) expand_rgb(r, row, out, width);
  else if (r->channels == 2) expand_gray_alpha(row, out, width);
  else memcpy(out, row, (size_t)width * 4);
  if (r->levels) apply_levels(r->levels, out, width);
}
