// Near-lossless rows: every sample may move by a few levels, so that behind PNG's average filter only multiples of a
// step are left, which deflate stores in fewer bits. As in JPEG-LS (ITU-T T.87, near-lossless mode), the prediction is
// made from what the decoder will have, so that errors do not add up. A part of each error is passed on to the pixels
// that follow (R. Floyd and L. Steinberg, "An adaptive algorithm for spatial grayscale", 1976), so that soft places keep
// their levels: otherwise each becomes one level up to half a step away, with specks where it is left. Alpha stays as it is.
#include "pixels.h"

typedef struct {
  int width, step, passes;
  uint8_t *window, *above;
  v128_t *error, *next_error;  // what pixels of this row and the next were passed, with a margin of one pixel
} Near;

// The part of an error that is passed on. With all of it noise costs more bytes than a finer step does.
#define PASSED_ON 0.6f
// The finest step of which it is: errors of finer ones are not seen.
enum { PASSING_STEP = 5 };

void EXPORT(near_close)(Near *n) {
  free(n->window), free(n->above), free(n->error), free(n->next_error);
  free(n);
}

// step: between the levels that are left, 2 to 63; rows: that the window holds; passes: errors on. Returns 0 when memory ran out.
Near *EXPORT(near_open)(int width, int step, int rows, int passes) {
  Near *n = calloc(1, sizeof *n);
  if (!n) return 0;
  n->width = width, n->step = step, n->passes = passes && step >= PASSING_STEP;
  n->window = malloc((size_t)width * 4 * rows);
  n->above = calloc((size_t)width, 4);
  n->error = calloc((size_t)width + 2, sizeof(v128_t));
  n->next_error = calloc((size_t)width + 2, sizeof(v128_t));
  if (n->window && n->above && n->error && n->next_error) return n;
  near_close(n);
  return 0;
}

// Pixels of one color side by side from which on they stay as they are: noise has no such runs.
enum { RUN = 16 };

uint8_t *EXPORT(near_window)(const Near *n) { return n->window; }

static inline v128_t load_pixel(const uint8_t *p) {
  return wasm_u32x4_extend_low_u16x8(wasm_u16x8_extend_low_u8x16(wasm_v128_load32_zero(p)));
}

static inline v128_t times(v128_t values, float factor) { return wasm_f32x4_mul(values, wasm_f32x4_splat(factor)); }

// How many pixels from here on have one color.
static int run_of(const uint8_t *row, int most) {
  int length = 1;
  while (length < most && memcmp(row + length * 4, row, 4) == 0) length++;
  return length;
}

static void move_row(Near *n, uint8_t *row, const uint8_t *above) {
  const float step = (float)n->step, passed = n->passes ? PASSED_ON : 0;
  const v128_t zero = wasm_f32x4_const_splat(0), most = wasm_f32x4_const_splat(255), steps = wasm_f32x4_splat(step);
  const v128_t alpha = wasm_i32x4_const(0, 0, 0, -1);
  const v128_t *here = n->error + 1;
  v128_t *below = n->next_error + 1;
  memset(n->next_error, 0, sizeof(v128_t) * ((size_t)n->width + 2));
  v128_t left = zero, from_last = zero;
  int run = 0, run_end = 0;
  for (int x = 0; x < n->width; x++, row += 4, above += 4) {
    if (x == run_end) run = run_of(row, n->width - x), run_end = x + run;
    const v128_t value = load_pixel(row);
    const v128_t mean = wasm_u32x4_shr(wasm_i32x4_add(left, load_pixel(above)), 1), predicted = wasm_f32x4_convert_i32x4(mean);
    const v128_t wanted = wasm_f32x4_add(wasm_f32x4_convert_i32x4(value), wasm_f32x4_add(here[x], from_last));
    const v128_t apart = wasm_f32x4_nearest(times(wasm_f32x4_sub(wanted, predicted), 1 / step));
    v128_t moved = wasm_f32x4_add(predicted, wasm_f32x4_mul(apart, steps));
    moved = wasm_f32x4_pmin(most, wasm_f32x4_pmax(zero, moved));
    // what cannot be seen is as predicted
    const int is_seen = wasm_i32x4_extract_lane(value, 3) != 0;
    const int stays = is_seen && run >= RUN;
    const v128_t near = stays ? value : is_seen ? wasm_i32x4_trunc_sat_f32x4(moved) : mean;
    left = wasm_v128_bitselect(value, near, alpha);
    const v128_t words = wasm_u16x8_narrow_i32x4(left, left);
    wasm_v128_store32_lane(row, wasm_u8x16_narrow_i16x8(words, words), 0);
    if (passed == 0) continue;
    // what lies beyond the levels that there are would add up
    v128_t error = wasm_f32x4_pmin(steps, wasm_f32x4_pmax(wasm_f32x4_neg(steps), wasm_f32x4_sub(wanted, moved)));
    error = is_seen && !stays ? wasm_v128_andnot(error, alpha) : zero;
    from_last = times(error, passed * 7 / 16);
    below[x - 1] = wasm_f32x4_add(below[x - 1], times(error, passed * 3 / 16));
    below[x] = wasm_f32x4_add(below[x], times(error, passed * 5 / 16));
    below[x + 1] = times(error, passed / 16);
  }
  v128_t *const swap = n->error;
  n->error = n->next_error, n->next_error = swap;
}

// Moves the samples of the first `rows` rows of the window, in place.
void EXPORT(near_move)(Near *n, int rows) {
  const size_t stride = (size_t)n->width * 4;
  for (int i = 0; i < rows; i++) move_row(n, n->window + i * stride, i ? n->window + (i - 1) * stride : n->above);
  memcpy(n->above, n->window + (rows - 1) * stride, stride);
}
