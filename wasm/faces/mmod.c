// The third network, of max-margin object detection, on a square of a picture: how far its middle lies on the side of faces.
// Numbers of its layers are whole, in 16 bits, and so are their sums, in 32.
#include "faces.h"

#include <math.h>

#define PAIR (2 * LANES) // two inputs of each of four outputs, whose products are added at once

// A layer: filters of all channels, a square of `filter` pixels each, every `step` pixels. Channels are whole lanes.
typedef struct {
  int channels, outputs, filter, step;
} LayerShape;

#define LAYERS 7
static const LayerShape layer_shape[LAYERS] = {
  {4, 16, 5, 2},  {16, 32, 5, 2}, {32, 32, 5, 2}, {32, 48, 5, 1},
  {48, 48, 5, 1}, {48, 48, 5, 1}, {48, 4, 9, 1},
};

// Sides of the square and, after all layers, of the places that look at its middle: nothing beyond the square is looked at.
#define SIDE 221
#define PLACES 5

// Numbers between layers are 256ths, the colors of the square 16ths. Of the sums over the most of them none is too large.
#define LARGEST 4095
#define COLOR_STEPS 16

#define MOST_NUMBERS (SIDE * SIDE * LANES)
#define MOST_WEIGHTS (48 * 48 * 25)

typedef struct {
  int16_t from[MOST_NUMBERS], to[MOST_NUMBERS], weights[MOST_WEIGHTS];
  float square_row[SIDE * COLORS];
} MmodRoom;

// The square in whole numbers; its fourth channel is empty.
static void take_square(const Picture *picture, const Part *part, MmodRoom *room) {
  int16_t *at = room->from;
  for (int y = 0; y < SIDE; y++) {
    sample_row(picture, part, y, room->square_row);
    for (int x = 0; x < SIDE; x++, at += LANES) {
      for (int c = 0; c < COLORS; c++)
        at[c] = (int16_t)lrintf((room->square_row[x * COLORS + c] + 1) * 127.5f * COLOR_STEPS);
      at[COLORS] = 0;
    }
  }
}

// The weights of four outputs.
static inline size_t group_weights(const LayerShape *shape) {
  return (size_t)shape->filter * shape->filter * shape->channels * LANES;
}

// Sums for neighboring pixels, and outputs in groups of four.
static inline __attribute__((always_inline)) void add_up(v128_t *sums, int pixels, int groups, const int16_t *from,
                                                         size_t row, const LayerShape *shape, const int16_t *weights) {
  const int pairs = shape->filter * shape->channels / 2, stride = shape->step * shape->channels;
  const size_t group = group_weights(shape);
  for (int y = 0; y < shape->filter; y++, from += row) {
    const int16_t *input = from;
    for (int pair = 0; pair < pairs; pair++, input += 2, weights += PAIR) {
      v128_t weight[2];
      for (int g = 0; g < groups; g++) weight[g] = wasm_v128_load(weights + g * group);
      for (int p = 0; p < pixels; p++) {
        const v128_t both = wasm_v128_load32_splat(input + p * stride);
        for (int g = 0; g < groups; g++)
          sums[p * groups + g] = wasm_i32x4_add(sums[p * groups + g], wasm_i32x4_dot_i16x8(both, weight[g]));
      }
    }
  }
}

typedef struct {
  const LayerShape *shape;
  const float *scales, *constants;
  const int16_t *weights;
} MmodLayer;

static inline v128_t scaled(const MmodLayer *layer, int output, v128_t sum) {
  const v128_t product = wasm_f32x4_mul(wasm_f32x4_convert_i32x4(sum), wasm_v128_load(layer->scales + output));
  return wasm_f32x4_add(product, wasm_v128_load(layer->constants + output));
}

// Numbers of the next layer: nothing is negative, and nothing too large.
static inline v128_t cut(v128_t value) {
  const v128_t least = wasm_f32x4_max(value, wasm_f32x4_const_splat(0));
  return wasm_i32x4_trunc_sat_f32x4(wasm_f32x4_nearest(wasm_f32x4_min(least, wasm_f32x4_const_splat(LARGEST))));
}

