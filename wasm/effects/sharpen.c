// Unsharp masking of the luma: what a Gaussian takes away is added once more, the same to red, green and blue, so that
// no edge changes its hue. Edges of the picture are extended; transparent pixels have no say.
#include "effects.h"

#include <math.h>

#define MAX_REACH 32

typedef struct {
  Stream stream;
  int reach, planes;       // one plane of luma, or luma times alpha and alpha
  size_t plane;            // floats of one plane in a row, a multiple of 8
  float amount;
  float weights[MAX_REACH + 1];
  float *columns;          // one row of each plane, filtered down
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
    luma[x + sharpen->reach] = luma_of(p) * p[3];
    alpha[x + sharpen->reach] = p[3];
  }
}

static inline v128_t luma_of_pixels(v128_t pixels) {
  return luma_of_four(channel_of(pixels, 0), channel_of(pixels, 1), channel_of(pixels, 2));
}

static void take_opaque(Stream *s, const uint8_t *source, uint8_t *place, int y) {
  (void)y;
  const int reach = ((const Sharpen *)s)->reach, width = s->width;
  memcpy(place, source, (size_t)width * 4);
  float *luma = planes_of(s, place) + reach;
  int x = 0;
  for (; x + 4 <= width; x += 4) wasm_v128_store(luma + x, luma_of_pixels(wasm_v128_load(source + x * 4)));
  for (; x < width; x++) luma[x] = luma_of(source + x * 4);
  for (int i = 1; i <= reach; i++) luma[-i] = luma[0], luma[width - 1 + i] = luma[width - 1];
}

// The rows around row y, weighted, into `columns`.
static void filter_down(const Sharpen *sharpen, int y) {
  const Stream *s = &sharpen->stream;
  const int taps = 2 * sharpen->reach + 1;
  const float *rows[2 * MAX_REACH + 1];
  for (int k = 0; k < taps; k++) rows[k] = planes_of(s, ring_row(s, y + k - sharpen->reach));
  const size_t count = sharpen->plane * (size_t)sharpen->planes;
  for (size_t i = 0; i < count; i += 8) {
    v128_t low = wasm_f32x4_const_splat(0), high = low;
    for (int k = 0; k < taps; k++) {
      const v128_t weight = wasm_v128_load32_splat(sharpen->weights + abs(k - sharpen->reach));
      low = wasm_f32x4_add(low, wasm_f32x4_mul(weight, wasm_v128_load(rows[k] + i)));
      high = wasm_f32x4_add(high, wasm_f32x4_mul(weight, wasm_v128_load(rows[k] + i + 4)));
    }
    wasm_v128_store(sharpen->columns + i, low);
    wasm_v128_store(sharpen->columns + i + 4, high);
  }
}

// Four neighbors of a filtered-down plane, filtered across.
static inline v128_t filter_across(const Sharpen *sharpen, const float *columns) {
  v128_t sum = wasm_f32x4_const_splat(0);
  for (int k = -sharpen->reach; k <= sharpen->reach; k++)
    sum = wasm_f32x4_add(sum, wasm_f32x4_mul(wasm_f32x4_splat(sharpen->weights[abs(k)]), wasm_v128_load(columns + k)));
  return sum;
}

static void make(Stream *s, int y, uint8_t *result) {
  const Sharpen *sharpen = (const Sharpen *)s;
  const uint8_t *source = ring_row(s, y);
  const v128_t amount = wasm_f32x4_splat(sharpen->amount), zero = wasm_f32x4_const_splat(0);
  filter_down(sharpen, y);
  for (int x = 0; x < s->width; x += 4) {
    const float *columns = sharpen->columns + sharpen->reach + x;
    const v128_t pixels = wasm_v128_load(source + x * 4);
    v128_t blurred = filter_across(sharpen, columns), seen = wasm_i32x4_const_splat(-1);
    if (sharpen->planes == 2) {
      const v128_t alpha = filter_across(sharpen, columns + sharpen->plane);
      blurred = wasm_f32x4_div(blurred, alpha), seen = wasm_f32x4_gt(alpha, zero);
    }
    const v128_t taken = wasm_f32x4_mul(amount, wasm_f32x4_sub(luma_of_pixels(pixels), blurred));
    const v128_t change = wasm_v128_and(taken, seen);
    v128_t color[3];
    for (int c = 0; c < 3; c++) color[c] = wasm_f32x4_add(channel_of(pixels, c), change);
    store_pixels(result + x * 4, bytes_of(color[0], color[1], color[2], pixels), s->width - x);
  }
}

static void dispose(Stream *s) { free(((Sharpen *)s)->columns); }

// A sigma of up to 10 pixels; the Gaussian is cut off at 3 sigma and normalized.
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
  sharpen->plane = ((size_t)width + 2 * (size_t)sharpen->reach + 7) & ~(size_t)7;
  const size_t planes_bytes = sharpen->plane * (size_t)sharpen->planes * sizeof(float);
  sharpen->columns = calloc(1, planes_bytes + 64);
  if (!sharpen->columns) {
    stream_close(&sharpen->stream);
    return NULL;
  }
  if (!stream_ring(&sharpen->stream, 2 * sharpen->reach + 1, (size_t)width * 4 + 16 + planes_bytes)) return NULL;
  memset(sharpen->stream.ring, 0, (size_t)sharpen->stream.ring_rows * sharpen->stream.row_bytes);
  sharpen->stream.first = first_row, sharpen->stream.last = last_row;
  sharpen->stream.take = opaque ? take_opaque : take, sharpen->stream.make = make;
  return &sharpen->stream;
}
