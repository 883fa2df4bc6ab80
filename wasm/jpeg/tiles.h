// Tiles cut out of the coefficients of a picture, side by side as a small picture: what is done to its coefficients is
// what would be done to those of the whole.
#pragma once
#include "packed.h"

struct tiles {
  uint32_t count, across;      // tiles; tiles in a row of the result. No tiles: the whole picture is taken
  uint32_t side;               // pixels
  uint32_t *places;            // x and y of each, multiples of the MCU's sides
  int16_t *blocks[PACKED_COMPONENTS];
};

// Places to be filled in for `count` tiles.
uint32_t *tiles_choose(struct tiles *tiles, uint32_t count, uint32_t across, uint32_t side);
// Takes a row of blocks of a component of the picture, in natural order, whose layout is that of `result`.
void tiles_take(struct tiles *tiles, const struct packed *result, int component, uint32_t row, const int16_t *blocks);
// Packs the result once all rows are taken.
void tiles_pack(struct tiles *tiles, struct packed *result);
void tiles_free(struct tiles *tiles);
