// See coded.h.
#include "coded.h"
// For what it does not offer to others: steps of it, on rows that are kept longer.
#include "../halved.c"
#include "native.h"

void coded_start(struct coded *coded, uint32_t width, uint32_t height) {
  struct halved *h = &coded->at;
  start(h, width, height);
  coded->pixels = allocate(CODED_PAIRS * pair_bytes(h));
  coded->chroma = allocate(CODED_PAIRS * chroma_numbers(h) * sizeof(int16_t));
}

void coded_free(struct coded *coded) {
  free(coded->pixels);
  free(coded->chroma);
  free(coded->at.between);
  free(coded->at.planes);
}

// Lets halved.c see a pair of rows, and the chroma around it.
static void look_at(struct coded *coded, uint32_t pair) {
  struct halved *h = &coded->at;
  h->pixels[pair & 1] = coded->pixels + pair % CODED_PAIRS * pair_bytes(h);
  for (uint32_t near = pair ? pair - 1 : 0; near <= pair + 1; near++)
    h->chroma[near % 3] = coded->chroma + near % CODED_PAIRS * chroma_numbers(h);
}

// R - G and B - G of four samples of Cb and Cr around 0 (T.871), in quarters; no further apart than pixels may be, since
// decoders clamp.
static inline v128_t differences(v128_t pairs) {
  const v128_t half = wasm_i32x4_const_splat(1 << 10);
  const v128_t red = wasm_i32x4_shr(wasm_i32x4_add(dot_pairs(pairs, 2819, 17335), half), 11);
  const v128_t blue = wasm_i32x4_shr(wasm_i32x4_add(dot_pairs(pairs, 17335, 5850), half), 11);
  const v128_t both = wasm_v128_or(wasm_v128_and(red, wasm_i32x4_const_splat(0xFFFF)), wasm_i32x4_shl(blue, 16));
  return wasm_i16x8_max(wasm_i16x8_min(both, wasm_i16x8_const_splat(4 * 255)), wasm_i16x8_const_splat(-4 * 255));
}

// Samples of a row of chroma back into what they stand for, continued beyond both ends as decoders continue it.
static void take_back(struct halved *h, uint32_t pair, const uint8_t *cb, const uint8_t *cr) {
  int16_t *chroma = h->chroma[pair % 3] + 2 * EDGE;
  const v128_t center = wasm_i16x8_const_splat(128);
  for (uint32_t x = 0; x < h->columns / 2; x += 2 * PIXELS) {
    const v128_t blue = wasm_i16x8_sub(wasm_u16x8_load8x8(cb + x), center);
    const v128_t red = wasm_i16x8_sub(wasm_u16x8_load8x8(cr + x), center);
    wasm_v128_store(chroma + 2 * x, differences(low16(blue, red)));
    wasm_v128_store(chroma + 2 * x + 2 * PIXELS, differences(high16(blue, red)));
  }
  continue_across(h, chroma);
}

static void code_chroma(struct coded *coded, uint32_t unit, uint32_t pairs, const struct coding *by) {
  struct halved *h = &coded->at;
  const uint32_t first = unit * PAIRS, count = MIN(PAIRS, pairs - first);
  const size_t half = h->columns / 2;
  uint8_t *planes[2] = {h->planes + h->columns * HALVED_MCU, h->planes + h->columns * HALVED_MCU + PAIRS * half};
  for (uint32_t i = 0; i < count; i++) {
    look_at(coded, first + i);
    make_chroma(h, first + i, planes[0] + i * half, planes[1] + i * half);
  }
  for (int c = 0; c < 2; c++) continue_down(planes[c], half, count, PAIRS);
  by->code(by->coder, unit, planes);
  for (uint32_t i = 0; i < count; i++) {
    look_at(coded, first + i);
    take_back(h, first + i, planes[0] + i * half, planes[1] + i * half);
  }
}

// Luma of a pair of rows, around which all chroma is coded.
static void make_pair(struct coded *coded, uint32_t pair, uint32_t pairs, const struct coding *by) {
  struct halved *h = &coded->at;
  const uint32_t at = pair % PAIRS;
  look_at(coded, pair);
  make_luma_rows(h, pair, h->planes + (size_t)2 * at * h->columns);
  if (at != PAIRS - 1 && pair + 1 != pairs) return;
  continue_down(h->planes, h->columns, 2 * (at + 1), HALVED_MCU);
  by->write(by->coder, h->planes);
}

void coded_take(struct coded *coded, const uint8_t *row, const struct coding *by) {
  struct halved *h = &coded->at;
  const uint32_t pair = h->rows / 2, pairs = (h->height + 1) / 2;
  look_at(coded, pair);
  if (!completes_pair(h, row)) return;
  const int is_last = h->rows == h->height;
  if (!is_last && pair % PAIRS != PAIRS - 1) return;
  const uint32_t unit = pair / PAIRS, first = unit * PAIRS;
  code_chroma(coded, unit, pairs, by);
  for (uint32_t next = unit ? first - 1 : 0; next < pair + is_last; next++) make_pair(coded, next, pairs, by);
}
