/*
 * Zoom blur: every pixel becomes the mean of samples on the line from it to the center, at distances that shrink by a
 * constant ratio. Two such effects in a row, one with the ratio of the other to the power of its samples, act as one
 * with the product of their samples. Samples are bilinear.
 */
#include "effects.h"

#include <math.h>

#define MAX_SAMPLES 8

/* Two neighbors of a row, and what each weighs in 256ths. */
typedef struct {
  int32_t left;
  int16_t weights[2];
} Between;

typedef struct {
  Stream stream;
  int samples;
  double scales[MAX_SAMPLES]; /* 1 first, then smaller */
  Between *columns;           /* where result columns are sampled at the second scale, then at the third... */
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

/* Where row y is sampled: the rows above and below, and how far below the upper one. */
static void sampled_rows(const Zoom *zoom, int y, const uint8_t *upper[], const uint8_t *lower[], double share[]) {
  const Stream *s = &zoom->stream;
  for (int k = 0; k < zoom->samples; k++) {
    const double at = sampled(s, y, zoom->scales[k]);
    const int row = (int)floor(at);
    upper[k] = ring_row(s, row) + 4, lower[k] = ring_row(s, row + 1) + 4;
    share[k] = at - row;
  }
}

static void make(Stream *s, int y, uint8_t *result) {
  const Zoom *zoom = (const Zoom *)s;
  const uint8_t *upper[MAX_SAMPLES], *lower[MAX_SAMPLES], *own = ring_row(s, y) + 4;
  double share[MAX_SAMPLES];
  sampled_rows(zoom, y, upper, lower, share);
  const float scale = 1 / (255.0f * (float)zoom->samples);
  for (int x = 0; x < s->width; x++) {
    v128_t sum = wasm_f32x4_convert_u32x4(wasm_u32x4_extend_low_u16x8(pair_at(own, x)));
    for (int k = 1; k < zoom->samples; k++) {
      const Between *column = zoom->columns + (size_t)(k - 1) * s->width + x;
      const v128_t right = wasm_f32x4_splat((float)column->weights[1] / 256), down = wasm_f32x4_splat((float)share[k]);
      const v128_t above = between(pair_at(upper[k], column->left), right), below = between(pair_at(lower[k], column->left), right);
      sum = wasm_f32x4_add(sum, lerp(above, below, down));
    }
    store_mean(result + x * 4, sum, scale);
  }
}

/* The same without alpha, in whole numbers: rows weigh 128ths, columns 256ths. */
static void make_opaque(Stream *s, int y, uint8_t *result) {
  const Zoom *zoom = (const Zoom *)s;
  const int samples = zoom->samples;
  const uint8_t *upper[MAX_SAMPLES], *lower[MAX_SAMPLES], *own = ring_row(s, y) + 4;
  double share[MAX_SAMPLES];
  v128_t above[MAX_SAMPLES], below[MAX_SAMPLES];
  sampled_rows(zoom, y, upper, lower, share);
  for (int k = 1; k < samples; k++) {
    const int down = (int)(share[k] * 128 + 0.5);
    above[k] = wasm_i16x8_splat((int16_t)(128 - down)), below[k] = wasm_i16x8_splat((int16_t)down);
  }
  const v128_t scale = wasm_f32x4_splat(1 / (32768.0f * (float)samples));
  for (int x = 0; x < s->width; x++) {
    v128_t sum = wasm_i32x4_shl(wasm_u32x4_extend_low_u16x8(wasm_u16x8_load8x8(own + (size_t)x * 4)), 15);
    for (int k = 1; k < samples; k++) {
      const Between *column = zoom->columns + (size_t)(k - 1) * s->width + x;
      const size_t at = (size_t)column->left * 4;
      const v128_t top = wasm_i16x8_mul(wasm_u16x8_load8x8(upper[k] + at), above[k]);
      const v128_t pair = wasm_i16x8_add(top, wasm_i16x8_mul(wasm_u16x8_load8x8(lower[k] + at), below[k]));
      const v128_t neighbors = wasm_i16x8_shuffle(pair, pair, 0, 4, 1, 5, 2, 6, 3, 7);
      sum = wasm_i32x4_add(sum, wasm_i32x4_dot_i16x8(neighbors, wasm_v128_load32_splat(column->weights)));
    }
    store_bytes(result + (size_t)x * 4, wasm_f32x4_mul(wasm_f32x4_convert_i32x4(sum), scale));
  }
}

static int find_columns(Zoom *zoom) {
  const int width = zoom->stream.width;
  const double center = (width - 1) / 2.0;
  zoom->columns = malloc((size_t)(zoom->samples - 1) * width * sizeof(Between));
  if (!zoom->columns) return 0;
  for (int k = 1; k < zoom->samples; k++)
    for (int x = 0; x < width; x++) {
      const double at = center + (x - center) * zoom->scales[k];
      const int left = (int)at, right = (int)((at - left) * 256 + 0.5);
      zoom->columns[(size_t)(k - 1) * width + x] = (Between){left, {(int16_t)(256 - right), (int16_t)right}};
    }
  return 1;
}

static void dispose(Stream *s) { free(((Zoom *)s)->columns); }

/* `ratio` below 1; 2 to 8 samples. */
Stream *EXPORT(zoom_open)(int width, int height, double ratio, int samples, int opaque) {
  Zoom *zoom = stream_open(sizeof(Zoom), width, height, width, height);
  if (!zoom) return NULL;
  zoom->stream.dispose = dispose;
  zoom->samples = MIN(samples, MAX_SAMPLES);
  for (int k = 0; k < zoom->samples; k++) zoom->scales[k] = pow(ratio, k);
  if (!find_columns(zoom)) {
    stream_close(&zoom->stream);
    return NULL;
  }
  const double reach = height / 2.0 * (1 - zoom->scales[zoom->samples - 1]);
  if (!stream_ring(&zoom->stream, (int)reach + 4, ((size_t)width + 2) * 4)) return NULL;
  zoom->stream.first = first_row, zoom->stream.last = last_row;
  zoom->stream.take = take, zoom->stream.make = opaque ? make_opaque : make;
  return &zoom->stream;
}
