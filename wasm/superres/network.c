#include "network.h"

#include <stdlib.h>
#include <string.h>
#include <wasm_simd128.h>

#include "superres.h"

// A step of a filter multiplies two neighboring numbers of its input; VECTORs hold the weights of both for four outputs.
#define VECTOR 8
// Vectors of sums of a pixel that are made at a time: those of two pixels fit the registers.
#define GROUPS 6
// What the compiler makes loops of its own for.
#define SMALL_CHANNELS 24
#define LARGE_CHANNELS 48

_Static_assert(MOST_MIDDLE + 1 == NETWORK_HIDDEN, "there is room for every layer");
_Static_assert(SMALL_CHANNELS % (4 * GROUPS) == 0 && LARGE_CHANNELS % (4 * GROUPS) == 0, "groups are whole");

// Rows and columns of a hidden layer beyond the sides of the picture: what the layers after it look at. The picture itself
// goes on there as it ends.
static int beyond(const Network *n, int layer) { return n->layers - layer; }

int network_open(Network *n, int width, Kind kind, int is_turned) {
  const Weights *weights = weights_of(kind, is_turned);
  const int channels = weights->channels, layers = weights->middle_layers + 1;
  // As many pixels to each side as layers need, and those that are made beyond the end.
  const size_t row = ((size_t)width + 2 * (size_t)layers + 4) * (size_t)channels;
  *n = (Network){.width = width, .channels = channels, .layers = layers, .weights = weights, .row = row};
  for (int layer = 0; layer < layers; layer++) n->made[layer] = -beyond(n, layer);
  n->hidden = calloc((size_t)layers * HIDDEN_ROWS * row, sizeof(int16_t));
  return n->hidden != NULL;
}

void network_close(Network *n) { free(n->hidden); }

// ---- filters ----

// Sums of `pixels` neighboring results, each of `groups` vectors: `steps` pairs of numbers from every row, which go on by
// `stride` from one result to the next. The weights of a step are `apart` numbers from those of the one before.
static inline __attribute__((always_inline)) void filter(v128_t *sums, int pixels, int groups, const int16_t *const *rows,
                                                         int count, int steps, int stride, const int16_t *vectors,
                                                         int apart, int shift) {
  const v128_t half = wasm_i32x4_splat(1 << (shift - 1));
  for (int i = 0; i < pixels * groups; i++) sums[i] = half;
  for (int row = 0; row < count; row++) {
    const int16_t *input = rows[row];
    for (int step = 0; step < steps; step++, input += 2, vectors += apart) {
      v128_t pairs[2];
      for (int p = 0; p < pixels; p++) pairs[p] = wasm_v128_load32_splat(input + p * stride);
      for (int g = 0; g < groups; g++) {
        const v128_t vector = wasm_v128_load(vectors + g * VECTOR);
        for (int p = 0; p < pixels; p++) {
          v128_t *sum = sums + p * groups + g;
          *sum = wasm_i32x4_add(*sum, wasm_i32x4_dot_i16x8(pairs[p], vector));
        }
      }
    }
  }
  for (int i = 0; i < pixels * groups; i++) sums[i] = wasm_i32x4_shr(sums[i], (uint32_t)shift);
}

// A part of two pixels of a hidden layer, `channels` numbers apart. What is negative counts an eighth.
static inline __attribute__((always_inline)) void store_hidden(int16_t *result, int channels, const v128_t *sums) {
  for (int i = 0; i < 2 * GROUPS; i += 2) {
    const v128_t v = wasm_i16x8_narrow_i32x4(sums[i], sums[i + 1]);
    wasm_v128_store(result + i / GROUPS * channels + i % GROUPS * 4, wasm_i16x8_max(v, wasm_i16x8_shr(v, 3)));
  }
}

// A row of a hidden layer: `count` rows of the layer before, each of `inputs` numbers a pixel, filters of as many pixels.
static inline __attribute__((always_inline)) void make_row(const Network *n, int layer, int channels, int inputs, int count,
                                                           int steps, const int16_t *const *input,
                                                           const int16_t *vectors, int16_t *result) {
  const int16_t *rows[FIRST_ROWS];
  for (int x = -beyond(n, layer); x < n->width + beyond(n, layer); x += 2) {
    for (int k = 0; k < count; k++) rows[k] = input[k] + ((ptrdiff_t)x - count / 2) * inputs;
    for (int group = 0; group < channels / 4; group += GROUPS) {
      v128_t sums[2 * GROUPS];
      filter(sums, 2, GROUPS, rows, count, steps, inputs, vectors + group * VECTOR, channels * 2, n->weights->shifts[layer]);
      store_hidden(result + (ptrdiff_t)x * channels + group * 4, channels, sums);
    }
  }
}

static void make_first(const Network *n, const int16_t *const plane[FIRST_ROWS], int16_t *result) {
  make_row(n, 0, n->channels, 1, FIRST_ROWS, FIRST_STEPS, plane, n->weights->first, result);
}

