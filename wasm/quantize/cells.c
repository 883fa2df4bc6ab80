// Cuts the colors of a picture in two again and again, where it lowers the sum of squared errors most, across the
// principal axis (X. Wu, "Color quantization by dynamic programming and principal analysis", 1992; M. Orchard and
// C. Bouman, "Color quantization of images", 1991).
#include "cells.h"
#include "histogram.h"

enum { CUTS = 64 };

typedef struct {
  int from, to;
  Color mean;
  double weight, error;  // the sum of squared distances from the mean, weighted
  v128_t axis;
} Cell;

typedef struct {
  Cell cell[MOST_COLORS];
  int points;
  Point *point;
} Cutter;

// The principal axis of a covariance matrix, by power iteration.
static v128_t principal_axis(const v128_t row[4]) {
  v128_t axis = wasm_f32x4_const(1, 0.6f, 0.4f, 0.3f);
  for (int i = 0; i < 12; i++) {
    v128_t next = splat_mul(row[0], wasm_f32x4_extract_lane(axis, 0));
    next = wasm_f32x4_add(next, splat_mul(row[1], wasm_f32x4_extract_lane(axis, 1)));
    next = wasm_f32x4_add(next, splat_mul(row[2], wasm_f32x4_extract_lane(axis, 2)));
    next = wasm_f32x4_add(next, splat_mul(row[3], wasm_f32x4_extract_lane(axis, 3)));
    const v128_t size = wasm_f32x4_abs(next);
    float most = wasm_f32x4_extract_lane(size, 0);
    most = MAX(most, wasm_f32x4_extract_lane(size, 1));
    most = MAX(most, wasm_f32x4_extract_lane(size, 2));
    most = MAX(most, wasm_f32x4_extract_lane(size, 3));
    if (most <= 0) break;
    axis = splat_mul(next, 1 / most);
  }
  return axis;
}

// Mean, error and principal axis of the points of a cell.
static void measure(const Cutter *c, Cell *cell) {
  v128_t sum = wasm_f32x4_const_splat(0);
  double weight = 0;
  for (int i = cell->from; i < cell->to; i++) {
    sum = wasm_f32x4_add(sum, splat_mul(c->point[i].color, c->point[i].weight));
    weight += c->point[i].weight;
  }
  cell->weight = weight;
  cell->mean = splat_mul(sum, (float)(1 / weight));
  v128_t row[4] = {wasm_f32x4_const_splat(0), wasm_f32x4_const_splat(0), wasm_f32x4_const_splat(0),
                   wasm_f32x4_const_splat(0)};
  for (int i = cell->from; i < cell->to; i++) {
    const v128_t d = wasm_f32x4_sub(c->point[i].color, cell->mean), w = splat_mul(d, c->point[i].weight);
    row[0] = wasm_f32x4_add(row[0], splat_mul(w, wasm_f32x4_extract_lane(d, 0)));
    row[1] = wasm_f32x4_add(row[1], splat_mul(w, wasm_f32x4_extract_lane(d, 1)));
    row[2] = wasm_f32x4_add(row[2], splat_mul(w, wasm_f32x4_extract_lane(d, 2)));
    row[3] = wasm_f32x4_add(row[3], splat_mul(w, wasm_f32x4_extract_lane(d, 3)));
  }
  cell->error = (double)wasm_f32x4_extract_lane(row[0], 0) + wasm_f32x4_extract_lane(row[1], 1) +
                wasm_f32x4_extract_lane(row[2], 2) + wasm_f32x4_extract_lane(row[3], 3);
  cell->axis = principal_axis(row);
}

// Where a color lies along the axis of a cell.
static inline float along(Color color, const Cell *cell) {
  return sum4(wasm_f32x4_mul(wasm_f32x4_sub(color, cell->mean), cell->axis));
}

// The axis of a cell, from its first color to its last, in CUTS parts.
typedef struct {
  float low, scale;
} Ruler;

static inline int part_of(const Point *point, const Cell *cell, Ruler ruler) {
  return MIN(CUTS - 1, (int)((along(point->color, cell) - ruler.low) * ruler.scale));
}

