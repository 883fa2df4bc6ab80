// The weights of the network: half floats in the file, floats for the layers.
#include "network.h"

#include <math.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the weights are little-endian");

_Alignas(2) static const uint8_t table[] = {
#embed "network.bin"
};

const BlockShape block_shape[BLOCKS] = {
  {24, 24, 0}, {24, 28, 0}, {28, 32, 1}, {32, 36, 0}, {36, 42, 0}, {42, 48, 1}, {48, 56, 0}, {56, 64, 0},
  {64, 72, 0}, {72, 80, 0}, {80, 88, 0}, {88, 96, 1}, {96, 96, 0}, {96, 96, 0}, {96, 96, 0}, {96, 96, 0},
};

const HeadShape head_shape[HEADS] = {{10, 2, 8}, {15, 6, 16}};

float of_half(uint16_t half) {
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

const Network *network_of_file(void) {
  static Network network;
  static int ready;
  if (ready) return &network;
  const uint16_t *at = read_sums(&network.first, (const uint16_t *)table, FIRST_FILTER * FIRST_FILTER * COLORS, FIRST_CHANNELS);
  for (int b = 0; b < BLOCKS && at; b++) {
    at = read_filter(&network.block[b], at, block_shape[b].from);
    if (at) at = read_sums(&network.block[b].sums, at, block_shape[b].from, block_shape[b].to);
  }
  for (int part = 0; part < 2 * HEADS && at; part++) {
    const int head = part % HEADS, anchors = head_shape[head].anchors;
    Sums *sums = part < HEADS ? &network.score[head] : &network.box[head];
    at = read_sums(sums, at, block_shape[head_shape[head].block].to, part < HEADS ? anchors : anchors * BOX);
  }
  ready = at != NULL;
  return ready ? &network : NULL;
}
