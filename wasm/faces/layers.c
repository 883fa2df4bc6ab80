#include "layers.h"

// Sums over `count` rows of `steps` numbers each for `pixels` neighboring results, whose inputs go on by `stride`.
static inline __attribute__((always_inline)) void add_up(v128_t *sums, int pixels, int groups, const float *const *rows,
                                                         int count, int steps, int stride, const float *weights,
                                                         int inputs) {
  for (int row = 0; row < count; row++) {
    const float *input = rows[row];
    const float *weight = weights + (size_t)row * steps * LANES;
    for (int step = 0; step < steps; step++, input++, weight += LANES) {
      v128_t vectors[2];
      for (int g = 0; g < groups; g++) vectors[g] = wasm_v128_load(weight + (size_t)g * inputs * LANES);
      for (int p = 0; p < pixels; p++) {
        const v128_t value = wasm_v128_load32_splat(input + p * stride);
        for (int g = 0; g < groups; g++) {
          v128_t *sum = sums + p * groups + g;
          *sum = wasm_f32x4_add(*sum, wasm_f32x4_mul(value, vectors[g]));
        }
      }
    }
  }
}

static inline __attribute__((always_inline)) void sum_pixels(const Sums *s, int group, int pixels, int groups,
                                                             const float *const *rows, int count, int stride,
                                                             float *result, int channels) {
  v128_t sums[8];
  for (int p = 0; p < pixels; p++)
    for (int g = 0; g < groups; g++) sums[p * groups + g] = wasm_v128_load(s->constants + (group + g) * LANES);
  add_up(sums, pixels, groups, rows, count, s->inputs / count, stride, s->weights + (size_t)group * s->inputs * LANES,
         s->inputs);
  for (int p = 0; p < pixels; p++)
    for (int g = 0; g < groups; g++)
      wasm_v128_store(result + (size_t)p * channels + (group + g) * LANES, sums[p * groups + g]);
}

void sum_row(const Sums *s, int width, const float *const *rows, int count, int stride, float *result) {
  const int channels = s->groups * LANES;
  const float *at[FIRST_FILTER];
  for (int x = 0; x < width; x += x + 4 <= width ? 4 : 1) {
    for (int row = 0; row < count; row++) at[row] = rows[row] + (size_t)x * stride;
    float *place = result + (size_t)x * channels;
    const int many = x + 4 <= width;
    for (int group = 0; group < s->groups; group += 2) {
      const int two = group + 1 < s->groups;
      if (many && two) sum_pixels(s, group, 4, 2, at, count, stride, place, channels);
      else if (many) sum_pixels(s, group, 4, 1, at, count, stride, place, channels);
      else if (two) sum_pixels(s, group, 1, 2, at, count, stride, place, channels);
      else sum_pixels(s, group, 1, 1, at, count, stride, place, channels);
    }
  }
}

int layer_open(Layer *layer, int width, int height, int channels, int held, const float *empty) {
  *layer = (Layer){.width = width, .height = height, .channels = padded(channels), .held = held, .empty = empty};
  layer->row = (size_t)(width + 2) * (size_t)layer->channels;
  layer->rows = calloc((size_t)held * layer->row, sizeof(float));
  return layer->rows != NULL;
}

void layer_close(Layer *layer) {
  free(layer->rows);
  layer->rows = NULL;
}

float *layer_place(const Layer *layer, int y) {
  return layer->rows + (size_t)(y % layer->held) * layer->row + layer->channels;
}

const float *layer_row(const Layer *layer, int y) {
  return y < 0 || y >= layer->height ? layer->empty + layer->channels : layer_place(layer, y);
}

