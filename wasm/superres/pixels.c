// Two result rows: colors and alpha by the filters of their buckets, brightness by the network.
#include "superres.h"

// The sums of four vectors, as one.
static inline v128_t sums_of(v128_t a, v128_t b, v128_t c, v128_t d) {
  const v128_t ab = wasm_i32x4_add(wasm_i32x4_shuffle(a, b, 0, 4, 1, 5), wasm_i32x4_shuffle(a, b, 2, 6, 3, 7));
  const v128_t cd = wasm_i32x4_add(wasm_i32x4_shuffle(c, d, 0, 4, 1, 5), wasm_i32x4_shuffle(c, d, 2, 6, 3, 7));
  return wasm_i32x4_add(wasm_i64x2_shuffle(ab, cd, 0, 2), wasm_i64x2_shuffle(ab, cd, 1, 3));
}

static inline v128_t within(v128_t v, const Bounds *bounds, int x) {
  v = wasm_i32x4_max(v, wasm_i32x4_splat(bounds->low[x]));
  v = wasm_i32x4_min(v, wasm_i32x4_splat(bounds->high[x]));
  return wasm_i32x4_max(v, wasm_i32x4_const_splat(0));
}

// One plane of the four pixels that pixel x becomes, in samples, by the filters.
static inline v128_t quad(const Sources *s, int plane, int x) {
  const Filter *filters = s->filters[s->buckets[x]];
  v128_t sums[4];
  for (int row = 0; row < TAP_ROWS; row++) {
    const v128_t samples = wasm_v128_load(s->rows[plane][row] + x - REACH);
    for (int phase = 0; phase < 4; phase++) {
      const v128_t term = wasm_i32x4_dot_i16x8(samples, wasm_v128_load(filters[phase][row]));
      sums[phase] = row ? wasm_i32x4_add(sums[phase], term) : term;
    }
  }
  v128_t v = sums_of(sums[0], sums[1], sums[2], sums[3]);
  v = wasm_i32x4_shr(wasm_i32x4_add(v, wasm_i32x4_const_splat(1 << (ONE_BITS - 1))), ONE_BITS);
  return within(v, &s->bounds[plane], x);
}

// Luma of the same four, by the network.
static inline v128_t made(const Sources *s, int x) {
  return within(wasm_i32x4_load16x4(s->luma + (size_t)x * 4), &s->luma_bounds, x);
}

static inline v128_t levels(v128_t samples) {
  const v128_t rounded = wasm_i32x4_add(samples, wasm_i32x4_const_splat(1 << (SAMPLE_BITS - 1)));
  const v128_t level = wasm_i32x4_max(wasm_i32x4_shr(rounded, SAMPLE_BITS), wasm_i32x4_const_splat(0));
  return wasm_i32x4_min(level, wasm_i32x4_const_splat(255));
}

// Makes opaque colors as bright as `luma`.
static inline void brighten(v128_t color[3], v128_t luma) {
  v128_t sum = wasm_i32x4_mul(color[0], wasm_i32x4_const_splat(LUMA_RED_256));
  sum = wasm_i32x4_add(sum, wasm_i32x4_mul(color[1], wasm_i32x4_const_splat(LUMA_GREEN_256)));
  sum = wasm_i32x4_add(sum, wasm_i32x4_mul(color[2], wasm_i32x4_const_splat(LUMA_BLUE_256)));
  const v128_t more = wasm_i32x4_sub(luma, wasm_i32x4_shr(sum, 8));
  for (int i = 0; i < 3; i++) color[i] = wasm_i32x4_add(color[i], more);
}

// Samples of color by samples of alpha, as levels.
static inline v128_t straight(v128_t color, v128_t alpha) {
  const v128_t whole = wasm_f32x4_convert_i32x4(wasm_i32x4_max(alpha, wasm_i32x4_const_splat(1)));
  const v128_t scaled = wasm_f32x4_mul(wasm_f32x4_convert_i32x4(color), wasm_f32x4_const_splat(255));
  const v128_t level = wasm_f32x4_add(wasm_f32x4_div(scaled, whole), wasm_f32x4_const_splat(0.5f));
  return wasm_i32x4_min(wasm_i32x4_trunc_sat_f32x4(level), wasm_i32x4_const_splat(255));
}

static inline v128_t packed(const v128_t color[3], v128_t alpha) {
  return wasm_v128_or(wasm_v128_or(color[0], wasm_i32x4_shl(color[1], 8)),
                      wasm_v128_or(wasm_i32x4_shl(color[2], 16), wasm_i32x4_shl(alpha, 24)));
}

static inline v128_t opaque_pixels(const Sources *s, int x) {
  v128_t color[3];
  for (int i = 0; i < 3; i++) color[i] = quad(s, i, x);
  if (s->luma) brighten(color, made(s, x));
  for (int i = 0; i < 3; i++) color[i] = levels(color[i]);
  return packed(color, wasm_i32x4_const_splat(255));
}

static inline v128_t translucent_pixels(const Sources *s, int x) {
  const v128_t alpha = quad(s, ALPHA, x), level = levels(alpha);
  v128_t color[3];
  for (int i = 0; i < 3; i++) color[i] = straight(quad(s, i, x), alpha);
  return wasm_v128_andnot(packed(color, level), wasm_i32x4_eq(level, wasm_i32x4_const_splat(0)));
}

void superres_pixels(const Sources *s, uint8_t *even, uint8_t *odd) {
  const int opaque = s->layout->planes == 3;
  for (int x = 0; x < s->layout->width; x++) {
    // The least alpha of the nine pixels around says whether all are opaque.
    const int solid = opaque || s->bounds[ALPHA].low[x] == 255 << SAMPLE_BITS;
    const v128_t pixels = solid ? opaque_pixels(s, x) : translucent_pixels(s, x);
    wasm_v128_store64_lane(even + (size_t)x * 8, pixels, 0);
    wasm_v128_store64_lane(odd + (size_t)x * 8, pixels, 1);
  }
}
