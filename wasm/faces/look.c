// The second network on a part of a picture, a layer at a time: the way up needs whole layers of the way down.
#include "far.h"

#include <math.h>

#define INPUT_ROWS 4
#define NARROW_ROWS 4

typedef struct {
  const uint8_t *at; // the weights that are next
  FarFloats narrowing, widening;
  Part part;
  const Picture *picture;
  int columns, rows; // of the part, in whole steps
  float *input, *filtered, *summed, *empty, least;
  Layer layer, kept[FAR_KEPT];
  int hits;
  Hit *hit;
} Look;

// The picture, halved.
static int first_layer(Look *look) {
  Layer *layer = &look->layer;
  const int width = look->columns / 2, height = look->rows / 2;
  if (!layer_open(layer, width, height, FAR_FIRST, height, look->empty)) return 0;
  const Sums sums = far_sums(&look->at, FAR_FILTER * FAR_FILTER * COLORS, FAR_FIRST, &look->narrowing);
  const size_t length = (size_t)(look->columns + 1) * COLORS;
  for (int y = 0, sampled = 0; y < layer->height; y++) {
    const float *rows[FAR_FILTER];
    for (; sampled < 2 * y + FAR_FILTER; sampled++) {
      float *row = look->input + (size_t)(sampled % INPUT_ROWS) * length;
      if (sampled < look->part.height) sample_row(look->picture, &look->part, sampled, row);
      else memset(row, 0, length * sizeof(float));
    }
    for (int k = 0; k < FAR_FILTER; k++) rows[k] = look->input + (size_t)((2 * y + k) % INPUT_ROWS) * length;
    float *place = layer_place(layer, y);
    sum_row(&sums, layer->width, rows, FAR_FILTER, 2 * COLORS, place);
    cut_row(place, (size_t)layer->width * FAR_FIRST);
  }
  return 1;
}

// A row of `width` pixels of what a layer's filters and sums give.
static void block_row(const Look *look, const Block *block, const Layer *from, int halves, int y, int width,
                      float *result) {
  const float *rows[FILTER], *filtered = look->filtered;
  for (int k = 0; k < FILTER; k++)
    rows[k] = halves ? layer_row(from, 2 * y + k) : layer_row(from, y + k - 1) - from->channels;
  filter_row(block, rows, width, from->channels, halves ? 2 : 1, look->filtered);
  sum_row(&block->sums, width, &filtered, 1, from->channels, result);
}

// The next layer, in the place of the last one; where that is kept, it stays as well.
static int unit(Look *look, UnitShape shape, int is_kept) {
  Layer *from = &look->layer, to = *from, narrow;
  const int width = from->width >> shape.halves, height = from->height >> shape.halves;
  // Whatever needs a row is made before the one that takes its place.
  const int in_place = shape.from == shape.to && !shape.halves && !is_kept;
  if (!layer_open(&narrow, width, height, shape.narrow, NARROW_ROWS, look->empty)) return 0;
  const int opened = in_place || layer_open(&to, width, height, shape.to, height, look->empty);
  if (opened) {
    const Block narrowing = far_block(&look->at, shape.from, shape.narrow, &look->narrowing);
    const Block widening = far_block(&look->at, shape.narrow, shape.to, &look->widening);
    for (int y = 0; y < height; y++) {
      for (; narrow.made < MIN(y + 2, height); narrow.made++) {
        float *row = layer_place(&narrow, narrow.made);
        block_row(look, &narrowing, from, shape.halves, narrow.made, width, row);
        cut_row(row, (size_t)width * shape.narrow);
      }
      block_row(look, &widening, &narrow, 0, y, width, look->summed);
      add_row(from, &to, y, shape.halves, look->summed);
      memcpy(layer_place(&to, y), look->summed, (size_t)width * shape.to * sizeof(float));
    }
    if (!in_place && !is_kept) layer_close(from);
    *from = to;
  }
  layer_close(&narrow);
  return opened;
}

static int descend(Look *look) {
  for (int index = 0, kept = FAR_KEPT, is_kept = 0; index < FAR_UNITS; index++) {
    if (!unit(look, far_unit[index], is_kept)) return 0;
    is_kept = kept > 0 && index == far_kept[kept - 1];
    if (is_kept) look->kept[--kept] = look->layer;
  }
  return 1;
}

