// Tiles of a picture, for tiles.c, which takes rows into them, and encode.c, which encodes them.
#pragma once
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../native.h"
#include "kvazaar.h"

// One row of tiles.
typedef struct {
  // The size of one tile, as it is shown and as it is coded.
  int width, height, coded_width, coded_height;
  int columns;
  // The width of the picture.
  int picture_width;
  // Rows that are in the tiles.
  int rows;
  uint8_t *band;
  kvz_picture **color;
  // Alpha, where there may be some.
  kvz_picture **alpha;
  // Whether a pixel of each tile has an alpha below 255.
  uint8_t *translucent;
  // What was encoded and not taken yet.
  kvz_data_chunk *chunks;
} Tiles;
