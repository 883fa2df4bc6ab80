// What layers are made of: sums over the numbers of pixels, filters of each channel, and what came into a block.
#pragma once

#include "network.h"

// Rows that are held of a layer.
#define LAYER_ROWS 4

// A layer's rows: LAYER_ROWS of `width` pixels and one empty pixel to each side.
typedef struct {
  int width, height, channels, made;
  size_t row;
  float *rows;
  const float *empty; // a row of zeros, which all layers have in common
} Layer;

// Where row y is made, and where it is read: outside there are zeros.
float *layer_place(const Layer *layer, int y);
const float *layer_row(const Layer *layer, int y);

// A row of `width` results of which each looks at numbers of `count` rows; they go on by `stride` from one to the next.
void sum_row(const Sums *sums, int width, const float *const *rows, int count, int stride, float *result);
// A row of `width` pixels, every channel by itself.
void filter_row(const Block *block, const float *const rows[FILTER], int width, int channels, int step, float *result);
// Adds what came into a block, the largest of four pixels where it halves; what is negative becomes 0.
void add_row(const Layer *from, const Layer *to, int y, int halves, float *result);
