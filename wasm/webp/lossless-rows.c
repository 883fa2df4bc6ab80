// libwebp decodes a VP8L picture in one call. Its inner loop stops at a given row and can go on from there; only the
// functions around it cannot. They are private, so this file is compiled in place of vp8l_dec.c and contains it.
#include "src/dec/vp8l_dec.c"

#include "lossless-rows.h"

// The largest distance of a copy: the largest that its codes can say, 2^20, but for the 120 that mean neighbors in the plane.
// Those are at most seven rows away.
#define MOST_DISTANCE ((1 << 20) - CODE_TO_PLANE_CODES)
// The longest copy, which may end beyond the rows that are decoded.
#define MOST_LENGTH 4096
// Pixels beyond those that may be referred to: one move of them all in so many.
#define MOVED_EVERY (1 << 19)

static size_t window_pixels(const VP8LDecoder *decoder) {
  const size_t all = (size_t)decoder->width * decoder->height;
  const size_t most = MOST_DISTANCE + MOVED_EVERY + (size_t)decoder->width * NUM_ARGB_CACHE_ROWS + MOST_LENGTH;
  return all < most ? all : most;
}

// As AllocateInternalBuffers32b and AllocateInternalBuffers8b, of a window.
static int allocate(PixelWindow *window, VP8LDecoder *decoder, int final_width, size_t pixel_size) {
  const size_t capacity = window_pixels(decoder);
  const size_t top_row = final_width, rows = (size_t)final_width * NUM_ARGB_CACHE_ROWS;
  const size_t besides = pixel_size == sizeof(uint32_t) ? top_row + rows : 0;
  uint8_t *const held = (uint8_t *)WebPSafeMalloc(capacity + besides, pixel_size);
  if (held == NULL) return VP8LSetError(decoder, VP8_STATUS_OUT_OF_MEMORY);
  *window = (PixelWindow){decoder, held, pixel_size, capacity, 0};
  decoder->pixels = (uint32_t *)held;
  decoder->argb_cache = besides > 0 ? decoder->pixels + capacity + top_row : NULL;
  return 1;
}

// Makes room for sixteen rows, and what is copied beyond them, by letting go of pixels that nothing refers to any more.
static void make_room(PixelWindow *window) {
  VP8LDecoder *const decoder = window->decoder;
  const size_t all = (size_t)decoder->width * decoder->height, next = decoder->last_pixel;
  const size_t wanted = next + (size_t)decoder->width * NUM_ARGB_CACHE_ROWS + MOST_LENGTH;
  const size_t unused = (size_t)decoder->width * decoder->last_row;  // pixels of rows that were put out
  size_t first = next > MOST_DISTANCE ? next - MOST_DISTANCE : 0;
  if ((wanted < all ? wanted : all) <= window->first + window->capacity) return;
  if (first > unused) first = unused;
  memmove(window->held, window->held + (first - window->first) * window->pixel_size, (next - first) * window->pixel_size);
  window->first = first;
  decoder->pixels = (uint32_t *)((uintptr_t)window->held - first * window->pixel_size);
}

void lossless_end(PixelWindow *window) {
  if (window->held == NULL) return;
  WebPSafeFree(window->held);
  window->held = NULL;
  window->decoder->pixels = NULL;
}

int lossless_start(PixelWindow *window, VP8LDecoder *decoder, WebPDecParams *params) {
  VP8Io *const io = decoder->io;
  decoder->output = params->output;
  if (!WebPIoInitFromOptions(params->options, io, MODE_BGRA)) return VP8_STATUS_INVALID_PARAM;
  if (!allocate(window, decoder, io->width, sizeof(uint32_t))) return decoder->status;
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

int lossless_step(PixelWindow *window, WebPDecParams *params, int opaque) {
  VP8LDecoder *const decoder = window->decoder;
  VP8Io *const io = decoder->io;
  const int bottom = io->crop_bottom;
  // The block starts at a multiple of the height of libwebp's row cache, so that it never overflows.
  const ProcessRowsFunc process = opaque ? process_opaque_rows : ProcessRows;
  const int last_row = decoder->last_row + NUM_ARGB_CACHE_ROWS < bottom ? decoder->last_row + NUM_ARGB_CACHE_ROWS : bottom;
  int ok;
  if (decoder->last_row >= bottom) return 0;
  make_room(window);
  io->crop_bottom = last_row;
  ok = DecodeImageData(decoder, decoder->pixels, decoder->width, decoder->height, last_row, process);
  io->crop_bottom = bottom;
  params->last_y = decoder->last_out_row;
  return ok;
}

int lossless_alpha_start(PixelWindow *window, ALPHDecoder *alpha, const uint8_t *data, size_t size) {
  VP8LDecoder *const decoder = VP8LNew();
  if (decoder == NULL) return VP8_STATUS_OUT_OF_MEMORY;
  alpha->vp8l_dec = decoder;
  decoder->width = alpha->width;
  decoder->height = alpha->height;
  decoder->io = &alpha->io;
  decoder->status = VP8_STATUS_OK;
  VP8LInitBitReader(&decoder->br, data, size);
  if (!DecodeImageStream(alpha->width, alpha->height, 1, decoder, NULL)) return decoder->status;
  // A palette without a color cache, as most encoders write it, takes a byte for a pixel.
  alpha->use_8b_decode = decoder->next_transform == 1 && decoder->transforms[0].type == COLOR_INDEXING_TRANSFORM &&
                         Is8bOptimizable(&decoder->hdr);
  if (!alpha->use_8b_decode) WebPInitAlphaProcessing();
  return allocate(window, decoder, alpha->width, alpha->use_8b_decode ? 1 : sizeof(uint32_t)) ? VP8_STATUS_OK
                                                                                             : decoder->status;
}

int lossless_alpha_step(PixelWindow *window, ALPHDecoder *alpha, int last_row) {
  VP8LDecoder *const decoder = window->decoder;
  const int width = decoder->width, height = decoder->height;
  if (decoder->last_row >= last_row) return 1;
  make_room(window);
  return alpha->use_8b_decode
      ? DecodeAlphaData(decoder, (uint8_t *)decoder->pixels, width, height, last_row)
      : DecodeImageData(decoder, decoder->pixels, width, height, last_row, ExtractAlphaRows);
}
