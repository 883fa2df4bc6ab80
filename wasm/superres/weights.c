// The weights of both networks: eight bits and a scale for each filter in their files, 16 bits for the layers.
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

_Static_assert(sizeof(small_file) == FILE_BYTES(SMALL_CHANNELS, SMALL_MIDDLE), "the weights fit");
_Static_assert(sizeof(large_file) == FILE_BYTES(LARGE_CHANNELS, LARGE_MIDDLE), "the weights fit");

_Alignas(16) static int16_t small_numbers[WHOLE_NUMBERS(SMALL_CHANNELS) + SCALED_NUMBERS(SMALL_CHANNELS, SMALL_MIDDLE)];
_Alignas(16) static int16_t large_numbers[WHOLE_NUMBERS(LARGE_CHANNELS) + SCALED_NUMBERS(LARGE_CHANNELS, LARGE_MIDDLE)];
static Weights small, large;

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

const Weights *weights_of(int is_large) {
  Weights *w = is_large ? &large : &small;
  if (w->channels) return w;
  if (is_large) expand(w, large_numbers, large_file, LARGE_CHANNELS, LARGE_MIDDLE);
  else expand(w, small_numbers, small_file, SMALL_CHANNELS, SMALL_MIDDLE);
  return w;
}
