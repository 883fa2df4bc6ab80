// Weights of a one-dimensional resampling filter, quantized for i16 dot products.
#pragma once

#include "pixels.h"

// Fixed point of the weights: 1.0 is 1 << WEIGHT_BITS.
#define WEIGHT_BITS 14

// In the order of the binding's `kernels`.
typedef enum { NEAREST, LINEAR, CATMULL_ROM, MITCHELL, LANCZOS3, GAUSSIAN } Kernel;

typedef struct {
  int size;        // output samples
  int longest;     // weights per output sample, padded with zeros
  int32_t *start;  // first source sample of each output sample, a multiple of `align`
  int32_t *end;    // one past the last source sample of each output sample that is not padding
  int16_t *weight; // size * longest
  float *exact;    // the same, not quantized; there is one or the other
} Taps;

// The filter that takes the source interval [low, low + length) (fractions allowed) to `size` samples. Sample k covers
// [k, k + 1). Samples outside the interval, rounded outward, do not bleed in: the edge sample is repeated instead.
// `sigma` is the width of GAUSSIAN in source samples; the other kernels stretch with the reduction.
// No sample is centered beyond `last_center`: what would be repeats what is there.
// `start` is rounded down to a multiple of `align` and every row of weights is padded to a multiple of `pad`.
// Returns 0 when memory ran out; release what there is with taps_free.
int taps_make(Taps *taps, Kernel kernel, double sigma, double low, double length, double last_center, int source_size,
              int size, int align, int pad);
// The same with exact weights, without a last center, alignment and padding; not for GAUSSIAN.
int taps_make_exact(Taps *taps, Kernel kernel, double low, double length, int source_size, int size);
void taps_free(Taps *taps);
