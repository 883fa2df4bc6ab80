// Effects on a stream of RGBA8 rows with straight alpha. Every effect is a Stream: source rows are taken into a ring
// (in whatever form the effect wants them), and a result row is made as soon as the rows that it needs are there.
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <wasm_simd128.h>

#include "../native.h"

#define WINDOW_ROWS 16

// Rec. 709 luma of encoded values.
#define LUMA_RED 0.2126f
#define LUMA_GREEN 0.7152f
#define LUMA_BLUE 0.0722f

typedef struct Stream Stream;

struct Stream {
  int width, height;               // of the source
  int result_width, result_height;
  int ring_rows;
  size_t row_bytes;                // of one row in the ring
  int taken, made;                 // source rows taken, result rows made
  uint8_t *window, *band, *ring;
  // The first and the last source row that result row y needs; both may be outside, and neither ever decreases.
  int (*first)(const Stream *, int y);
  int (*last)(const Stream *, int y);
  // Puts source row y, RGBA8, into its place in the ring.
  void (*take)(Stream *, const uint8_t *source, uint8_t *place, int y);
  void (*make)(Stream *, int y, uint8_t *result);
  // Frees what the effect holds besides its Stream; may be null.
  void (*dispose)(Stream *);
};

// Memory for an effect, whose first member is a Stream, and for its rows; null when memory ran out.
void *stream_open(size_t bytes, int width, int height, int result_width, int result_height);
// The ring: as many rows as there are between `first` and `last` of any result row, at least. Closes on failure.
int stream_ring(Stream *stream, int rows, size_t row_bytes);
void stream_close(Stream *stream);

static inline int clamp(int value, int low, int high) { return value < low ? low : value > high ? high : value; }

// Source row y, or the nearest one there is, as the ring holds it.
static inline uint8_t *ring_row(const Stream *s, int y) {
  return s->ring + (size_t)(clamp(y, 0, s->height - 1) % s->ring_rows) * s->row_bytes;
}

// ---- pointwise effects: result row y needs source row y, as it is ----

int same_row(const Stream *stream, int y);
void take_bytes(Stream *stream, const uint8_t *source, uint8_t *place, int y);
// Opens an effect whose `make` gets the source row by ring_row.
void *pointwise_open(size_t bytes, int width, int height, void (*make)(Stream *, int, uint8_t *));

// ---- premultiplied rows: four u16 a pixel, color times alpha and alpha times 255, each 0 to 65025 ----

// Writes a row with `padding` copies of its first and last pixel to both sides.
void premultiply_row(uint16_t *place, const uint8_t *source, int width, int padding);

// ---- opaque rows: three i16 a pixel, levels with some bits of fraction ----

#define LANES 32 // samples that a vector loop takes at a time

// Room for a row of samples, and for a vector more that is read or written beyond its end.
static inline size_t padded_samples(size_t samples) { return (samples + 2 * LANES - 1) & ~(size_t)(LANES - 1); }

// Writes a row as samples, with `padding` copies of its first and last pixel to both sides.
void take_samples(int16_t *place, const uint8_t *source, int width, int padding, int fraction);
// The row between `padding` pixels to both sides extended into them; `channels` samples a pixel.
void extend_samples(int16_t *row, int width, int padding, int channels);
// Opaque pixels from three bytes each; reads four bytes beyond them.
void store_opaque(uint8_t *result, const uint8_t *rgb, int width);

// a * b / 32768, rounded, of eight samples. The relaxed form, which is one instruction: a and b are never both -32768.
static inline v128_t times(v128_t a, v128_t b) { return wasm_i16x8_relaxed_q15mulr(a, b); }

// Rearranges bytes: byte i of the result is byte order[i] of v; indices are below 16.
static inline v128_t permute(v128_t v, v128_t order) { return wasm_i8x16_relaxed_swizzle(v, order); }

static inline uint8_t byte_of(float value) { return (uint8_t)(value <= 0 ? 0 : value >= 255 ? 255 : (int)(value + 0.5f)); }

// Four floats, rounded and clamped, as four bytes; all are within 32 bits.
static inline void store_bytes(uint8_t *p, v128_t v) {
  v = wasm_i32x4_relaxed_trunc_f32x4(wasm_f32x4_add(v, wasm_f32x4_const_splat(0.5f)));
  v = wasm_i16x8_narrow_i32x4(v, v);
  wasm_v128_store32_lane(p, wasm_u8x16_narrow_i16x8(v, v), 0);
}

// ---- four pixels, a vector for each channel; nothing is NaN, so that pmin and pmax do, which are one instruction ----

// Channel 0, 1 or 2 of four pixels as floats.
static inline v128_t channel_of(v128_t pixels, int channel) {
  return wasm_f32x4_convert_i32x4(wasm_v128_and(wasm_u32x4_shr(pixels, (uint32_t)channel * 8), wasm_i32x4_const_splat(255)));
}

static inline v128_t luma_of_four(v128_t red, v128_t green, v128_t blue) {
  const v128_t sum = wasm_f32x4_add(wasm_f32x4_mul(wasm_f32x4_const_splat(LUMA_RED), red),
                                    wasm_f32x4_mul(wasm_f32x4_const_splat(LUMA_GREEN), green));
  return wasm_f32x4_add(sum, wasm_f32x4_mul(wasm_f32x4_const_splat(LUMA_BLUE), blue));
}

// The entries of a table at four indices.
static inline v128_t entries(const float *table, v128_t index) {
  v128_t v = wasm_v128_load32_zero(table + wasm_i32x4_extract_lane(index, 0));
  v = wasm_v128_load32_lane(table + wasm_i32x4_extract_lane(index, 1), v, 1);
  v = wasm_v128_load32_lane(table + wasm_i32x4_extract_lane(index, 2), v, 2);
  return wasm_v128_load32_lane(table + wasm_i32x4_extract_lane(index, 3), v, 3);
}

// Rounded to whole numbers; all are within 32 bits.
static inline v128_t rounded(v128_t v) { return wasm_i32x4_relaxed_trunc_f32x4(wasm_f32x4_add(v, wasm_f32x4_const_splat(0.5f))); }

// Colors of four pixels, rounded and clamped, with the alpha of others.
static inline v128_t bytes_of(v128_t red, v128_t green, v128_t blue, v128_t alpha_of) {
  const v128_t rg = wasm_i16x8_narrow_i32x4(rounded(red), rounded(green));
  const v128_t ba = wasm_i16x8_narrow_i32x4(rounded(blue), wasm_u32x4_shr(alpha_of, 24));
  return permute(wasm_u8x16_narrow_i16x8(rg, ba), wasm_i8x16_const(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15));
}

// Stores the first `count`, at most four, of four pixels.
static inline void store_pixels(uint8_t *p, v128_t pixels, int count) {
  if (count >= 4) wasm_v128_store(p, pixels);
  else memcpy(p, &pixels, (size_t)count * 4);
}

// Stores a weighted sum of premultiplied pixels as a straight one; `scale` is 1 / (255 * sum of weights).
static inline void store_mean(uint8_t *p, v128_t sum, float scale) {
  const float weight = wasm_f32x4_extract_lane(sum, 3);
  const float alpha = weight * scale;
  if (alpha < 0.5f) {
    memset(p, 0, 4);
    return;
  }
  const v128_t color = wasm_f32x4_mul(sum, wasm_f32x4_splat(255.0f / weight));
  store_bytes(p, wasm_f32x4_replace_lane(color, 3, alpha));
}
