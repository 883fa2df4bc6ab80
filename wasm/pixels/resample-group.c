// From the ring of row pairs to result rows without alpha, GROUP rows at a time: the rows of the vertical filter share
// what they load, and the horizontal filter applies two of its weights to one channel of all rows at once.
#include "resample.h"

#define STEP 16 // samples of two rows whose sums fit the registers
#define CHANNEL_PAIR 8 // samples of two pixels in a whole group, of one channel...
#define COLOR_PAIR (OPAQUE * CHANNEL_PAIR) // ...and of all

typedef struct { v128_t sum[STEP / 4]; } Sums;

static inline Sums add_pair(Sums s, const v128_t *sample, v128_t weight) {
  for (int j = 0; j < STEP / 4; j++) s.sum[j] = wasm_i32x4_add(s.sum[j], wasm_i32x4_dot_i16x8(sample[j], weight));
  return s;
}

static inline void load_pair(const uint8_t *pair, v128_t *sample) {
  for (int j = 0; j < STEP / 8; j++) {
    const v128_t v = wasm_v128_load(pair + 16 * j);
    sample[2 * j] = wasm_u16x8_extend_low_u8x16(v);
    sample[2 * j + 1] = wasm_u16x8_extend_high_u8x16(v);
  }
}

static inline void store_sums(Sums s, int16_t *row) {
  const v128_t low = wasm_i16x8_const_splat(0), high = wasm_i16x8_const_splat(WHITE);
  const int shift = WEIGHT_BITS - FRACTION;
  for (int j = 0; j < STEP / 4; j += 2) {
    const v128_t v = wasm_i16x8_narrow_i32x4(wasm_i32x4_shr(s.sum[j], shift), wasm_i32x4_shr(s.sum[j + 1], shift));
    wasm_v128_store(row + 4 * j, wasm_i16x8_max(low, wasm_i16x8_min(high, v)));
  }
}

// Result rows y and y + 1 from pairs of byte rows; what both need is loaded once.
static void filter_two(Resampler *r, int y, int16_t *first, int16_t *second) {
  const Taps *taps = &r->vertical;
  const int start = taps->start[y], from = (taps->start[y + 1] - start) / 2;
  const int to = (taps->end[y] - start + 1) / 2, end = (taps->end[y + 1] - start + 1) / 2;
  const int16_t *a = taps->weight + (size_t)y * taps->longest, *b = a + taps->longest - 2 * from;
  for (int k = 0; k < end; k++) r->pair[k] = resample_pair(r, start + 2 * k);
  const v128_t half = wasm_i32x4_const_splat(1 << (WEIGHT_BITS - FRACTION - 1));
  for (size_t i = 0; i < r->samples; i += STEP) {
    Sums sa, sb;
    v128_t sample[STEP / 4];
    for (int j = 0; j < STEP / 4; j++) sa.sum[j] = sb.sum[j] = half;
    int k = 0;
    for (; k < MIN(from, to); k++) {
      load_pair(r->pair[k] + 2 * i, sample);
      sa = add_pair(sa, sample, wasm_v128_load32_splat(a + 2 * k));
    }
    for (; k < to; k++) {
      load_pair(r->pair[k] + 2 * i, sample);
      sa = add_pair(sa, sample, wasm_v128_load32_splat(a + 2 * k));
      sb = add_pair(sb, sample, wasm_v128_load32_splat(b + 2 * k));
    }
    for (k = MAX(k, from); k < end; k++) {
      load_pair(r->pair[k] + 2 * i, sample);
      sb = add_pair(sb, sample, wasm_v128_load32_splat(b + 2 * k));
    }
    store_sums(sa, first + i);
    store_sums(sb, second + i);
  }
}

// Pixels 2m and 2m + 1 of the group's rows together: for each channel, row after row, its two samples.
static void pair_colors(const int16_t *row, size_t stride, int16_t *group, int width) {
  const v128_t spread = wasm_i8x16_const(0, 1, 6, 7, 2, 3, 8, 9, 4, 5, 10, 11, 4, 5, 10, 11);
  for (int x = 0; x < width; x += 2, row += 6, group += COLOR_PAIR) {
    const v128_t a = permute(wasm_v128_load(row), spread), b = permute(wasm_v128_load(row + stride), spread);
    const v128_t c = permute(wasm_v128_load(row + 2 * stride), spread);
    const v128_t d = permute(wasm_v128_load(row + 3 * stride), spread);
    const v128_t ab = wasm_i32x4_shuffle(a, b, 0, 4, 1, 5), cd = wasm_i32x4_shuffle(c, d, 0, 4, 1, 5);
    wasm_v128_store(group, wasm_i64x2_shuffle(ab, cd, 0, 2));
    wasm_v128_store(group + 8, wasm_i64x2_shuffle(ab, cd, 1, 3));
    wasm_v128_store(group + 16, wasm_i64x2_shuffle(wasm_i32x4_shuffle(a, b, 2, 6, 3, 7),
                                                   wasm_i32x4_shuffle(c, d, 2, 6, 3, 7), 0, 2));
  }
}

