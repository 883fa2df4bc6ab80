/*
 * Streaming separable resampling: source rows in, result rows out, as few rows in memory as the filter is long.
 *
 *   window (u8, as the caller writes it)
 *     -> [box: whole blocks of samples averaged, only for strong reductions]
 *     -> ring of row pairs: samples of row 2m and row 2m+1 interleaved, so that one i32x4.dot_i16x8_s applies two
 *        weights of the vertical filter to four samples; bytes where the source can be kept as it is, i16 otherwise
 *     -> vertical filter to one row of i16 -> horizontal filter -> u8 result row
 *
 * Samples are fixed point with FRACTION bits below the 8-bit value; with alpha they are premultiplied, with `linear`
 * they are linear light. The filters are exact to about 1/64 of a level; only the last step rounds to 8 bits.
 * Between the passes an opaque row is clamped to its range, as libvips does, which keeps ringing from being ringed
 * again; a premultiplied row is not (colour may exceed alpha only in the end result, where it is clamped).
 */
#include "taps.h"

#include <math.h>

#define FRACTION 6
#define WHITE (255 << FRACTION)
#define LANES 32 /* samples that the vertical loop takes at a time; rows are padded to it */
#define BOX_MIN 8 /* reductions from here on are averaged first... */
#define BOX_LEFT 4 /* ...down to at least this, so that the averaging stays clear of the pass band */
#define WINDOW_ROWS 16

typedef enum { GRAY = 1, OPAQUE = 3, ALPHA = 4 } Mode; /* the value is the number of channels filtered */

typedef struct {
  Mode mode;
  int linear;
  int narrow; /* the ring holds bytes */
  int source_width, source_height; /* what the caller writes */
  int box_x, box_y;                /* samples averaged per axis, 1 for none */
  int width, height;               /* after the box */
  int result_width, result_height;
  int window_rows, band_rows;
  int rows_in, box_rows, prepared, written; /* rows committed, in the open box, in the ring, returned */
  size_t samples;                  /* per row in the ring, padded */
  int pairs;                       /* capacity of the ring in pairs of rows */
  Taps vertical, horizontal;
  uint8_t *window, *band, *ring;
  int16_t *even, *odd, *row;       /* fixed point; `even` also keeps a source row until its partner comes */
  uint32_t *sums;
  const uint8_t **pair;
  uint8_t *from_linear; /* WHITE + 1 entries */
  int16_t to_linear[256];
} Resampler;

/* ---- colour ---- */

static double to_linear(double v) { return v <= 0.04045 ? v / 12.92 : pow((v + 0.055) / 1.055, 2.4); }
static double from_linear(double v) { return v <= 0.0031308 ? v * 12.92 : 1.055 * pow(v, 1 / 2.4) - 0.055; }

static int make_linear_tables(Resampler *r) {
  for (int v = 0; v < 256; v++) r->to_linear[v] = (int16_t)lrint(to_linear(v / 255.0) * WHITE);
  if (!r->linear) return 1;
  r->from_linear = malloc(WHITE + 1);
  if (!r->from_linear) return 0;
  for (int v = 0; v <= WHITE; v++) r->from_linear[v] = (uint8_t)lrint(from_linear((double)v / WHITE) * 255);
  return 1;
}

/* 64 / 255 of sixteen bits: (t + t / 256) / 4, exact for t = 255 a and within 0.6 elsewhere. */
static inline v128_t scale_product(v128_t t) {
  return wasm_u16x8_shr(wasm_i16x8_add(wasm_i16x8_add(t, wasm_u16x8_shr(t, 8)), wasm_i16x8_const_splat(2)), 2);
}

typedef struct { v128_t low, high; } Samples16;

/* Four RGBA pixels as fixed point, colour times alpha: c * a * 64 / 255; the alpha byte itself gives a * 64. */
static inline Samples16 premultiply(const uint8_t *source) {
  const v128_t bytes = wasm_v128_load(source);
  const v128_t alpha = wasm_i8x16_shuffle(bytes, bytes, 3, 3, 3, 3, 7, 7, 7, 7, 11, 11, 11, 11, 15, 15, 15, 15);
  const v128_t color = wasm_v128_or(bytes, wasm_i32x4_const_splat((int)0xff000000));
  return (Samples16){scale_product(wasm_u16x8_extmul_low_u8x16(color, alpha)),
                     scale_product(wasm_u16x8_extmul_high_u8x16(color, alpha))};
}

