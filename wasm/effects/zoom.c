// Zoom blur: every pixel becomes the mean of samples on the line from it to the center, at distances that shrink by a
// constant ratio. Two such effects in a row, one with the ratio of the other to the power of its samples, act as one
// with the product of their samples. Samples are bilinear.
#include "effects.h"

#include <math.h>

#define SAMPLES 4
#define FRACTION 5 // bits of the samples of opaque pictures: the sum of four stays within 16 bits

// A place between two columns.
typedef struct {
  int32_t left;
  float share; // of the way to the right one
} Between;

// The taps of two neighbors of the result, with shares in 32768ths.
typedef struct {
  int32_t left; // its complement where the second is between the same columns, else it is between the next two
  int16_t shares[2];
} Pair;

typedef struct {
  Stream stream;
  double scales[SAMPLES]; // 1 first, then smaller
  Between *columns;           // where result columns are sampled at the second scale, then at the third...
  Pair *pairs;                // without alpha: of two result columns at the second scale, at the third..., of the next two
  int16_t *rows;              // without alpha: what result row y is sampled from at each scale
} Zoom;

// A row has a pixel more at both ends, and two pixels are written at a time.
static size_t row_samples(int width) { return ((size_t)width + 4) * 4; }

// Where row y is sampled at a scale, in rows from the center of row 0.
static double sampled(const Stream *s, int y, double scale) {
  const double center = (s->height - 1) / 2.0;
  return center + (y - center) * scale;
}

static int first_row(const Stream *s, int y) {
  const Zoom *zoom = (const Zoom *)s;
  return MIN(y, (int)floor(sampled(s, y, zoom->scales[SAMPLES - 1])));
}

static int last_row(const Stream *s, int y) {
  const Zoom *zoom = (const Zoom *)s;
  return MAX(y, (int)floor(sampled(s, y, zoom->scales[SAMPLES - 1])) + 1);
}

// A row with its first and last pixel once more at both ends, so that two neighbors can be read anywhere.
static void take(Stream *s, const uint8_t *source, uint8_t *place, int y) {
  (void)y;
  memcpy(place, source, 4);
  memcpy(place + 4, source, (size_t)s->width * 4);
  memcpy(place + 4 + (size_t)s->width * 4, source + (size_t)(s->width - 1) * 4, 4);
}

// Pixels x and x + 1 of a row, premultiplied.
static inline v128_t pair_at(const uint8_t *row, int x) {
  const v128_t bytes = wasm_v128_load64_zero(row + (ptrdiff_t)x * 4);
  const v128_t alpha = wasm_i8x16_shuffle(bytes, bytes, 3, 3, 3, 3, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7);
  return wasm_u16x8_extmul_low_u8x16(wasm_v128_or(bytes, wasm_i32x4_const_splat((int)0xff000000)), alpha);
}

static inline v128_t lerp(v128_t a, v128_t b, v128_t share) { return wasm_f32x4_add(a, wasm_f32x4_mul(wasm_f32x4_sub(b, a), share)); }

// Between the two pixels of a pair.
static inline v128_t between(v128_t pair, v128_t share) {
  return lerp(wasm_f32x4_convert_u32x4(wasm_u32x4_extend_low_u16x8(pair)),
              wasm_f32x4_convert_u32x4(wasm_u32x4_extend_high_u16x8(pair)), share);
}

// Where row y is sampled: the rows above and below, and how far below the upper one.
static void sampled_rows(const Zoom *zoom, int y, const uint8_t *upper[], const uint8_t *lower[], double share[]) {
  const Stream *s = &zoom->stream;
  for (int k = 0; k < SAMPLES; k++) {
    const double at = sampled(s, y, zoom->scales[k]);
    const int row = (int)floor(at);
    upper[k] = ring_row(s, row) + 4, lower[k] = ring_row(s, row + 1) + 4;
    share[k] = at - row;
  }
}

static void make(Stream *s, int y, uint8_t *result) {
  const Zoom *zoom = (const Zoom *)s;
  const uint8_t *upper[SAMPLES], *lower[SAMPLES], *own = ring_row(s, y) + 4;
  double share[SAMPLES];
  sampled_rows(zoom, y, upper, lower, share);
  const float scale = 1 / (255.0f * SAMPLES);
  for (int x = 0; x < s->width; x++) {
    v128_t sum = wasm_f32x4_convert_u32x4(wasm_u32x4_extend_low_u16x8(pair_at(own, x)));
    for (int k = 1; k < SAMPLES; k++) {
      const Between *column = zoom->columns + (size_t)(k - 1) * s->width + x;
      const v128_t right = wasm_f32x4_splat(column->share), down = wasm_f32x4_splat((float)share[k]);
      const v128_t above = between(pair_at(upper[k], column->left), right), below = between(pair_at(lower[k], column->left), right);
      sum = wasm_f32x4_add(sum, lerp(above, below, down));
    }
    store_mean(result + x * 4, sum, scale);
  }
}

static int16_t share_of(double share) { return (int16_t)MIN(share * 32768 + 0.5, 32767); }

// Rows y and y + 1, `share` of the way between them, as samples.
static void mix_rows(const uint8_t *upper, const uint8_t *lower, double share, int16_t *row, int width) {
  const v128_t down = wasm_i16x8_splat(share_of(share));
  for (int x = -1; x <= width; x += 2) {
    const v128_t a = wasm_i16x8_shl(wasm_u16x8_load8x8(upper + (ptrdiff_t)x * 4), FRACTION);
    const v128_t b = wasm_i16x8_shl(wasm_u16x8_load8x8(lower + (ptrdiff_t)x * 4), FRACTION);
    wasm_v128_store(row + (ptrdiff_t)x * 4, wasm_i16x8_add(a, times(wasm_i16x8_sub(b, a), down)));
  }
}

