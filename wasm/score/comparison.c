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

#include "scales.h"

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
    measure_batch(comparison, index, c, from);
    if (is_last) measure_batch(comparison, index, c, from + BATCH);
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

// Takes the next rows of both pictures: RGBA8, straight alpha, sRGB.
void EXPORT(comparison_push)(Comparison *comparison, const uint8_t *first, const uint8_t *second, int rows) {
  size_t bytes = (size_t)comparison->reference->plan.scale[0].width * 4;
  for (int row = 0; row < rows; row++) {
    reference_row(comparison->reference, first + row * bytes);
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