/* ---- window to ring ---- */

/* One row of the window as fixed-point samples of the mode's channels. */
static void prepare(const Resampler *r, const uint8_t *source, int16_t *row) {
  const int count = r->source_width;
  if (r->linear && r->mode != GRAY) {
    for (int x = 0; x < count; x++, source += 4, row += r->mode) {
      const int alpha = r->mode == ALPHA ? source[3] : 255;
      for (int c = 0; c < 3; c++) row[c] = (int16_t)((r->to_linear[source[c]] * alpha + 127) / 255);
      if (r->mode == ALPHA) row[3] = (int16_t)(alpha << FRACTION);
    }
  } else if (r->mode == GRAY) {
    for (int x = 0; x < count; x++) row[x] = (int16_t)(source[x] << FRACTION);
  } else if (r->mode == OPAQUE) {
    for (int x = 0; x < count; x++)
      for (int c = 0; c < 3; c++) row[3 * x + c] = (int16_t)(source[4 * x + c] << FRACTION);
  } else {
    for (int x = 0; x < count; x += 4) {
      const Samples16 s = premultiply(source + 4 * x);
      wasm_v128_store(row + 4 * x, s.low);
      wasm_v128_store(row + 4 * x + 8, s.high);
    }
  }
}

static void interleave(const int16_t *even, const int16_t *odd, int16_t *pair, size_t samples) {
  for (size_t i = 0; i < samples; i += 8) {
    const v128_t e = wasm_v128_load(even + i), o = wasm_v128_load(odd + i);
    wasm_v128_store(pair + 2 * i, wasm_i16x8_shuffle(e, o, 0, 8, 1, 9, 2, 10, 3, 11));
    wasm_v128_store(pair + 2 * i + 8, wasm_i16x8_shuffle(e, o, 4, 12, 5, 13, 6, 14, 7, 15));
  }
}

/* Two opaque RGBA rows to one pair of RGB rows, still bytes. */
static void interleave_opaque(const uint8_t *even, const uint8_t *odd, uint8_t *pair, int width) {
  for (int x = 0; x < width; x += 4, even += 16, odd += 16, pair += 24) {
    const v128_t e = wasm_v128_load(even), o = wasm_v128_load(odd);
    wasm_v128_store(pair, wasm_i8x16_shuffle(e, o, 0, 16, 1, 17, 2, 18, 4, 20, 5, 21, 6, 22, 8, 24, 9, 25));
    const v128_t rest = wasm_i8x16_shuffle(e, o, 10, 26, 12, 28, 13, 29, 14, 30, 0, 0, 0, 0, 0, 0, 0, 0);
    wasm_v128_store64_lane(pair + 16, rest, 0);
  }
}

static void interleave_gray(const uint8_t *even, const uint8_t *odd, uint8_t *pair, int width) {
  for (int x = 0; x < width; x += 8) {
    const v128_t e = wasm_v128_load64_zero(even + x), o = wasm_v128_load64_zero(odd + x);
    wasm_v128_store(pair + 2 * x, wasm_i8x16_shuffle(e, o, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23));
  }
}

static void interleave_alpha(const uint8_t *even, const uint8_t *odd, int16_t *pair, int width) {
  for (int x = 0; x < width; x += 4, even += 16, odd += 16, pair += 32) {
    const Samples16 e = premultiply(even), o = premultiply(odd);
    wasm_v128_store(pair, wasm_i16x8_shuffle(e.low, o.low, 0, 8, 1, 9, 2, 10, 3, 11));
    wasm_v128_store(pair + 8, wasm_i16x8_shuffle(e.low, o.low, 4, 12, 5, 13, 6, 14, 7, 15));
    wasm_v128_store(pair + 16, wasm_i16x8_shuffle(e.high, o.high, 0, 8, 1, 9, 2, 10, 3, 11));
    wasm_v128_store(pair + 24, wasm_i16x8_shuffle(e.high, o.high, 4, 12, 5, 13, 6, 14, 7, 15));
  }
}

static uint8_t *pair_at(const Resampler *r, int row) {
  return r->ring + (size_t)(row / 2 % r->pairs) * 2 * r->samples * (r->narrow ? 1 : sizeof(int16_t));
}

