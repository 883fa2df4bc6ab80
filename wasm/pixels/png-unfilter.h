#pragma once

#include "png.h"

/*
 * Undoes the filter of one row: `source` holds `count` filtered bytes, `row` receives them, `above` is the row before
 * (zeros for the first one). `distance` is the number of bytes per complete pixel, at least 1. `row` and `above` have
 * ROW_SLACK zero bytes before them and ROW_SLACK bytes behind. Returns 0 for a filter that does not exist.
 */
int png_unfilter(int filter, const uint8_t *source, const uint8_t *above, uint8_t *row, size_t count, int distance);
