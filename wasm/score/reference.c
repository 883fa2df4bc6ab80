// The first side of a comparison: of each channel of each scale the pixels, their local means and variances.
#include "score.h"

static void open_channel(Reference *reference, int index, int channel) {
  const ScalePlan *scale = &reference->plan.scale[index];
  if (!is_used(scale, channel)) return;
  int rows = STEP_ROWS < scale->height ? STEP_ROWS : scale->height;
  size_t bytes = (size_t)scale->stride * rows * sizeof(float);
  Kept *kept = &reference->kept[index][channel];
  kept->pixels = allocate(bytes), kept->means = allocate(bytes);
  reference->means[index][channel] = blur_open(scale);
  if (!scale->structure[channel]) return;
  kept->variances = allocate(bytes);
  reference->squares[index][channel] = blur_open(scale);
}

static void close_work(Reference *reference) {
  pyramid_close(reference->pyramid);
  free(reference->columns);
  free(reference->spare);
  reference->pyramid = 0, reference->columns = 0, reference->spare = 0;
  for (int index = 0; index < SCALES; index++) {
    for (int channel = 0; channel < CHANNELS; channel++) {
      blur_close(&reference->means[index][channel]);
      blur_close(&reference->squares[index][channel]);
    }
  }
}

void EXPORT(reference_close)(Reference *reference) {
  close_work(reference);
  free(reference->zeros);
  for (int index = 0; index < SCALES; index++) {
    for (int channel = 0; channel < CHANNELS; channel++) {
      Kept *kept = &reference->kept[index][channel];
      free(kept->pixels), free(kept->means), free(kept->variances);
    }
  }
  free(reference);
}

// Blurs a batch of rows downwards, which yields the rows AHEAD of it.
static void step_channel(Reference *reference, int index, int channel, int from) {
  const ScalePlan *scale = &reference->plan.scale[index];
  const Kept *kept = &reference->kept[index][channel];
  const int has_structure = scale->structure[channel];
  const Input mean = input_of(&reference->means[index][channel], scale, from, reference->zeros);
  const Input square = has_structure ? input_of(&reference->squares[index][channel], scale, from, reference->zeros) : mean;
  float *means[BATCH], *variances[BATCH];
  for (int row = 0; row < BATCH; row++) {
    int y = from - AHEAD + row, is_row = y >= 0 && y < scale->height;
    means[row] = is_row ? kept_row(reference, index, kept->means, y) : reference->spare;
    variances[row] = is_row && has_structure ? kept_row(reference, index, kept->variances, y) : reference->spare;
  }
  for (int at = 0; at < scale->stride; at += 4) {
    const Block blurred = blurred_down(&mean, at);
    for (int row = 0; row < BATCH; row++) wasm_v128_store(means[row] + at, blurred.of[row]);
    if (!has_structure) continue;
    const Block squares = blurred_down(&square, at);
    for (int row = 0; row < BATCH; row++) {
      v128_t of_mean = wasm_f32x4_mul(blurred.of[row], blurred.of[row]);
      wasm_v128_store(variances[row] + at, wasm_f32x4_sub(squares.of[row], of_mean));
    }
  }
}

static void blur_channel(Reference *reference, int index, int channel, int from) {
  const ScalePlan *scale = &reference->plan.scale[index];
  v128_t *columns = reference->columns + MARGIN;
  const float *rows[BATCH];
  for (int row = 0; row < BATCH; row++) {
    int y = from + row < scale->height ? from + row : from;
    rows[row] = kept_row(reference, index, reference->kept[index][channel].pixels, y);
  }
  to_columns(rows, 0, scale->width, columns);
  blur_batch(&reference->means[index][channel], scale, from, reference->columns, reference->spare);
  if (!scale->structure[channel]) return;
  to_columns(rows, rows, scale->width, columns);
  blur_batch(&reference->squares[index][channel], scale, from, reference->columns, reference->spare);
}

static void take_row(void *owner, int index, int y, const float *linear) {
  Reference *reference = owner;
  const ScalePlan *scale = &reference->plan.scale[index];
  float *rows[CHANNELS] = {0};
  for (int channel = 0; channel < CHANNELS; channel++) {
    if (is_used(scale, channel)) rows[channel] = kept_row(reference, index, reference->kept[index][channel].pixels, y);
  }
  if (!rows[0] && !rows[1] && !rows[2]) return;
  to_xyb(linear, scale->stride, rows);
  if (!is_batch(scale, y)) return;
  int from = y - y % BATCH, is_last = y + 1 == scale->height;
  for (int channel = 0; channel < CHANNELS; channel++) {
    if (!rows[channel]) continue;
    blur_channel(reference, index, channel, from);
    step_channel(reference, index, channel, from);
    if (is_last) step_channel(reference, index, channel, from + BATCH);
  }
}

// A reference of this size, at least 8 x 8. `background` (0 to 1, sRGB) lies under transparent pixels. The picture
// consists of tiles of this size, multiples of 32; 0 where it is not cut that way. No more is kept than a comparison needs
// whose rows come in at the same time.
Reference *EXPORT(reference_open)(int width, int height, float background, int tile_columns, int tile_rows) {
  Reference *reference = allocate(sizeof(Reference));
  reference->plan = plan_of(width, height, tile_columns, tile_rows);
  reference->background = background;
  const ScalePlan *largest = &reference->plan.scale[0];
  for (int index = 0; index < reference->plan.scales; index++) {
    for (int channel = 0; channel < CHANNELS; channel++) open_channel(reference, index, channel);
  }
  reference->zeros = allocate(largest->stride * sizeof(float));
  reference->columns = columns_open(largest);
  reference->spare = allocate(largest->stride * sizeof(float));
  reference->pyramid = pyramid_open(&reference->plan, background, take_row, reference);
  return reference;
}

void reference_row(Reference *reference, const uint8_t *rgba) {
  if (!reference->pyramid) return;
  pyramid_push(reference->pyramid, rgba);
  if (reference->pyramid->rows_in[0] == reference->plan.scale[0].height) close_work(reference);
}
