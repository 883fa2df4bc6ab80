// The network by which libaom leaves out sizes of blocks, four channels at a time: libaom has it for wider vectors alone.
// Sums have the order of libaom's own, so that they are the same.
#include <smmintrin.h>

#include "config/av1_rtcd.h"

#include "av1/encoder/cnn.h"

#define LANES 4
// All layers but one have so many vectors of channels.
#define USUAL_VECTORS 5

struct layer {
  const float **input;
  int stride;
  const CNN_LAYER_CONFIG *config;
  // From one place of a filter to the next.
  int step;
};

// Channels from `first` on at one place of the picture.
static inline __attribute__((always_inline)) void channels(const struct layer *layer, int x, int y, int first,
                                                           int vectors, float **output, int at) {
  const CNN_LAYER_CONFIG *const config = layer->config;
  __m128 sums[USUAL_VECTORS];
  for (int v = 0; v < vectors; v++) sums[v] = _mm_loadu_ps(config->bias + first + v * LANES);
  for (int k = 0; k < config->in_channels; k++) {
    const float *weights = config->weights + k * config->out_channels + first;
    for (int row = y; row < y + config->filter_height; row++) {
      const float *const samples = layer->input[k] + row * layer->stride;
      for (int column = x; column < x + config->filter_width; column++, weights += layer->step) {
        const __m128 sample = _mm_set1_ps(samples[column]);
        for (int v = 0; v < vectors; v++)
          sums[v] = _mm_add_ps(sums[v], _mm_mul_ps(_mm_loadu_ps(weights + v * LANES), sample));
      }
    }
  }
  for (int v = 0; v < vectors; v++) {
    float lanes[LANES];
    _mm_storeu_ps(lanes, sums[v]);
    for (int lane = 0; lane < LANES; lane++) output[first + v * LANES + lane][at] = lanes[lane];
  }
}

void av1_cnn_convolve_no_maxpool_padding_valid_sse4_1(const float **input, int width, int height, int stride,
                                                      const CNN_LAYER_CONFIG *config, float **output, int out_stride,
                                                      int first, int step, int channel_step) {
  const int count = config->out_channels;
  if (first != 0 || channel_step != 1 || count % LANES != 0) {
    av1_cnn_convolve_no_maxpool_padding_valid_c(input, width, height, stride, config, output, out_stride, first, step,
                                                channel_step);
    return;
  }
  const struct layer layer = {input, stride, config, step};
  for (int y = 0, row = 0; y <= height - config->filter_height; y += config->skip_height, row++) {
    for (int x = 0, at = row * out_stride; x <= width - config->filter_width; x += config->skip_width, at++) {
      int channel = 0;
      for (; channel + USUAL_VECTORS * LANES <= count; channel += USUAL_VECTORS * LANES)
        channels(&layer, x, y, channel, USUAL_VECTORS, output, at);
      for (; channel < count; channel += LANES) channels(&layer, x, y, channel, 1, output, at);
    }
  }
}