/* Appends one row of fixed-point samples to the ring; an unpaired last row is paired with itself (its weight is 0). */
static void append(Resampler *r, int16_t *row) {
  const int last = r->prepared == r->height - 1;
  int16_t *pair = (int16_t *)pair_at(r, r->prepared);
  if (r->prepared % 2) interleave(r->even, row, pair, r->samples);
  else if (last) interleave(row, row, pair, r->samples);
  else if (row != r->even) memcpy(r->even, row, r->samples * sizeof(int16_t));
  r->prepared++;
}

/* Two source rows to the ring without a detour. */
static void append_pair(Resampler *r, const uint8_t *even, const uint8_t *odd) {
  uint8_t *pair = pair_at(r, r->prepared);
  if (r->mode == GRAY) interleave_gray(even, odd, pair, r->source_width);
  else if (r->mode == OPAQUE) interleave_opaque(even, odd, pair, r->source_width);
  else interleave_alpha(even, odd, (int16_t *)pair, r->source_width);
}

/* Adds one source row to the open box row; a full box (or the last one) is averaged and goes to the ring. */
static void add_to_box(Resampler *r, const uint8_t *source) {
  const int channels = r->mode;
  prepare(r, source, r->row);
  const int16_t *sample = r->row;
  for (int x = 0, out = 0; x < r->source_width; out++) {
    const int end = MIN(x + r->box_x, r->source_width);
    for (; x < end; x++)
      for (int c = 0; c < channels; c++) r->sums[out * channels + c] += *sample++;
  }
  r->box_rows++;
  if (r->box_rows < r->box_y && r->rows_in + 1 < r->source_height) return;
  const int partial = r->source_width - (r->width - 1) * r->box_x;
  for (int x = 0; x < r->width; x++) {
    const uint32_t area = (uint32_t)r->box_rows * (x == r->width - 1 ? partial : r->box_x);
    for (int c = 0; c < channels; c++)
      r->odd[x * channels + c] = (int16_t)((r->sums[x * channels + c] + area / 2) / area);
  }
  memset(r->sums, 0, (size_t)r->width * channels * sizeof(uint32_t));
  r->box_rows = 0;
  append(r, r->odd);
}

/* Source rows to the ring, two at a time where they come so. */
static void add_rows(Resampler *r, const uint8_t *source, int count) {
  const size_t stride = (size_t)r->source_width * (r->mode == GRAY ? 1 : 4);
  uint8_t *kept = (uint8_t *)r->even;
  while (count > 0) {
    int taken = 1;
    if (r->prepared % 2) {
      append_pair(r, kept, source);
    } else if (count >= 2) {
      append_pair(r, source, source + stride);
      taken = 2;
    } else {
      memcpy(kept, source, stride);
      if (r->prepared == r->height - 1) append_pair(r, kept, kept);
    }
    r->prepared += taken, r->rows_in += taken, count -= taken, source += taken * stride;
  }
}

static void add_linear_row(Resampler *r, const uint8_t *source) {
  int16_t *row = r->prepared % 2 ? r->odd : r->even;
  prepare(r, source, row);
  append(r, row);
  r->rows_in++;
}

/* ---- filters ---- */

/* Rounds eight sums to fixed point and clamps them. */
static inline v128_t narrow_sums(v128_t a, v128_t b, int shift, v128_t low, v128_t high) {
  const v128_t v = wasm_i16x8_narrow_i32x4(wasm_i32x4_shr(a, shift), wasm_i32x4_shr(b, shift));
  return wasm_i16x8_max(low, wasm_i16x8_min(high, v));
}

/* The row of fixed-point samples that lies at result row y, at source width, from pairs of i16 rows. */
static void filter_wide(Resampler *r, const int16_t *weight, int pairs) {
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
      wasm_v128_store(r->row + i + 4 * j, narrow_sums(sum[j], sum[j + 1], WEIGHT_BITS, low, high));
  }
}

/* The same from pairs of byte rows. */
static void filter_narrow(Resampler *r, const int16_t *weight, int pairs) {
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
      wasm_v128_store(r->row + i + 4 * j, narrow_sums(sum[j], sum[j + 1], shift, low, high));
  }
}

static void filter_vertically(Resampler *r, int y) {
  const int start = r->vertical.start[y], pairs = (r->vertical.end[y] - start + 1) / 2;
  const int16_t *weight = r->vertical.weight + (size_t)y * r->vertical.longest;
  for (int k = 0; k < pairs; k++) r->pair[k] = pair_at(r, start + 2 * k);
  if (r->narrow) filter_narrow(r, weight, pairs);
  else filter_wide(r, weight, pairs);
}

