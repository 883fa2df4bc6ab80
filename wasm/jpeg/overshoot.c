#include "overshoot.h"
#include <math.h>
#include <string.h>

enum { ROUNDS = 3 };

// From these on a sample is white, or black: colors become luma with an error of rounding.
static const float WHITE = 254.5f, BLACK = 0.5f;
// How far a sample may move, by the divisor of DC, and at most: pictures that are decoded at a fraction of their size
// are made of means that nobody clamps, which may change little.
static const float FREEDOM = 13, MOST = 58;
// Blocks of less need few coefficients in any case.
static const float CONTRAST = 64;
// Quotients below become zero, as most do where bits are weighed.
static const float DEAD_ZONE = 1.1f;
// Samples go on beyond where the block would put them, which takes fewer rounds.
static const float RELAXATION = 1.9f;

#ifdef SCALAR

typedef float lanes;
enum { LANES = 1 };
static inline lanes load(const float *from) { return *from; }
static inline void store(float *to, lanes v) { *to = v; }
static inline lanes splat(float value) { return value; }
static inline lanes add(lanes a, lanes b) { return a + b; }
static inline lanes subtract(lanes a, lanes b) { return a - b; }
static inline lanes times(lanes a, lanes b) { return a * b; }
static inline lanes smaller(lanes a, lanes b) { return b < a ? b : a; }
static inline lanes larger(lanes a, lanes b) { return a < b ? b : a; }
static inline lanes round_down(lanes v) { return floorf(v); }
static inline lanes magnitude(lanes v) { return fabsf(v); }
static inline lanes with_sign_of(lanes v, lanes size) { return copysignf(size, v); }
static inline lanes where_at_least(lanes v, float limit, lanes value) { return v >= limit ? value : 0; }
static inline int any_at_least(lanes v, float limit) { return v >= limit; }

static void transpose(float block[64]) {
  for (int y = 0; y < 8; y++)
    for (int x = 0; x < y; x++) {
      const float other = block[y * 8 + x];
      block[y * 8 + x] = block[x * 8 + y];
      block[x * 8 + y] = other;
    }
}

#else

#include "../simd.h"

typedef v128_t lanes;
enum { LANES = 4 };
static inline lanes load(const float *from) { return wasm_v128_load(from); }
static inline void store(float *to, lanes v) { wasm_v128_store(to, v); }
static inline lanes splat(float value) { return wasm_f32x4_splat(value); }
static inline lanes add(lanes a, lanes b) { return wasm_f32x4_add(a, b); }
static inline lanes subtract(lanes a, lanes b) { return wasm_f32x4_sub(a, b); }
static inline lanes times(lanes a, lanes b) { return wasm_f32x4_mul(a, b); }
static inline lanes smaller(lanes a, lanes b) { return wasm_f32x4_pmin(a, b); }
static inline lanes larger(lanes a, lanes b) { return wasm_f32x4_pmax(a, b); }
static inline lanes round_down(lanes v) { return wasm_f32x4_floor(v); }
static inline lanes magnitude(lanes v) { return wasm_f32x4_abs(v); }
static inline lanes with_sign_of(lanes v, lanes size) {
  return wasm_v128_bitselect(v, size, wasm_i32x4_const_splat(INT32_MIN));
}
static inline lanes where_at_least(lanes v, float limit, lanes value) {
  return wasm_v128_and(wasm_f32x4_ge(v, splat(limit)), value);
}
static inline int any_at_least(lanes v, float limit) { return wasm_v128_any_true(wasm_f32x4_ge(v, splat(limit))); }

static inline void transpose4(const float *from, v128_t rows[4]) {
  const v128_t a = load(from), b = load(from + 8), c = load(from + 16), d = load(from + 24);
  const v128_t ab = low32(a, b), cd = low32(c, d), ab_high = high32(a, b), cd_high = high32(c, d);
  rows[0] = low64(ab, cd);
  rows[1] = high64(ab, cd);
  rows[2] = low64(ab_high, cd_high);
  rows[3] = high64(ab_high, cd_high);
}

static void transpose(float block[64]) {
  v128_t quarters[4][4];
  for (int q = 0; q < 4; q++) transpose4(block + (q >> 1) * 32 + (q & 1) * 4, quarters[q]);
  for (int q = 0; q < 4; q++)
    for (int i = 0; i < 4; i++) store(block + (q & 1) * 32 + (q >> 1) * 4 + i * 8, quarters[q][i]);
}

#endif

// cos(k (2 i + 1) pi / 16) / 2 of the first half of the samples, which the other half mirrors; for k = 0 by sqrt(1/2).
static const float cosines[8][4] = {
    {0.353553391f, 0.353553391f, 0.353553391f, 0.353553391f},
    {0.490392640f, 0.415734806f, 0.277785117f, 0.097545161f},
    {0.461939766f, 0.191341716f, -0.191341716f, -0.461939766f},
    {0.415734806f, -0.097545161f, -0.490392640f, -0.277785117f},
    {0.353553391f, -0.353553391f, -0.353553391f, 0.353553391f},
    {0.277785117f, -0.490392640f, 0.097545161f, 0.415734806f},
    {0.191341716f, -0.461939766f, 0.461939766f, -0.191341716f},
    {0.097545161f, -0.277785117f, 0.415734806f, -0.490392640f},
};

