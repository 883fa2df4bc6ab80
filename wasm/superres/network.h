// Convolutional networks that double one plane of a picture, a row at a time. What they are, and how they were
// trained, is in README.md; train_network.py learns them.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "weights.h"

// Hidden layers at most. Layers: samples to channels (5 x 5), channels to channels (3 x 3), channels to the four pixels
// (3 x 3).
#define NETWORK_HIDDEN 6

// Source rows and columns that a result looks at at most, to each side.
#define NETWORK_REACH (2 + NETWORK_HIDDEN)

// Rows of a hidden layer that are held: what a filter of 3 x 3 looks at.
#define HIDDEN_ROWS 3

typedef struct {
  int width, channels, layers;       // hidden layers
  const Weights *weights;
  size_t row;                        // samples of a row of a hidden layer
  int made[NETWORK_HIDDEN];          // rows that are known, by layer
  int16_t *hidden;
  uint8_t blank[NETWORK_HIDDEN][HIDDEN_ROWS]; // whether all of a row is 0
} Network;

// The rows of the plane around one: at least NETWORK_REACH rows from the one asked for on have to be there, or as many as
// the picture has. They go on by MARGIN samples at both sides.
typedef const int16_t *(*RowOf)(const void *context, int y);

// A network of this kind, turned by 180 degrees or not. Returns 0 when memory ran out; network_close in any case.
int network_open(Network *network, int width, Kind kind, int is_turned);
void network_close(Network *network);
// The four pixels of every pixel of row y, from left to right, then from top to bottom; rows have to be asked for in order.
void network_double(Network *network, int y, RowOf row_of, const void *context, int16_t *quads);
