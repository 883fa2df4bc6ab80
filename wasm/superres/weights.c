// The weights of the networks: eight bits and a scale for each filter in their files, 16 bits for the layers.
#include "weights.h"

#include <string.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the files are little-endian");

// A file begins with whole numbers of 16 bits: shifts, the filters of the first layer, and the linear ones. Then, for every
// other layer, come the scales of its filters, a byte each, and their weights, which are multiplied by them.
#define FIRST_NUMBERS(channels) (FIRST_ROWS * FIRST_STEPS * 2 * (channels))
#define LINEAR_NUMBERS (FIRST_ROWS * FIRST_STEPS * 2 * OUTPUTS)
#define WHOLE_NUMBERS(channels) (SHIFTS + FIRST_NUMBERS(channels) + LINEAR_NUMBERS)
#define LAYER_NUMBERS(channels, outputs) (ROWS * STEPS(channels) * 2 * (outputs))
#define SCALED_NUMBERS(channels, middle) ((middle) * LAYER_NUMBERS(channels, channels) + LAYER_NUMBERS(channels, OUTPUTS))
#define FILE_BYTES(channels, middle) \
  (2 * WHOLE_NUMBERS(channels) + (middle) * (channels) + OUTPUTS + SCALED_NUMBERS(channels, middle))

#define SMALL_CHANNELS 24
#define SMALL_MIDDLE 4
#define LARGE_CHANNELS 48
#define LARGE_MIDDLE 5

_Static_assert(LARGE_MIDDLE == MOST_MIDDLE && SMALL_MIDDLE <= MOST_MIDDLE && MOST_MIDDLE + 3 <= SHIFTS, "every layer has a place");

static const uint8_t small_file[] = {
#embed "network-small.bin"
};

static const uint8_t large_file[] = {
#embed "network.bin"
};

static const uint8_t clean_file[] = {
#embed "network-clean.bin"
};

_Static_assert(sizeof(small_file) == FILE_BYTES(SMALL_CHANNELS, SMALL_MIDDLE), "the weights fit");
_Static_assert(sizeof(large_file) == FILE_BYTES(LARGE_CHANNELS, LARGE_MIDDLE), "the weights fit");
_Static_assert(sizeof(clean_file) == FILE_BYTES(LARGE_CHANNELS, LARGE_MIDDLE), "the weights fit");

#define SMALL_NUMBERS (WHOLE_NUMBERS(SMALL_CHANNELS) + SCALED_NUMBERS(SMALL_CHANNELS, SMALL_MIDDLE))
#define LARGE_NUMBERS (WHOLE_NUMBERS(LARGE_CHANNELS) + SCALED_NUMBERS(LARGE_CHANNELS, LARGE_MIDDLE))

// As they are, and turned.
_Alignas(16) static int16_t small_numbers[2][SMALL_NUMBERS], large_numbers[2][LARGE_NUMBERS], clean_numbers[2][LARGE_NUMBERS];
static Weights networks[3][2];

// The filters of a layer, each turned by 180 degrees; where they make the four pixels of one, these change places, too.
static void turn(int16_t *numbers, int side, int inputs, int outputs) {
  int16_t before[ROWS * STEPS(LARGE_CHANNELS) * 2 * LARGE_CHANNELS];
  const int steps = (side * inputs + 1) / 2, count = side * steps * 2 * outputs;
  memcpy(before, numbers, (size_t)count * sizeof(int16_t));
  for (int row = 0; row < side; row++)
    for (int place = 0; place < side * inputs; place++) {
      const int opposite = (side - 1 - place / inputs) * inputs + place % inputs;
      const int16_t *from = before + ((side - 1 - row) * steps + opposite / 2) * outputs * 2 + opposite % 2;
      int16_t *to = numbers + (row * steps + place / 2) * outputs * 2 + place % 2;
      for (int output = 0; output < outputs; output++)
        to[output * 2] = from[(outputs == OUTPUTS ? OUTPUTS - 1 - output : output) * 2];
    }
}

static void turn_all(const Weights *w, int16_t *numbers) {
  const int channels = w->channels;
  turn(numbers + (w->first - numbers), FIRST_ROWS, 1, channels);
  turn(numbers + (w->linear - numbers), FIRST_ROWS, 1, OUTPUTS);
  for (int i = 0; i < w->middle_layers; i++) turn(numbers + (w->middle[i] - numbers), ROWS, channels, channels);
  turn(numbers + (w->last - numbers), ROWS, channels, OUTPUTS);
}

// Multiplies the weights of a layer of `outputs` filters, which lie in pairs; returns where the next layer begins.
static const uint8_t *scaled(int16_t *numbers, const uint8_t *file, int outputs, int count) {
  const uint8_t *weights = file + outputs;
  for (int i = 0; i < count; i++) numbers[i] = (int16_t)((int8_t)weights[i] * file[i / 2 % outputs]);
  return weights + count;
}

static void expand(Weights *w, int16_t *numbers, const uint8_t *file, int channels, int middle) {
  *w = (Weights){.channels = channels, .middle_layers = middle, .shifts = numbers};
  memcpy(numbers, file, 2 * (size_t)WHOLE_NUMBERS(channels));
  w->first = numbers + SHIFTS;
  w->linear = w->first + FIRST_NUMBERS(channels);
  file += 2 * (size_t)WHOLE_NUMBERS(channels), numbers += WHOLE_NUMBERS(channels);
  for (int i = 0; i <= middle; i++) {
    const int outputs = i < middle ? channels : OUTPUTS, count = LAYER_NUMBERS(channels, outputs);
    file = scaled(numbers, file, outputs, count);
    *(i < middle ? &w->middle[i] : &w->last) = numbers;
    numbers += count;
  }
}

const Weights *weights_of(Kind kind, int is_turned) {
  Weights *w = &networks[kind][is_turned];
  if (w->channels) return w;
  int16_t *numbers;
  if (kind == SMALL) expand(w, numbers = small_numbers[is_turned], small_file, SMALL_CHANNELS, SMALL_MIDDLE);
  else if (kind == LARGE) expand(w, numbers = large_numbers[is_turned], large_file, LARGE_CHANNELS, LARGE_MIDDLE);
  else expand(w, numbers = clean_numbers[is_turned], clean_file, LARGE_CHANNELS, LARGE_MIDDLE);
  if (is_turned) turn_all(w, numbers);
  return w;
}