// Samples 2m and 2m + 1 of the group's rows of one channel, row after row, eight pixels at a time.
static void pair_samples(const int16_t *row, size_t stride, int16_t *group, int width) {
  for (int x = 0; x < width; x += 8, row += 8, group += 4 * CHANNEL_PAIR) {
    const v128_t a = wasm_v128_load(row), b = wasm_v128_load(row + stride);
    const v128_t c = wasm_v128_load(row + 2 * stride), d = wasm_v128_load(row + 3 * stride);
    const v128_t ab = wasm_i32x4_shuffle(a, b, 0, 4, 1, 5), cd = wasm_i32x4_shuffle(c, d, 0, 4, 1, 5);
    const v128_t ab2 = wasm_i32x4_shuffle(a, b, 2, 6, 3, 7), cd2 = wasm_i32x4_shuffle(c, d, 2, 6, 3, 7);
    wasm_v128_store(group, wasm_i64x2_shuffle(ab, cd, 0, 2));
    wasm_v128_store(group + CHANNEL_PAIR, wasm_i64x2_shuffle(ab, cd, 1, 3));
    wasm_v128_store(group + 2 * CHANNEL_PAIR, wasm_i64x2_shuffle(ab2, cd2, 0, 2));
    wasm_v128_store(group + 3 * CHANNEL_PAIR, wasm_i64x2_shuffle(ab2, cd2, 1, 3));
  }
}

static inline v128_t to_levels(v128_t sum) { return wasm_i32x4_shr(sum, WEIGHT_BITS + FRACTION); }

// One pixel of every row of the group, as RGBA in the order of the rows.
static inline v128_t filter_pixels(const int16_t *p, const int16_t *weight, int pairs) {
  v128_t red = wasm_i32x4_const_splat(1 << (WEIGHT_BITS + FRACTION - 1)), green = red, blue = red;
  for (int k = 0; k < pairs; k++, p += COLOR_PAIR, weight += 2) {
    const v128_t w = wasm_v128_load32_splat(weight);
    red = wasm_i32x4_add(red, wasm_i32x4_dot_i16x8(wasm_v128_load(p), w));
    green = wasm_i32x4_add(green, wasm_i32x4_dot_i16x8(wasm_v128_load(p + 8), w));
    blue = wasm_i32x4_add(blue, wasm_i32x4_dot_i16x8(wasm_v128_load(p + 16), w));
  }
  const v128_t rg = wasm_i16x8_narrow_i32x4(to_levels(red), to_levels(green));
  const v128_t ba = wasm_i16x8_narrow_i32x4(to_levels(blue), wasm_i32x4_const_splat(255));
  return permute(wasm_u8x16_narrow_i16x8(rg, ba),
                 wasm_i8x16_const(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15));
}

static void filter_colors(const Resampler *r, int count, uint8_t *out) {
  const int16_t *weight = r->horizontal.weight;
  const size_t stride = 4 * (size_t)r->result_width;
  for (int x = 0; x < r->result_width; x++, weight += r->horizontal.longest, out += 4) {
    const int start = r->horizontal.start[x], pairs = (r->horizontal.end[x] - start + 1) / 2;
    const v128_t pixels = filter_pixels(r->group + (size_t)start / 2 * COLOR_PAIR, weight, pairs);
    wasm_v128_store32_lane(out, pixels, 0);
    if (count > 1) wasm_v128_store32_lane(out + stride, pixels, 1);
    if (count > 2) wasm_v128_store32_lane(out + 2 * stride, pixels, 2);
    if (count > 3) wasm_v128_store32_lane(out + 3 * stride, pixels, 3);
  }
}

// Result sample x of every row of the group, as levels.
static inline v128_t filter_sample(const Resampler *r, int x) {
  const int start = r->horizontal.start[x], pairs = (r->horizontal.end[x] - start + 1) / 2;
  const int16_t *p = r->group + (size_t)start / 2 * CHANNEL_PAIR;
  const int16_t *weight = r->horizontal.weight + (size_t)x * r->horizontal.longest;
  v128_t sum = wasm_i32x4_const_splat(1 << (WEIGHT_BITS + FRACTION - 1));
  for (int k = 0; k < pairs; k++, p += CHANNEL_PAIR, weight += 2)
    sum = wasm_i32x4_add(sum, wasm_i32x4_dot_i16x8(wasm_v128_load(p), wasm_v128_load32_splat(weight)));
  return to_levels(sum);
}

// Four result samples a step: their sums are turned so that each row's lie together.
static void filter_gray(const Resampler *r, int count, uint8_t *out) {
  const int width = r->result_width, last = width - 1;
  for (int x = 0; x < width; x += 4) {
    const v128_t ab = wasm_i16x8_narrow_i32x4(filter_sample(r, x), filter_sample(r, MIN(x + 1, last)));
    const v128_t cd = wasm_i16x8_narrow_i32x4(filter_sample(r, MIN(x + 2, last)), filter_sample(r, MIN(x + 3, last)));
    const v128_t rows = permute(wasm_u8x16_narrow_i16x8(ab, cd),
                                wasm_i8x16_const(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15));
    uint8_t *to = out + x;
    if (count == GROUP && x + 4 <= width) {
      wasm_v128_store32_lane(to, rows, 0);
      wasm_v128_store32_lane(to + width, rows, 1);
      wasm_v128_store32_lane(to + 2 * (size_t)width, rows, 2);
      wasm_v128_store32_lane(to + 3 * (size_t)width, rows, 3);
    } else {
      uint8_t samples[16];
      wasm_v128_store(samples, rows);
      for (int i = 0; i < count; i++) memcpy(to + (size_t)i * width, samples + 4 * i, MIN(4, width - x));
    }
  }
}

void resample_group(Resampler *r, int y, int count, uint8_t *out) {
  int done = 0;
  if (r->narrow)
    for (; done + 1 < count; done += 2)
      filter_two(r, y + done, r->row + done * r->samples, r->row + (done + 1) * r->samples);
  for (; done < count; done++) resample_vertically(r, y + done, r->row + done * r->samples);
  if (r->mode == GRAY) {
    pair_samples(r->row, r->samples, r->group, r->width);
    filter_gray(r, count, out);
  } else {
    pair_colors(r->row, r->samples, r->group, r->width);
    filter_colors(r, count, out);
  }
}
