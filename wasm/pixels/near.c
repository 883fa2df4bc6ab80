// Near-lossless rows: every sample may move by a few levels, so that behind PNG's average filter only multiples of a
// step are left, which deflate stores in fewer bits. As in JPEG-LS (ITU-T T.87, near-lossless mode), the prediction is
// made from what the decoder will have, so that errors do not add up. Alpha stays as it is.
#include "pixels.h"

typedef struct {
  int width, step;
  uint8_t *window, *above; // a pixel of zeros before `above`
} Near;

void EXPORT(near_close)(Near *n) {
  free(n->window), free(n->above);
  free(n);
}

// step: between the levels that are left, 2 to 31; rows: that the window holds. Returns 0 when memory ran out.
Near *EXPORT(near_open)(int width, int step, int rows) {
  Near *n = calloc(1, sizeof *n);
  if (!n) return 0;
  n->width = width, n->step = step;
  n->window = malloc((size_t)width * 4 * rows);
  n->above = calloc((size_t)width, 4);
  if (n->window && n->above) return n;
  near_close(n);
  return 0;
}

uint8_t *EXPORT(near_window)(const Near *n) { return n->window; }

static inline v128_t load_pixel(const uint8_t *p) { return wasm_u16x8_extend_low_u8x16(wasm_v128_load32_zero(p)); }

static void move_row(const Near *n, uint8_t *row, const uint8_t *above) {
  const int step = n->step;
  // rounded down: what lies half-way, which only even steps know, goes toward the prediction on both sides
  const v128_t reciprocal = wasm_i16x8_splat((int16_t)(32767 / step)), steps = wasm_i16x8_splat((int16_t)step);
  const v128_t alpha = wasm_i16x8_const(0, 0, 0, -1, 0, 0, 0, 0);
  v128_t left = wasm_i16x8_const_splat(0);
  for (int x = 0; x < n->width; x++, row += 4, above += 4) {
    const v128_t value = load_pixel(row);
    const v128_t mean = wasm_u16x8_shr(wasm_i16x8_add(left, load_pixel(above)), 1);
    const v128_t times = wasm_i16x8_q15mulr_sat(wasm_i16x8_sub(value, mean), reciprocal);
    const v128_t moved = wasm_i16x8_add(mean, wasm_i16x8_mul(times, steps));
    // what cannot be seen is as predicted
    const v128_t near = wasm_i16x8_extract_lane(value, 3) ? moved : mean;
    const v128_t bytes = wasm_u8x16_narrow_i16x8(wasm_v128_bitselect(value, near, alpha), near);
    wasm_v128_store32_lane(row, bytes, 0);
    left = wasm_u16x8_extend_low_u8x16(bytes);
  }
}

// Moves the samples of the first `rows` rows of the window, in place.
void EXPORT(near_move)(Near *n, int rows) {
  const size_t stride = (size_t)n->width * 4;
  for (int i = 0; i < rows; i++) move_row(n, n->window + i * stride, i ? n->window + (i - 1) * stride : n->above);
  memcpy(n->above, n->window + (rows - 1) * stride, stride);
}
