// Chooses the colors of a palette. First the colors of the picture are cut in two again and again, where it lowers
// the sum of squared errors most, across the principal axis (X. Wu, "Color quantization by dynamic programming and
// principal analysis", 1992; M. Orchard and C. Bouman, "Color quantization of images", 1991). Then the cells are
// refined by k-means (S. Lloyd, "Least squares quantization in PCM", 1982).
#include "histogram.h"

enum { CUTS = 64 };

typedef struct {
  Color color;
  float weight;
  uint32_t pixel;
} Point;

typedef struct {
  int from, to;
  Color mean;
  double weight, error;  // the sum of squared distances from the mean, weighted
  v128_t axis;
} Cell;

// What is known of a picture's colors once they are cut, whatever the number of colors that is wanted later: the
// colors in an order in which every cell is a run, and the cuts that made the cells, one after the other.
typedef struct {
  uint32_t pixel;
  float weight;
} Sample;

typedef struct {
  int32_t cell, at;  // which cell was cut, and where its second part begins: that becomes the next cell
  float error;       // mean squared distance of the colors from the means of their cells after the cut
} Cut;

typedef struct {
  Palette palette;
  Cell cell[MOST_COLORS];
  int points;
  uint8_t *nearest;
  Point *point;
} Chooser;

static Color splat_mul(Color v, float f) { return wasm_f32x4_mul(v, wasm_f32x4_splat(f)); }

// Mean, error and principal axis (by power iteration) of the points of a cell.
static void measure(const Chooser *c, Cell *cell) {
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
  cell->axis = axis;
}

