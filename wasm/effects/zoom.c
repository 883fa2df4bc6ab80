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

static void take(Stream *s, const uint8_t *source, uint8_t *place, int y) {
  (void)y;
  premultiply_row((uint16_t *)place, source, s->width, 1);
}

static inline v128_t pixel_at(const uint16_t *row, int x) { return wasm_f32x4_convert_u32x4(wasm_u32x4_load16x4(row + (ptrdiff_t)x * 4)); }

static inline v128_t lerp(v128_t a, v128_t b, v128_t share) { return wasm_f32x4_add(a, wasm_f32x4_mul(wasm_f32x4_sub(b, a), share)); }

static void make(Stream *s, int y, uint8_t *result) {
  const Zoom *zoom = (const Zoom *)s;
  const float center = (float)(s->width - 1) / 2;
  const uint16_t *upper[MAX_SAMPLES], *lower[MAX_SAMPLES];
  v128_t down[MAX_SAMPLES];
  for (int k = 0; k < zoom->samples; k++) {
    const double at = sampled(s, y, zoom->scales[k]);
    const int row = (int)floor(at);
    upper[k] = (uint16_t *)ring_row(s, row) + 4, lower[k] = (uint16_t *)ring_row(s, row + 1) + 4;
    down[k] = wasm_f32x4_splat((float)(at - row));
  }
  const float scale = 1 / (255.0f * (float)zoom->samples);
  for (int x = 0; x < s->width; x++) {
    v128_t sum = pixel_at((uint16_t *)ring_row(s, y) + 4, x);
    for (int k = 1; k < zoom->samples; k++) {
      const float at = center + ((float)x - center) * (float)zoom->scales[k];
      const int left = (int)at;
      const v128_t right = wasm_f32x4_splat(at - (float)left);
      const v128_t above = lerp(pixel_at(upper[k], left), pixel_at(upper[k], left + 1), right);
      const v128_t below = lerp(pixel_at(lower[k], left), pixel_at(lower[k], left + 1), right);
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
  if (!stream_ring(&zoom->stream, (int)reach + 4, ((size_t)width + 2) * 8)) return NULL;
  zoom->stream.first = first_row, zoom->stream.last = last_row;
  zoom->stream.take = take, zoom->stream.make = make;
  return &zoom->stream;
}