/* Four sums for one result pixel of 3 or 4 channels; two source pixels a step. `spread` arranges them in pairs. */
static inline v128_t filter_pixel(const int16_t *p, const int16_t *weight, int count, int channels) {
  v128_t sum = wasm_i32x4_const_splat(0);
  for (int k = 0; k < count; k += 2, p += 2 * channels) {
    const v128_t v = wasm_v128_load(p);
    const v128_t spread = channels == 3 ? wasm_i16x8_shuffle(v, v, 0, 3, 1, 4, 2, 5, 2, 5)
                                        : wasm_i16x8_shuffle(v, v, 0, 4, 1, 5, 2, 6, 3, 7);
    sum = wasm_i32x4_add(sum, wasm_i32x4_dot_i16x8(spread, wasm_v128_load32_splat(weight + k)));
  }
  return sum;
}

static inline int filter_sample(const int16_t *p, const int16_t *weight, int count) {
  v128_t sum = wasm_i32x4_const_splat(0);
  for (int k = 0; k < count; k += 8)
    sum = wasm_i32x4_add(sum, wasm_i32x4_dot_i16x8(wasm_v128_load(p + k), wasm_v128_load(weight + k)));
  return wasm_i32x4_extract_lane(sum, 0) + wasm_i32x4_extract_lane(sum, 1) + wasm_i32x4_extract_lane(sum, 2) +
         wasm_i32x4_extract_lane(sum, 3);
}

static inline void store_opaque(v128_t sum, uint8_t *out) {
  const int fixed = WEIGHT_BITS + FRACTION;
  v128_t v = wasm_i32x4_shr(wasm_i32x4_add(sum, wasm_i32x4_const_splat(1 << (fixed - 1))), fixed);
  v = wasm_i16x8_narrow_i32x4(v, v);
  wasm_v128_store32_lane(out, wasm_v128_or(wasm_u8x16_narrow_i16x8(v, v), wasm_i32x4_const_splat((int)0xff000000)), 0);
}

/* Straight alpha from premultiplied sums; a pixel without alpha has no colour either. */
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

/* The same from linear light to sRGB. */
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

static void filter_horizontally(const Resampler *r, uint8_t *out) {
  const int fixed = WEIGHT_BITS + FRACTION, longest = r->horizontal.longest;
  const int16_t *weight = r->horizontal.weight;
  for (int x = 0; x < r->result_width; x++, weight += longest) {
    const int start = r->horizontal.start[x], count = r->horizontal.end[x] - start;
    const int16_t *p = r->row + (size_t)start * r->mode;
    if (r->mode == GRAY)
      out[x] = (uint8_t)clamp((filter_sample(p, weight, count) + (1 << (fixed - 1))) >> fixed, 0, 255);
    else if (r->linear)
      store_linear(r, filter_pixel(p, weight, count, r->mode), out + 4 * x);
    else if (r->mode == OPAQUE)
      store_opaque(filter_pixel(p, weight, count, 3), out + 4 * x);
    else
      store_alpha(filter_pixel(p, weight, count, 4), out + 4 * x);
  }
}

/* ---- API ---- */

static int has_rows_for(const Resampler *r, int y) {
  return r->prepared >= MIN(r->height, (int)round_up(r->vertical.end[y], 2));
}

void EXPORT(resampler_close)(Resampler *r) {
  taps_free(&r->vertical);
  taps_free(&r->horizontal);
  free(r->window), free(r->band), free(r->ring), free(r->even), free(r->odd), free(r->row);
  free(r->sums), free(r->pair), free(r->from_linear);
  free(r);
}

static int allocate(Resampler *r) {
  const size_t pixel = r->mode == GRAY ? 1 : 4, slack = 64;
  r->samples = round_up((size_t)r->mode * (r->width + 8), LANES);
  r->pairs = r->vertical.longest / 2 + WINDOW_ROWS / 2 + 1;
  const size_t row = MAX(r->samples, round_up((size_t)r->mode * (r->source_width + 8), LANES));
  r->band_rows = clamp(65536 / (int)MIN(65536, pixel * r->result_width), 1, 16);
  r->window = calloc((size_t)WINDOW_ROWS * r->source_width * pixel + slack, 1);
  r->band = malloc((size_t)r->band_rows * r->result_width * pixel);
  r->ring = calloc((size_t)r->pairs * 2 * r->samples, r->narrow ? 1 : sizeof(int16_t));
  r->even = calloc(MAX(row * sizeof(int16_t), r->source_width * pixel + slack), 1);
  r->odd = calloc(row, sizeof(int16_t));
  r->row = calloc(row, sizeof(int16_t));
  r->sums = calloc((size_t)r->width * r->mode, sizeof(uint32_t));
  r->pair = malloc(sizeof *r->pair * r->pairs);
  return r->window && r->band && r->ring && r->even && r->odd && r->row && r->sums && r->pair && make_linear_tables(r);
}

