// Coefficients of a file divided anew, by the divisors that the encoder would take at some distance where these are
// coarser than the file's.
#pragma once
#include "native.h"
#include "packed.h"
#include "trellis.h"

struct divisor {
  int old, new;
};

struct requantizer {
  float distance;               // butteraugli's; 0: coefficients stay as they are
  struct divisor divisors[MAX_COMPONENTS][DCTSIZE2];
  struct trellis trellis[MAX_COMPONENTS];
  int coarser[MAX_COMPONENTS];  // whether any divisor of the component grows
};

// Chooses the divisors of a component of a file, whose tables must be known, and gives them a table in `store`.
void requantizer_choose(struct requantizer *q, j_decompress_ptr jpeg, struct packed *store, int c);
// Divides a block of a component that becomes coarser, in natural order.
void requantizer_divide(struct requantizer *q, int c, int16_t *block);
