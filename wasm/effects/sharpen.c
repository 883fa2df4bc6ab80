/*
 * Unsharp masking of the luma: what a Gaussian takes away is added once more, the same to red, green and blue, so that
 * no edge changes its hue. Edges of the picture are extended; transparent pixels have no say.
 */
#include "effects.h"

#include <math.h>

#define MAX_REACH 32

typedef struct {
  Stream stream;
  int reach, planes;       /* one plane of luma, or luma times alpha and alpha */
  size_t plane;            /* floats of one plane in a row, a multiple of 4 */
  float amount;
  float weights[MAX_REACH + 1];
  float *columns;          /* one row of each plane, filtered down */
} Sharpen;

static int first_row(const Stream *s, int y) { return y - ((const Sharpen *)s)->reach; }
static int last_row(const Stream *s, int y) { return y + ((const Sharpen *)s)->reach; }

static float luma_of(const uint8_t *p) { return LUMA_RED * p[0] + LUMA_GREEN * p[1] + LUMA_BLUE * p[2]; }

static float *planes_of(const Stream *s, uint8_t *row) { return (float *)(row + (((size_t)s->width * 4 + 15) & ~(size_t)15)); }

static void take(Stream *s, const uint8_t *source, uint8_t *place, int y) {
  (void)y;
  const Sharpen *sharpen = (const Sharpen *)s;
  memcpy(place, source, (size_t)s->width * 4);
  float *luma = planes_of(s, place), *alpha = luma + sharpen->plane;
  for (int x = -sharpen->reach; x < s->width + sharpen->reach; x++) {
    const uint8_t *p = source + clamp(x, 0, s->width - 1) * 4;
    if (sharpen->planes == 1) {
      luma[x + sharpen->reach] = luma_of(p);
    } else {
      luma[x + sharpen->reach] = luma_of(p) * p[3];
      alpha[x + sharpen->reach] = p[3];
    }
  }
}

/* The rows around row y, weighted, into `columns`. */
static void filter_down(const Sharpen *sharpen, int y) {
  const Stream *s = &sharpen->stream;
  const size_t count = sharpen->plane * (size_t)sharpen->planes;
  for (int k = -sharpen->reach; k <= sharpen->reach; k++) {
    const float *row = planes_of(s, ring_row(s, y + k));
    const v128_t weight = wasm_f32x4_splat(sharpen->weights[abs(k)]);
    for (size_t i = 0; i < count; i += 4) {
      const v128_t term = wasm_f32x4_mul(weight, wasm_v128_load(row + i));
      const v128_t sum = k == -sharpen->reach ? term : wasm_f32x4_add(term, wasm_v128_load(sharpen->columns + i));
      wasm_v128_store(sharpen->columns + i, sum);
    }
  }
}

/* Four neighbors of a filtered-down plane, filtered across. */
static inline v128_t filter_across(const Sharpen *sharpen, const float *columns) {
  v128_t sum = wasm_f32x4_const_splat(0);
  for (int k = -sharpen->reach; k <= sharpen->reach; k++)
    sum = wasm_f32x4_add(sum, wasm_f32x4_mul(wasm_f32x4_splat(sharpen->weights[abs(k)]), wasm_v128_load(columns + k)));
  return sum;
}

static void make(Stream *s, int y, uint8_t *result) {
  const Sharpen *sharpen = (const Sharpen *)s;
  const uint8_t *source = ring_row(s, y);
  filter_down(sharpen, y);
  for (int x = 0; x < s->width; x += 4) {
    float blurred[4], alpha[4] = {1, 1, 1, 1};
    const float *columns = sharpen->columns + sharpen->reach + x;
    wasm_v128_store(blurred, filter_across(sharpen, columns));
    if (sharpen->planes == 2) wasm_v128_store(alpha, filter_across(sharpen, columns + sharpen->plane));
    for (int i = 0; i < MIN(4, s->width - x); i++) {
      const uint8_t *p = source + (x + i) * 4;
      uint8_t *q = result + (x + i) * 4;
      const float change = alpha[i] > 0 ? sharpen->amount * (luma_of(p) - blurred[i] / alpha[i]) : 0;
      q[0] = byte_of(p[0] + change), q[1] = byte_of(p[1] + change), q[2] = byte_of(p[2] + change);
      q[3] = p[3];
    }
  }
}

static void dispose(Stream *s) { free(((Sharpen *)s)->columns); }

/* A sigma of up to 10 pixels; the Gaussian is cut off at 3 sigma and normalized. */
Stream *EXPORT(sharpen_open)(int width, int height, double sigma, double amount, int opaque) {
  Sharpen *sharpen = stream_open(sizeof(Sharpen), width, height, width, height);
  if (!sharpen) return NULL;
  sharpen->stream.dispose = dispose;
  sharpen->reach = MIN(MAX_REACH, (int)ceil(3 * sigma));
  sharpen->planes = opaque ? 1 : 2;
  sharpen->amount = (float)amount;
  double sum = 0;
  for (int k = -sharpen->reach; k <= sharpen->reach; k++) sum += exp(-k * k / (2 * sigma * sigma));
  for (int k = 0; k <= sharpen->reach; k++) sharpen->weights[k] = (float)(exp(-k * k / (2 * sigma * sigma)) / sum);
  sharpen->plane = ((size_t)width + 2 * (size_t)sharpen->reach + 7) & ~(size_t)3;
  const size_t planes_bytes = sharpen->plane * (size_t)sharpen->planes * sizeof(float);
  sharpen->columns = calloc(1, planes_bytes + 64);
  if (!sharpen->columns) {
    stream_close(&sharpen->stream);
    return NULL;
  }
  if (!stream_ring(&sharpen->stream, 2 * sharpen->reach + 1, (size_t)width * 4 + 16 + planes_bytes)) return NULL;
  memset(sharpen->stream.ring, 0, (size_t)sharpen->stream.ring_rows * sharpen->stream.row_bytes);
  sharpen->stream.first = first_row, sharpen->stream.last = last_row;
  sharpen->stream.take = take, sharpen->stream.make = make;
  return &sharpen->stream;
}
