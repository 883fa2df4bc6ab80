// Slides the window of a cascade over a picture at many scales, as OpenCV does (P. Viola and M. Jones, "Rapid Object
// Detection using a Boosted Cascade of Simple Features", 2001): features are differences between sums of pixels in
// rectangles, read from an integral image and compared in units of the window's deviation.
#include "cascades.h"
#include "faces.h"

#include <math.h>

#define MAX_HITS 4096
#define MAX_NODES 4096 // of one cascade; the recipe's have at most 2,609

// A window with less contrast than this deviation shows nothing.
#define LEAST_DEVIATION 10

// Below this scale every other position is enough.
#define FINE_SCALE 2

typedef struct {
  float x, y, side; // in the picture's pixels
} Hit;

// A node with the corners of its rectangles as offsets into the integral image.
typedef struct {
  int32_t at[3][4];
  int32_t weights[2];
  float threshold, below, above;
  int32_t more;
} Feature;

typedef struct {
  const Cascade *cascade;
  int step;         // between windows, in both directions
  int stride, half; // entries of a row; where the odd columns of a row begin when the step is 2
  uint32_t *sums, *squares;
  int32_t frame[4]; // the corners of the part of a window whose deviation counts
} Scan;

static Feature features[MAX_NODES];
static Hit hits[MAX_HITS];
static int hit_count;

// With a step of 2, even columns lie before odd ones, so that neighboring windows are neighbors in memory.
static inline int column_of(const Scan *scan, int x) { return scan->step == 2 ? (x & 1) * scan->half + (x >> 1) : x; }

static void corners(const Scan *scan, Rectangle r, int32_t *at) {
  at[0] = r.y * scan->stride + column_of(scan, r.x);
  at[1] = r.y * scan->stride + column_of(scan, r.x + r.width);
  at[2] = (r.y + r.height) * scan->stride + column_of(scan, r.x);
  at[3] = (r.y + r.height) * scan->stride + column_of(scan, r.x + r.width);
}

static void set_step(Scan *scan, int step) {
  if (scan->step == step) return;
  scan->step = step;
  const int inner = scan->cascade->side - 2;
  corners(scan, (Rectangle){1, 1, inner, inner}, scan->frame);
  for (int index = 0; index < scan->cascade->nodes; index++) {
    const Node *node = &scan->cascade->node[index];
    Feature *feature = &features[index];
    for (int r = 0; r < 3; r++) corners(scan, node->rectangles[r], feature->at[r]);
    for (int r = 0; r < 2; r++) feature->weights[r] = node->weights[r];
    feature->threshold = node->threshold, feature->below = node->below, feature->above = node->above;
    feature->more = node->more;
  }
}

static void integrate(Scan *scan, const Sampling *sampling, uint8_t *row) {
  const int stride = scan->stride;
  memset(scan->sums, 0, (size_t)stride * sizeof(uint32_t));
  memset(scan->squares, 0, (size_t)stride * sizeof(uint32_t));
  for (int y = 0; y < sampling->height; y++) {
    sample_row(sampling, y, row);
    uint32_t *sums = scan->sums + (size_t)(y + 1) * stride, *squares = scan->squares + (size_t)(y + 1) * stride;
    uint32_t sum = 0, square = 0;
    sums[0] = squares[0] = 0;
    for (int x = 0; x < sampling->width; x++) {
      const int at = column_of(scan, x + 1);
      sum += row[x], square += row[x] * row[x];
      sums[at] = sums[at - stride] + sum, squares[at] = squares[at - stride] + square;
    }
  }
}

static inline int32_t area_sum(const uint32_t *window, const int32_t *at) {
  return (int32_t)(window[at[0]] - window[at[1]] - window[at[2]] + window[at[3]]);
}

static inline v128_t area_sums(const uint32_t *window, const int32_t *at) {
  const v128_t upper = wasm_i32x4_sub(wasm_v128_load(window + at[0]), wasm_v128_load(window + at[1]));
  return wasm_i32x4_add(wasm_i32x4_sub(upper, wasm_v128_load(window + at[2])), wasm_v128_load(window + at[3]));
}

