// Lossless files are written in two passes over residuals that take the place of the pixels (lean-symbols.h). Predictors
// are chosen per tile by the size of their residuals.
#include "lean.h"

#include "lean-symbols.h"
#include "predict.h"
#include "src/dsp/dsp.h"
#include "src/dsp/lossless.h"
#include "src/dsp/lossless_common.h"
#include "src/utils/utils.h"

static uint64_t bits_written(const VP8LBitWriter *bits) { return 8 * (uint64_t)(bits->cur - bits->buf) + bits->used; }

static int write_header(const WebPPicture *picture, size_t size) {
  const size_t padded = size + (size & 1);
  uint8_t header[RIFF_HEADER_SIZE + CHUNK_HEADER_SIZE] = {'R', 'I', 'F', 'F', 0, 0, 0, 0, 'W', 'E',
                                                          'B', 'P', 'V', 'P', '8', 'L', 0, 0, 0, 0};
  PutLE32(header + TAG_SIZE, (uint32_t)(TAG_SIZE + CHUNK_HEADER_SIZE + padded));
  PutLE32(header + RIFF_HEADER_SIZE + TAG_SIZE, (uint32_t)size);
  return picture->writer(header, sizeof(header), picture);
}

// Signature, size, and whether there is alpha.
static void put_header(const WebPPicture *picture, VP8LBitWriter *bits) {
  VP8LPutBits(bits, VP8L_MAGIC_BYTE, 8);
  VP8LPutBits(bits, picture->width - 1, VP8L_IMAGE_SIZE_BITS);
  VP8LPutBits(bits, picture->height - 1, VP8L_IMAGE_SIZE_BITS);
  VP8LPutBits(bits, WebPPictureHasTransparency(picture), 1);
  VP8LPutBits(bits, VP8L_VERSION, VP8L_VERSION_BITS);
}

// Subtracts green and predicts, and says so, unless the pixels as they are have matches that win more.
static int transform(WebPPicture *picture, Coder *coder, uint32_t *modes, uint32_t *rows, Output *output) {
  const int width = picture->width, height = picture->height;
  VP8LBitWriter *const bits = &output->bits;
  const Image pixels = {picture->argb, NULL, width, height};
  const Image predictors = {modes, NULL, VP8LSubSampleSize(width, TILE_BITS), VP8LSubSampleSize(height, TILE_BITS)};
  const double plain = (double)lean_count_codes(coder, &pixels);
  VP8LSubtractGreenFromBlueAndRed(picture->argb, width * height);
  choose_modes(picture->argb, width, height, modes);
  if (plain < residual_bits(picture->argb, width, height, modes)) {
    VP8LAddGreenToBlueAndRed(picture->argb, width * height, picture->argb);
    return 1;
  }
  predict_image(picture->argb, width, height, modes, rows);
  VP8LPutBits(bits, TRANSFORM_PRESENT, 1);
  VP8LPutBits(bits, SUBTRACT_GREEN_TRANSFORM, 2);
  VP8LPutBits(bits, TRANSFORM_PRESENT, 1);
  VP8LPutBits(bits, PREDICTOR_TRANSFORM, 2);
  VP8LPutBits(bits, TILE_BITS - MIN_TRANSFORM_BITS, NUM_TRANSFORM_BITS);
  VP8LPutBits(bits, 0, 1);  // no color cache
  lean_count_codes(coder, &predictors);
  lean_write_codes(coder, bits);
  return lean_write_symbols(coder, &predictors, output);
}

static int write_pixels(WebPPicture *picture, Coder *coder, uint32_t *modes, uint32_t *rows, Output *output) {
  const Image image = {picture->argb, NULL, picture->width, picture->height};
  VP8LBitWriter *const bits = &output->bits;
  uint64_t data_bits, size;
  put_header(picture, bits);
  if (!transform(picture, coder, modes, rows, output)) return 0;
  VP8LPutBits(bits, !TRANSFORM_PRESENT, 1);
  VP8LPutBits(bits, 0, 1);  // no color cache
  VP8LPutBits(bits, 0, 1);  // one set of prefix codes
  data_bits = lean_count_codes(coder, &image);
  lean_write_codes(coder, bits);
  if (bits->error) return 0;
  size = (bits_written(bits) + data_bits + 7) >> 3;
  if (size > MAX_CHUNK_PAYLOAD || !write_header(picture, (size_t)size)) return 0;
  output->picture = picture;
  if (!lean_write_symbols(coder, &image, output)) return 0;
  VP8LBitWriterFinish(bits);
  if (bits->error || !picture->writer(bits->buf, VP8LBitWriterNumBytes(bits), picture)) return 0;
  return (size & 1) ? picture->writer((const uint8_t *)"", 1, picture) : 1;
}

int lean_lossless(WebPPicture *picture) {
  const size_t tiles =
      (size_t)VP8LSubSampleSize(picture->width, TILE_BITS) * VP8LSubSampleSize(picture->height, TILE_BITS);
  Coder *const coder = (Coder *)WebPSafeMalloc(1, sizeof(*coder));
  uint32_t *const modes = (uint32_t *)WebPSafeMalloc(tiles, sizeof(*modes));
  uint32_t *const rows = (uint32_t *)WebPSafeMalloc(2 * ((uint64_t)picture->width + 1), sizeof(*rows));
  Output output;
  int ok = VP8LBitWriterInit(&output.bits, 4 * DRAIN_BYTES);
  VP8LEncDspInit();
  output.picture = NULL;
  picture->error_code = VP8_ENC_OK;
  ok = ok && coder != NULL && modes != NULL && rows != NULL &&
       write_pixels(picture, coder, modes, rows, &output);
  VP8LBitWriterWipeOut(&output.bits);
  WebPSafeFree(coder);
  WebPSafeFree(modes);
  WebPSafeFree(rows);
  return ok ? 1 : WebPEncodingSetError(picture, VP8_ENC_ERROR_OUT_OF_MEMORY);
}
