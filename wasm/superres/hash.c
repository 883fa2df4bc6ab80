// What kind of place a pixel is: the direction, strength and coherence of the gradients around it, and its curvature.
#include "superres.h"

// A Gaussian of sigma 1.2 over five samples.
static const float window[TAP_ROWS] = {0.08562916f, 0.24266530f, 0.34341108f, 0.24266530f, 0.08562916f};

static inline v128_t floats(const int16_t *p) {
  return wasm_f32x4_convert_i32x4(wasm_i32x4_load16x4(p));
}

static inline v128_t scaled_by(v128_t v, float factor) { return wasm_f32x4_mul(v, wasm_f32x4_splat(factor)); }

void superres_moments(const Layout *layout, const int16_t *above, const int16_t *here, const int16_t *below,
                      float *scratch, float *moments) {
  const float half = 0.5f / (1 << SAMPLE_BITS);
  float *products[3];
  for (int i = 0; i < 3; i++) products[i] = scratch + (size_t)i * layout->plane + MARGIN;
  for (int x = -REACH; x < layout->width + REACH; x += 4) {
    const v128_t gx = scaled_by(wasm_f32x4_sub(floats(here + x + 1), floats(here + x - 1)), half);
    const v128_t gy = scaled_by(wasm_f32x4_sub(floats(below + x), floats(above + x)), half);
    wasm_v128_store(products[0] + x, wasm_f32x4_mul(gx, gx));
    wasm_v128_store(products[1] + x, wasm_f32x4_mul(gy, gy));
    wasm_v128_store(products[2] + x, wasm_f32x4_mul(gx, gy));
  }
  for (int i = 0; i < 3; i++)
    for (int x = 0; x < layout->width; x += 4) {
      v128_t sum = wasm_f32x4_const_splat(0);
      for (int k = 0; k < TAP_ROWS; k++)
        sum = wasm_f32x4_add(sum, scaled_by(wasm_v128_load(products[i] + x + k - REACH), window[k]));
      wasm_v128_store(moments + (size_t)i * layout->plane + x, sum);
    }
}

// Adds one where `a` is at least `b`.
static inline v128_t count(v128_t sum, v128_t a, v128_t b) { return wasm_i32x4_sub(sum, wasm_f32x4_ge(a, b)); }

// The nearest of 16 directions of the vector (u, v), counted from u's axis.
static inline v128_t direction(v128_t u, v128_t v) {
  // Tangents of half a step, one and a half, ...
  static const float tangents[4] = {0.19891237f, 0.66817864f, 1.49660576f, 5.02733949f};
  const v128_t across = wasm_f32x4_abs(u), up = wasm_f32x4_abs(v), zero = wasm_f32x4_const_splat(0);
  v128_t step = wasm_i32x4_const_splat(0);
  for (int k = 0; k < 4; k++) step = wasm_i32x4_sub(step, wasm_f32x4_gt(up, scaled_by(across, tangents[k])));
  const v128_t left = wasm_f32x4_lt(u, zero), down = wasm_f32x4_lt(v, zero);
  step = wasm_v128_bitselect(wasm_i32x4_sub(wasm_i32x4_const_splat(8), step), step, left);
  step = wasm_v128_bitselect(wasm_i32x4_sub(wasm_i32x4_const_splat(16), step), step, down);
  return wasm_v128_and(step, wasm_i32x4_const_splat(ANGLES - 1));
}

// The moment `which` at four pixels, filtered down.
static inline v128_t filtered(const Layout *layout, float *const moments[TAP_ROWS], int which, int x) {
  v128_t sum = wasm_f32x4_const_splat(0);
  for (int k = 0; k < TAP_ROWS; k++)
    sum = wasm_f32x4_add(sum, scaled_by(wasm_v128_load(moments[k] + (size_t)which * layout->plane + x), window[k]));
  return sum;
}

static inline v128_t curvature(const int16_t *above, const int16_t *here, const int16_t *below, int x) {
  const v128_t sides = wasm_f32x4_add(wasm_f32x4_add(floats(above + x), floats(below + x)),
                                      wasm_f32x4_add(floats(here + x - 1), floats(here + x + 1)));
  return scaled_by(wasm_f32x4_abs(wasm_f32x4_sub(scaled_by(floats(here + x), 4), sides)), 1.0f / (1 << SAMPLE_BITS));
}

void superres_buckets(const Layout *layout, const int16_t *above, const int16_t *here, const int16_t *below,
                      float *const moments[TAP_ROWS], uint16_t *buckets) {
  const v128_t zero = wasm_f32x4_const_splat(0);
  for (int x = 0; x < layout->width; x += 4) {
    const v128_t xx = filtered(layout, moments, 0, x), yy = filtered(layout, moments, 1, x);
    const v128_t v = scaled_by(filtered(layout, moments, 2, x), 2), u = wasm_f32x4_sub(xx, yy);
    const v128_t spread = wasm_f32x4_sqrt(wasm_f32x4_add(wasm_f32x4_mul(u, u), wasm_f32x4_mul(v, v)));
    const v128_t both = wasm_f32x4_add(xx, yy);
    const v128_t strong = wasm_f32x4_sqrt(scaled_by(wasm_f32x4_add(both, spread), 0.5f));
    const v128_t weak = wasm_f32x4_sqrt(scaled_by(wasm_f32x4_max(zero, wasm_f32x4_sub(both, spread)), 0.5f));

    v128_t strength = wasm_i32x4_const_splat(0), coherence = strength, bend = strength;
    strength = count(strength, strong, wasm_f32x4_const_splat(4));
    strength = count(strength, strong, wasm_f32x4_const_splat(12));
    strength = count(strength, strong, wasm_f32x4_const_splat(28));
    const v128_t less = wasm_f32x4_sub(strong, weak);
    const v128_t more = wasm_f32x4_add(wasm_f32x4_add(strong, weak), wasm_f32x4_const_splat(1e-3f));
    coherence = count(coherence, less, scaled_by(more, 0.25f));
    coherence = count(coherence, less, scaled_by(more, 0.5f));
    const v128_t laplacian = curvature(above, here, below, x);
    const v128_t scale = wasm_f32x4_add(strong, wasm_f32x4_const_splat(4));
    bend = count(bend, laplacian, scaled_by(scale, 0.5f));
    bend = count(bend, laplacian, scaled_by(scale, 1.2f));

    v128_t bucket = wasm_i32x4_add(wasm_i32x4_shl(direction(u, v), 2), strength);
    bucket = wasm_i32x4_add(wasm_i32x4_mul(bucket, wasm_i32x4_const_splat(COHERENCES)), coherence);
    bucket = wasm_i32x4_add(wasm_i32x4_mul(bucket, wasm_i32x4_const_splat(CURVATURES)), bend);
    wasm_v128_store64_lane(buckets + x, wasm_u16x8_narrow_i32x4(bucket, bucket), 0);
  }
}