static inline float value_of(const Feature *f, const uint32_t *window) {
  int32_t value = f->weights[0] * area_sum(window, f->at[1]) - area_sum(window, f->at[0]);
  if (f->weights[1]) value += f->weights[1] * area_sum(window, f->at[2]);
  return (float)value;
}

static inline v128_t values_of(const Feature *f, const uint32_t *window) {
  v128_t value = wasm_i32x4_mul(wasm_i32x4_splat(f->weights[0]), area_sums(window, f->at[1]));
  value = wasm_i32x4_sub(value, area_sums(window, f->at[0]));
  if (f->weights[1])
    value = wasm_i32x4_add(value, wasm_i32x4_mul(wasm_i32x4_splat(f->weights[1]), area_sums(window, f->at[2])));
  return wasm_f32x4_convert_i32x4(value);
}

static inline v128_t choose(v128_t condition, float yes, float no) {
  return wasm_v128_bitselect(wasm_f32x4_splat(yes), wasm_f32x4_splat(no), condition);
}

// What four neighboring windows add to the sum of a stage; moves on to the next tree.
static inline v128_t grow_four(const Feature **at, const uint32_t *window, v128_t norm) {
  const Feature *f = (*at)++;
  const v128_t below = wasm_f32x4_lt(values_of(f, window), wasm_f32x4_mul(wasm_f32x4_splat(f->threshold), norm));
  const v128_t ends = choose(below, f->below, f->above);
  if (f->more == NONE) return ends;
  const Feature *g = (*at)++;
  const v128_t less = wasm_f32x4_lt(values_of(g, window), wasm_f32x4_mul(wasm_f32x4_splat(g->threshold), norm));
  const v128_t more = choose(less, g->below, g->above);
  return f->more == BELOW ? wasm_v128_bitselect(more, ends, below) : wasm_v128_bitselect(ends, more, below);
}

// What one window adds to the sum of a stage; moves on to the next tree.
static inline float grow_one(const Feature **at, const uint32_t *window, float norm) {
  const Feature *f = (*at)++;
  const int below = value_of(f, window) < f->threshold * norm;
  if (f->more == NONE) return below ? f->below : f->above;
  const Feature *g = (*at)++;
  if (f->more != (below ? BELOW : ABOVE)) return below ? f->below : f->above;
  return value_of(g, window) < g->threshold * norm ? g->below : g->above;
}

// Whether a window passes the stages from `stage` on, whose trees begin at `at`.
static int passes(const Scan *scan, int stage, const Feature *at, const uint32_t *window, float norm) {
  for (; stage < scan->cascade->stages; stage++) {
    const StageOfCascade *s = &scan->cascade->stage[stage];
    float sum = 0;
    for (int tree = 0; tree < s->trees; tree++) sum += grow_one(&at, window, norm);
    if (sum < s->threshold) return 0;
  }
  return 1;
}

// Which of four neighboring windows pass, a bit each, of those in `alive`. The last one standing goes on alone.
static int passing(const Scan *scan, const uint32_t *window, v128_t alive, v128_t norm) {
  const Feature *at = features;
  for (int stage = 0; stage < scan->cascade->stages; stage++) {
    const int lanes = wasm_i32x4_bitmask(alive);
    if (lanes == 0) return 0;
    if ((lanes & (lanes - 1)) == 0) {
      const int lane = __builtin_ctz(lanes);
      float norms[4];
      wasm_v128_store(norms, norm);
      return passes(scan, stage, at, window + lane, norms[lane]) ? lanes : 0;
    }
    const StageOfCascade *s = &scan->cascade->stage[stage];
    v128_t sum = wasm_f32x4_const_splat(0);
    for (int tree = 0; tree < s->trees; tree++) sum = wasm_f32x4_add(sum, grow_four(&at, window, norm));
    alive = wasm_v128_and(alive, wasm_f32x4_ge(sum, wasm_f32x4_splat(s->threshold)));
  }
  return wasm_i32x4_bitmask(alive);
}