void overshoot_start(struct overshoot *overshoot, const uint16_t divisors[64]) {
  for (int i = 0; i < 64; i++) {
    // DC is divided finely enough to be left alone.
    overshoot->divisor[i] = i ? divisors[(i & 7) << 3 | i >> 3] : 1;
    overshoot->inverse[i] = 1 / overshoot->divisor[i];
  }
  // None at a divisor of 1: values would exceed what T.81 allows.
  overshoot->most = fminf(MOST, FREEDOM * (divisors[0] - 1));
}

static void transform_columns(float block[64]) {
  for (int x = 0; x < 8; x += LANES) {
    lanes folded[2][4];
    for (int i = 0; i < 4; i++) {
      const lanes near = load(block + i * 8 + x), far = load(block + (7 - i) * 8 + x);
      folded[0][i] = add(near, far);
      folded[1][i] = subtract(near, far);
    }
    for (int k = 0; k < 8; k++) {
      lanes sum = times(folded[k & 1][0], splat(cosines[k][0]));
      for (int i = 1; i < 4; i++) sum = add(sum, times(folded[k & 1][i], splat(cosines[k][i])));
      store(block + k * 8 + x, sum);
    }
  }
}

static void restore_columns(float block[64]) {
  for (int x = 0; x < 8; x += LANES) {
    lanes values[8];
    for (int k = 0; k < 8; k++) values[k] = load(block + k * 8 + x);
    for (int i = 0; i < 4; i++) {
      lanes even = times(values[0], splat(cosines[0][i])), odd = times(values[1], splat(cosines[1][i]));
      for (int k = 2; k < 8; k += 2) {
        even = add(even, times(values[k], splat(cosines[k][i])));
        odd = add(odd, times(values[k + 1], splat(cosines[k + 1][i])));
      }
      store(block + i * 8 + x, add(even, odd));
      store(block + (7 - i) * 8 + x, subtract(even, odd));
    }
  }
}

static void quantize(const struct overshoot *overshoot, float block[64]) {
  for (int i = 0; i < 64; i += LANES) {
    const lanes value = load(block + i), quotient = times(magnitude(value), load(overshoot->inverse + i));
    const lanes rounded = where_at_least(quotient, DEAD_ZONE, round_down(add(quotient, splat(0.5f))));
    store(block + i, with_sign_of(value, times(rounded, load(overshoot->divisor + i))));
  }
}

// What a decoder would make of the samples.
static void decoded(const struct overshoot *overshoot, const float samples[64], float result[64]) {
  memcpy(result, samples, 64 * sizeof *result);
  transform_columns(result);
  transpose(result);
  transform_columns(result);
  quantize(overshoot, result);
  restore_columns(result);
  transpose(result);
  restore_columns(result);
}

static inline void find_range(const float *row, lanes *least, lanes *largest) {
  for (int x = 0; x < 8; x += LANES) {
    *least = smaller(*least, load(row + x));
    *largest = larger(*largest, load(row + x));
  }
}

// Whether there are white or black samples in a block, and much else. What touches none of three rows is not looked
// for.
static int is_mixed(const float *samples, size_t stride) {
  lanes least = load(samples), largest = least;
  find_range(samples, &least, &largest);
  find_range(samples + 3 * stride, &least, &largest);
  find_range(samples + 7 * stride, &least, &largest);
  if (!any_at_least(largest, WHITE) && !any_at_least(subtract(splat(0), least), -BLACK)) return 0;
  for (int y = 1; y < 7; y++) find_range(samples + y * stride, &least, &largest);
  float low[LANES], high[LANES];
  store(low, least);
  store(high, largest);
  for (int i = 1; i < LANES; i++) low[0] = fminf(low[0], low[i]), high[0] = fmaxf(high[0], high[i]);
  return high[0] - low[0] >= CONTRAST;
}

static void overshoot_block(const struct overshoot *overshoot, float *samples, size_t stride) {
  float block[64], low[64], high[64], result[64];
  for (int i = 0; i < 64; i += LANES) {
    const lanes sample = load(samples + (i >> 3) * stride + (i & 7));
    store(block + i, sample);
    store(high + i, add(sample, where_at_least(sample, WHITE, splat(overshoot->most))));
    store(low + i, subtract(sample, where_at_least(subtract(splat(0), sample), -BLACK, splat(overshoot->most))));
  }
  for (int round = 0; round < ROUNDS; round++) {
    decoded(overshoot, block, result);
    for (int i = 0; i < 64; i += LANES) {
      const lanes sample = load(block + i), step = subtract(load(result + i), sample);
      const lanes moved = add(sample, times(splat(RELAXATION), step));
      store(block + i, smaller(larger(moved, load(low + i)), load(high + i)));
    }
  }
  for (int i = 0; i < 64; i += LANES) store(samples + (i >> 3) * stride + (i & 7), load(block + i));
}

void overshoot_row(const struct overshoot *overshoot, float *samples, size_t stride, uint32_t count) {
  if (overshoot->most == 0) return;
  for (uint32_t i = 0; i < count; i++, samples += 8)
    if (is_mixed(samples, stride)) overshoot_block(overshoot, samples, stride);
}
