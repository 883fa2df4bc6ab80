// Looks for faces in a picture with a small convolutional network, at several sizes.
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <wasm_simd128.h>

#include "../native.h"

#define WINDOW_ROWS 16
#define MAX_LEVELS 12
#define COLORS 3

// Neighboring results that are computed together.
#define LANES 4

typedef struct {
  int width, height;
  uint8_t *pixels; // red, green, blue
} Level;

// The picture, and halved again and again.
typedef struct {
  int width, height, taken; // rows taken so far
  uint8_t *window;          // WINDOW_ROWS rows of RGBA8 on their way in
  int levels;
  Level level[MAX_LEVELS];
} Picture;

// A part of a picture in another size; it may reach beyond the picture, where it is gray. Where `across` is negative, it
// is mirrored, and x is its right side.
typedef struct {
  float x, y, across, down; // the first pixel's corner, and the sides of each pixel, in pixels of the picture
  int width, height;
} Part;

// What a network takes for a face, in pixels of the part, with a score from 0 to 1.
typedef struct {
  float x, y, width, height, score;
} Hit;

// The networks whose weights are brought, in the order in which faces.ts numbers them.
enum { FAR, MMOD, BROUGHT };
const uint8_t *weights_of(int network);

// Row y of a part, with values from -1 to 1; gray is 0.
void sample_row(const Picture *picture, const Part *part, int y, float *row);
