#include "halved.h"
#include <stdlib.h>
#include <string.h>
#include "simd.h"

// A vector holds four pixels, or four samples of chroma, each as a pair of numbers of 16 bits: of its red and its blue, or
// of what these are above its green. Cb and Cr say the same as such differences (T.871), and differences need no rounding.
enum { PIXELS = 4, PAIRS = HALVED_MCU / 2, EDGE = PIXELS };

static inline v128_t add(v128_t a, v128_t b) { return wasm_i16x8_add(a, b); }

static inline size_t sample_bytes_of(const struct halved *h) { return h->deep ? 2 : 1; }

// Bytes of a pair of rows of pixels, and numbers of a row of chroma.
static size_t pair_bytes(const struct halved *h) { return (size_t)h->columns * 4 * 2; }
static size_t chroma_numbers(const struct halved *h) { return 2 * (h->columns / 2 + 2 * EDGE); }

// All but the pairs of rows that are kept, and their chroma.
static void start(struct halved *h, uint32_t width, uint32_t height) {
  h->width = width;
  h->height = height;
  h->columns = (width + HALVED_MCU - 1) / HALVED_MCU * HALVED_MCU;
  h->between = allocate(chroma_numbers(h) * sizeof(int16_t));
  h->planes = allocate((size_t)h->columns * HALVED_MCU * 3 / 2 * sample_bytes_of(h));
}

void halved_start(struct halved *h, uint32_t width, uint32_t height) {
  start(h, width, height);
  for (int i = 0; i < 2; i++) h->pixels[i] = allocate(pair_bytes(h));
  for (int i = 0; i < 3; i++) h->chroma[i] = allocate(chroma_numbers(h) * sizeof(int16_t));
}

void halved_free(struct halved *h) {
  for (int i = 0; i < 2; i++) free(h->pixels[i]);
  for (int i = 0; i < 3; i++) free(h->chroma[i]);
  free(h->between);
  free(h->planes);
}

// Red and blue of pixels, and green twice, with alpha in its second place or without.
static inline v128_t red_blue(v128_t pixels) { return wasm_v128_and(pixels, wasm_i16x8_const_splat(0xFF)); }
static inline v128_t green_alpha(v128_t pixels) { return wasm_u16x8_shr(pixels, 8); }
static inline v128_t first_twice(v128_t pairs) {
  return wasm_i8x16_relaxed_swizzle(pairs, wasm_i8x16_const(0, 1, 0, 1, 4, 5, 4, 5, 8, 9, 8, 9, 12, 13, 12, 13));
}

// Sums of neighbors.
static inline v128_t summed(v128_t first, v128_t second) {
  return add(wasm_i32x4_shuffle(first, second, 0, 2, 4, 6), wasm_i32x4_shuffle(first, second, 1, 3, 5, 7));
}

// Continues a row of chroma beyond both ends, as decoders continue it.
static void continue_across(const struct halved *h, int16_t *chroma) {
  const uint32_t last = (h->width - 1) / 2;
  memcpy(chroma - 2, chroma, 2 * sizeof *chroma);
  for (uint32_t x = last + 1; x <= h->columns / 2; x++) memcpy(chroma + 2 * x, chroma + 2 * last, 2 * sizeof *chroma);
}

// Chroma of a pair of rows.
static void halve(struct halved *h, uint32_t pair) {
  const uint8_t *top = h->pixels[pair & 1], *bottom = top + (size_t)h->columns * 4;
  int16_t *chroma = h->chroma[pair % 3] + 2 * EDGE;
  for (uint32_t x = 0; x < h->columns / 2; x += PIXELS, top += 32, bottom += 32) {
    const v128_t a = wasm_v128_load(top), b = wasm_v128_load(top + 16);
    const v128_t c = wasm_v128_load(bottom), d = wasm_v128_load(bottom + 16);
    const v128_t colors = summed(add(red_blue(a), red_blue(c)), add(red_blue(b), red_blue(d)));
    const v128_t greens = summed(add(green_alpha(a), green_alpha(c)), add(green_alpha(b), green_alpha(d)));
    wasm_v128_store(chroma + 2 * x, wasm_i16x8_sub(colors, first_twice(greens)));
  }
  continue_across(h, chroma);
}