// Cuts a cell where the error of both parts together is least; the second part becomes `other`. 0 if it cannot be cut.
static int cut(Chooser *c, Cell *cell, Cell *other) {
  float low = 0, high = 0;
  for (int i = cell->from; i < cell->to; i++) {
    const float at = sum4(wasm_f32x4_mul(wasm_f32x4_sub(c->point[i].color, cell->mean), cell->axis));
    low = MIN(low, at), high = MAX(high, at);
  }
  if (high - low < 1e-6f) return 0;
  const float scale = CUTS / (high - low);
  v128_t sum[CUTS];
  float weight[CUTS] = {0};
  memset(sum, 0, sizeof sum);
#define CUT_OF(p) \
  MIN(CUTS - 1, (int)((sum4(wasm_f32x4_mul(wasm_f32x4_sub((p).color, cell->mean), cell->axis)) - low) * scale))
  for (int i = cell->from; i < cell->to; i++) {
    const int at = CUT_OF(c->point[i]);
    const v128_t d = wasm_f32x4_sub(c->point[i].color, cell->mean);
    sum[at] = wasm_f32x4_add(sum[at], splat_mul(d, c->point[i].weight));
    weight[at] += c->point[i].weight;
  }
  // relative to the mean the sums of both parts are opposite: the gain is |s|^2 (1/w1 + 1/w2)
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
  if (best < 0) return 0;
  int i = cell->from, j = cell->to;
  while (i < j) {
    if (CUT_OF(c->point[i]) <= best) {
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
static int cut_all(Chooser *c, int most, Cut *cuts) {
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

// Makes the means of the first `count` cells the palette.
static void take_cells(Chooser *c, const Cut *cuts, int count) {
  int from[MOST_COLORS] = {0}, to[MOST_COLORS] = {c->points};
  for (int i = 1; i < count; i++) {
    const int cell = cuts[i - 1].cell;
    from[i] = cuts[i - 1].at, to[i] = to[cell];
    to[cell] = from[i];
  }
  c->palette.count = count;
  for (int i = 0; i < count; i++) {
    v128_t sum = wasm_f32x4_const_splat(0);
    double weight = 0;
    for (int k = from[i]; k < to[i]; k++) {
      c->nearest[k] = (uint8_t)i;
      sum = wasm_f32x4_add(sum, splat_mul(c->point[k].color, c->point[k].weight));
      weight += c->point[k].weight;
    }
    c->palette.color[i] = splat_mul(sum, (float)(1 / weight));
  }
}

// One step of k-means. Returns the error per weight before it; a color that nothing is near takes the point that is
// worst off.
static double refine(Chooser *c) {
  Palette *const p = &c->palette;
  static v128_t sum[MOST_COLORS];
  static float weight[MOST_COLORS];
  memset(sum, 0, sizeof sum);
  memset(weight, 0, sizeof weight);
  double error = 0, total = 0;
  float worst = 0;
  int worst_point = 0;
  palette_index(p);
  for (int i = 0; i < c->points; i++) {
    const Point *const point = &c->point[i];
    float squared;
    const int at = palette_nearest(p, point->color, c->nearest[i], &squared);
    c->nearest[i] = (uint8_t)at;
    sum[at] = wasm_f32x4_add(sum[at], splat_mul(point->color, point->weight));
    weight[at] += point->weight;
    error += (double)squared * point->weight;
    total += point->weight;
    if (squared * point->weight > worst) worst = squared * point->weight, worst_point = i;
  }
  for (int i = 0; i < p->count; i++) {
    if (weight[i] > 0) {
      p->color[i] = splat_mul(sum[i], 1 / weight[i]);
    } else if (worst > 0) {
      p->color[i] = c->point[worst_point].color;
      worst = 0;
    }
  }
  return error / total;
}

// A color that most of a cell has becomes the cell's: flat areas keep their exact color.
static void settle(Chooser *c, int exact) {
  Palette *const p = &c->palette;
  static float weight[MOST_COLORS], most[MOST_COLORS];
  static int heaviest[MOST_COLORS];
  memset(weight, 0, sizeof weight);
  memset(most, 0, sizeof most);
  for (int i = 0; i < c->points; i++) {
    const int at = c->nearest[i];
    weight[at] += c->point[i].weight;
    if (c->point[i].weight > most[at]) most[at] = c->point[i].weight, heaviest[at] = i;
  }
  for (int i = 0; i < p->count; i++) {
    const int flat = exact && most[i] > 0.4f * weight[i];
    p->pixel[i] = flat ? c->point[heaviest[i]].pixel : pixel_of(p->color[i]);
    p->color[i] = color_of(p->pixel[i]);
  }
}

void chooser_close(Chooser *c);

static Chooser *make_chooser(int points) {
  Chooser *const c = calloc(1, sizeof *c);
  if (!c) return NULL;
  c->points = points;
  c->point = malloc(sizeof(Point) * (size_t)MAX(1, points));
  c->nearest = malloc((size_t)MAX(1, points));
  if (c->point && c->nearest) return c;
  chooser_close(c);
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
  Chooser *const c = make_chooser(count);
  if (!c) return -1;
  for (int i = 0; i < count; i++) {
    uint32_t pixel = 0;
    for (int k = 0; k < 4; k++) {
      const int level = (int)(bin[i].sum[k] / bin[i].weight + 0.5f);
      pixel |= (uint32_t)MIN(255, level) << 8 * k;
    }
    c->point[i] = (Point){.color = color_of(pixel), .weight = bin[i].weight, .pixel = pixel};
  }
  const int cells = cut_all(c, most, cuts);
  for (int i = 0; i < count; i++) samples[i] = (Sample){.pixel = c->point[i].pixel, .weight = c->point[i].weight};
  chooser_close(c);
  return cells;
}

void EXPORT(chooser_close)(Chooser *c) {
  if (!c) return;
  free(c->point);
  free(c->nearest);
  free(c);
}

// Begins a choice of the colors of `cells` cells (1 to 256). 0 when memory does not suffice.
Chooser *EXPORT(chooser_open)(const Sample *samples, int count, const Cut *cuts, int cells) {
  Chooser *const c = make_chooser(count);
  if (!c) return NULL;
  for (int i = 0; i < count; i++)
    c->point[i] = (Point){.color = color_of(samples[i].pixel), .weight = samples[i].weight, .pixel = samples[i].pixel};
  take_cells(c, cuts, cells);
  return c;
}

// One round of k-means. Returns the mean squared distance of the samples from the colors before it.
double EXPORT(chooser_refine)(Chooser *c) { return refine(c); }

// Ends the choice; the colors are the words that come back. `exact`: the samples are the very colors of the picture.
uint32_t *EXPORT(chooser_settle)(Chooser *c, int exact) {
  settle(c, exact);
  return c->palette.pixel;
}
