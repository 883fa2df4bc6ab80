#include "superres.h"

#define DOUBLINGS 2
#define SIDE (2 * REACH + 1)

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the table is little-endian");

_Alignas(2) static const uint8_t table[DOUBLINGS * BUCKETS * 4 * SIDE * SIDE * 2] = {
#embed "filters.bin"
};

static Filter filters[DOUBLINGS][BUCKETS][4];
static int ready[DOUBLINGS];

const Filter (*superres_filters(int doubling))[4] {
  if (!ready[doubling]) {
    const int16_t *tap = (const int16_t *)table + (size_t)doubling * BUCKETS * 4 * SIDE * SIDE;
    for (int i = 0; i < BUCKETS * 4; i++)
      for (int row = 0; row < SIDE; row++, tap += SIDE) memcpy(filters[doubling][i / 4][i % 4][row], tap, SIDE * 2);
    ready[doubling] = 1;
  }
  return filters[doubling];
}