// Some pixels of a row, for two groups of outputs.
static inline __attribute__((always_inline)) void run_pixels(const MmodLayer *layer, int pixels, const int16_t *from,
                                                             size_t row, int output, int16_t *to) {
  v128_t sums[2 * LANES] = {};
  add_up(sums, pixels, 2, from, row, layer->shape, layer->weights + output / LANES * group_weights(layer->shape));
  for (int p = 0; p < pixels; p++) {
    const v128_t first = cut(scaled(layer, output, sums[2 * p]));
    const v128_t second = cut(scaled(layer, output + LANES, sums[2 * p + 1]));
    wasm_v128_store(to + (size_t)p * layer->shape->outputs + output, wasm_i16x8_narrow_i32x4(first, second));
  }
}

static void run_layer(const MmodLayer *layer, const int16_t *from, int side, int16_t *to, int next) {
  const LayerShape *shape = layer->shape;
  const size_t row = (size_t)side * shape->channels;
  for (int y = 0; y < next; y++)
    for (int x = 0; x < next; x += x + LANES <= next ? LANES : 1) {
      const int16_t *input = from + (size_t)y * shape->step * row + (size_t)x * shape->step * shape->channels;
      int16_t *result = to + ((size_t)y * next + x) * shape->outputs;
      for (int output = 0; output < shape->outputs; output += 2 * LANES) {
        if (x + LANES <= next) run_pixels(layer, LANES, input, row, output, result);
        else run_pixels(layer, 1, input, row, output, result);
      }
    }
}

// The score of each place, of which the best counts.
static float best_score(const MmodLayer *layer, const int16_t *from, int side) {
  const size_t row = (size_t)side * layer->shape->channels;
  float best = -INFINITY;
  for (int y = 0; y < PLACES; y++)
    for (int x = 0; x < PLACES; x++) {
      v128_t sum = wasm_i32x4_const_splat(0);
      add_up(&sum, 1, 1, from + y * row + (size_t)x * layer->shape->channels, row, layer->shape, layer->weights);
      best = MAX(best, wasm_f32x4_extract_lane(scaled(layer, 0, sum), 0));
    }
  return best;
}

// The next layer, its weights widened. There are what a whole sum counts for each output and what is added, as floats, then
// the weights in 8 bits: of four outputs after the other row by row and, in it, pair by pair of inputs.
static MmodLayer read_layer(const LayerShape *shape, const uint8_t **at, int16_t *weights) {
  const float *scales = (const float *)*at, *constants = scales + shape->outputs;
  const size_t count = shape->outputs / LANES * group_weights(shape);
  const uint8_t *bytes = (const uint8_t *)(constants + shape->outputs);
  for (size_t i = 0; i < count; i += PAIR) wasm_v128_store(weights + i, wasm_i16x8_load8x8(bytes + i));
  *at = bytes + count;
  return (MmodLayer){shape, scales, constants, weights};
}

// The score of a square with its corner at x, y: above 0 its middle is a face, about 80 pixels in the network's own size,
// below 0 none; mirrored where `across` is negative. Not a number when memory ran out.
float EXPORT(mmod_score)(const Picture *picture, float x, float y, float across, float down) {
  MmodRoom *room = malloc(sizeof(MmodRoom));
  if (!room) return NAN;
  const Part part = {x, y, across / SIDE, down / SIDE, SIDE, SIDE};
  take_square(picture, &part, room);
  const uint8_t *at = weights_of(MMOD);
  int16_t *from = room->from, *to = room->to;
  int side = SIDE;
  for (int index = 0; index < LAYERS - 1; index++) {
    const MmodLayer layer = read_layer(&layer_shape[index], &at, room->weights);
    const int next = (side - layer.shape->filter) / layer.shape->step + 1;
    run_layer(&layer, from, side, to, next);
    int16_t *made = to;
    to = from, from = made, side = next;
  }
  const MmodLayer last = read_layer(&layer_shape[LAYERS - 1], &at, room->weights);
  const float score = best_score(&last, from, side);
  free(room);
  return score;
}
