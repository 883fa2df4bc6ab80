// A comparison on its way: comparison.c takes rows and blurs them across, maps.c blurs them downwards and measures them.
#pragma once
#include "score.h"

enum {
  RADIUS = 4, // of the blur
  MAPS = 3,   // SSIM, ringing, blurring
};

// What is kept of a channel of a scale of the rendition.
typedef struct {
  float *pixels; // a ring of STEP_ROWS rows
  Blur mean, square, product;
  double sums[MAPS][2]; // of values and of their fourth powers
} Channel;

typedef struct {
  uint32_t *inside; // a row of masks: all bits set where pixels are counted
  int row_counted;  // pixels of a row
  double counted;   // pixels
  Channel channels[CHANNELS];
} Scale;

typedef struct {
  Reference *reference;
  Pyramid *pyramid;
  v128_t *columns;
  float *spare; // a row that nobody reads
  Scale scale[SCALES];
} Comparison;

// Whether something at a place in a tile is further than the blur reaches from its edges.
static inline int is_within(int at, int tile) {
  return tile == 0 || (at % tile >= RADIUS && at % tile < tile - RADIUS);
}

static inline float *pixel_row(const Channel *channel, const ScalePlan *plan, int y) {
  return channel->pixels + (size_t)(y % STEP_ROWS) * plan->stride;
}

// Blurs a batch of rows of a channel downwards, and measures the rows AHEAD of it, which come out.
void measure_batch(Comparison *comparison, int index, int c, int from);
