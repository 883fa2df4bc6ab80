// What the metric measures of the rows that both pictures yield: structure, and edges that were added or lost.
#include "scales.h"

typedef struct {
  v128_t sum, fourth;
} Norms;

static inline void add_norms(Norms *norms, v128_t value) {
  v128_t square = wasm_f32x4_mul(value, value);
  norms->sum = wasm_f32x4_add(norms->sum, value);
  norms->fourth = wasm_f32x4_add(norms->fourth, wasm_f32x4_mul(square, square));
}

static double lanes(v128_t value) {
  return (double)wasm_f32x4_extract_lane(value, 0) + wasm_f32x4_extract_lane(value, 1) +
         wasm_f32x4_extract_lane(value, 2) + wasm_f32x4_extract_lane(value, 3);
}

static void count_norms(double sums[2], const Norms *norms) {
  sums[0] += lanes(norms->sum);
  sums[1] += lanes(norms->fourth);
}

// 1 - SSIM', which has no luma denominator.
static inline v128_t structure_error(v128_t mean1, v128_t mean2, v128_t variance1, v128_t square2, v128_t product) {
  const v128_t c2 = wasm_f32x4_splat(0.0009f), one = wasm_f32x4_splat(1);
  v128_t difference = wasm_f32x4_sub(mean1, mean2);
  v128_t luma = wasm_f32x4_sub(one, wasm_f32x4_mul(difference, difference));
  v128_t covariance = wasm_f32x4_sub(product, wasm_f32x4_mul(mean1, mean2));
  v128_t up = wasm_f32x4_add(wasm_f32x4_add(covariance, covariance), c2);
  v128_t variance2 = wasm_f32x4_sub(square2, wasm_f32x4_mul(mean2, mean2));
  v128_t down = wasm_f32x4_add(wasm_f32x4_add(variance1, variance2), c2);
  v128_t ssim = wasm_f32x4_div(wasm_f32x4_mul(luma, up), down);
  return wasm_f32x4_pmax(wasm_f32x4_splat(0), wasm_f32x4_sub(one, ssim));
}

// How far the second picture's edges exceed the first's; below 0 where they fall behind.
static inline v128_t edge_excess(v128_t first, v128_t mean1, v128_t second, v128_t mean2) {
  const v128_t one = wasm_f32x4_splat(1);
  v128_t edge1 = wasm_f32x4_add(one, wasm_f32x4_abs(wasm_f32x4_sub(first, mean1)));
  v128_t edge2 = wasm_f32x4_add(one, wasm_f32x4_abs(wasm_f32x4_sub(second, mean2)));
  return wasm_f32x4_sub(wasm_f32x4_div(edge2, edge1), one);
}

// The rows that a batch yields.
typedef struct {
  const float *means, *first, *variances, *second;
  v128_t counted; // all bits set where the row is counted
} Row;

static void rows_of(const Comparison *comparison, int index, int c, int from, Row rows[BATCH]) {
  const Reference *reference = comparison->reference;
  const ScalePlan *plan = &reference->plan.scale[index];
  const Kept *kept = &reference->kept[index][c];
  for (int row = 0; row < BATCH; row++) {
    int y = from - AHEAD + row, is_row = y >= 0 && y < plan->height;
    rows[row].counted = wasm_i32x4_splat(is_row && is_within(y, plan->tile_rows) ? -1 : 0);
    if (!is_row) y = plan->height - 1;
    rows[row].means = kept_row(reference, index, kept->means, y);
    rows[row].first = kept_row(reference, index, kept->pixels, y);
    rows[row].variances = kept->variances ? kept_row(reference, index, kept->variances, y) : 0;
    rows[row].second = pixel_row(&comparison->scale[index].channels[c], plan, y);
  }
}

void measure_batch(Comparison *comparison, int index, int c, int from) {
  const float *zeros = comparison->reference->zeros;
  const ScalePlan *plan = &comparison->reference->plan.scale[index];
  Scale *scale = &comparison->scale[index];
  Channel *channel = &scale->channels[c];
  const int has_structure = plan->structure[c], has_edges = plan->edges[c];
  const Input mean = input_of(&channel->mean, plan, from, zeros);
  const Input square = has_structure ? input_of(&channel->square, plan, from, zeros) : mean;
  const Input product = has_structure ? input_of(&channel->product, plan, from, zeros) : mean;
  const v128_t zero = wasm_f32x4_splat(0);
  Norms structure = {zero, zero}, ringing = {zero, zero}, blurring = {zero, zero};
  Row rows[BATCH];
  rows_of(comparison, index, c, from, rows);
  for (int at = 0; at < plan->stride; at += 4) {
    const v128_t inside = wasm_v128_load(scale->inside + at);
    const Block means = blurred_down(&mean, at);
    if (has_structure) {
      const Block squares = blurred_down(&square, at), products = blurred_down(&product, at);
      for (int row = 0; row < BATCH; row++) {
        v128_t mean1 = wasm_v128_load(rows[row].means + at), variance1 = wasm_v128_load(rows[row].variances + at);
        v128_t error = structure_error(mean1, means.of[row], variance1, squares.of[row], products.of[row]);
        add_norms(&structure, wasm_v128_and(error, wasm_v128_and(inside, rows[row].counted)));
      }
    }
    if (has_edges) {
      for (int row = 0; row < BATCH; row++) {
        v128_t first = wasm_v128_load(rows[row].first + at), second = wasm_v128_load(rows[row].second + at);
        v128_t excess = edge_excess(first, wasm_v128_load(rows[row].means + at), second, means.of[row]);
        excess = wasm_v128_and(excess, wasm_v128_and(inside, rows[row].counted));
        add_norms(&ringing, wasm_f32x4_pmax(zero, excess));
        add_norms(&blurring, wasm_f32x4_pmax(zero, wasm_f32x4_neg(excess)));
      }
    }
  }
  count_norms(channel->sums[0], &structure);
  count_norms(channel->sums[1], &ringing);
  count_norms(channel->sums[2], &blurring);
}