static int box_of(double length, int size) { return length / size < BOX_MIN ? 1 : MIN((int)(length / size / BOX_LEFT), 256); }

/* What is left of a Gaussian after a box of `box` samples (variances add up), in boxes. */
static double sigma_after(double sigma, int box) {
  return sqrt(MAX(0.01, sigma * sigma - (box * box - 1) / 12.0)) / box;
}

/*
 * Opens a resampler for the box [x, x + width) x [y, y + height) (fractions allowed) of a source_width x source_height
 * picture. channels: 1 (one byte a pixel), 3 (RGBA, opaque), 4 (RGBA with straight alpha). sigma: of a Gaussian, in
 * source pixels. Returns 0 when memory ran out.
 */
Resampler *EXPORT(resampler_open)(int source_width, int source_height, double x, double y, double width, double height,
                                  int result_width, int result_height, int kernel, double sigma, int channels,
                                  int linear) {
  Resampler *r = calloc(1, sizeof *r);
  if (!r) return 0;
  r->mode = channels, r->linear = linear;
  r->source_width = source_width, r->source_height = source_height;
  r->result_width = result_width, r->result_height = result_height;
  r->box_x = kernel == NEAREST ? 1 : box_of(width, result_width);
  r->box_y = kernel == NEAREST ? 1 : box_of(height, result_height);
  r->narrow = r->box_x == 1 && r->box_y == 1 && !linear && r->mode != ALPHA;
  r->width = (source_width + r->box_x - 1) / r->box_x;
  r->height = (source_height + r->box_y - 1) / r->box_y;
  if (!taps_make(&r->vertical, kernel, sigma_after(sigma, r->box_y), y / r->box_y, height / r->box_y, r->height,
                 result_height, 2, 2) ||
      !taps_make(&r->horizontal, kernel, sigma_after(sigma, r->box_x), x / r->box_x, width / r->box_x, r->width,
                 result_width, 1, r->mode == GRAY ? 8 : 2) ||
      !allocate(r)) {
    resampler_close(r);
    return 0;
  }
  return r;
}

/* Where the caller writes source rows, tightly packed; the same place for the life of the resampler. */
uint8_t *EXPORT(resampler_window)(const Resampler *r) { return r->window; }
uint8_t *EXPORT(resampler_band)(const Resampler *r) { return r->band; }

/* Source rows that may be written now; 0 when result rows have to be read first or no further source row is needed. */
int EXPORT(resampler_room)(const Resampler *r) {
  if (r->written == r->result_height) return 0;
  const int used = MAX(0, (r->prepared + 1) / 2 - r->vertical.start[r->written] / 2);
  const int room = (r->pairs - used) * 2 * r->box_y - r->box_rows;
  return MIN(MIN(WINDOW_ROWS, room), r->source_height - r->rows_in);
}

/* Takes the first `count` rows of the window; at most resampler_room. */
void EXPORT(resampler_commit)(Resampler *r, int count) {
  const size_t stride = (size_t)r->source_width * (r->mode == GRAY ? 1 : 4);
  const int boxed = r->box_x > 1 || r->box_y > 1;
  if (!boxed && !r->linear) {
    add_rows(r, r->window, count);
    return;
  }
  for (int i = 0; i < count; i++) {
    if (boxed) add_to_box(r, r->window + i * stride), r->rows_in++;
    else add_linear_row(r, r->window + i * stride);
  }
}

/* Writes at most `max` result rows to the band, as many as the committed rows allow; returns how many. */
int EXPORT(resampler_read)(Resampler *r, int max) {
  const size_t stride = (size_t)r->result_width * (r->mode == GRAY ? 1 : 4);
  int count = 0;
  while (count < MIN(max, r->band_rows) && r->written < r->result_height && has_rows_for(r, r->written)) {
    filter_vertically(r, r->written++);
    filter_horizontally(r, r->band + stride * count++);
  }
  return count;
}
