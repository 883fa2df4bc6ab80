// Doubling of a picture by learned filters: a hash of the gradients around a pixel chooses the four filters that make the
// four pixels which it becomes. The method and its source are in train_filters.py, which learns them. Where it is opaque,
// the result is then made as bright as a network says (network.h), which doubles luma better than filters do.
#pragma once

#include "../effects/effects.h"

// The hash; as train_filters.py has it.
#define ANGLES 16
#define STRENGTHS 4
#define COHERENCES 3
#define CURVATURES 3
#define BUCKETS (ANGLES * STRENGTHS * COHERENCES * CURVATURES)

// A filter is 5 rows of 5 taps, in 16,384ths; a row takes 8 lanes here, the last three of them 0.
#define REACH 2
#define TAP_ROWS (2 * REACH + 1)
#define ONE_BITS 14
#define TAP_LANES 8

// Samples are 64ths of a level.
#define SAMPLE_BITS 6

// Shares of luma, in 256ths; of BT.601, as the pictures that everything was learned from have it.
#define LUMA_RED_256 77
#define LUMA_GREEN_256 150
#define LUMA_BLUE_256 29

// Pixels that rows are extended by at both sides: enough for loads of eight that start at the last pixel.
#define MARGIN 16

typedef int16_t Filter[TAP_ROWS][TAP_LANES];

// The filters of one doubling: [BUCKETS][4], the phases from left to right, then from top to bottom.
const Filter (*superres_filters(int doubling))[4];

// The samples of a row in the ring: planes of color, alpha if there is any, what the hash looks at, and luma.
typedef struct {
  int width, planes;       // planes that become those of the result
  int look, luma;          // which planes these are
  size_t plane;            // samples from one plane to the next, a multiple of 8
} Layout;

#define ALPHA 3

static inline int16_t *samples_of(const Layout *layout, uint8_t *row, int plane) {
  return (int16_t *)row + (size_t)plane * layout->plane + MARGIN;
}

// Moments of the gradient in a row, filtered across: xx, yy, xy, each of `plane` floats.
void superres_moments(const Layout *layout, const int16_t *above, const int16_t *here, const int16_t *below,
                      float *scratch, float *moments);
// The bucket of every pixel of a row, given the moments of the five rows around it.
void superres_buckets(const Layout *layout, const int16_t *above, const int16_t *here, const int16_t *below,
                      float *const moments[TAP_ROWS], uint16_t *buckets);

// What results may be, for every source pixel.
typedef struct {
  int16_t *low, *high;
} Bounds;

// Everything that a pair of result rows is made of.
typedef struct {
  const Layout *layout;
  const Filter (*filters)[4];
  const uint16_t *buckets;
  const int16_t *rows[4][TAP_ROWS];  // the source rows around, by plane
  Bounds bounds[4];                  // by plane
  const int16_t *luma;               // what the network made of it, four samples of every pixel; null without
  Bounds luma_bounds;
} Sources;

// Makes both result rows, RGBA8.
void superres_pixels(const Sources *sources, uint8_t *even, uint8_t *odd);