// Three parts of what is near, and one of what is far, as libjpeg's triangle filter has it: in quarters of their units.
static inline v128_t three_to_one(v128_t near, v128_t far) { return add(add(near, near), add(near, far)); }

// Chroma of a row of pixels, between a row of chroma and the one beyond.
static void interpolate(struct halved *h, uint32_t near, uint32_t far) {
  const int16_t *a = h->chroma[near % 3], *b = h->chroma[far % 3];
  for (uint32_t at = 0; at < h->columns + 4 * EDGE; at += 2 * PIXELS)
    wasm_v128_store(h->between + at, three_to_one(wasm_v128_load(a + at), wasm_v128_load(b + at)));
}

// The same across, in 64ths: four pixels from the sample before the first one on.
static inline v128_t widened(const int16_t *before) {
  const v128_t samples = wasm_v128_load(before);
  return three_to_one(wasm_i32x4_shuffle(samples, samples, 1, 1, 2, 2), wasm_i32x4_shuffle(samples, samples, 0, 2, 1, 3));
}

#define PAIRS_OF(first, second)                                                                                        \
  wasm_i16x8_const(first, second, first, second, first, second, first, second)

// How much light a level more of a primary is: within 11 % of the slope of (level + 14) ^ 2.4, which is about sRGB's.
// Red, green and blue count as long and middle cones see them on average (opsin absorbance, libjxl's opsin_params.h).
// The unit is as small as a sum of both of a pair and green's, of which each has a half, allows.
#define RED 0.265f
#define HALF_GREEN (0.657f / 2)
#define BLUE 0.078f
#define IN_UNITS(share, factor) (int16_t)((share) * (factor) * 1.6f * 32768 + 0.5f)

static inline v128_t slopes(v128_t levels, v128_t constant, v128_t linear, v128_t square) {
  const v128_t part = wasm_i16x8_shl(levels, 7);
  const v128_t rising = add(linear, wasm_i16x8_relaxed_q15mulr(part, square));
  return add(constant, wasm_i16x8_relaxed_q15mulr(part, rising));
}

// The same of both of two primaries. A level is multiplied as a part of 256, and meant as one of 255.
#define CONSTANT(share) IN_UNITS(share, 0.014197f)
#define LINEAR(share) IN_UNITS(share, 0.512924f * 256 / 255)
#define SQUARE(share) IN_UNITS(share, 0.508784f * 256 / 255 * 256 / 255)
#define SLOPES_OF(levels, first, second)                                                                               \
  slopes(levels, PAIRS_OF(CONSTANT(first), CONSTANT(second)), PAIRS_OF(LINEAR(first), LINEAR(second)),                 \
         PAIRS_OF(SQUARE(first), SQUARE(second)))

// Luma with which pixels are as bright as they were, though their chroma is this one, in 64ths. Each primary would be what
// it was with a luma of its own; it is their mean, by how much light a level of each is. Those of red and of blue are so
// much above that of green as their differences from green have lost.
static inline v128_t made_up(v128_t pixels, v128_t chroma) {
  const v128_t colors = red_blue(pixels), greens = first_twice(green_alpha(pixels));
  const v128_t lost = wasm_i16x8_sub(wasm_i16x8_shl(wasm_i16x8_sub(colors, greens), 6), chroma);
  const v128_t weights = SLOPES_OF(colors, RED, BLUE), of_green = SLOPES_OF(greens, HALF_GREEN, HALF_GREEN);
  const v128_t above = wasm_i32x4_dot_i16x8(weights, lost);
  const v128_t all = dot_pairs(add(weights, of_green), 64, 64);
  // Green's is green and the shares of red and of blue in luma, of their differences: in parts of 2 ^ 21.
  const v128_t for_green = wasm_i32x4_add(dot_pairs(chroma, 9798, 3736), wasm_i32x4_shl(greens, 21));
  return wasm_f32x4_add(wasm_f32x4_mul(wasm_f32x4_convert_i32x4(for_green), wasm_f32x4_const_splat(1.0f / (1 << 21))),
                        wasm_f32x4_div(wasm_f32x4_convert_i32x4(above), wasm_f32x4_convert_i32x4(all)));
}

