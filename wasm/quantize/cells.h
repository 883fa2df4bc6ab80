// What cutting a picture's colors into cells hands to the choice of a palette.
#pragma once

#include "quantize.h"

typedef struct {
  Color color;
  float weight;
  uint32_t pixel;
} Point;

// What is known of a picture's colors once they are cut, whatever the number of colors that is wanted later: the
// colors in an order in which every cell is a run, and the cuts that made the cells, one after the other.
typedef struct {
  uint32_t pixel;
  float weight;
} Sample;

typedef struct {
  int32_t cell, at;  // which cell was cut, and where its second part begins: that becomes the next cell
  float error;       // mean squared distance of the colors from the means of their cells after the cut
} Cut;

// Finds the colors of the pixels of points.
static inline void color_points(Point *point, int count) {
  for (int from = 0; from < count; from += 4) {
    uint32_t pixels[4];
    Color colors[4];
    for (int k = 0; k < 4; k++) pixels[k] = point[MIN(from + k, count - 1)].pixel;
    colors_of(pixels, colors);
    for (int k = 0; k < 4 && from + k < count; k++) point[from + k].color = colors[k];
  }
}

static inline Color splat_mul(Color v, float f) { return wasm_f32x4_mul(v, wasm_f32x4_splat(f)); }
