// Streaming separable resampling of RGBA16: source rows in, result rows out.
//
//   window (u16, as the caller writes it)
//     -> a row of floats, 1 being full: with alpha premultiplied, with `linear` linear light
//     -> horizontal filter to a ring of rows as wide as the result -> vertical filter -> u16 result row
//
// Between the passes an opaque row is clamped to its range, as in resample.c. Weights and sums are floats: what a result
// differs by from the definition is the rounding of the last step, and a few hundredths of a level.
#include <math.h>

#include "taps.h"

#define WINDOW_ROWS 16
#define FULL 65535

typedef struct {
  int alpha, linear;
  int source_width, source_height, result_width, result_height;
  int rows_in, written;
  int ring_rows, band_rows;
  Taps vertical, horizontal;
  uint16_t *window, *band;
  float *source, *ring; // four samples a pixel
  float *light;         // linear light of each level, if that is filtered
} Deep;

static float from_linear(float v) { return v <= 0.0031308f ? v * 12.92f : 1.055f * powf(v, 1 / 2.4f) - 0.055f; }

static int make_light(Deep *r) {
  if (!r->linear) return 1;
  r->light = malloc(sizeof(float) * (FULL + 1));
  if (!r->light) return 0;
  for (int level = 0; level <= FULL; level++) {
    const double v = level / (double)FULL;
    r->light[level] = (float)(v <= 0.04045 ? v / 12.92 : pow((v + 0.055) / 1.055, 2.4));
  }
  return 1;
}

void EXPORT(deep_close)(Deep *r) {
  taps_free(&r->vertical);
  taps_free(&r->horizontal);
  free(r->window), free(r->band), free(r->source), free(r->ring), free(r->light);
  free(r);
}

static int allocate(Deep *r) {
  const size_t source_pixels = r->source_width, result_pixels = r->result_width;
  r->ring_rows = r->vertical.longest + WINDOW_ROWS;
  r->band_rows = clamp(65536 / (int)MIN(65536, 8 * result_pixels), 1, WINDOW_ROWS);
  r->window = calloc(WINDOW_ROWS * source_pixels, 8);
  r->band = malloc(r->band_rows * result_pixels * 8);
  r->source = malloc(source_pixels * 16);
  r->ring = malloc(r->ring_rows * result_pixels * 16);
  return r->window && r->band && r->source && r->ring && make_light(r);
}

// Opens a resampler for the box [x, x + width) x [y, y + height) (fractions allowed) of a source_width x source_height
// picture, opaque or with straight alpha. Returns 0 when memory ran out.
Deep *EXPORT(deep_open)(int source_width, int source_height, double x, double y, double width, double height,
                        int result_width, int result_height, int kernel, int alpha, int linear) {
  Deep *r = calloc(1, sizeof *r);
  if (!r) return 0;
  r->alpha = alpha, r->linear = linear;
  r->source_width = source_width, r->source_height = source_height;
  r->result_width = result_width, r->result_height = result_height;
  if (!taps_make_exact(&r->vertical, kernel, y, height, source_height, result_height) ||
      !taps_make_exact(&r->horizontal, kernel, x, width, source_width, result_width) || !allocate(r)) {
    deep_close(r);
    return 0;
  }
  return r;
}

// Where the caller writes source rows, tightly packed; the same place for the life of the resampler.
uint16_t *EXPORT(deep_window)(const Deep *r) { return r->window; }
uint16_t *EXPORT(deep_band)(const Deep *r) { return r->band; }

// Source rows that may be written now; 0 when result rows have to be read first or no further source row is needed.
int EXPORT(deep_room)(const Deep *r) {
  if (r->written == r->result_height) return 0;
  const int used = MAX(0, r->rows_in - r->vertical.start[r->written]);
  return MAX(0, MIN(MIN(WINDOW_ROWS, r->ring_rows - used), r->vertical.end[r->result_height - 1] - r->rows_in));
}

