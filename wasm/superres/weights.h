// The weights of the networks, in the order in which the layers multiply by them.
#pragma once

#include <stdint.h>

// Filters of the first layer and linear ones are rows of samples, the others rows of pixels of the layer before. A step
// multiplies two neighboring numbers of a row; weights lie by row, step, filter, and number of the step.
#define FIRST_ROWS 5
#define FIRST_STEPS 3
#define ROWS 3
#define STEPS(channels) (3 * (channels) / 2)

// Pixels that each becomes.
#define OUTPUTS 4

// Layers between the first and the last, at most.
#define MOST_MIDDLE 5

// Room for the shifts in a file.
#define SHIFTS 8

typedef struct {
  int channels, middle_layers;
  // A power of two for every layer, which its sums are divided by and with which they cannot overflow (train_network.py):
  // the first, the middle ones, the last and the linear one.
  const int16_t *shifts;
  const int16_t *first, *middle[MOST_MIDDLE], *last, *linear;
} Weights;

// The small network, the large one, and one as large as that for pictures that were never compressed.
typedef enum { SMALL, LARGE, CLEAN } Kind;

// Those of a network; turned, they make of a picture what turning it by 180 degrees, doubling it and turning the result back
// makes of it.
const Weights *weights_of(Kind kind, int is_turned);
