// BlazeFace (V. Bazarevsky et al., "BlazeFace: Sub-millisecond Neural Face Detection on Mobile GPUs", 2019) on a picture of
// any size, a row of its last layer at a time: of each layer only the rows are held that the next one looks at.
#include "faces.h"

#include <math.h>

#define LANES 4
#define MAX_HITS 4096

// What the picture is halved to before the first block, whose layers have so many channels.
#define FIRST_FILTER 5
#define FIRST_REACH 1 // rows and columns before the pixel that a filter looks at; after it are two more
#define FIRST_CHANNELS 24

// A block: a filter of 3 x 3 for each channel, then sums of channels, added to what came in. Three of them halve.
#define BLOCKS 16
#define FILTER 3
static const struct {
  int from, to, halves;
} shape[BLOCKS] = {
  {24, 24, 0}, {24, 28, 0}, {28, 32, 1}, {32, 36, 0}, {36, 42, 0}, {42, 48, 1}, {48, 56, 0}, {56, 64, 0},
  {64, 72, 0}, {72, 80, 0}, {80, 88, 0}, {88, 96, 1}, {96, 96, 0}, {96, 96, 0}, {96, 96, 0}, {96, 96, 0},
};

// Two layers are looked at for faces, at every place with several anchors: a score and a box each.
#define HEADS 2
#define BOX 4
static const struct {
  int block, anchors, step; // step: pixels of the picture from one place to the next
} head_shape[HEADS] = {{10, 2, 8}, {15, 6, 16}};

// Pixels from a row of the last layer to the next.
#define LAST_STEP 16

// Channels for each column of the first layer that any layer has at most: fewer columns have more.
#define WIDEST 28
#define MOST_CHANNELS 96

// Rows that are held: of the picture and of a layer.
#define INPUT_ROWS 8
#define LAYER_ROWS 4

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the weights are little-endian");

_Alignas(2) static const uint8_t table[] = {
#embed "network.bin"
};

// Sums over inputs, made four results at a time: weights[group][input][LANES].
typedef struct {
  int inputs, outputs, groups;
  float *weights, *constants;
} Sums;

typedef struct {
  float *filter, *constants; // [FILTER * FILTER][channels]
  Sums sums;
} Block;

static struct {
  int ready;
  Sums first;
  Block block[BLOCKS];
  Sums score[HEADS], box[HEADS];
} network;

typedef struct {
  float x, y, width, height, score; // in pixels of the part
} Hit;

// A layer's rows: LAYER_ROWS of `width` pixels and one empty pixel to each side.
typedef struct {
  int width, height, channels, made;
  size_t row;
  float *rows;
  const float *empty; // a row of zeros, which all layers have in common
} Layer;

typedef struct {
  const Picture *picture;
  Part part;
  int sampled;
  size_t input_row;
  float *input, *filtered, *empty;
  Layer layer[BLOCKS + 1]; // that of the first filters, then those of the blocks
  float least;             // the score before the logistic function that a face has at least
  int hits;
  Hit hit[MAX_HITS];
} Search;

static int padded(int channels) { return (channels + LANES - 1) / LANES * LANES; }

// ---- weights ----

static float of_half(uint16_t half) {
  const int exponent = half >> 10 & 31;
  const float fraction = (float)(half & 1023) / 1024;
  const float value = exponent ? ldexpf(1 + fraction, exponent - 15) : ldexpf(fraction, -14);
  return half >> 15 ? -value : value;
}

static const uint16_t *read_sums(Sums *sums, const uint16_t *at, int inputs, int outputs) {
  const int groups = padded(outputs) / LANES;
  *sums = (Sums){inputs, outputs, groups, calloc((size_t)groups * inputs * LANES, sizeof(float)),
                 calloc((size_t)groups * LANES, sizeof(float))};
  if (!sums->weights || !sums->constants) return NULL;
  for (int input = 0; input < inputs; input++)
    for (int output = 0; output < outputs; output++)
      sums->weights[((output / LANES) * inputs + input) * LANES + output % LANES] = of_half(*at++);
  for (int output = 0; output < outputs; output++) sums->constants[output] = of_half(*at++);
  return at;
}

static const uint16_t *read_filter(Block *block, const uint16_t *at, int channels) {
  const int row = padded(channels);
  block->filter = calloc((size_t)FILTER * FILTER * row, sizeof(float));
  block->constants = calloc((size_t)row, sizeof(float));
  if (!block->filter || !block->constants) return NULL;
  for (int tap = 0; tap < FILTER * FILTER; tap++)
    for (int channel = 0; channel < channels; channel++) block->filter[tap * row + channel] = of_half(*at++);
  for (int channel = 0; channel < channels; channel++) block->constants[channel] = of_half(*at++);
  return at;
}

