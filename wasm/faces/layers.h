// What layers are made of: sums over the numbers of pixels, filters of each channel, what came into a block, and a layer
// of twice the sides.
#pragma once

#include "network.h"

// A layer's rows: the last `held` of them, of `width` pixels and one empty pixel to each side.
typedef struct {
  int width, height, channels, held, made;
  size_t row;
  float *rows;
  const float *empty; // a row of zeros, which all layers have in common
} Layer;

// Makes room for a layer that holds so many rows; whether there was memory for it.
int layer_open(Layer *layer, int width, int height, int channels, int held, const float *empty);
void layer_close(Layer *layer);

// Where row y is made, and where it is read: outside there are zeros.
float *layer_place(const Layer *layer, int y);
const float *layer_row(const Layer *layer, int y);

// A row of `width` results of which each looks at numbers of `count` rows; they go on by `stride` from one to the next.
void sum_row(const Sums *sums, int width, const float *const *rows, int count, int stride, float *result);
// A row of `width` pixels, every channel by itself.
void filter_row(const Block *block, const float *const rows[FILTER], int width, int channels, int step, float *result);
// Adds what came into a block, the largest of four pixels where it halves; what is negative becomes 0.
void add_row(const Layer *from, const Layer *to, int y, int halves, float *result);
// Adds row y of a layer at twice its sides, interpolated between the middles of its pixels.
void add_doubled_row(const Layer *from, int y, float *result);
// What is negative becomes 0.
void cut_row(float *row, size_t count);
