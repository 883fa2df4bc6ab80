#include "taps.h"

#include <math.h>

// sinc(x) sinc(x / 3); sin(3 t) = sin(t) (3 - 4 sin(t)^2) saves the second sine.
static double lanczos3(double x) {
  if (x == 0) return 1;
  const double t = M_PI / 3 * x, s = sin(t);
  return s * s * (3 - 4 * s * s) / (3 * t * t);
}

// Mitchell and Netravali 1988, "Reconstruction filters in computer graphics": the cubic with parameters b and c.
static double cubic(double x, double b, double c) {
  if (x < 1) return ((12 - 9 * b - 6 * c) * x * x * x + (-18 + 12 * b + 6 * c) * x * x + 6 - 2 * b) / 6;
  if (x < 2) return ((-b - 6 * c) * x * x * x + (6 * b + 30 * c) * x * x + (-12 * b - 48 * c) * x + 8 * b + 24 * c) / 6;
  return 0;
}

static double kernel_at(Kernel kernel, double x) {
  x = fabs(x);
  switch (kernel) {
    case NEAREST: return 1;
    case LINEAR: return x < 1 ? 1 - x : 0;
    case CATMULL_ROM: return cubic(x, 0, 0.5);
    case MITCHELL: return cubic(x, 1.0 / 3, 1.0 / 3);
    case LANCZOS3: return x < 3 ? lanczos3(x) : 0;
    case GAUSSIAN: return exp(-x * x / 2);
  }
  return 0;
}

// Where a kernel ends; a Gaussian is cut where it falls below half of what 8 bits can show.
static const double support_of[] = {[NEAREST] = 0, [LINEAR] = 1, [CATMULL_ROM] = 2, [MITCHELL] = 2, [LANCZOS3] = 3, [GAUSSIAN] = 3.3};

// Rounds weights that sum to `sum` so that the integers sum to exactly 1.0: a flat picture stays flat.
static void quantize(const double *exact, double sum, int count, int16_t *weight) {
  int total = 0, largest = 0;
  for (int k = 0; k < count; k++) {
    weight[k] = (int16_t)lrint(exact[k] / sum * (1 << WEIGHT_BITS));
    total += weight[k];
    if (weight[k] > weight[largest]) largest = k;
  }
  weight[largest] += (1 << WEIGHT_BITS) - total;
}

static int make(Taps *taps, Kernel kernel, double sigma, double low, double length, double last_center, int source_size,
                int size, int align, int pad, int is_exact) {
  const double scale = length / size, stretch = kernel == GAUSSIAN ? sigma : MAX(scale, 1);
  const double support = support_of[kernel] * stretch;
  const int first = clamp((int)floor(low), 0, source_size - 1);
  const int last = clamp((int)ceil(low + length) - 1, first, source_size - 1);
  taps->size = size;
  taps->longest = (int)round_up((size_t)MIN(2 * support + 2, last - first + 1) + align, pad);
  taps->start = malloc(sizeof(int32_t) * size);
  taps->end = malloc(sizeof(int32_t) * size);
  if (is_exact) taps->exact = calloc((size_t)size * taps->longest, sizeof(float));
  else taps->weight = calloc((size_t)size * taps->longest, sizeof(int16_t));
  double *exact = malloc(sizeof(double) * taps->longest);
  if (!taps->start || !taps->end || !(is_exact ? (void *)taps->exact : taps->weight) || !exact) {
    free(exact);
    return 0;
  }
  for (int i = 0; i < size; i++) {
    const double center = MIN(low + (i + 0.5) * scale, last_center);
    int from = (int)floor(center - support + 0.5), to = (int)floor(center + support + 0.5);
    if (to <= from) from = (int)floor(center), to = from + 1;
    const int start = clamp(from, first, last), end = clamp(to - 1, first, last) + 1;
    double sum = 0;
    for (int k = 0; k < end - start; k++) exact[k] = 0;
    for (int k = from; k < to; k++) {
      const double w = kernel_at(kernel, (k + 0.5 - center) / stretch);
      exact[clamp(k, first, last) - start] += w;
      sum += w;
    }
    const int skipped = start % align;
    taps->start[i] = start - skipped;
    taps->end[i] = end;
    const size_t at = (size_t)i * taps->longest + skipped;
    if (is_exact)
      for (int k = 0; k < end - start; k++) taps->exact[at + k] = (float)(exact[k] / sum);
    else quantize(exact, sum, end - start, taps->weight + at);
  }
  free(exact);
  return 1;
}

int taps_make(Taps *taps, Kernel kernel, double sigma, double low, double length, double last_center, int source_size,
              int size, int align, int pad) {
  return make(taps, kernel, sigma, low, length, last_center, source_size, size, align, pad, 0);
}

int taps_make_exact(Taps *taps, Kernel kernel, double low, double length, int source_size, int size) {
  return make(taps, kernel, 1, low, length, INFINITY, source_size, size, 1, 1, 1);
}

void taps_free(Taps *taps) {
  free(taps->start);
  free(taps->end);
  free(taps->weight);
  free(taps->exact);
}
