// The inverse transform of one block, as decoders have it.
#pragma once
#include <stdint.h>

// Quantized coefficients and their divisors are in natural order; the samples go to `column` of eight rows.
void restore_block(const int16_t divisors[64], const int16_t block[64], uint8_t *const rows[8], uint32_t column);
