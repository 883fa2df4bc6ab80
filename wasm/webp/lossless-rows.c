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

// ProcessRows for a picture without alpha: what is coded in its place counts for nothing, as in libwebp's own decoder of
// RGB and in browsers.
static void process_opaque_rows(VP8LDecoder *const decoder, int row) {
  VP8Io *const io = decoder->io;
  const int rows = row - decoder->last_row, stride = io->width * (int)sizeof(uint32_t);
  uint8_t *argb = (uint8_t *)decoder->argb_cache;
  if (rows > 0) {
    ApplyInverseTransforms(decoder, decoder->last_row, rows, decoder->pixels + decoder->width * decoder->last_row);
    // The decoder's own width is that of indexes of colors, of which several share a pixel.
    for (int i = 0; i < io->width * rows; i++) decoder->argb_cache[i] |= 0xff000000u;
    if (SetCropWindow(io, decoder->last_row, row, &argb, stride)) {
      const WebPRGBABuffer *const to = &decoder->output->u.RGBA;
      uint8_t *const rgba = to->rgba + (ptrdiff_t)decoder->last_out_row * to->stride;
      decoder->last_out_row += io->use_scaling
          ? EmitRescaledRowsRGBA(decoder, argb, stride, io->mb_h, rgba, to->stride)
          : EmitRows(decoder->output->colorspace, argb, stride, io->mb_w, io->mb_h, rgba, to->stride);
    }
  }
  decoder->last_row = row;
}

int lossless_step(VP8LDecoder *decoder, WebPDecParams *params, int opaque) {
  VP8Io *const io = decoder->io;
  const int bottom = io->crop_bottom;
  // The block starts at a multiple of the height of libwebp's row cache, so that it never overflows.
  const ProcessRowsFunc process = opaque ? process_opaque_rows : ProcessRows;
  const int last_row = decoder->last_row + NUM_ARGB_CACHE_ROWS < bottom ? decoder->last_row + NUM_ARGB_CACHE_ROWS : bottom;
  int ok;
  if (decoder->last_row >= bottom) return 0;
  io->crop_bottom = last_row;
  ok = DecodeImageData(decoder, decoder->pixels, decoder->width, decoder->height, last_row, process);
  io->crop_bottom = bottom;
  params->last_y = decoder->last_out_row;
  return ok;
}
