// Alpha channels by the lean coder: samples, filtered as libwebp can, as the green of a lossless image.
#include "lean.h"

#include "lean-symbols.h"
#include "src/dsp/dsp.h"
#include "src/utils/filters_utils.h"
#include "src/utils/utils.h"

static void filter_samples(const WebPPicture *picture, WEBP_FILTER_TYPE filter, uint8_t *samples) {
  if (filter == WEBP_FILTER_NONE) {
    WebPCopyPlane(picture->a, picture->a_stride, samples, picture->width, picture->width, picture->height);
  } else {
    WebPFilters[filter](picture->a, picture->width, picture->height, picture->a_stride, samples);
  }
}

static WEBP_FILTER_TYPE best_filter(const WebPPicture *picture, Coder *coder, uint8_t *samples) {
  const Image image = {NULL, samples, picture->width, picture->height};
  WEBP_FILTER_TYPE best = WEBP_FILTER_NONE;
  uint64_t least = UINT64_MAX;
  for (int filter = WEBP_FILTER_NONE; filter < WEBP_FILTER_LAST; ++filter) {
    uint64_t bits;
    filter_samples(picture, (WEBP_FILTER_TYPE)filter, samples);
    bits = lean_count_codes(coder, &image);
    if (bits < least) least = bits, best = (WEBP_FILTER_TYPE)filter;
  }
  return best;
}

// A palette of all 256 samples. It changes nothing, but with it decoders hold 1 byte per pixel and not 4.
static int write_identity_palette(Coder *coder, Output *output) {
  uint32_t differences[256];
  const Image image = {differences, NULL, 256, 1};
  for (int i = 0; i < 256; ++i) differences[i] = i == 0 ? 0 : 1 << 8;
  VP8LPutBits(&output->bits, TRANSFORM_PRESENT, 1);
  VP8LPutBits(&output->bits, COLOR_INDEXING_TRANSFORM, 2);
  VP8LPutBits(&output->bits, 256 - 1, 8);
  VP8LPutBits(&output->bits, 0, 1);  // no color cache
  lean_count_codes(coder, &image);
  lean_write_codes(coder, &output->bits);
  return lean_write_symbols(coder, &image, output);
}

static int write_alpha(VP8Encoder *encoder, Coder *coder, uint8_t *samples, Output *output) {
  const WebPPicture *const picture = encoder->pic;
  const Image image = {NULL, samples, picture->width, picture->height};
  VP8LBitWriter *const bits = &output->bits;
  const WEBP_FILTER_TYPE filter = best_filter(picture, coder, samples);
  filter_samples(picture, filter, samples);
  VP8LPutBits(bits, ALPHA_LOSSLESS_COMPRESSION | (filter << 2), 8);
  if (!write_identity_palette(coder, output)) return 0;
  VP8LPutBits(bits, 0, 3);  // no other transform, no color cache, one set of prefix codes
  lean_count_codes(coder, &image);
  lean_write_codes(coder, bits);
  if (!lean_write_symbols(coder, &image, output)) return 0;
  // The encoder frees the bytes.
  encoder->alpha_data = VP8LBitWriterFinish(bits);
  encoder->alpha_data_size = (uint32_t)VP8LBitWriterNumBytes(bits);
  return !bits->error;
}

int lean_alpha(VP8Encoder *encoder) {
  const WebPPicture *const picture = encoder->pic;
  Coder *const coder = (Coder *)WebPSafeMalloc(1, sizeof(*coder));
  uint8_t *const samples = (uint8_t *)WebPSafeMalloc((uint64_t)picture->width * picture->height, 1);
  Output output = {.picture = NULL};
  int ok = VP8LBitWriterInit(&output.bits, DRAIN_BYTES) && coder != NULL && samples != NULL;
  VP8FiltersInit();
  ok = ok && write_alpha(encoder, coder, samples, &output);
  if (encoder->alpha_data == NULL) VP8LBitWriterWipeOut(&output.bits);
  WebPSafeFree(coder);
  WebPSafeFree(samples);
  return ok ? 1 : WebPEncodingSetError(picture, VP8_ENC_ERROR_OUT_OF_MEMORY);
}
