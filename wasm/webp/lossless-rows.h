// Row by row decoding of VP8L data whose header was read: a picture without loss, or the alpha of a lossy one.
//
// What is decoded can refer to pixels at most 2^20 before it, by the largest distance that a code can have. That many are
// held, not the picture.
#ifndef LOSSLESS_ROWS_H_
#define LOSSLESS_ROWS_H_

#include "src/dec/alphai_dec.h"
#include "src/dec/vp8li_dec.h"
#include "src/dec/webpi_dec.h"

// The pixels of a decoder that are held. `decoder->pixels` is where its first pixel would be if none had been let go of.
typedef struct {
  VP8LDecoder *decoder;
  uint8_t *held;
  size_t pixel_size, capacity;  // bytes of a pixel, and pixels
  size_t first;                 // the first pixel that is held
} PixelWindow;

// Allocates the pixels. Returns a VP8StatusCode.
int lossless_start(PixelWindow *window, VP8LDecoder *decoder, WebPDecParams *params);

// Decodes the next sixteen source rows into `params->output`, without the alpha that is coded in an `opaque` picture. Returns 0
// on error or past the end.
int lossless_step(PixelWindow *window, WebPDecParams *params, int opaque);

// Reads the header of an alpha channel, makes its decoder, and allocates the pixels. Returns a VP8StatusCode.
int lossless_alpha_start(PixelWindow *window, ALPHDecoder *alpha, const uint8_t *data, size_t size);

// Decodes an alpha channel up to a row, at most sixteen after those that are decoded, into `alpha->output`. Returns 0 on error.
int lossless_alpha_step(PixelWindow *window, ALPHDecoder *alpha, int last_row);

// Frees the pixels; the decoder stays. May be called of what was not started.
void lossless_end(PixelWindow *window);

#endif
