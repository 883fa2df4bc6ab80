#include "halved.h"
#include <stdlib.h>
#include <string.h>
#include "native.h"
#include "simd.h"

enum { LANES = 4, PAIRS = HALVED_MCU / 2, EDGE = LANES };

struct colors {
  v128_t r, g, b;
};

static inline v128_t times(v128_t v, float factor) { return wasm_f32x4_mul(v, wasm_f32x4_splat(factor)); }
static inline v128_t add(v128_t a, v128_t b) { return wasm_f32x4_add(a, b); }
static inline v128_t subtract(v128_t a, v128_t b) { return wasm_f32x4_sub(a, b); }

void halved_start(struct halved *h, uint32_t width, uint32_t height) {
  h->width = width;
  h->height = height;
  h->columns = (width + HALVED_MCU - 1) / HALVED_MCU * HALVED_MCU;
  const size_t halves = h->columns / 2 + 2 * EDGE;
  for (int i = 0; i < 2; i++) h->pixels[i] = allocate((size_t)h->columns * 4 * 2);
  for (int i = 0; i < 3; i++)
    for (int c = 0; c < 2; c++) h->chroma[i][c] = allocate(halves * sizeof(float));
  for (int c = 0; c < 2; c++) h->between[c] = allocate(halves * sizeof(float));
  h->planes = allocate((size_t)h->columns * HALVED_MCU * 3 / 2);
}

void halved_free(struct halved *h) {
  for (int i = 0; i < 2; i++) free(h->pixels[i]);
  for (int i = 0; i < 3; i++)
    for (int c = 0; c < 2; c++) free(h->chroma[i][c]);
  for (int c = 0; c < 2; c++) free(h->between[c]);
  free(h->planes);
}

// Sums of two bytes of each pixel, red and blue or green and alpha, in squares of four pixels.
static inline v128_t squares(const uint8_t *top, const uint8_t *bottom, int shift) {
  const v128_t mask = wasm_i32x4_const_splat(0x00FF00FF);
  v128_t sums[2];
  for (int i = 0; i < 2; i++) {
    const v128_t a = wasm_v128_load(top + 16 * i), b = wasm_v128_load(bottom + 16 * i);
    sums[i] = wasm_i16x8_add(wasm_v128_and(wasm_u32x4_shr(a, shift), mask), wasm_v128_and(wasm_u32x4_shr(b, shift), mask));
  }
  const v128_t even = wasm_i32x4_shuffle(sums[0], sums[1], 0, 2, 4, 6);
  const v128_t odd = wasm_i32x4_shuffle(sums[0], sums[1], 1, 3, 5, 7);
  return wasm_i16x8_add(even, odd);
}

// Cb and Cr of a pair of rows (T.871), continued beyond both ends as decoders continue them.
static void halve(struct halved *h, uint32_t pair) {
  const uint8_t *top = h->pixels[pair & 1], *bottom = top + (size_t)h->columns * 4;
  float *cb = h->chroma[pair % 3][0] + EDGE, *cr = h->chroma[pair % 3][1] + EDGE;
  const v128_t low = wasm_i32x4_const_splat(0xFFFF);
  for (uint32_t x = 0; x < h->columns / 2; x += LANES, top += 32, bottom += 32) {
    const v128_t red_blue = squares(top, bottom, 0), green_alpha = squares(top, bottom, 8);
    const v128_t r = times(wasm_f32x4_convert_i32x4(wasm_v128_and(red_blue, low)), 0.25f);
    const v128_t g = times(wasm_f32x4_convert_i32x4(wasm_v128_and(green_alpha, low)), 0.25f);
    const v128_t b = times(wasm_f32x4_convert_i32x4(wasm_u32x4_shr(red_blue, 16)), 0.25f);
    wasm_v128_store(cb + x, subtract(times(b, 0.5f), add(times(r, 0.168736f), times(g, 0.331264f))));
    wasm_v128_store(cr + x, subtract(times(r, 0.5f), add(times(g, 0.418688f), times(b, 0.081312f))));
  }
  const uint32_t last = (h->width - 1) / 2;
  for (int c = 0; c < 2; c++) {
    float *samples = h->chroma[pair % 3][c] + EDGE;
    samples[-1] = samples[0];
    for (uint32_t x = last + 1; x <= h->columns / 2; x++) samples[x] = samples[last];
  }
}

// Chroma of a row of pixels, as libjpeg's triangle filter puts it between a row of chroma and the one beyond.
static void interpolate(struct halved *h, uint32_t near, uint32_t far) {
  for (int c = 0; c < 2; c++) {
    const float *a = h->chroma[near % 3][c], *b = h->chroma[far % 3][c];
    for (uint32_t x = 0; x < h->columns / 2 + 2 * EDGE; x += LANES)
      wasm_v128_store(h->between[c] + x, add(times(wasm_v128_load(a + x), 0.75f), times(wasm_v128_load(b + x), 0.25f)));
  }
}

// The same across: four pixels from the sample before the first one on.
static inline v128_t widened(const float *before) {
  const v128_t samples = wasm_v128_load(before);
  const v128_t near = wasm_i32x4_shuffle(samples, samples, 1, 1, 2, 2);
  const v128_t far = wasm_i32x4_shuffle(samples, samples, 0, 2, 1, 3);
  return add(times(near, 0.75f), times(far, 0.25f));
}