// The deviation of four windows, times the area it is measured over.
static inline v128_t norms_of(const Scan *scan, const uint32_t *sums, const uint32_t *squares, float area) {
  const v128_t sum = wasm_f32x4_convert_i32x4(area_sums(sums, scan->frame));
  const v128_t square = wasm_f32x4_convert_i32x4(area_sums(squares, scan->frame));
  const v128_t variance = wasm_f32x4_sub(wasm_f32x4_mul(square, wasm_f32x4_splat(area)), wasm_f32x4_mul(sum, sum));
  return wasm_f32x4_sqrt(wasm_f32x4_max(variance, wasm_f32x4_splat(0)));
}

static void report(const Sampling *s, int side, int x, int y) {
  if (hit_count == MAX_HITS) return;
  const int column = s->mirrored ? s->width - side - x : x;
  hits[hit_count++] = (Hit){(float)(s->x + column * s->scale), (float)(s->y + y * s->scale), (float)(side * s->scale)};
}

static void slide(const Scan *scan, const Sampling *s) {
  const int side = scan->cascade->side, step = scan->step;
  const float area = (float)((side - 2) * (side - 2));
  const int windows = (s->width - side) / step + 1;
  for (int y = 0; y + side <= s->height; y += step) {
    const size_t row = (size_t)y * scan->stride;
    for (int first = 0; first < windows; first += 4) {
      const uint32_t *sums = scan->sums + row + first, *squares = scan->squares + row + first;
      const v128_t norm = norms_of(scan, sums, squares, area);
      v128_t alive = wasm_f32x4_gt(norm, wasm_f32x4_splat(LEAST_DEVIATION * area));
      alive = wasm_v128_and(alive, wasm_i32x4_lt(wasm_i32x4_make(0, 1, 2, 3), wasm_i32x4_splat(windows - first)));
      for (int lanes = passing(scan, sums, alive, norm); lanes; lanes &= lanes - 1)
        report(s, side, (first + __builtin_ctz(lanes)) * step, y);
    }
  }
}

Hit *EXPORT(scan_hits)(void) { return hits; }

// Looks for windows that pass a cascade in the part of the picture at x, y, in sizes from `smallest` on, each `factor`
// times the one before, up to `largest`; `fine`: at every position even in small sizes. The number of hits, or -1 when
// memory ran out.
int EXPORT(scan_part)(const Picture *picture, int cascade, int mirrored, double x, double y, double width,
                      double height, double smallest, double largest, double factor, int fine) {
  Scan scan = {.cascade = cascades[cascade]};
  const int side = scan.cascade->side;
  const double finest = MAX(1, smallest / side);
  const int widest = (int)(width / finest), tallest = (int)(height / finest);
  hit_count = 0;
  if (widest < side || tallest < side) return 0;
  scan.half = widest / 2 + 1;
  scan.stride = widest + 2;
  const size_t entries = (size_t)scan.stride * (tallest + 1) + 4;
  scan.sums = malloc(entries * sizeof(uint32_t)), scan.squares = malloc(entries * sizeof(uint32_t));
  uint8_t *row = malloc(widest);
  const int failed = !scan.sums || !scan.squares || !row;
  for (double scale = finest; side * scale <= largest && !failed; scale *= factor) {
    const Sampling sampling = {picture, x, y, scale, (int)(width / scale), (int)(height / scale), mirrored};
    if (sampling.width < side || sampling.height < side) break;
    set_step(&scan, fine || scale >= FINE_SCALE ? 1 : 2);
    integrate(&scan, &sampling, row);
    slide(&scan, &sampling);
  }
  free(row), free(scan.squares), free(scan.sums);
  return failed ? -1 : hit_count;
}
