#pragma once

#include "png.h"

// How the filter of a row is chosen; below FILTER_TYPES it is that filter for every row.
enum { BY_SUM = FILTER_TYPES, BY_ENTROPY, BY_BIGRAMS };

// Filters one row (see png_unfilter for the arguments); `out` has ROW_SLACK bytes of room more than `count`.
void png_filter(int filter, const uint8_t *row, const uint8_t *above, uint8_t *out, size_t count, int distance);

// How well filtered bytes will compress, by one of the heuristics: lower is better.
float png_rate(int strategy, const uint8_t *filtered, size_t count);