static inline v128_t rounded(v128_t a, v128_t b) {
  return wasm_i16x8_narrow_i32x4(wasm_i32x4_relaxed_trunc_f32x4(wasm_f32x4_nearest(a)),
                                 wasm_i32x4_relaxed_trunc_f32x4(wasm_f32x4_nearest(b)));
}

// Levels of 8 bits in 10.
#define TENFOLD (1023.0f / 255)
static inline v128_t in_10_bits(v128_t levels) { return wasm_f32x4_mul(levels, wasm_f32x4_const_splat(TENFOLD)); }
static inline v128_t within_10_bits(v128_t samples) {
  return wasm_i16x8_max(wasm_i16x8_min(samples, wasm_i16x8_const_splat(1023)), wasm_i16x8_const_splat(0));
}

static void make_luma(struct halved *h, const uint8_t *pixels, uint8_t *luma) {
  const int16_t *chroma = h->between + 2 * (EDGE - 1);
  for (uint32_t x = 0; x < h->columns; x += 4 * PIXELS, pixels += 64, chroma += 16) {
    v128_t made[4];
    for (int i = 0; i < 4; i++) made[i] = made_up(wasm_v128_load(pixels + 16 * i), widened(chroma + 4 * i));
    if (h->deep) {
      for (int i = 0; i < 4; i++) made[i] = in_10_bits(made[i]);
      wasm_v128_store(luma + 2 * x, within_10_bits(rounded(made[0], made[1])));
      wasm_v128_store(luma + 2 * x + 16, within_10_bits(rounded(made[2], made[3])));
      continue;
    }
    wasm_v128_store(luma + x, wasm_u8x16_narrow_i16x8(rounded(made[0], made[1]), rounded(made[2], made[3])));
  }
}

// Luma of a pair of rows whose neighbors are known.
static void make_luma_rows(struct halved *h, uint32_t pair, uint8_t *luma) {
  const uint32_t pairs = (h->height + 1) / 2;
  const uint32_t above = pair ? pair - 1 : pair, below = pair + 1 < pairs ? pair + 1 : pair;
  for (uint32_t i = 0; i < 2; i++) {
    interpolate(h, pair, i ? below : above);
    make_luma(h, h->pixels[pair & 1] + (size_t)i * h->columns * 4, luma + i * h->columns * sample_bytes_of(h));
  }
}

// What R - G and B - G count in Cb and in Cr, of 2 ^ 15.
#define IN_CB PAIRS_OF(-5529, 16384)
#define IN_CR PAIRS_OF(16384, -2664)

// Four samples of Cb or Cr: of 8 bits, or of 10 as floats.
static inline v128_t chroma_samples(v128_t pairs, v128_t shares) {
  const v128_t center = wasm_i32x4_const_splat((128 << 17) + (1 << 16));
  return wasm_i32x4_shr(wasm_i32x4_add(wasm_i32x4_dot_i16x8(pairs, shares), center), 17);
}
static inline v128_t deep_chroma_samples(v128_t pairs, v128_t shares) {
  const v128_t above = wasm_f32x4_convert_i32x4(wasm_i32x4_dot_i16x8(pairs, shares));
  return wasm_f32x4_add(wasm_f32x4_mul(above, wasm_f32x4_const_splat(TENFOLD / (1 << 17))), wasm_f32x4_const_splat(512));
}

