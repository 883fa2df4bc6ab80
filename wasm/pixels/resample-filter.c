// From the ring of row pairs to result rows.
#include "resample.h"

// Rounds eight sums to fixed point and clamps them.
static inline v128_t narrow_sums(v128_t a, v128_t b, int shift, v128_t low, v128_t high) {
  const v128_t v = wasm_i16x8_narrow_i32x4(wasm_i32x4_shr(a, shift), wasm_i32x4_shr(b, shift));
  return wasm_i16x8_max(low, wasm_i16x8_min(high, v));
}

// The row of fixed-point samples that lies at result row y, at source width, from pairs of i16 rows.
static void filter_wide(const Resampler *r, const int16_t *weight, int pairs, int16_t *row) {
  const v128_t half = wasm_i32x4_const_splat(1 << (WEIGHT_BITS - 1));
  const v128_t low = r->mode == ALPHA ? wasm_i16x8_const_splat(-32768) : wasm_i16x8_const_splat(0);
  const v128_t high = r->mode == ALPHA ? wasm_i16x8_const_splat(32767) : wasm_i16x8_const_splat(WHITE);
  for (size_t i = 0; i < r->samples; i += LANES) {
    v128_t sum[LANES / 4];
    for (int j = 0; j < LANES / 4; j++) sum[j] = half;
    for (int k = 0; k < pairs; k++) {
      const v128_t w = wasm_v128_load32_splat(weight + 2 * k);
      const int16_t *p = (const int16_t *)r->pair[k] + 2 * i;
      for (int j = 0; j < LANES / 4; j++)
        sum[j] = wasm_i32x4_add(sum[j], wasm_i32x4_dot_i16x8(wasm_v128_load(p + 8 * j), w));
    }
    for (int j = 0; j < LANES / 4; j += 2)
      wasm_v128_store(row + i + 4 * j, narrow_sums(sum[j], sum[j + 1], WEIGHT_BITS, low, high));
  }
}

// The row of fixed-point samples that lies at a result row, at source width, from pairs of byte rows.
static void filter_narrow(const Resampler *r, const int16_t *weight, int pairs, int16_t *row) {
  const int shift = WEIGHT_BITS - FRACTION;
  const v128_t half = wasm_i32x4_const_splat(1 << (shift - 1));
  const v128_t low = wasm_i16x8_const_splat(0), high = wasm_i16x8_const_splat(WHITE);
  for (size_t i = 0; i < r->samples; i += LANES) {
    v128_t sum[LANES / 4];
    for (int j = 0; j < LANES / 4; j++) sum[j] = half;
    for (int k = 0; k < pairs; k++) {
      const v128_t w = wasm_v128_load32_splat(weight + 2 * k);
      const uint8_t *p = r->pair[k] + 2 * i;
      for (int j = 0; j < LANES / 4; j += 2) {
        const v128_t v = wasm_v128_load(p + 8 * j);
        sum[j] = wasm_i32x4_add(sum[j], wasm_i32x4_dot_i16x8(wasm_u16x8_extend_low_u8x16(v), w));
        sum[j + 1] = wasm_i32x4_add(sum[j + 1], wasm_i32x4_dot_i16x8(wasm_u16x8_extend_high_u8x16(v), w));
      }
    }
    for (int j = 0; j < LANES / 4; j += 2)
      wasm_v128_store(row + i + 4 * j, narrow_sums(sum[j], sum[j + 1], shift, low, high));
  }
}

void resample_vertically(Resampler *r, int y, int16_t *row) {
  const int start = r->vertical.start[y], pairs = (r->vertical.end[y] - start + 1) / 2;
  const int16_t *weight = r->vertical.weight + (size_t)y * r->vertical.longest;
  for (int k = 0; k < pairs; k++) r->pair[k] = resample_pair(r, start + 2 * k);
  if (r->narrow) filter_narrow(r, weight, pairs, row);
  else filter_wide(r, weight, pairs, row);
}

