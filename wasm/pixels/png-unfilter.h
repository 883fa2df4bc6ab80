#pragma once

#include "png.h"

// Undoes the filter of one row: `source` holds `count` filtered bytes, `row` receives them, `above` is the row before
// (zeros for the first one). `distance` is the number of bytes per complete pixel, at least 1. `row` and `above` have
// ROW_SLACK zero bytes before them and ROW_SLACK bytes behind. Returns 0 for a filter that does not exist.
int png_unfilter(int filter, const uint8_t *source, const uint8_t *above, uint8_t *row, size_t count, int distance);

// Rows that png_unfilter_rows takes at a time.
#define UNFILTER_ROWS 4

// Undoes the filters of UNFILTER_ROWS rows at once, pixels of 3 or 4 bytes, where that is faster: returns 0 if it is
// not, and nothing is done then. The filtered rows follow each other, each behind its filter; row k goes to `rows + k *
// stride`, and `rows - stride` is the row above.
int png_unfilter_rows(const uint8_t *source, uint8_t *rows, size_t stride, size_t count, int distance);
