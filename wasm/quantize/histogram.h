#pragma once

#include "quantize.h"

enum { MOST_BINS = 1 << 16 };

typedef struct Histogram Histogram;

typedef struct {
  uint32_t key;
  float weight;
  float sum[4];  // of the channels, weighted
} Bin;

int histogram_transparent(const Histogram *histogram);
int histogram_colors(const Histogram *histogram);
int histogram_bins(const Histogram *histogram, Bin const **bin);
