// SSIMULACRA 2.1: how alike two pictures look, 100 for identical ones.
//
// The metric is Jon Sneyers' (2022), defined by its reference implementation `tools/ssimulacra2` in libjxl:
// multi-scale SSIM without the luma denominator, plus two maps of edge differences, in the XYB color space, pooled with
// 1-norms and 4-norms and weighted by scale and channel.
//
// Two things differ from the reference, none in what is computed of a whole picture:
// - It works on rows, top to bottom, and keeps what the blur needs, so memory grows with the width only.
// - What is compared may be a sheet of tiles out of a larger picture. Pixels whose blur reaches over a tile's edge are not
//   counted then, at no scale: seams are edges in both pictures, hide errors beside them and would raise the score.
#include <math.h>

#include "score.h"

enum {
  RADIUS = 4, // of the blur
  MAPS = 3,   // SSIM, ringing, blurring
};

// What is kept of a channel of a scale of the rendition.
typedef struct {
  float *pixels; // a ring of STEP_ROWS rows
  Blur mean, square, product;
  double sums[MAPS][2]; // of values and of their fourth powers
} Channel;

typedef struct {
  uint32_t *inside; // a row of masks: all bits set where pixels are counted
  int row_counted;  // pixels of a row
  double counted;   // pixels
  Channel channels[CHANNELS];
} Scale;

typedef struct {
  Reference *reference;
  Pyramid *pyramid;
  v128_t *columns;
  float *spare; // a row that nobody reads
  Scale scale[SCALES];
} Comparison;

// Whether something at a place in a tile is further than the blur reaches from its edges.
static int is_within(int at, int tile) {
  return tile == 0 || (at % tile >= RADIUS && at % tile < tile - RADIUS);
}

static void open_scale(Scale *scale, const ScalePlan *plan) {
  scale->inside = allocate(plan->stride * sizeof(uint32_t));
  for (int x = 0; x < plan->width; x++) {
    scale->inside[x] = is_within(x, plan->tile_columns) ? ~0u : 0;
    scale->row_counted += scale->inside[x] & 1;
  }
  for (int index = 0; index < CHANNELS; index++) {
    if (!is_used(plan, index)) continue;
    Channel *channel = &scale->channels[index];
    channel->pixels = allocate((size_t)plan->stride * STEP_ROWS * sizeof(float));
    channel->mean = blur_open(plan);
    if (!plan->structure[index]) continue;
    channel->square = blur_open(plan), channel->product = blur_open(plan);
  }
}

void EXPORT(comparison_close)(Comparison *comparison) {
  pyramid_close(comparison->pyramid);
  free(comparison->columns);
  free(comparison->spare);
  for (int index = 0; index < SCALES; index++) {
    Scale *scale = &comparison->scale[index];
    free(scale->inside);
    for (int channel = 0; channel < CHANNELS; channel++) {
      free(scale->channels[channel].pixels);
      blur_close(&scale->channels[channel].mean);
      blur_close(&scale->channels[channel].square);
      blur_close(&scale->channels[channel].product);
    }
  }
  free(comparison);
}

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

static float *pixel_row(const Channel *channel, const ScalePlan *plan, int y) {
  return channel->pixels + (size_t)(y % STEP_ROWS) * plan->stride;
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

// Blurs a batch of rows downwards, and measures the rows AHEAD of it, which come out.
static void step_channel(Comparison *comparison, int index, int c, int from) {
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

static void blur_channel(Comparison *comparison, int index, int c, int from) {
  const Reference *reference = comparison->reference;
  const ScalePlan *plan = &reference->plan.scale[index];
  const Channel *channel = &comparison->scale[index].channels[c];
  v128_t *columns = comparison->columns + MARGIN;
  const float *rows[BATCH], *originals[BATCH];
  for (int row = 0; row < BATCH; row++) {
    int y = from + row < plan->height ? from + row : from;
    rows[row] = pixel_row(channel, plan, y);
    originals[row] = kept_row(reference, index, reference->kept[index][c].pixels, y);
  }
  to_columns(rows, 0, plan->width, columns);
  blur_batch(&channel->mean, plan, from, comparison->columns, comparison->spare);
  if (!plan->structure[c]) return;
  to_columns(rows, rows, plan->width, columns);
  blur_batch(&channel->square, plan, from, comparison->columns, comparison->spare);
  to_columns(originals, rows, plan->width, columns);
  blur_batch(&channel->product, plan, from, comparison->columns, comparison->spare);
}

static void take_row(void *owner, int index, int y, const float *linear) {
  Comparison *comparison = owner;
  const ScalePlan *plan = &comparison->reference->plan.scale[index];
  Scale *scale = &comparison->scale[index];
  if (is_within(y, plan->tile_rows)) scale->counted += scale->row_counted;
  float *rows[CHANNELS] = {0};
  for (int c = 0; c < CHANNELS; c++) {
    if (is_used(plan, c)) rows[c] = pixel_row(&scale->channels[c], plan, y);
  }
  if (!rows[0] && !rows[1] && !rows[2]) return;
  to_xyb(linear, plan->stride, rows);
  if (!is_batch(plan, y)) return;
  int from = y - y % BATCH, is_last = y + 1 == plan->height;
  for (int c = 0; c < CHANNELS; c++) {
    if (!rows[c]) continue;
    blur_channel(comparison, index, c, from);
    step_channel(comparison, index, c, from);
    if (is_last) step_channel(comparison, index, c, from + BATCH);
  }
}

// A comparison with a reference, which has to stay open.
Comparison *EXPORT(comparison_open)(Reference *reference) {
  Comparison *comparison = allocate(sizeof(Comparison));
  const Plan *plan = &reference->plan;
  comparison->reference = reference;
  comparison->columns = columns_open(&plan->scale[0]);
  comparison->spare = allocate(plan->scale[0].stride * sizeof(float));
  for (int index = 0; index < plan->scales; index++) open_scale(&comparison->scale[index], &plan->scale[index]);
  comparison->pyramid = pyramid_open(plan, reference->background, take_row, comparison);
  return comparison;
}

// Takes the next rows of the rendition: RGBA8, straight alpha, sRGB. Those of the reference come first, in step where it
// keeps no more.
void EXPORT(comparison_push)(Comparison *comparison, const uint8_t *first, const uint8_t *second, int rows) {
  size_t bytes = (size_t)comparison->reference->plan.scale[0].width * 4;
  for (int row = 0; row < rows; row++) {
    if (first) reference_row(comparison->reference, first + row * bytes);
    pyramid_push(comparison->pyramid, second + row * bytes);
  }
}

// The score once all rows are in.
double EXPORT(comparison_result)(const Comparison *comparison) {
  double sum = 0;
  int weight = 0;
  for (int c = 0; c < CHANNELS; c++) {
    for (int index = 0; index < comparison->reference->plan.scales; index++) {
      const Scale *scale = &comparison->scale[index];
      double pixels = scale->counted > 0 ? scale->counted : 1;
      for (int norm = 0; norm < 2; norm++) {
        for (int map = 0; map < MAPS; map++) {
          double mean = scale->channels[c].sums[map][norm] / pixels;
          sum += WEIGHTS[weight++] * (norm ? sqrt(sqrt(mean)) : mean);
        }
      }
    }
  }
  sum *= 0.9562382616834844;
  sum = 2.326765642916932 * sum - 0.020884521182843837 * sum * sum + 6.248496625763138e-05 * sum * sum * sum;
  return sum > 0 ? 100 - 10 * pow(sum, 0.6276336467831387) : 100;
}
