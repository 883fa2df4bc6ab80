// Both sides of a comparison, and what they have in common.
#pragma once
#include <stdlib.h>
#include <string.h>

#include "pyramid.h"

// Rows that a batch looks at: its own, and those that it yields. Both sides of a comparison come in step: no more of a
// reference is kept.
enum { STEP_ROWS = BATCH + AHEAD };

// What is kept of a channel of a scale: all that a comparison needs of it.
typedef struct {
  float *pixels, *means, *variances;
} Kept;

typedef struct {
  Plan plan;
  float background;
  Kept kept[SCALES][CHANNELS];
  float *zeros;  // a row
  // What it takes to make them, gone once they are made.
  Pyramid *pyramid;
  v128_t *columns;
  float *spare; // a row that nobody reads
  Blur means[SCALES][CHANNELS], squares[SCALES][CHANNELS];
} Reference;

static inline float *kept_row(const Reference *reference, int scale, float *rows, int y) {
  return rows + (size_t)(y % STEP_ROWS) * reference->plan.scale[scale].stride;
}

// Columns of a batch of rows, with room for their margins.
static inline v128_t *columns_open(const ScalePlan *scale) {
  return allocate((size_t)(scale->stride + 2 * MARGIN) * sizeof(v128_t));
}

static inline Blur blur_open(const ScalePlan *scale) {
  float *rows = allocate((size_t)scale->stride * (DELAY + STATE) * sizeof(float));
  return (Blur){.rows = rows, .state = rows + (size_t)scale->stride * DELAY};
}

static inline void blur_close(Blur *blur) {
  free(blur->rows);
  *blur = (Blur){0};
}

static inline float *blur_row(const Blur *blur, const ScalePlan *scale, int y) {
  return blur->rows + (size_t)(y % DELAY) * scale->stride;
}

// Blurs a batch of rows across, which begins at `from`; missing rows go to `spare`.
static inline void blur_batch(const Blur *blur, const ScalePlan *scale, int from, const v128_t *columns, float *spare) {
  float *rows[BATCH];
  for (int row = 0; row < BATCH; row++) rows[row] = from + row < scale->height ? blur_row(blur, scale, from + row) : spare;
  blur_across(columns + MARGIN, scale->width, rows);
}

// What a batch of steps downwards from a row adds up; rows outside of the picture are zero.
static inline Input input_of(const Blur *blur, const ScalePlan *scale, int from, const float *zeros) {
  Input input = {.state = blur->state};
  for (int step = 0; step < BATCH; step++) {
    int ahead = from + step, behind = ahead - AHEAD - BEHIND;
    input.ahead[step] = ahead < scale->height ? blur_row(blur, scale, ahead) : zeros;
    input.behind[step] = behind >= 0 ? blur_row(blur, scale, behind) : zeros;
  }
  return input;
}

// Whether a row completes a batch.
static inline int is_batch(const ScalePlan *scale, int y) { return y % BATCH == BATCH - 1 || y + 1 == scale->height; }

void reference_row(Reference *reference, const uint8_t *rgba);
