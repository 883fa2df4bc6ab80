#include "network.h"

#include <stdlib.h>
#include <string.h>
#include <wasm_simd128.h>

#include "superres.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the weights are little-endian");

// A step of a filter multiplies two neighboring numbers of its input; VECTORs hold the weights of both for four outputs.
#define VECTOR 8
#define GROUPS (NETWORK_CHANNELS / 4)
#define FIRST_ROWS 5
#define FIRST_STEPS 3
#define ROWS 3
#define STEPS (3 * NETWORK_CHANNELS / 2)

// A power of two goes with every layer: what its sums are divided by. Sums cannot overflow (train_network.py).
typedef struct {
  int16_t shifts[8];                 // of the hidden layers, the last one and the linear part
  int16_t first[FIRST_ROWS * FIRST_STEPS * GROUPS * VECTOR];
  int16_t middle[NETWORK_MIDDLE][ROWS * STEPS * GROUPS * VECTOR];
  int16_t last[ROWS * STEPS * VECTOR];
  int16_t linear[FIRST_ROWS * FIRST_STEPS * VECTOR];
} Weights;

#define LAST_SHIFT NETWORK_HIDDEN
#define LINEAR_SHIFT (NETWORK_HIDDEN + 1)

_Static_assert(LINEAR_SHIFT < 8, "there is a shift for every layer");

_Alignas(16) static const uint8_t table[] = {
#embed "network.bin"
};

_Static_assert(sizeof(table) == sizeof(Weights), "the weights are those of this network");

static const Weights *const weights = (const Weights *)table;

// Rows and columns of a hidden layer beyond the sides of the picture: what the layers after it look at. The picture itself
// goes on there as it ends.
static int beyond(int layer) { return NETWORK_HIDDEN - layer; }

int network_open(Network *n, int width) {
  // As many pixels to each side as layers need, and those that are made beyond the end.
  const size_t row = ((size_t)width + 2 * NETWORK_HIDDEN + 4) * NETWORK_CHANNELS;
  *n = (Network){.width = width, .row = row};
  for (int layer = 0; layer < NETWORK_HIDDEN; layer++) n->made[layer] = -beyond(layer);
  n->hidden = calloc(NETWORK_HIDDEN * HIDDEN_ROWS * row, sizeof(int16_t));
  return n->hidden != NULL;
}

void network_close(Network *n) { free(n->hidden); }

// ---- filters ----

// Sums of `pixels` neighboring results, each of `groups` vectors: `steps` pairs of numbers from every row, which go on by
// `stride` from one result to the next.
static inline __attribute__((always_inline)) void filter(v128_t *sums, int pixels, int groups, const int16_t *const *rows,
                                                         int count, int steps, int stride, const int16_t *vectors,
                                                         int shift) {
  const v128_t half = wasm_i32x4_splat(1 << (shift - 1));
  for (int i = 0; i < pixels * groups; i++) sums[i] = half;
  for (int row = 0; row < count; row++) {
    const int16_t *input = rows[row];
    for (int step = 0; step < steps; step++, input += 2, vectors += groups * VECTOR) {
      v128_t pairs[4];
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

// Two pixels of a hidden layer. What is negative counts an eighth.
static inline void store_hidden(int16_t *result, const v128_t *sums) {
  for (int i = 0; i < 2 * GROUPS; i += 2) {
    const v128_t v = wasm_i16x8_narrow_i32x4(sums[i], sums[i + 1]);
    wasm_v128_store(result + i * 4, wasm_i16x8_max(v, wasm_i16x8_shr(v, 3)));
  }
}

static void make_first(const Network *n, const int16_t *const plane[FIRST_ROWS], int16_t *result) {
  const int16_t *rows[FIRST_ROWS];
  for (int x = -beyond(0); x < n->width + beyond(0); x += 2) {
    v128_t sums[2 * GROUPS];
    for (int i = 0; i < FIRST_ROWS; i++) rows[i] = plane[i] + x - 2;
    filter(sums, 2, GROUPS, rows, FIRST_ROWS, FIRST_STEPS, 1, weights->first, weights->shifts[0]);
    store_hidden(result + (ptrdiff_t)x * NETWORK_CHANNELS, sums);
  }
}

static void make_middle(const Network *n, int layer, const int16_t *const input[ROWS], int16_t *result) {
  const int16_t *rows[ROWS];
  for (int x = -beyond(layer); x < n->width + beyond(layer); x += 2) {
    v128_t sums[2 * GROUPS];
    for (int i = 0; i < ROWS; i++) rows[i] = input[i] + ((ptrdiff_t)x - 1) * NETWORK_CHANNELS;
    filter(sums, 2, GROUPS, rows, ROWS, STEPS, NETWORK_CHANNELS, weights->middle[layer - 1],
           weights->shifts[layer]);
    store_hidden(result + (ptrdiff_t)x * NETWORK_CHANNELS, sums);
  }
}

// ---- rows ----

static int place_of(int y) { return (y + 2 * HIDDEN_ROWS) % HIDDEN_ROWS; }

_Static_assert(NETWORK_HIDDEN <= 2 * HIDDEN_ROWS, "the first row has a place");

// Row y of a hidden layer, from the picture's first column on.
static int16_t *hidden_row(const Network *n, int layer, int y) {
  return n->hidden + ((size_t)layer * HIDDEN_ROWS + (size_t)place_of(y)) * n->row + NETWORK_HIDDEN * NETWORK_CHANNELS;
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
    if (*blank) memset(result - NETWORK_HIDDEN * NETWORK_CHANNELS, 0, n->row * sizeof(int16_t));
    else if (layer == 0) make_first(n, input, result);
    else make_middle(n, layer, input, result);
  }
}

void network_double(Network *n, int y, RowOf row_of, const void *context, int16_t *quads) {
  advance(n, NETWORK_HIDDEN - 1, y + 1, row_of, context);
  const int16_t *here = row_of(context, y), *plane[FIRST_ROWS], *input[ROWS], *rows[FIRST_ROWS];
  for (int k = 0; k < FIRST_ROWS; k++) plane[k] = row_of(context, y + k - 2);
  for (int k = 0; k < ROWS; k++) input[k] = hidden_row(n, NETWORK_HIDDEN - 1, y + k - 1);
  if (is_blank(n, NETWORK_HIDDEN - 1, y) && is_flat(plane, n->width)) {
    const v128_t sample = wasm_i16x8_splat(here[0]);
    for (int x = 0; x < n->width; x += 2) wasm_v128_store(quads + (size_t)x * 4, sample);
    return;
  }
  const int16_t *shifts = weights->shifts;
  for (int x = 0; x < n->width; x += 2) {
    v128_t linear[2], sums[2];
    for (int k = 0; k < FIRST_ROWS; k++) rows[k] = plane[k] + x - 2;
    filter(linear, 2, 1, rows, FIRST_ROWS, FIRST_STEPS, 1, weights->linear, shifts[LINEAR_SHIFT]);
    for (int k = 0; k < ROWS; k++) rows[k] = input[k] + ((ptrdiff_t)x - 1) * NETWORK_CHANNELS;
    filter(sums, 2, 1, rows, ROWS, STEPS, NETWORK_CHANNELS, weights->last, shifts[LAST_SHIFT]);
    for (int p = 0; p < 2; p++) {
      const v128_t more = wasm_i32x4_add(linear[p], sums[p]);
      sums[p] = wasm_i32x4_add(more, wasm_i32x4_splat(here[x + p]));
    }
    wasm_v128_store(quads + (size_t)x * 4, wasm_i16x8_narrow_i32x4(sums[0], sums[1]));
  }
}
