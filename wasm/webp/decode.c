// Pulls a WebP bitstream (one VP8 or VP8L payload, with or without an ALPH payload) row band by row band.
//
// libwebp pushes rows into a picture that the caller allocates whole. Here the caller pulls: one step decodes one row
// of macroblocks (lossy) or sixteen rows (lossless) into a band that is reused. The emitters of libwebp compute their
// destination as base + row * stride, so moving the base back by the rows already delivered makes them write at the
// start of the band.
#include <stdlib.h>
#include <string.h>

#include "../native.h"
#include "lossless-rows.h"
#include "src/dec/vp8i_dec.h"
#include "src/dec/vp8li_dec.h"
#include "src/dec/webpi_dec.h"

// One macroblock row delivers at most 16 rows, 8 held back by the loop filter and 1 held back by the upsampler.
#define BAND_ROWS 32

// Writers end arithmetic codes with at most four bytes that say nothing, and codes without loss with none. More than that
// is left of a picture of which something is missing: what follows a gap is decoded as something else.
#define MOST_LEFT_BYTES 6

typedef struct {
  WebPDecBuffer output;
  WebPDecoderOptions options;
  WebPDecParams params;
  VP8Io io;
  VP8Decoder* lossy;
  VP8LDecoder* lossless;
  PixelWindow window;  // of what is lossless
  uint8_t* bytes;
  uint8_t* band;
  int started;
  int opaque;  // alpha that is coded counts for nothing; of pictures without loss
} Decoder;

void EXPORT(decoder_close)(Decoder* decoder) {
  if (decoder == NULL) return;
  if (decoder->started && decoder->lossy != NULL) VP8ExitCritical(decoder->lossy, &decoder->io);
  VP8Delete(decoder->lossy);
  lossless_end(&decoder->window);
  VP8LDelete(decoder->lossless);
  free(decoder->bytes);
  free(decoder->band);
  free(decoder);
}

// Takes ownership of `bytes`: `alpha_size` bytes of ALPH payload followed by `size` bytes of VP8 or VP8L payload.
// Alpha that is coded in an `opaque` picture counts for nothing.
Decoder* EXPORT(decoder_open)(uint8_t* bytes, size_t alpha_size, size_t size, int lossless, int opaque) {
  Decoder* const decoder = (Decoder*)calloc(1, sizeof(*decoder));
  if (decoder == NULL) {
    free(bytes);
    return NULL;
  }
  decoder->bytes = bytes;
  decoder->opaque = opaque;
  WebPInitDecBuffer(&decoder->output);
  decoder->output.colorspace = MODE_RGBA;
  decoder->params.output = &decoder->output;
  decoder->params.options = &decoder->options;
  VP8InitIo(&decoder->io);
  decoder->io.data = bytes + alpha_size;
  decoder->io.data_size = size;
  WebPInitCustomIo(&decoder->params, &decoder->io);
  if (lossless) {
    decoder->lossless = VP8LNew();
  } else {
    decoder->lossy = VP8New();
    if (decoder->lossy != NULL && alpha_size > 0) {
      decoder->lossy->alpha_data = bytes;
      decoder->lossy->alpha_data_size = alpha_size;
    }
  }
  if (decoder->lossy == NULL && decoder->lossless == NULL) {
    decoder_close(decoder);
    return NULL;
  }
  return decoder;
}

// Reads the headers; after that `decoder_width` and `decoder_height` are known. Returns a VP8StatusCode.
int EXPORT(decoder_headers)(Decoder* decoder) {
  if (decoder->lossless != NULL) {
    return VP8LDecodeHeader(decoder->lossless, &decoder->io) ? VP8_STATUS_OK : decoder->lossless->status;
  }
  return VP8GetHeaders(decoder->lossy, &decoder->io) ? VP8_STATUS_OK : decoder->lossy->status;
}

int EXPORT(decoder_width)(const Decoder* decoder) { return decoder->io.width; }
int EXPORT(decoder_height)(const Decoder* decoder) { return decoder->io.height; }

static int start_lossy(Decoder* decoder) {
  VP8Decoder* const lossy = decoder->lossy;
  const uint8_t* const alpha = lossy->alpha_data;
  int ok;
  lossy->mt_method = 0;
  if (VP8EnterCritical(lossy, &decoder->io) != VP8_STATUS_OK) return lossy->status;
  decoder->started = 1;
  // What begins a frame sets memory aside for all alpha that it knows of.
  lossy->alpha_data = NULL;
  ok = VP8InitFrame(lossy, &decoder->io);
  lossy->alpha_data = alpha;
  return ok ? VP8_STATUS_OK : lossy->status;
}