// Eight samples of Cb or Cr, of two vectors of pairs.
static inline void store_chroma(int deep, v128_t a, v128_t b, v128_t shares, uint8_t *plane, uint32_t x) {
  if (deep) {
    const v128_t samples = rounded(deep_chroma_samples(a, shares), deep_chroma_samples(b, shares));
    wasm_v128_store(plane + 2 * x, within_10_bits(samples));
    return;
  }
  const v128_t samples = wasm_i16x8_narrow_i32x4(chroma_samples(a, shares), chroma_samples(b, shares));
  wasm_v128_store64_lane(plane + x, wasm_u8x16_narrow_i16x8(samples, samples), 0);
}

static void make_chroma(struct halved *h, uint32_t pair, uint8_t *cb, uint8_t *cr) {
  const int16_t *chroma = h->chroma[pair % 3] + 2 * EDGE;
  const int deep = h->deep;
  for (uint32_t x = 0; x < h->columns / 2; x += 2 * PIXELS) {
    const v128_t a = wasm_v128_load(chroma + 2 * x), b = wasm_v128_load(chroma + 2 * x + 2 * PIXELS);
    store_chroma(deep, a, b, IN_CB, cb, x);
    store_chroma(deep, a, b, IN_CR, cr, x);
  }
}

// Rows of the planes for a pair whose neighbors are known.
static void make(struct halved *h, uint32_t pair) {
  const uint32_t at = pair % PAIRS;
  const size_t row = h->columns * sample_bytes_of(h), half = row / 2;
  make_luma_rows(h, pair, h->planes + 2 * at * row);
  uint8_t *chroma = h->planes + row * HALVED_MCU + at * half;
  make_chroma(h, pair, chroma, chroma + PAIRS * half);
}

// The last of the first rows of a plane once more, until there are as many as wanted.
static void continue_down(uint8_t *plane, size_t bytes, uint32_t rows, uint32_t wanted) {
  for (uint32_t row = rows; row < wanted; row++) memcpy(plane + row * bytes, plane + (rows - 1) * bytes, bytes);
}

// The planes after so many pairs, down to the end of the row of MCUs.
static void complete(struct halved *h, uint32_t pairs) {
  const size_t bytes = h->columns * sample_bytes_of(h), half = bytes / 2;
  continue_down(h->planes, bytes, 2 * pairs, HALVED_MCU);
  uint8_t *chroma = h->planes + bytes * HALVED_MCU;
  for (int c = 0; c < 2; c++) continue_down(chroma + c * PAIRS * half, half, pairs, PAIRS);
}

static void keep_row(struct halved *h, uint32_t at, const uint8_t *row) {
  uint8_t *to = h->pixels[at / 2 & 1] + (size_t)(at & 1) * h->columns * 4;
  memcpy(to, row, (size_t)h->width * 4);
  for (uint32_t x = h->width; x < h->columns; x++) memcpy(to + 4 * (size_t)x, row + 4 * (size_t)(h->width - 1), 4);
}

// Keeps the next row, and the last one of an odd number twice. Whether its pair, and chroma of that, is there.
static int completes_pair(struct halved *h, const uint8_t *row) {
  const uint32_t at = h->rows++;
  const int is_last = h->rows == h->height;
  keep_row(h, at, row);
  if (is_last && !(at & 1)) keep_row(h, at + 1, row);
  if (!is_last && !(at & 1)) return 0;
  halve(h, at / 2);
  return 1;
}

static void make_next(struct halved *h, uint32_t pair, void (*full)(void *), void *with) {
  make(h, pair);
  if (pair % PAIRS == PAIRS - 1) full(with);
}

void halved_take(struct halved *h, const uint8_t *row, void (*full)(void *), void *with) {
  const uint32_t pair = h->rows / 2;
  if (!completes_pair(h, row)) return;
  if (pair) make_next(h, pair - 1, full, with);
  if (h->rows != h->height) return;
  make_next(h, pair, full, with);
  if (pair % PAIRS == PAIRS - 1) return;
  complete(h, pair % PAIRS + 1);
  full(with);
}
