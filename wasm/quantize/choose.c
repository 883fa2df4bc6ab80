// Chooses the colors of a palette from the cells of a picture's colors (cells.c): their means, refined by k-means
// (S. Lloyd, "Least squares quantization in PCM", 1982).
#include "cells.h"

typedef struct {
  Palette palette;
  int points;
  uint8_t *nearest;
  Point *point;
} Chooser;

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

void EXPORT(chooser_close)(Chooser *c) {
  if (!c) return;
  free(c->point);
  free(c->nearest);
  free(c);
}

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

// Begins a choice of the colors of `cells` cells (1 to 256). 0 when memory does not suffice.
Chooser *EXPORT(chooser_open)(const Sample *samples, int count, const Cut *cuts, int cells) {
  Chooser *const c = make_chooser(count);
  if (!c) return NULL;
  for (int i = 0; i < count; i++) c->point[i] = (Point){.weight = samples[i].weight, .pixel = samples[i].pixel};
  color_points(c->point, count);
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