// Chooses the region (in source pixels; left and top are even in a lossy picture) and the size it is scaled to, which
// may not be larger. Allocates what decoding needs. Returns a VP8StatusCode.
int EXPORT(decoder_start)(Decoder* decoder, int left, int top, int width, int height, int scaled_width, int scaled_height) {
  const size_t stride = (size_t)scaled_width * 4;
  WebPDecoderOptions* const options = &decoder->options;
  if (scaled_width <= 0 || scaled_height <= 0 || scaled_width > width || scaled_height > height) {
    return VP8_STATUS_INVALID_PARAM;
  }
  options->use_cropping = 1;
  options->crop_left = left;
  options->crop_top = top;
  options->crop_width = width;
  options->crop_height = height;
  options->use_scaling = scaled_width != width || scaled_height != height;
  options->scaled_width = scaled_width;
  options->scaled_height = scaled_height;
  decoder->band = (uint8_t*)malloc(stride * BAND_ROWS);
  if (decoder->band == NULL) return VP8_STATUS_OUT_OF_MEMORY;
  decoder->output.width = scaled_width;
  decoder->output.height = scaled_height;
  decoder->output.u.RGBA.rgba = decoder->band;
  decoder->output.u.RGBA.stride = (int)stride;
  decoder->output.u.RGBA.size = stride * scaled_height;
  return decoder->lossless != NULL ? lossless_start(&decoder->window, decoder->lossless, &decoder->params) : start_lossy(decoder);
}

// Whether data that was not needed is more than the end of what a writer wrote. Zeros are padding.
static int is_left_over(const uint8_t* from, const uint8_t* end) {
  if (end - from <= MOST_LEFT_BYTES) return 0;
  while (from < end && *from == 0) ++from;
  return from < end;
}

static int lossy_part_has_more(const VP8BitReader* bits) {
  const int ahead = bits->bits > 0 ? bits->bits / 8 : 0;
  return is_left_over(bits->buf - ahead, bits->buf_end);
}

// Whether all of a lossy picture was decoded, and the data is of more than that.
static int lossy_has_more(const VP8Decoder* lossy) {
  uint32_t part;
  if (lossy->mb_y < lossy->mb_h) return 0;
  for (part = 0; part <= lossy->num_parts_minus_one; ++part) {
    if (lossy_part_has_more(&lossy->parts[part])) return 1;
  }
  return lossy_part_has_more(&lossy->br);
}

static int lossless_has_more(const VP8LDecoder* lossless) {
  const VP8LBitReader* const bits = &lossless->br;
  const int ahead = (VP8L_LBITS - bits->bit_pos) / 8;
  if (lossless->last_row < lossless->height) return 0;
  return is_left_over(bits->buf + bits->pos - (ahead > 0 ? ahead : 0), bits->buf + bits->len);
}

static int lossy_step(Decoder* decoder) {
  VP8Decoder* const lossy = decoder->lossy;
  VP8BitReader* const tokens = &lossy->parts[lossy->mb_y & lossy->num_parts_minus_one];
  if (lossy->mb_y >= lossy->br_mb_y || !VP8ParseIntraModeRow(&lossy->br, lossy)) return 0;
  for (; lossy->mb_x < lossy->mb_w; ++lossy->mb_x) {
    if (!VP8DecodeMB(lossy, tokens)) return 0;
  }
  VP8InitScanline(lossy);
  if (!VP8ProcessRow(lossy, &decoder->io)) return 0;
  ++lossy->mb_y;
  return !lossy_has_more(lossy);
}

static int lossless_rows(Decoder* decoder) {
  return lossless_step(&decoder->window, &decoder->params, decoder->opaque) && !lossless_has_more(decoder->lossless);
}

// Decodes a row of macroblocks, or sixteen rows of a lossless picture. Returns the number of rows that are in the band
// now, which may be none; -1 for a damaged or truncated stream, -2 when memory ran out.
int EXPORT(decoder_step)(Decoder* decoder) {
  const int before = decoder->params.last_y;
  const ptrdiff_t stride = decoder->output.u.RGBA.stride;
  int ok;
  if (before >= decoder->output.height) return 0;
  decoder->output.u.RGBA.rgba = (uint8_t*)((uintptr_t)decoder->band - (uintptr_t)(before * stride));
  ok = decoder->lossless != NULL ? lossless_rows(decoder) : lossy_step(decoder);
  if (!ok) {
    const int status = decoder->lossless != NULL ? (int)decoder->lossless->status : (int)decoder->lossy->status;
    return status == VP8_STATUS_OUT_OF_MEMORY ? -2 : -1;
  }
  return decoder->params.last_y - before;
}

const uint8_t* EXPORT(decoder_band)(const Decoder* decoder) { return decoder->band; }

