// Medians of small boxes by sorting networks.
#pragma once

#include "effects.h"

// Up to here there is a network.
#define MEDIAN_NETWORK_RADIUS 2
// Copies of its first and last pixel that a row has at its ends; at the right, as many pixels more may be read.
#define MEDIAN_SIDE 4

// The median of each channel over three, or five, rows and as many columns, around each pixel of the middle row.
void median_of_nine(const uint8_t *const *rows, int width, uint8_t *result);
void median_of_twenty_five(const uint8_t *const *rows, int width, uint8_t *result);