// Two neighbors of the result at one scale: mostly theirs are neighbors too, else they lie between the same two.
static inline v128_t sampled_pair(const int16_t *row, const Pair *pair) {
  const v128_t share = permute(wasm_v128_load32_zero(pair->shares), wasm_i8x16_const(0, 1, 0, 1, 0, 1, 0, 1, 2, 3, 2, 3, 2, 3, 2, 3));
  const int same = pair->left < 0;
  const int16_t *at = row + (ptrdiff_t)(same ? ~pair->left : pair->left) * 4;
  v128_t a, b;
  if (same) a = wasm_v128_load64_splat(at), b = wasm_v128_load64_splat(at + 4);
  else a = wasm_v128_load(at), b = wasm_v128_load(at + 4);
  return wasm_i16x8_add(a, times(wasm_i16x8_sub(b, a), share));
}

// Makes a row of an opaque picture in 16 bits, two pixels at a time.
static void make_opaque(Stream *s, int y, uint8_t *result) {
  const Zoom *zoom = (const Zoom *)s;
  const uint8_t *upper[SAMPLES], *lower[SAMPLES], *own = ring_row(s, y) + 4;
  double share[SAMPLES];
  int16_t *rows[SAMPLES];
  sampled_rows(zoom, y, upper, lower, share);
  for (int k = 1; k < SAMPLES; k++) {
    rows[k] = zoom->rows + (size_t)(k - 1) * row_samples(s->width) + 4;
    mix_rows(upper[k], lower[k], share[k], rows[k], s->width);
  }
  const Pair *pair = zoom->pairs;
  for (int x = 0; x < s->width; x += 2) {
    v128_t sum = wasm_i16x8_shl(wasm_u16x8_load8x8(own + (size_t)x * 4), FRACTION);
    for (int k = 1; k < SAMPLES; k++, pair++) sum = wasm_i16x8_add(sum, sampled_pair(rows[k], pair));
    sum = wasm_u16x8_shr(wasm_i16x8_add(sum, wasm_i16x8_const_splat(1 << (FRACTION + 1))), FRACTION + 2);
    sum = wasm_u8x16_narrow_i16x8(sum, sum);
    if (x + 1 < s->width) wasm_v128_store64_lane(result + (size_t)x * 4, sum, 0);
    else wasm_v128_store32_lane(result + (size_t)x * 4, sum, 0);
  }
}

// Where column x is sampled at a scale: the column to the left, and how far to the right of it.
static double sampled_column(const Zoom *zoom, int x, double scale, int *left) {
  const double center = (zoom->stream.width - 1) / 2.0, at = center + (MIN(x, zoom->stream.width - 1) - center) * scale;
  *left = (int)at;
  return at - *left;
}

static int find_columns(Zoom *zoom) {
  const int width = zoom->stream.width;
  zoom->columns = malloc((size_t)(SAMPLES - 1) * width * sizeof(Between));
  if (!zoom->columns) return 0;
  for (int k = 1; k < SAMPLES; k++)
    for (int x = 0; x < width; x++) {
      Between *column = zoom->columns + (size_t)(k - 1) * width + x;
      column->share = (float)sampled_column(zoom, x, zoom->scales[k], &column->left);
    }
  return 1;
}

static int find_pairs(Zoom *zoom) {
  const int width = zoom->stream.width;
  Pair *pair = zoom->pairs = malloc((size_t)(SAMPLES - 1) * ((size_t)width + 1) / 2 * sizeof(Pair));
  zoom->rows = malloc((SAMPLES - 1) * row_samples(width) * sizeof(int16_t));
  if (!pair || !zoom->rows) return 0;
  for (int x = 0; x < width; x += 2)
    for (int k = 1; k < SAMPLES; k++, pair++) {
      int left, next;
      pair->shares[0] = share_of(sampled_column(zoom, x, zoom->scales[k], &left));
      pair->shares[1] = share_of(sampled_column(zoom, x + 1, zoom->scales[k], &next));
      pair->left = next == left ? ~left : left;
    }
  return 1;
}

static void dispose(Stream *s) {
  const Zoom *zoom = (const Zoom *)s;
  free(zoom->columns), free(zoom->pairs), free(zoom->rows);
}

// The mean of four samples, each `ratio`, below 1, times as far from the center as the one before.
Stream *EXPORT(zoom_open)(int width, int height, double ratio, int opaque) {
  Zoom *zoom = stream_open(sizeof(Zoom), width, height, width, height);
  if (!zoom) return NULL;
  zoom->stream.dispose = dispose;
  for (int k = 0; k < SAMPLES; k++) zoom->scales[k] = pow(ratio, k);
  if (opaque ? !find_pairs(zoom) : !find_columns(zoom)) {
    stream_close(&zoom->stream);
    return NULL;
  }
  const double reach = height / 2.0 * (1 - zoom->scales[SAMPLES - 1]);
  if (!stream_ring(&zoom->stream, (int)reach + 4, ((size_t)width + 4) * 4)) return NULL;
  zoom->stream.first = first_row, zoom->stream.last = last_row;
  zoom->stream.take = take, zoom->stream.make = opaque ? make_opaque : make;
  return &zoom->stream;
}
