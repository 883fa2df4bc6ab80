// Looks for faces in a gray picture with cascades of Haar features.
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <wasm_simd128.h>

#include "../native.h"

#define WINDOW_ROWS 16
#define MAX_LEVELS 12

typedef struct {
  int width, height;
  uint8_t *pixels;
} Level;

// The picture in gray, and halved again and again.
typedef struct {
  int width, height, taken; // rows taken so far
  uint8_t *window;          // WINDOW_ROWS rows of RGBA8 on their way in
  int levels;
  Level level[MAX_LEVELS];
} Picture;

// A part of a picture to be sampled at a scale: pixel (0, 0) of the result covers `scale` squared pixels at x, y.
typedef struct {
  const Picture *picture;
  double x, y, scale;
  int width, height; // of the result
  int mirrored;
} Sampling;

// Row y of a sampling; `at` and `share` say for each x where the two neighbors lie.
void sample_row(const Sampling *sampling, int y, uint8_t *row);