// Four channels of a row: the filter stays in registers, and so does what neighboring pixels both look at.
static inline __attribute__((always_inline)) void filter_channels(const Block *block, const float *const rows[FILTER],
                                                                  int c, int width, int channels, int step,
                                                                  float *result) {
  v128_t filter[FILTER][FILTER], seen[FILTER][FILTER];
  const v128_t constants = wasm_v128_load(block->constants + c);
  for (int k = 0; k < FILTER; k++)
    for (int j = 0; j < FILTER; j++) {
      filter[k][j] = wasm_v128_load(block->filter + (k * FILTER + j) * channels + c);
      if (j < FILTER - step) seen[k][j] = wasm_v128_load(rows[k] + j * channels + c);
    }
  for (int x = 0; x < width; x++) {
    const ptrdiff_t from = (ptrdiff_t)x * step * channels + c;
    v128_t sum = constants;
    for (int k = 0; k < FILTER; k++) {
      for (int j = FILTER - step; j < FILTER; j++) seen[k][j] = wasm_v128_load(rows[k] + from + j * channels);
      for (int j = 0; j < FILTER; j++) sum = wasm_f32x4_add(sum, wasm_f32x4_mul(seen[k][j], filter[k][j]));
      for (int j = 0; j < FILTER - step; j++) seen[k][j] = seen[k][j + step];
    }
    wasm_v128_store(result + (size_t)x * channels + c, sum);
  }
}

void filter_row(const Block *block, const float *const rows[FILTER], int width, int channels, int step, float *result) {
  for (int c = 0; c < channels; c += LANES) {
    if (step == 1) filter_channels(block, rows, c, width, channels, 1, result);
    else filter_channels(block, rows, c, width, channels, 2, result);
  }
}

void add_row(const Layer *from, const Layer *to, int y, int halves, float *result) {
  const float *upper = layer_row(from, halves ? 2 * y : y), *lower = halves ? layer_row(from, 2 * y + 1) : upper;
  const v128_t zero = wasm_f32x4_const_splat(0);
  for (int x = 0; x < to->width; x++, result += to->channels) {
    const float *a = upper + (size_t)(halves ? 2 * x : x) * from->channels;
    const float *b = lower + (size_t)(halves ? 2 * x : x) * from->channels;
    for (int c = 0; c < to->channels; c += LANES) {
      v128_t sum = wasm_v128_load(result + c);
      if (c < from->channels) {
        v128_t most = wasm_v128_load(a + c);
        if (halves) {
          const v128_t right = wasm_f32x4_max(most, wasm_v128_load(a + c + from->channels));
          const v128_t low = wasm_f32x4_max(wasm_v128_load(b + c), wasm_v128_load(b + c + from->channels));
          most = wasm_f32x4_max(right, low);
        }
        sum = wasm_f32x4_add(sum, most);
      }
      wasm_v128_store(result + c, wasm_f32x4_max(sum, zero));
    }
  }
}

void add_doubled_row(const Layer *from, int y, float *result) {
  const int last = from->height - 1, near = y / 2, far = MAX(0, MIN(last, y & 1 ? near + 1 : near - 1));
  const float *nearer = layer_row(from, near), *farther = layer_row(from, far);
  const v128_t most = wasm_f32x4_const_splat(0.75f), rest = wasm_f32x4_const_splat(0.25f);
  for (int x = 0; x < 2 * from->width; x++, result += from->channels) {
    const int beside = MAX(0, MIN(from->width - 1, x & 1 ? x / 2 + 1 : x / 2 - 1));
    const size_t a = (size_t)(x / 2) * from->channels, b = (size_t)beside * from->channels;
    for (int c = 0; c < from->channels; c += LANES) {
      const v128_t left = wasm_f32x4_add(wasm_f32x4_mul(wasm_v128_load(nearer + a + c), most),
                                         wasm_f32x4_mul(wasm_v128_load(farther + a + c), rest));
      const v128_t right = wasm_f32x4_add(wasm_f32x4_mul(wasm_v128_load(nearer + b + c), most),
                                          wasm_f32x4_mul(wasm_v128_load(farther + b + c), rest));
      const v128_t sum = wasm_f32x4_add(wasm_f32x4_mul(left, most), wasm_f32x4_mul(right, rest));
      wasm_v128_store(result + c, wasm_f32x4_add(wasm_v128_load(result + c), sum));
    }
  }
}

void cut_row(float *row, size_t count) {
  for (size_t i = 0; i < count; i += LANES)
    wasm_v128_store(row + i, wasm_f32x4_max(wasm_v128_load(row + i), wasm_f32x4_const_splat(0)));
}
