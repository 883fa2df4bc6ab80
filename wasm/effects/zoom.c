/*
 * Zoom blur: every pixel becomes the mean of samples on the line from it to the center, at distances that shrink by a
 * constant ratio. Two such effects in a row, one with the ratio of the other to the power of its samples, act as one
 * with the product of their samples. Samples are bilinear.
 */
#include "effects.h"

#include <math.h>

#define MAX_SAMPLES 8

typedef struct {
  Stream stream;
  int samples;
  double scales[MAX_SAMPLES]; /* 1 first, then smaller */
} Zoom;

/* Where row y is sampled at a scale, in rows from the center of row 0. */
static double sampled(const Stream *s, int y, double scale) {
  const double center = (s->height - 1) / 2.0;
  return center + (y - center) * scale;
}

static int first_row(const Stream *s, int y) {
  const Zoom *zoom = (const Zoom *)s;
  return MIN(y, (int)floor(sampled(s, y, zoom->scales[zoom->samples - 1])));
}

static int last_row(const Stream *s, int y) {
  const Zoom *zoom = (const Zoom *)s;
  return MAX(y, (int)floor(sampled(s, y, zoom->scales[zoom->samples - 1])) + 1);
}

/* A row with its first and last pixel once more at both ends, so that two neighbors can be read anywhere. */
static void take(Stream *s, const uint8_t *source, uint8_t *place, int y) {
  (void)y;
  memcpy(place, source, 4);
  memcpy(place + 4, source, (size_t)s->width * 4);
  memcpy(place + 4 + (size_t)s->width * 4, source + (size_t)(s->width - 1) * 4, 4);
}

/* Pixels x and x + 1 of a row, premultiplied. */
static inline v128_t pair_at(const uint8_t *row, int x) {
  const v128_t bytes = wasm_v128_load64_zero(row + (ptrdiff_t)x * 4);
  const v128_t alpha = wasm_i8x16_shuffle(bytes, bytes, 3, 3, 3, 3, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7);
  return wasm_u16x8_extmul_low_u8x16(wasm_v128_or(bytes, wasm_i32x4_const_splat((int)0xff000000)), alpha);
}

static inline v128_t lerp(v128_t a, v128_t b, v128_t share) { return wasm_f32x4_add(a, wasm_f32x4_mul(wasm_f32x4_sub(b, a), share)); }

/* Between the two pixels of a pair. */
static inline v128_t between(v128_t pair, v128_t share) {
  return lerp(wasm_f32x4_convert_u32x4(wasm_u32x4_extend_low_u16x8(pair)),
              wasm_f32x4_convert_u32x4(wasm_u32x4_extend_high_u16x8(pair)), share);
}

static void make(Stream *s, int y, uint8_t *result) {
  const Zoom *zoom = (const Zoom *)s;
  const float center = (float)(s->width - 1) / 2;
  const uint8_t *upper[MAX_SAMPLES], *lower[MAX_SAMPLES];
  v128_t down[MAX_SAMPLES];
  for (int k = 0; k < zoom->samples; k++) {
    const double at = sampled(s, y, zoom->scales[k]);
    const int row = (int)floor(at);
    upper[k] = ring_row(s, row) + 4, lower[k] = ring_row(s, row + 1) + 4;
    down[k] = wasm_f32x4_splat((float)(at - row));
  }
  const uint8_t *own = ring_row(s, y) + 4;
  const float scale = 1 / (255.0f * (float)zoom->samples);
  for (int x = 0; x < s->width; x++) {
    v128_t sum = wasm_f32x4_convert_u32x4(wasm_u32x4_extend_low_u16x8(pair_at(own, x)));
    for (int k = 1; k < zoom->samples; k++) {
      const float at = center + ((float)x - center) * (float)zoom->scales[k];
      const int left = (int)at;
      const v128_t right = wasm_f32x4_splat(at - (float)left);
      const v128_t above = between(pair_at(upper[k], left), right), below = between(pair_at(lower[k], left), right);
      sum = wasm_f32x4_add(sum, lerp(above, below, down[k]));
    }
    store_mean(result + x * 4, sum, scale);
  }
}

/* `ratio` below 1; 2 to 8 samples. */
Stream *EXPORT(zoom_open)(int width, int height, double ratio, int samples) {
  Zoom *zoom = stream_open(sizeof(Zoom), width, height, width, height);
  if (!zoom) return NULL;
  zoom->samples = MIN(samples, MAX_SAMPLES);
  for (int k = 0; k < zoom->samples; k++) zoom->scales[k] = pow(ratio, k);
  const double reach = height / 2.0 * (1 - zoom->scales[zoom->samples - 1]);
  if (!stream_ring(&zoom->stream, (int)reach + 4, ((size_t)width + 2) * 4)) return NULL;
  zoom->stream.first = first_row, zoom->stream.last = last_row;
  zoom->stream.take = take, zoom->stream.make = make;
  return &zoom->stream;
}