// Once for the life of the module. Returns 0 when memory ran out.
static int read_network(void) {
  if (network.ready) return 1;
  const uint16_t *at = read_sums(&network.first, (const uint16_t *)table, FIRST_FILTER * FIRST_FILTER * COLORS, FIRST_CHANNELS);
  for (int b = 0; b < BLOCKS && at; b++) {
    at = read_filter(&network.block[b], at, shape[b].from);
    if (at) at = read_sums(&network.block[b].sums, at, shape[b].from, shape[b].to);
  }
  for (int part = 0; part < 2 * HEADS && at; part++) {
    const int head = part % HEADS, anchors = head_shape[head].anchors;
    Sums *sums = part < HEADS ? &network.score[head] : &network.box[head];
    at = read_sums(sums, at, shape[head_shape[head].block].to, part < HEADS ? anchors : anchors * BOX);
  }
  network.ready = at != NULL;
  return network.ready;
}

// ---- layers ----

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

// A row of `width` results of which each looks at numbers of `count` rows.
static void sum_row(const Sums *s, int width, const float *const *rows, int count, int stride, float *result) {
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

static float *place_of(const Layer *layer, int y) {
  return layer->rows + (size_t)(y % LAYER_ROWS) * layer->row + layer->channels;
}

static const float *row_of(const Layer *layer, int y) {
  return y < 0 || y >= layer->height ? layer->empty + layer->channels : place_of(layer, y);
}

// Row y of the first layer.
static void make_first(Search *s, int y) {
  const float *rows[FIRST_FILTER];
  const int last = 2 * y - FIRST_REACH + FIRST_FILTER - 1;
  for (; s->sampled <= last; s->sampled++) {
    float *row = s->input + (size_t)((s->sampled + INPUT_ROWS) % INPUT_ROWS) * s->input_row;
    if (s->sampled >= 0 && s->sampled < s->part.height)
      sample_row(s->picture, &s->part, s->sampled, row + FIRST_REACH * COLORS);
    else memset(row, 0, s->input_row * sizeof(float));
  }
  for (int k = 0; k < FIRST_FILTER; k++)
    rows[k] = s->input + (size_t)((2 * y - FIRST_REACH + k + INPUT_ROWS) % INPUT_ROWS) * s->input_row;
  float *result = place_of(&s->layer[0], y);
  sum_row(&network.first, s->layer[0].width, rows, FIRST_FILTER, 2 * COLORS, result);
  for (int i = 0; i < s->layer[0].width * FIRST_CHANNELS; i += LANES)
    wasm_v128_store(result + i, wasm_f32x4_max(wasm_v128_load(result + i), wasm_f32x4_const_splat(0)));
}

// Every channel by itself.
static void filter_row(const Block *block, const float *const rows[FILTER], int width, int channels, int step, float *result) {
  for (int x = 0; x < width; x++, result += channels) {
    const ptrdiff_t from = (ptrdiff_t)x * step * channels;
    for (int c = 0; c < channels; c += LANES) {
      v128_t sum = wasm_v128_load(block->constants + c);
      const float *weight = block->filter + c;
      for (int k = 0; k < FILTER; k++)
        for (int j = 0; j < FILTER; j++, weight += channels) {
          const v128_t value = wasm_v128_load(rows[k] + from + j * channels + c);
          sum = wasm_f32x4_add(sum, wasm_f32x4_mul(value, wasm_v128_load(weight)));
        }
      wasm_v128_store(result + c, sum);
    }
  }
}

// Adds what came into a block, the largest of four pixels where it halves; what is negative becomes 0.
static void add_row(const Layer *from, const Layer *to, int y, int halves, float *result) {
  const float *upper = row_of(from, halves ? 2 * y : y), *lower = halves ? row_of(from, 2 * y + 1) : upper;
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

// ---- faces ----

static void look_at(Search *s, int head, int x, int y, const float *pixel) {
  const int anchors = head_shape[head].anchors, step = head_shape[head].step;
  float scores[2 * LANES], boxes[6 * BOX];
  sum_row(&network.score[head], 1, &pixel, 1, 0, scores);
  int sure = 0;
  for (int anchor = 0; anchor < anchors; anchor++) sure |= scores[anchor] > s->least;
  if (!sure) return;
  sum_row(&network.box[head], 1, &pixel, 1, 0, boxes);
  for (int anchor = 0; anchor < anchors && s->hits < MAX_HITS; anchor++) {
    if (scores[anchor] <= s->least) continue;
    const float *box = boxes + anchor * BOX;
    const float middle = ((float)x + 0.5f) * (float)step + box[0], level = ((float)y + 0.5f) * (float)step + box[1];
    s->hit[s->hits++] = (Hit){middle - box[2] / 2, level - box[3] / 2, box[2], box[3], 1 / (1 + expf(-scores[anchor]))};
  }
}

// Makes the rows of a layer up to row y, and what they need.
static void advance(Search *s, int index, int y) {
  Layer *layer = &s->layer[index];
  for (; layer->made <= MIN(y, layer->height - 1); layer->made++) {
    const int row = layer->made;
    if (index == 0) {
      make_first(s, row);
      continue;
    }
    const Layer *from = &s->layer[index - 1];
    const int halves = shape[index - 1].halves;
    advance(s, index - 1, halves ? 2 * row + 2 : row + 1);
    // A filter that halves looks at the pixel and two after it, any other at the pixel and both neighbors.
    const float *rows[FILTER];
    for (int k = 0; k < FILTER; k++)
      rows[k] = halves ? row_of(from, 2 * row + k) : row_of(from, row + k - 1) - from->channels;
    const Block *block = &network.block[index - 1];
    filter_row(block, rows, layer->width, from->channels, halves ? 2 : 1, s->filtered);
    const float *filtered = s->filtered;
    float *result = place_of(layer, row);
    sum_row(&block->sums, layer->width, &filtered, 1, from->channels, result);
    add_row(from, layer, row, halves, result);
    for (int head = 0; head < HEADS; head++) {
      if (head_shape[head].block != index - 1) continue;
      for (int x = 0; x < layer->width; x++) look_at(s, head, x, row, result + (size_t)x * layer->channels);
    }
  }
}

void EXPORT(search_close)(Search *s) {
  if (!s) return;
  for (int index = 0; index <= BLOCKS; index++) free(s->layer[index].rows);
  free(s->input), free(s->filtered), free(s->empty);
  free(s);
}

static int open_layer(Layer *layer, int width, int height, int channels, const float *empty) {
  *layer = (Layer){.width = width, .height = height, .channels = padded(channels), .empty = empty};
  layer->row = (size_t)(width + 2) * (size_t)layer->channels;
  layer->rows = calloc(LAYER_ROWS * layer->row, sizeof(float));
  return layer->rows != NULL;
}

// Half of the pixels, which come in whole steps of the last layer.
static int half_of(int pixels) { return (pixels + LAST_STEP - 1) / LAST_STEP * LAST_STEP / 2; }

// Begins to look for faces whose score is more than `least` in the part at x, y, of `across` x `down` pixels, in the size
// of `width` x `height`.
Search *EXPORT(search_open)(const Picture *picture, float x, float y, float across, float down, int width, int height,
                            float least) {
  Search *s = calloc(1, sizeof(Search));
  if (!s || !read_network()) {
    free(s);
    return NULL;
  }
  s->part = (Part){x, y, across / (float)width, down / (float)height, width, height};
  s->picture = picture, s->least = least, s->sampled = -FIRST_REACH;
  int columns = half_of(width), rows = half_of(height);
  s->input_row = (size_t)(2 * columns + FIRST_FILTER) * COLORS;
  s->input = calloc(INPUT_ROWS * s->input_row, sizeof(float));
  s->filtered = malloc((size_t)columns * WIDEST * sizeof(float));
  s->empty = calloc((size_t)columns * WIDEST + 4 * MOST_CHANNELS, sizeof(float));
  int opened = s->input && s->filtered && s->empty && open_layer(&s->layer[0], columns, rows, FIRST_CHANNELS, s->empty);
  for (int b = 0; b < BLOCKS && opened; b++) {
    if (shape[b].halves) columns /= 2, rows /= 2;
    opened = open_layer(&s->layer[b + 1], columns, rows, shape[b].to, s->empty);
  }
  if (opened) return s;
  search_close(s);
  return NULL;
}

// Makes the next row of the last layer; whether there are more.
int EXPORT(search_row)(Search *s) {
  const Layer *last = &s->layer[BLOCKS];
  advance(s, BLOCKS, last->made);
  return last->made < last->height;
}

int EXPORT(search_count)(const Search *s) { return s->hits; }

const Hit *EXPORT(search_hits)(const Search *s) { return s->hit; }