// Four sums for one result pixel of 3 or 4 channels: its samples are paired up for the weights of two pixels a step.
static inline v128_t filter_pixel(const int16_t *p, const int16_t *weight, int count, int channels) {
  const v128_t spread = channels == 3 ? wasm_i8x16_const(0, 1, 6, 7, 2, 3, 8, 9, 4, 5, 10, 11, 4, 5, 10, 11)
                                      : wasm_i8x16_const(0, 1, 8, 9, 2, 3, 10, 11, 4, 5, 12, 13, 6, 7, 14, 15);
  v128_t even = wasm_i32x4_const_splat(0), odd = even;
  for (int k = 0; k < count; k += 4, p += 4 * channels) {
    const v128_t a = permute(wasm_v128_load(p), spread), b = permute(wasm_v128_load(p + 2 * channels), spread);
    even = wasm_i32x4_add(even, wasm_i32x4_dot_i16x8(a, wasm_v128_load32_splat(weight + k)));
    odd = wasm_i32x4_add(odd, wasm_i32x4_dot_i16x8(b, wasm_v128_load32_splat(weight + k + 2)));
  }
  return wasm_i32x4_add(even, odd);
}

// Straight alpha from premultiplied sums; a pixel without alpha has no color either.
static inline void store_alpha(v128_t sum, uint8_t *out) {
  const float white = (float)((int64_t)WHITE << WEIGHT_BITS);
  const v128_t alpha = wasm_f32x4_convert_i32x4(wasm_i32x4_shuffle(sum, sum, 3, 3, 3, 3));
  const v128_t straight = wasm_f32x4_div(wasm_f32x4_mul(wasm_f32x4_convert_i32x4(sum), wasm_f32x4_const_splat(255)), alpha);
  const v128_t opacity = wasm_f32x4_mul(alpha, wasm_f32x4_splat(255 / white));
  const v128_t rgba = wasm_i32x4_shuffle(straight, opacity, 0, 1, 2, 7);
  v128_t v = wasm_i32x4_trunc_sat_f32x4(wasm_f32x4_add(rgba, wasm_f32x4_const_splat(0.5f)));
  v = wasm_i16x8_narrow_i32x4(v, v);
  const int pixel = wasm_i32x4_extract_lane(wasm_u8x16_narrow_i16x8(v, v), 0);
  const int stored = (uint32_t)pixel >> 24 ? pixel : 0;
  memcpy(out, &stored, 4);
}

// Stores pixels of linear light as sRGB.
static inline void store_linear(const Resampler *r, v128_t sum, uint8_t *out) {
  const float white = (float)((int64_t)WHITE << WEIGHT_BITS);
  const float alpha = r->mode == ALPHA ? (float)wasm_i32x4_extract_lane(sum, 3) : white;
  const int opacity = clamp((int)(alpha * (255 / white) + 0.5f), 0, 255);
  const v128_t v = wasm_f32x4_mul(wasm_f32x4_convert_i32x4(sum), wasm_f32x4_splat(WHITE / alpha));
  const v128_t c = wasm_i32x4_trunc_sat_f32x4(wasm_f32x4_add(v, wasm_f32x4_const_splat(0.5f)));
  const int none = opacity == 0;
  out[0] = none ? 0 : r->from_linear[clamp(wasm_i32x4_extract_lane(c, 0), 0, WHITE)];
  out[1] = none ? 0 : r->from_linear[clamp(wasm_i32x4_extract_lane(c, 1), 0, WHITE)];
  out[2] = none ? 0 : r->from_linear[clamp(wasm_i32x4_extract_lane(c, 2), 0, WHITE)];
  out[3] = (uint8_t)opacity;
}

void resample_horizontally(const Resampler *r, uint8_t *out) {
  const int longest = r->horizontal.longest;
  const int16_t *weight = r->horizontal.weight;
  for (int x = 0; x < r->result_width; x++, weight += longest) {
    const int start = r->horizontal.start[x], count = r->horizontal.end[x] - start;
    const int16_t *p = r->row + (size_t)start * r->mode;
    if (r->linear) store_linear(r, filter_pixel(p, weight, count, r->mode), out + 4 * x);
    else store_alpha(filter_pixel(p, weight, count, 4), out + 4 * x);
  }
}
