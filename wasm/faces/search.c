// The network on a part of a picture in any size, a row of its last layer at a time: of each layer only the rows are held
// that the next one looks at.
#include "layers.h"

#include <math.h>

#define MAX_HITS 4096

// Rows that are held of the picture.
#define INPUT_ROWS 8

// Rows that are held of a layer.
#define LAYER_ROWS 4

typedef struct {
  const Network *network;
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
  float *result = layer_place(&s->layer[0], y);
  sum_row(&s->network->first, s->layer[0].width, rows, FIRST_FILTER, 2 * COLORS, result);
  cut_row(result, (size_t)s->layer[0].width * FIRST_CHANNELS);
}

static void look_at(Search *s, int head, int x, int y, const float *pixel) {
  const int anchors = head_shape[head].anchors, step = head_shape[head].step;
  float scores[2 * LANES], boxes[6 * BOX];
  sum_row(&s->network->score[head], 1, &pixel, 1, 0, scores);
  int sure = 0;
  for (int anchor = 0; anchor < anchors; anchor++) sure |= scores[anchor] > s->least;
  if (!sure) return;
  sum_row(&s->network->box[head], 1, &pixel, 1, 0, boxes);
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
    const int halves = block_shape[index - 1].halves;
    advance(s, index - 1, halves ? 2 * row + 2 : row + 1);
    // A filter that halves looks at the pixel and two after it, any other at the pixel and both neighbors.
    const float *rows[FILTER];
    for (int k = 0; k < FILTER; k++)
      rows[k] = halves ? layer_row(from, 2 * row + k) : layer_row(from, row + k - 1) - from->channels;
    const Block *block = &s->network->block[index - 1];
    filter_row(block, rows, layer->width, from->channels, halves ? 2 : 1, s->filtered);
    const float *filtered = s->filtered;
    float *result = layer_place(layer, row);
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
  for (int index = 0; index <= BLOCKS; index++) layer_close(&s->layer[index]);
  free(s->input), free(s->filtered), free(s->empty);
  free(s);
}

// Half of the pixels, which come in whole steps of the last layer.
static int half_of(int pixels) { return (pixels + LAST_STEP - 1) / LAST_STEP * LAST_STEP / 2; }

// Begins to look for faces whose score is more than `least` in the part at x, y, of `across` x `down` pixels, in the size
// of `width` x `height`.
Search *EXPORT(search_open)(const Picture *picture, float x, float y, float across, float down, int width, int height,
                            float least) {
  Search *s = calloc(1, sizeof(Search));
  const Network *network = network_of_file();
  if (!s || !network) {
    free(s);
    return NULL;
  }
  s->network = network;
  s->part = (Part){x, y, across / (float)width, down / (float)height, width, height};
  s->picture = picture, s->least = least, s->sampled = -FIRST_REACH;
  int columns = half_of(width), rows = half_of(height);
  s->input_row = (size_t)(2 * columns + FIRST_FILTER) * COLORS;
  s->input = calloc(INPUT_ROWS * s->input_row, sizeof(float));
  s->filtered = malloc((size_t)columns * WIDEST * sizeof(float));
  s->empty = calloc((size_t)columns * WIDEST + 4 * MOST_CHANNELS, sizeof(float));
  int opened = s->input && s->filtered && s->empty &&
               layer_open(&s->layer[0], columns, rows, FIRST_CHANNELS, LAYER_ROWS, s->empty);
  for (int b = 0; b < BLOCKS && opened; b++) {
    if (block_shape[b].halves) columns /= 2, rows /= 2;
    opened = layer_open(&s->layer[b + 1], columns, rows, block_shape[b].to, LAYER_ROWS, s->empty);
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
