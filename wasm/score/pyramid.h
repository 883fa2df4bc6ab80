// A picture at all scales, row by row: each scale is half of the one before, in linear light.
#pragma once
#include "../native.h"
#include "linear.h"
#include "plan.h"

static void *allocate(size_t bytes) {
  void *memory = calloc(1, bytes);
  if (!memory) fail("out of memory");
  return memory;
}

// Memory that is written before it is read.
static void *room_for(size_t bytes) {
  void *memory = malloc(bytes);
  if (!memory) fail("out of memory");
  return memory;
}

// Takes a row of a scale in linear light: planes of the scale's stride.
typedef void TakeRow(void *owner, int scale, int y, const float *linear);

typedef struct {
  const Plan *plan;
  TakeRow *take;
  void *owner;
  int rows_in[SCALES];
  float *rows[SCALES]; // two rows of each scale, which become one of the next
  Linear linear;
} Pyramid;

static size_t row_floats(const ScalePlan *scale) { return (size_t)scale->stride * 3; }

static Pyramid *pyramid_open(const Plan *plan, float background, TakeRow *take, void *owner) {
  Pyramid *pyramid = allocate(sizeof(Pyramid));
  pyramid->plan = plan, pyramid->take = take, pyramid->owner = owner;
  linear_open(&pyramid->linear, background);
  for (int index = 0; index < plan->scales; index++) {
    pyramid->rows[index] = allocate(row_floats(&plan->scale[index]) * 2 * sizeof(float));
  }
  return pyramid;
}

static void pyramid_close(Pyramid *pyramid) {
  if (!pyramid) return;
  for (int index = 0; index < SCALES; index++) free(pyramid->rows[index]);
  free(pyramid);
}

// The mean of two rows and of neighbors in them, added up in the order of the reference; a missing neighbor is the
// pixel itself.
static void halve(const float *upper, const float *lower, int width, float *out) {
  const v128_t quarter = wasm_f32x4_splat(0.25f);
  int at = 0;
  for (; at * 2 + 8 <= width; at += 4) {
    v128_t above = wasm_v128_load(upper + at * 2), further_above = wasm_v128_load(upper + at * 2 + 4);
    v128_t below = wasm_v128_load(lower + at * 2), further_below = wasm_v128_load(lower + at * 2 + 4);
    v128_t sum = wasm_f32x4_add(wasm_i32x4_shuffle(above, further_above, 0, 2, 4, 6), wasm_i32x4_shuffle(above, further_above, 1, 3, 5, 7));
    sum = wasm_f32x4_add(sum, wasm_i32x4_shuffle(below, further_below, 0, 2, 4, 6));
    sum = wasm_f32x4_add(sum, wasm_i32x4_shuffle(below, further_below, 1, 3, 5, 7));
    wasm_v128_store(out + at, wasm_f32x4_mul(sum, quarter));
  }
  for (; at < (width + 1) / 2; at++) {
    int left = at * 2, right = left + 1 < width ? left + 1 : left;
    out[at] = 0.25f * (upper[left] + upper[right] + lower[left] + lower[right]);
  }
}

// Where the next row of a scale is to be written.
static float *pyramid_next(const Pyramid *pyramid, int index) {
  return pyramid->rows[index] + row_floats(&pyramid->plan->scale[index]) * (pyramid->rows_in[index] & 1);
}

// A row of a scale is there: it is handed out, and halved with the row before it.
static void pyramid_step(Pyramid *pyramid, int index) {
  const ScalePlan *scale = &pyramid->plan->scale[index];
  const float *row = pyramid_next(pyramid, index), *upper = pyramid->rows[index];
  int y = pyramid->rows_in[index]++;
  pyramid->take(pyramid->owner, index, y, row);
  if (index + 1 == pyramid->plan->scales || (y % 2 == 0 && y + 1 < scale->height)) return;
  float *half = pyramid_next(pyramid, index + 1);
  for (int plane = 0; plane < 3; plane++) {
    halve(upper + plane * scale->stride, row + plane * scale->stride, scale->width, half + plane * scale[1].stride);
  }
  pyramid_step(pyramid, index + 1);
}

// Takes a row of the picture: RGBA8, straight alpha, sRGB.
static void pyramid_push(Pyramid *pyramid, const uint8_t *rgba) {
  const ScalePlan *scale = &pyramid->plan->scale[0];
  if (pyramid->rows_in[0] == scale->height) return;
  to_linear(&pyramid->linear, rgba, scale->width, scale->stride, pyramid_next(pyramid, 0));
  pyramid_step(pyramid, 0);
}