static void take_row(const Deep *r, const uint16_t *from) {
  const v128_t part = wasm_f32x4_const_splat(1.0f / FULL);
  for (int x = 0; x < r->source_width; x++, from += 4) {
    v128_t pixel = wasm_f32x4_mul(wasm_f32x4_convert_u32x4(wasm_u32x4_load16x4(from)), part);
    if (r->linear) {
      const float *const light = r->light;
      pixel = wasm_f32x4_make(light[from[0]], light[from[1]], light[from[2]], wasm_f32x4_extract_lane(pixel, 3));
    }
    if (r->alpha) {
      const v128_t alpha = wasm_i32x4_shuffle(pixel, pixel, 3, 3, 3, 3);
      pixel = wasm_f32x4_replace_lane(wasm_f32x4_mul(pixel, alpha), 3, wasm_f32x4_extract_lane(alpha, 0));
    }
    wasm_v128_store(r->source + 4 * x, pixel);
  }
}

static inline v128_t in_range(v128_t pixel) {
  return wasm_f32x4_min(wasm_f32x4_const_splat(1), wasm_f32x4_max(wasm_f32x4_const_splat(0), pixel));
}

static void filter_horizontally(const Deep *r, float *to) {
  const float *weight = r->horizontal.exact;
  for (int x = 0; x < r->result_width; x++, weight += r->horizontal.longest, to += 4) {
    const int start = r->horizontal.start[x], count = r->horizontal.end[x] - start;
    const float *p = r->source + 4 * (size_t)start;
    v128_t sum = wasm_f32x4_const_splat(0);
    for (int k = 0; k < count; k++, p += 4) {
      sum = wasm_f32x4_add(sum, wasm_f32x4_mul(wasm_v128_load(p), wasm_v128_load32_splat(weight + k)));
    }
    wasm_v128_store(to, r->alpha ? sum : in_range(sum));
  }
}

static float *ring_row(const Deep *r, int row) { return r->ring + (size_t)(row % r->ring_rows) * r->result_width * 4; }

// Takes the first `count` rows of the window.
void EXPORT(deep_commit)(Deep *r, int count) {
  for (int i = 0; i < count; i++) {
    take_row(r, r->window + (size_t)i * r->source_width * 4);
    filter_horizontally(r, ring_row(r, r->rows_in++));
  }
}

// Straight alpha of a premultiplied pixel; one without alpha has no color either.
static void store(const Deep *r, v128_t pixel, uint16_t *to) {
  const float alpha = r->alpha ? wasm_f32x4_extract_lane(pixel, 3) : 1;
  const int opacity = clamp((int)(alpha * FULL + 0.5f), 0, FULL);
  v128_t color = in_range(wasm_f32x4_div(pixel, wasm_f32x4_splat(alpha)));
  if (r->linear) {
    color = wasm_f32x4_make(from_linear(wasm_f32x4_extract_lane(color, 0)), from_linear(wasm_f32x4_extract_lane(color, 1)),
                            from_linear(wasm_f32x4_extract_lane(color, 2)), 0);
  }
  const v128_t half = wasm_f32x4_const_splat(0.5f);
  v128_t v = wasm_i32x4_trunc_sat_f32x4(wasm_f32x4_add(wasm_f32x4_mul(color, wasm_f32x4_const_splat(FULL)), half));
  v = wasm_i32x4_replace_lane(v, 3, opacity);
  if (opacity == 0) v = wasm_i32x4_const_splat(0);
  wasm_v128_store64_lane(to, wasm_u16x8_narrow_i32x4(v, v), 0);
}

static void filter_vertically(const Deep *r, int y, uint16_t *to) {
  const int start = r->vertical.start[y], count = r->vertical.end[y] - start;
  const float *const weight = r->vertical.exact + (size_t)y * r->vertical.longest;
  for (int x = 0; x < r->result_width; x++, to += 4) {
    v128_t sum = wasm_f32x4_const_splat(0);
    for (int k = 0; k < count; k++) {
      const v128_t pixel = wasm_v128_load(ring_row(r, start + k) + 4 * x);
      sum = wasm_f32x4_add(sum, wasm_f32x4_mul(pixel, wasm_v128_load32_splat(weight + k)));
    }
    store(r, sum, to);
  }
}

// Writes at most `most` result rows to the band, as many as the committed rows allow; returns how many.
int EXPORT(deep_read)(Deep *r, int most) {
  int count = 0;
  for (; count < MIN(most, r->band_rows) && r->written < r->result_height; count++, r->written++) {
    if (r->rows_in < r->vertical.end[r->written]) break;
    filter_vertically(r, r->written, r->band + (size_t)count * r->result_width * 4);
  }
  return count;
}
