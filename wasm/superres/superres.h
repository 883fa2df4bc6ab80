// Doubling of a picture: luma and alpha by networks (network.h), colors by Lanczos3, and then as bright as luma says.
#pragma once

#include "../effects/effects.h"

// Rows that Lanczos3 looks at to each side, and all of them.
#define REACH 3
#define TAP_ROWS (2 * REACH + 1)

// Samples are 64ths of a level.
#define SAMPLE_BITS 6

// Shares of luma, in 256ths; of BT.601, as the pictures that everything was learned from have it.
#define LUMA_RED_256 77
#define LUMA_GREEN_256 150
#define LUMA_BLUE_256 29

// Pixels that rows are extended by at both sides: enough for loads of eight that start at the last pixel.
#define MARGIN 16

// The samples of a row in the ring: planes of color, alpha if there is any, and luma.
typedef struct {
  int width, planes;       // planes that become those of the result; luma is the one after them
  size_t plane;            // samples from one plane to the next, a multiple of 8
} Layout;

#define ALPHA 3

static inline int16_t *samples_of(const Layout *layout, uint8_t *row, int plane) {
  return (int16_t *)row + (size_t)plane * layout->plane + MARGIN;
}

// What results may be, for every source pixel.
typedef struct {
  int16_t *low, *high;
} Bounds;

// What a network made of a plane: the four samples of every pixel.
typedef struct {
  int16_t *quads;
  Bounds bounds;
} Made;

// Everything that a pair of result rows is made of.
typedef struct {
  const Layout *layout;
  const int16_t *rows[4][TAP_ROWS];  // the source rows around, by plane
  Bounds bounds[4];                  // by plane
  Made luma, alpha;                  // alpha only where there is any
  int strength;                      // of what the network makes of luma, in 256ths; the rest is Lanczos3
} Sources;

// Makes both result rows, RGBA8.
void superres_pixels(const Sources *sources, uint8_t *even, uint8_t *odd);