static inline struct colors unpacked(const uint8_t *pixels) {
  const v128_t v = wasm_v128_load(pixels), byte = wasm_i32x4_const_splat(0xFF);
  return (struct colors){wasm_f32x4_convert_i32x4(wasm_v128_and(v, byte)),
                         wasm_f32x4_convert_i32x4(wasm_v128_and(wasm_u32x4_shr(v, 8), byte)),
                         wasm_f32x4_convert_i32x4(wasm_v128_and(wasm_u32x4_shr(v, 16), byte))};
}

// How much light a level more of a primary is: within 11 % of the slope of (level + 14) ^ 2.4, which is about sRGB's.
static inline v128_t slope(v128_t level, float share) {
  const v128_t linear = wasm_f32x4_splat(share * 0.512924f / 255);
  const v128_t curve = wasm_f32x4_mul(level, add(linear, times(level, share * 0.508784f / 255 / 255)));
  return add(wasm_f32x4_splat(share * 0.014197f), curve);
}

// Luma with which pixels are as bright as they were, though their colors are these. Each primary would be what it was with
// a luma of its own; it is their mean, by how much light a level of each is. Red, green and blue count as long and middle
// cones see them on average (opsin absorbance, libjxl's opsin_params.h).
static inline v128_t made_up(struct colors p, v128_t cb, v128_t cr) {
  const v128_t r = slope(p.r, 0.265f), g = slope(p.g, 0.657f), b = slope(p.b, 0.078f);
  const v128_t for_red = subtract(p.r, times(cr, 1.402f));
  const v128_t for_green = add(p.g, add(times(cb, 0.344136f), times(cr, 0.714136f)));
  const v128_t for_blue = subtract(p.b, times(cb, 1.772f));
  const v128_t sum = add(add(wasm_f32x4_mul(r, for_red), wasm_f32x4_mul(g, for_green)), wasm_f32x4_mul(b, for_blue));
  return wasm_f32x4_div(sum, add(add(r, g), b));
}

static inline void store_samples(uint8_t *to, v128_t samples) {
  const v128_t whole = wasm_i32x4_trunc_sat_f32x4(wasm_f32x4_nearest(samples));
  const v128_t narrow = wasm_i16x8_narrow_i32x4(whole, whole);
  wasm_v128_store32_lane(to, wasm_u8x16_narrow_i16x8(narrow, narrow), 0);
}

static void make_luma(struct halved *h, const uint8_t *pixels, uint8_t *luma) {
  const float *cb = h->between[0] + EDGE - 1, *cr = h->between[1] + EDGE - 1;
  for (uint32_t x = 0; x < h->columns; x += LANES)
    store_samples(luma + x, made_up(unpacked(pixels + 4 * x), widened(cb + x / 2), widened(cr + x / 2)));
}

// Rows of the planes for a pair whose neighbors are known.
static void make(struct halved *h, uint32_t pair) {
  const uint32_t pairs = (h->height + 1) / 2, at = pair % PAIRS, half = h->columns / 2;
  const uint32_t above = pair ? pair - 1 : pair, below = pair + 1 < pairs ? pair + 1 : pair;
  for (uint32_t i = 0; i < 2; i++) {
    interpolate(h, pair, i ? below : above);
    make_luma(h, h->pixels[pair & 1] + (size_t)i * h->columns * 4, h->planes + (size_t)(2 * at + i) * h->columns);
  }
  uint8_t *chroma = h->planes + (size_t)h->columns * HALVED_MCU + (size_t)at * half;
  for (int c = 0; c < 2; c++, chroma += (size_t)PAIRS * half)
    for (uint32_t x = 0; x < half; x += LANES)
      store_samples(chroma + x, add(wasm_v128_load(h->chroma[pair % 3][c] + EDGE + x), wasm_f32x4_const_splat(128)));
}

// The last rows of the planes once more, down to the end of the row of MCUs.
static void continue_down(struct halved *h, uint32_t pairs) {
  const uint32_t half = h->columns / 2;
  uint8_t *plane = h->planes;
  for (uint32_t row = 2 * pairs; row < HALVED_MCU; row++)
    memcpy(plane + (size_t)row * h->columns, plane + (size_t)(2 * pairs - 1) * h->columns, h->columns);
  plane += (size_t)h->columns * HALVED_MCU;
  for (int c = 0; c < 2; c++, plane += (size_t)PAIRS * half)
    for (uint32_t row = pairs; row < PAIRS; row++)
      memcpy(plane + (size_t)row * half, plane + (size_t)(pairs - 1) * half, half);
}

static void keep_row(struct halved *h, uint32_t at, const uint8_t *row) {
  uint8_t *to = h->pixels[at / 2 & 1] + (size_t)(at & 1) * h->columns * 4;
  memcpy(to, row, (size_t)h->width * 4);
  for (uint32_t x = h->width; x < h->columns; x++) memcpy(to + 4 * (size_t)x, row + 4 * (size_t)(h->width - 1), 4);
}

static void make_next(struct halved *h, uint32_t pair, void (*full)(void *), void *with) {
  make(h, pair);
  if (pair % PAIRS == PAIRS - 1) full(with);
}

void halved_take(struct halved *h, const uint8_t *row, void (*full)(void *), void *with) {
  const uint32_t at = h->rows++, pair = at / 2;
  const int is_last = h->rows == h->height;
  keep_row(h, at, row);
  if (is_last && !(at & 1)) keep_row(h, at + 1, row);
  if (!is_last && !(at & 1)) return;
  halve(h, pair);
  if (pair) make_next(h, pair - 1, full, with);
  if (!is_last) return;
  make_next(h, pair, full, with);
  if (pair % PAIRS == PAIRS - 1) return;
  continue_down(h, pair % PAIRS + 1);
  full(with);
}