// The last part before the cut that lowers the error most; -1 if there is none.
static int best_part(const Cutter *c, const Cell *cell, Ruler ruler) {
  v128_t sum[CUTS];
  float weight[CUTS] = {0};
  memset(sum, 0, sizeof sum);
  for (int i = cell->from; i < cell->to; i++) {
    const int at = part_of(&c->point[i], cell, ruler);
    const v128_t d = wasm_f32x4_sub(c->point[i].color, cell->mean);
    sum[at] = wasm_f32x4_add(sum[at], splat_mul(d, c->point[i].weight));
    weight[at] += c->point[i].weight;
  }
  // Relative to the mean the sums of both sides are opposite: the gain is |s|^2 (1/w1 + 1/w2).
  v128_t left = wasm_f32x4_const_splat(0);
  float left_weight = 0, most = -1;
  int best = -1;
  for (int k = 0; k < CUTS - 1; k++) {
    left = wasm_f32x4_add(left, sum[k]);
    left_weight += weight[k];
    const float right_weight = (float)cell->weight - left_weight;
    if (left_weight <= 0 || right_weight <= 0) continue;
    const float gain = sum4(wasm_f32x4_mul(left, left)) * (1 / left_weight + 1 / right_weight);
    if (gain > most) most = gain, best = k;
  }
  return best;
}

// Cuts a cell where the error of both parts together is least; the second part becomes `other`. 0 if it cannot be cut.
static int cut(Cutter *c, Cell *cell, Cell *other) {
  float low = 0, high = 0;
  for (int i = cell->from; i < cell->to; i++) {
    const float at = along(c->point[i].color, cell);
    low = MIN(low, at), high = MAX(high, at);
  }
  if (high - low < 1e-6f) return 0;
  const Ruler ruler = {low, CUTS / (high - low)};
  const int best = best_part(c, cell, ruler);
  if (best < 0) return 0;
  int i = cell->from, j = cell->to;
  while (i < j) {
    if (part_of(&c->point[i], cell, ruler) <= best) {
      i++;
      continue;
    }
    const Point swap = c->point[--j];
    c->point[j] = c->point[i];
    c->point[i] = swap;
  }
  if (i == cell->from || i == cell->to) return 0;
  *other = (Cell){.from = i, .to = cell->to};
  cell->to = i;
  measure(c, cell);
  measure(c, other);
  return 1;
}

// Cuts until there are `most` cells. Returns how many there are.
static int cut_all(Cutter *c, int most, Cut *cuts) {
  c->cell[0] = (Cell){.from = 0, .to = c->points};
  measure(c, &c->cell[0]);
  const double total = c->cell[0].weight;
  double error = c->cell[0].error;
  int count = 1;
  while (count < most) {
    int worst = 0;
    for (int i = 1; i < count; i++)
      if (c->cell[i].error > c->cell[worst].error) worst = i;
    Cell *const cell = &c->cell[worst];
    if (cell->error <= 0) break;
    const double before = cell->error;
    if (cut(c, cell, &c->cell[count])) {
      error += cell->error + c->cell[count].error - before;
      cuts[count - 1] = (Cut){.cell = worst, .at = cell->to, .error = (float)MAX(0, error / total)};
      count++;
    } else {
      cell->error = 0;
    }
  }
  return count;
}

static void cutter_close(Cutter *c) {
  free(c->point);
  free(c);
}

static Cutter *cutter_open(int points) {
  Cutter *const c = calloc(1, sizeof *c);
  if (!c) return NULL;
  c->points = points;
  c->point = malloc(sizeof(Point) * (size_t)points);
  if (c->point) return c;
  cutter_close(c);
  return NULL;
}

// How many colors were counted, full transparency apart: as many samples make_cuts writes.
int EXPORT(histogram_samples)(const Histogram *histogram) {
  const Bin *bin;
  return histogram_bins(histogram, &bin);
}

// Sorts what was counted into at most `most` (1 to 256) cells. Writes the samples and, for all cells but the first, the
// cuts; returns how many cells there are, or -1 when memory does not suffice.
int EXPORT(make_cuts)(const Histogram *histogram, int most, Sample *samples, Cut *cuts) {
  const Bin *bin;
  const int count = histogram_bins(histogram, &bin);
  if (count == 0) return 0;
  Cutter *const c = cutter_open(count);
  if (!c) return -1;
  for (int i = 0; i < count; i++) {
    uint32_t pixel = 0;
    for (int k = 0; k < 4; k++) {
      const int level = (int)(bin[i].sum[k] / bin[i].weight + 0.5f);
      pixel |= (uint32_t)MIN(255, level) << 8 * k;
    }
    c->point[i] = (Point){.weight = bin[i].weight, .pixel = pixel};
  }
  color_points(c->point, count);
  const int cells = cut_all(c, most, cuts);
  for (int i = 0; i < count; i++) samples[i] = (Sample){.pixel = c->point[i].pixel, .weight = c->point[i].weight};
  cutter_close(c);
  return cells;
}