// Narrows a layer to so many channels.
static int narrow(Look *look, Layer *layer, int channels) {
  Layer to;
  if (!layer_open(&to, layer->width, layer->height, channels, layer->height, look->empty)) return 0;
  const Sums sums = far_sums(&look->at, layer->channels, channels, &look->narrowing);
  for (int y = 0; y < to.height; y++) {
    const float *row = layer_row(layer, y);
    sum_row(&sums, to.width, &row, 1, layer->channels, layer_place(&to, y));
    cut_row(layer_place(&to, y), (size_t)to.width * channels);
  }
  layer_close(layer);
  *layer = to;
  return 1;
}

static int rise(Look *look) {
  for (int index = 0; index < FAR_KEPT; index++) {
    const int channels = far_rise[index].channels;
    Layer *kept = &look->kept[index];
    if (!narrow(look, &look->layer, channels) || !narrow(look, kept, channels)) return 0;
    for (int y = 0; y < kept->height; y++) add_doubled_row(&look->layer, y, layer_place(kept, y));
    layer_close(&look->layer);
    look->layer = *kept;
    kept->rows = NULL;
    for (int k = 0; k < far_rise[index].units; k++)
      if (!unit(look, (UnitShape){channels, channels / 2, channels, 0}, 0)) return 0;
  }
  return 1;
}

// A score and a box for each place of the last layer.
static void judge(Look *look) {
  const Layer *layer = &look->layer;
  const Sums sums = far_sums(&look->at, layer->channels, FAR_OUTPUTS, &look->narrowing);
  for (int y = 0; y < layer->height; y++) {
    const float *row = layer_row(layer, y), *result = look->filtered;
    sum_row(&sums, layer->width, &row, 1, layer->channels, look->filtered);
    for (int x = 0; x < layer->width; x++, result += FAR_OUTPUTS) {
      if (result[0] <= look->least) continue;
      const float *box = result + 1;
      const float middle = ((float)x + 0.5f) * FAR_PLACE + box[0], level = ((float)y + 0.5f) * FAR_PLACE + box[1];
      const float score = 1 / (1 + expf(-result[0]));
      look->hit[look->hits++] = (Hit){middle - box[2] / 2, level - box[3] / 2, box[2], box[3], score};
    }
  }
}

void EXPORT(look_close)(Look *look) {
  if (!look) return;
  for (int index = 0; index < FAR_KEPT; index++)
    if (look->kept[index].rows != look->layer.rows) layer_close(&look->kept[index]);
  layer_close(&look->layer);
  free(look->input), free(look->filtered), free(look->summed), free(look->empty), free(look->hit);
  free(look);
}

static int whole_steps(int pixels) { return (pixels + FAR_STEP - 1) / FAR_STEP * FAR_STEP; }

// Looks for faces whose score is more than `least` in the part at x, y, of `across` x `down` pixels, in the size of
// `width` x `height`.
Look *EXPORT(look_open)(const Picture *picture, float x, float y, float across, float down, int width, int height,
                        float least) {
  Look *look = calloc(1, sizeof(Look));
  if (!look) return NULL;
  look->part = (Part){x, y, across / (float)width, down / (float)height, width, height};
  look->picture = picture, look->least = least;
  look->columns = whole_steps(width), look->rows = whole_steps(height);
  const size_t row = (size_t)(look->columns / 2 + 2) * FAR_FIRST + 4 * FAR_MOST_CHANNELS;
  look->input = calloc(INPUT_ROWS * (size_t)(look->columns + 1) * COLORS, sizeof(float));
  look->filtered = malloc(row * sizeof(float));
  look->summed = malloc(row * sizeof(float));
  look->empty = calloc(row, sizeof(float));
  look->hit = malloc((size_t)(look->columns / FAR_PLACE) * (look->rows / FAR_PLACE) * sizeof(Hit));
  look->at = weights_of(FAR);
  const int opened = look->input && look->filtered && look->summed && look->empty && look->hit;
  if (opened && first_layer(look) && descend(look) && rise(look)) {
    judge(look);
    return look;
  }
  look_close(look);
  return NULL;
}

int EXPORT(look_count)(const Look *look) { return look->hits; }

const Hit *EXPORT(look_hits)(const Look *look) { return look->hit; }
