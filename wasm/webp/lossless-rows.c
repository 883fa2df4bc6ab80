// libwebp decodes a VP8L picture in one call. Its inner loop stops at a given row and can go on from there; only the
// functions around it cannot. They are private, so this file is compiled in place of vp8l_dec.c and contains it.
#include "src/dec/vp8l_dec.c"

#include "lossless-rows.h"

int lossless_start(VP8LDecoder *decoder, WebPDecParams *params) {
  VP8Io *const io = decoder->io;
  decoder->output = params->output;
  if (!WebPIoInitFromOptions(params->options, io, MODE_BGRA)) return VP8_STATUS_INVALID_PARAM;
  if (!AllocateInternalBuffers32b(decoder, io->width)) return decoder->status;
  if (io->use_scaling && !AllocateAndInitRescaler(decoder, io)) return decoder->status;
  if (io->use_scaling) WebPInitAlphaProcessing();
  decoder->state = READ_DATA;
  return VP8_STATUS_OK;
}

int lossless_step(VP8LDecoder *decoder, WebPDecParams *params) {
  VP8Io *const io = decoder->io;
  const int bottom = io->crop_bottom;
  // The block starts at a multiple of the height of libwebp's row cache, so that it never overflows.
  const int last_row = decoder->last_row + NUM_ARGB_CACHE_ROWS < bottom ? decoder->last_row + NUM_ARGB_CACHE_ROWS : bottom;
  int ok;
  if (decoder->last_row >= bottom) return 0;
  io->crop_bottom = last_row;
  ok = DecodeImageData(decoder, decoder->pixels, decoder->width, decoder->height, last_row, ProcessRows);
  io->crop_bottom = bottom;
  params->last_y = decoder->last_out_row;
  return ok;
}