// The compiler makes one of each: what it knows the numbers of takes a third of the time.
static void make_middle(const Network *n, int layer, const int16_t *const input[ROWS], int16_t *result) {
  const int16_t *vectors = n->weights->middle[layer - 1];
  if (n->channels == LARGE_CHANNELS)
    make_row(n, layer, LARGE_CHANNELS, LARGE_CHANNELS, ROWS, STEPS(LARGE_CHANNELS), input, vectors, result);
  else
    make_row(n, layer, SMALL_CHANNELS, SMALL_CHANNELS, ROWS, STEPS(SMALL_CHANNELS), input, vectors, result);
}

// ---- rows ----

static int place_of(int y) { return (y + 2 * HIDDEN_ROWS) % HIDDEN_ROWS; }

_Static_assert(NETWORK_HIDDEN <= 2 * HIDDEN_ROWS, "the first row has a place");

// Row y of a hidden layer, from the picture's first column on.
static int16_t *hidden_row(const Network *n, int layer, int y) {
  return n->hidden + ((size_t)layer * HIDDEN_ROWS + (size_t)place_of(y)) * n->row + (size_t)(n->layers * n->channels);
}

// Whether there is one sample in all of the rows, where the first layer gives 0.
static int is_flat(const int16_t *const plane[FIRST_ROWS], int width) {
  const v128_t sample = wasm_i16x8_splat(plane[0][0]);
  for (int i = 0; i < FIRST_ROWS; i++) {
    if (plane[i] == plane[MAX(i - 1, 0)] && i > 0) continue;
    for (int x = 0; x < width; x += 8)
      if (wasm_v128_any_true(wasm_v128_xor(wasm_v128_load(plane[i] + x), sample))) return 0;
  }
  return 1;
}

static int is_blank(const Network *n, int layer, int y) {
  return n->blank[layer][place_of(y - 1)] && n->blank[layer][place_of(y)] && n->blank[layer][place_of(y + 1)];
}

// Makes the rows of a layer up to row y, and what they need.
static void advance(Network *n, int layer, int y, RowOf row_of, const void *context) {
  for (; n->made[layer] <= y; n->made[layer]++) {
    const int row = n->made[layer];
    int16_t *result = hidden_row(n, layer, row);
    uint8_t *blank = &n->blank[layer][place_of(row)];
    const int16_t *input[FIRST_ROWS];
    if (layer == 0) {
      for (int k = 0; k < FIRST_ROWS; k++) input[k] = row_of(context, row + k - 2);
      *blank = (uint8_t)is_flat(input, n->width);
    } else {
      advance(n, layer - 1, row + 1, row_of, context);
      for (int k = 0; k < ROWS; k++) input[k] = hidden_row(n, layer - 1, row + k - 1);
      *blank = (uint8_t)is_blank(n, layer - 1, row);
    }
    if (*blank) memset(result - n->layers * n->channels, 0, n->row * sizeof(int16_t));
    else if (layer == 0) make_first(n, input, result);
    else make_middle(n, layer, input, result);
  }
}

// The four pixels of two neighboring ones, of which `here` has the samples.
static inline void store_quads(int16_t *quads, const int16_t *here, const v128_t *linear, v128_t *sums) {
  for (int p = 0; p < 2; p++) {
    const v128_t more = wasm_i32x4_add(linear[p], sums[p]);
    sums[p] = wasm_i32x4_add(more, wasm_i32x4_splat(here[p]));
  }
  wasm_v128_store(quads, wasm_i16x8_narrow_i32x4(sums[0], sums[1]));
}

void network_double(Network *n, int y, RowOf row_of, const void *context, int16_t *quads) {
  const int layers = n->layers, channels = n->channels;
  const int last_shift = n->weights->shifts[layers], linear_shift = n->weights->shifts[layers + 1];
  advance(n, layers - 1, y + 1, row_of, context);
  const int16_t *here = row_of(context, y), *plane[FIRST_ROWS], *input[ROWS], *rows[FIRST_ROWS];
  for (int k = 0; k < FIRST_ROWS; k++) plane[k] = row_of(context, y + k - 2);
  for (int k = 0; k < ROWS; k++) input[k] = hidden_row(n, layers - 1, y + k - 1);
  if (is_blank(n, layers - 1, y) && is_flat(plane, n->width)) {
    const v128_t sample = wasm_i16x8_splat(here[0]);
    for (int x = 0; x < n->width; x += 2) wasm_v128_store(quads + (size_t)x * 4, sample);
    return;
  }
  for (int x = 0; x < n->width; x += 2) {
    v128_t linear[2], sums[2];
    for (int k = 0; k < FIRST_ROWS; k++) rows[k] = plane[k] + x - 2;
    filter(linear, 2, 1, rows, FIRST_ROWS, FIRST_STEPS, 1, n->weights->linear, VECTOR, linear_shift);
    for (int k = 0; k < ROWS; k++) rows[k] = input[k] + ((ptrdiff_t)x - 1) * channels;
    filter(sums, 2, 1, rows, ROWS, STEPS(channels), channels, n->weights->last, VECTOR, last_shift);
    store_quads(quads + (size_t)x * 4, here + x, linear, sums);
  }
}
