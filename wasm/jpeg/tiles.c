#include "tiles.h"

#include <stdlib.h>
#include <string.h>
#define JPEG_INTERNALS
#include "jinclude.h"
#include "native.h"

enum { BLOCK = 64 };

uint32_t *tiles_choose(struct tiles *tiles, uint32_t count, uint32_t across, uint32_t side) {
  tiles->count = count;
  tiles->across = across;
  tiles->side = side;
  tiles->places = allocate((size_t)count * 2 * sizeof(uint32_t));
  return tiles->places;
}

void tiles_take(struct tiles *tiles, const struct packed *result, int c, uint32_t row, const int16_t *blocks) {
  const struct packed_component *component = &result->component[c];
  const uint32_t columns_in_block = 8 * result->max_h / component->h, rows_in_block = 8 * result->max_v / component->v;
  const uint32_t wide = tiles->side / columns_in_block, high = tiles->side / rows_in_block;
  if (!tiles->blocks[c])
    tiles->blocks[c] = allocate((size_t)component->width * component->height * BLOCK * sizeof(int16_t));
  for (uint32_t i = 0; i < tiles->count; i++) {
    const uint32_t x = tiles->places[i * 2] / columns_in_block, y = tiles->places[i * 2 + 1] / rows_in_block;
    if (row < y || row >= y + high) continue;
    const size_t to = (size_t)(i / tiles->across * high + row - y) * component->width + i % tiles->across * wide;
    memcpy(tiles->blocks[c] + to * BLOCK, blocks + (size_t)x * BLOCK, (size_t)wide * BLOCK * sizeof(int16_t));
  }
}

void tiles_pack(struct tiles *tiles, struct packed *result) {
  for (int c = 0; c < result->components; c++) {
    const struct packed_component *component = &result->component[c];
    if (!tiles->blocks[c]) fail("no rows to cut tiles out of");
    for (uint32_t row = 0; row < component->height; row++)
      packed_add_row(result, c, row, tiles->blocks[c] + (size_t)row * component->width * BLOCK, ORDER_NATURAL);
  }
}

void tiles_free(struct tiles *tiles) {
  free(tiles->places);
  for (int c = 0; c < PACKED_COMPONENTS; c++) free(tiles->blocks[c]);
}
