// Two result rows: colors by Lanczos3, brightness and alpha by networks.
#include "superres.h"

// Weights of the seven rows or columns around a pixel for its first and its second result, in 32,768ths; the second has
// those of the first, mirrored.
typedef int16_t Taps[2][8];
_Alignas(16) static const Taps lanczos3 = {
    {242, -2228, 8880, 29254, -4367, 987, 0, 0},
    {0, 987, -4367, 29254, 8880, -2228, 242, 0},
};
// A quadratic B-spline: nothing is negative, and all of the nine pixels around count.
_Alignas(16) static const Taps spline = {
    {0, 0, 9216, 22528, 1024, 0, 0, 0},
    {0, 0, 1024, 22528, 9216, 0, 0, 0},
};
#define ONE_BITS 15

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

// One plane of the four pixels that pixel x becomes, in samples, filtered down and then across.
static inline v128_t filtered(const Sources *s, const Taps taps, int plane, int x) {
  v128_t even = wasm_i16x8_const_splat(0), odd = even;
  for (int row = 0; row < TAP_ROWS; row++) {
    const v128_t samples = wasm_v128_load(s->rows[plane][row] + x - REACH);
    even = wasm_i16x8_add(even, wasm_i16x8_q15mulr_sat(samples, wasm_i16x8_splat(taps[0][row])));
    odd = wasm_i16x8_add(odd, wasm_i16x8_q15mulr_sat(samples, wasm_i16x8_splat(taps[1][row])));
  }
  const v128_t first = wasm_v128_load(taps[0]), second = wasm_v128_load(taps[1]);
  const v128_t v = sums_of(wasm_i32x4_dot_i16x8(even, first), wasm_i32x4_dot_i16x8(even, second),
                           wasm_i32x4_dot_i16x8(odd, first), wasm_i32x4_dot_i16x8(odd, second));
  const v128_t half = wasm_i32x4_const_splat(1 << (ONE_BITS - 1));
  return within(wasm_i32x4_shr(wasm_i32x4_add(v, half), ONE_BITS), &s->bounds[plane], x);
}

// The same four by the network.
static inline v128_t made(const Made *m, int x) {
  return within(wasm_i32x4_load16x4(m->quads + (size_t)x * 4), &m->bounds, x);
}

static inline v128_t as_bytes(v128_t levels) {
  return wasm_i32x4_min(wasm_i32x4_max(levels, wasm_i32x4_const_splat(0)), wasm_i32x4_const_splat(255));
}

static inline v128_t levels(v128_t samples) {
  const v128_t half = wasm_i32x4_const_splat(1 << (SAMPLE_BITS - 1));
  return as_bytes(wasm_i32x4_shr(wasm_i32x4_add(samples, half), SAMPLE_BITS));
}

// Makes colors as bright as `luma`, or as much of the way there as `strength` says.
static inline void brighten(v128_t color[3], v128_t luma, int strength) {
  v128_t sum = wasm_i32x4_mul(color[0], wasm_i32x4_const_splat(LUMA_RED_256));
  sum = wasm_i32x4_add(sum, wasm_i32x4_mul(color[1], wasm_i32x4_const_splat(LUMA_GREEN_256)));
  sum = wasm_i32x4_add(sum, wasm_i32x4_mul(color[2], wasm_i32x4_const_splat(LUMA_BLUE_256)));
  v128_t more = wasm_i32x4_sub(luma, wasm_i32x4_shr(sum, 8));
  more = wasm_i32x4_shr(wasm_i32x4_mul(more, wasm_i32x4_splat(strength)), 8);
  for (int i = 0; i < 3; i++) color[i] = wasm_i32x4_add(color[i], more);
}

// Samples of color by samples of alpha, as levels.
static inline v128_t straight(v128_t color, v128_t alpha) {
  const v128_t whole = wasm_f32x4_convert_i32x4(wasm_i32x4_max(alpha, wasm_i32x4_const_splat(1)));
  const v128_t scaled = wasm_f32x4_mul(wasm_f32x4_convert_i32x4(color), wasm_f32x4_const_splat(255));
  const v128_t level = wasm_f32x4_add(wasm_f32x4_div(scaled, whole), wasm_f32x4_const_splat(0.5f));
  return as_bytes(wasm_i32x4_trunc_sat_f32x4(level));
}

static inline v128_t packed(const v128_t color[3], v128_t alpha) {
  return wasm_v128_or(wasm_v128_or(color[0], wasm_i32x4_shl(color[1], 8)),
                      wasm_v128_or(wasm_i32x4_shl(color[2], 16), wasm_i32x4_shl(alpha, 24)));
}

static inline v128_t opaque_pixels(const Sources *s, int x) {
  v128_t color[3];
  for (int i = 0; i < 3; i++) color[i] = filtered(s, lanczos3, i, x);
  brighten(color, made(&s->luma, x), s->strength);
  for (int i = 0; i < 3; i++) color[i] = levels(color[i]);
  return packed(color, wasm_i32x4_const_splat(255));
}

// Colors are what one filter makes of color and of alpha, so that hidden ones add nothing; only where alpha does not change
// are they as bright as the network says. At outlines, where alpha changes by more than half, the filter is a mean of what
// is around: one that sharpens may leave next to no alpha to divide by.
static inline v128_t translucent_pixels(const Sources *s, int x) {
  const Bounds *range = &s->bounds[ALPHA];
  const int is_outline = 2 * range->low[x] < range->high[x];
  v128_t color[3];
  for (int i = 0; i < 3; i++) color[i] = is_outline ? filtered(s, spline, i, x) : filtered(s, lanczos3, i, x);
  if (range->low[x] == range->high[x]) brighten(color, made(&s->luma, x), s->strength);
  const v128_t alpha = is_outline ? filtered(s, spline, ALPHA, x) : filtered(s, lanczos3, ALPHA, x);
  for (int i = 0; i < 3; i++) color[i] = straight(color[i], alpha);
  const v128_t level = levels(made(&s->alpha, x));
  return wasm_v128_andnot(packed(color, level), wasm_i32x4_eq(level, wasm_i32x4_const_splat(0)));
}

void superres_pixels(const Sources *s, uint8_t *even, uint8_t *odd) {
  const int opaque = s->layout->planes == ALPHA;
  for (int x = 0; x < s->layout->width; x++) {
    // The least alpha of the nine pixels around says whether all are opaque.
    const int solid = opaque || s->bounds[ALPHA].low[x] == 255 << SAMPLE_BITS;
    const v128_t pixels = solid ? opaque_pixels(s, x) : translucent_pixels(s, x);
    wasm_v128_store64_lane(even + (size_t)x * 8, pixels, 0);
    wasm_v128_store64_lane(odd + (size_t)x * 8, pixels, 1);
  }
}
