// The alpha of a lossy picture, row by row. libwebp holds all of it twice, as it is coded and as it is; this file is compiled in
// place of alpha_dec.c and holds the few rows that are asked for, and those before them which the upsampler and the scaler
// go back to.
#include <string.h>

#include "lossless-rows.h"
#include "src/dec/vp8i_dec.h"
#include "src/dsp/dsp.h"
#include "src/utils/utils.h"
#include "src/webp/format_constants.h"

#define ROWS_BEFORE 2
// A scaler reads rows once a row of the result is due, and up to so many besides.
#define ROWS_BEFORE_SCALER 18
#define STEP_ROWS 16
// As many rows as the decoder of colors puts out at once, at most.
#define MOST_ROWS 32

typedef struct {
  ALPHDecoder alpha;  // comes first: the decoder of colors knows of nothing else
  PixelWindow window;
  uint8_t *band;
  int first, next;   // the first row in the band, and the one that is decoded next
  int before, most;  // rows that are kept before those that are asked for, and rows of the band
} AlphaRows;

static AlphaRows *rows_of(const VP8Decoder *decoder) { return (AlphaRows *)decoder->alph_dec; }

void WebPDeallocateAlphaMemory(VP8Decoder *const decoder) {
  AlphaRows *const rows = rows_of(decoder);
  if (rows == NULL) return;
  lossless_end(&rows->window);
  VP8LDelete(rows->alpha.vp8l_dec);
  WebPSafeFree(rows->band);
  WebPSafeFree(rows);
  decoder->alph_dec = NULL;
}

// Reads the header: method, filter and two bits for a filter after decoding, which nobody asks for. Returns a VP8StatusCode.
static int start(AlphaRows *rows, const uint8_t *data, size_t size, const VP8Io *source) {
  ALPHDecoder *const alpha = &rows->alpha;
  VP8Io *const io = &alpha->io;
  if (size <= ALPHA_HEADER_LEN) return VP8_STATUS_BITSTREAM_ERROR;
  alpha->method = data[0] & 3;
  alpha->filter = (WEBP_FILTER_TYPE)((data[0] >> 2) & 3);
  alpha->pre_processing = (data[0] >> 4) & 3;
  if (alpha->method > ALPHA_LOSSLESS_COMPRESSION || alpha->pre_processing > ALPHA_PREPROCESSED_LEVELS || data[0] >> 6) {
    return VP8_STATUS_BITSTREAM_ERROR;
  }
  VP8FiltersInit();
  alpha->width = source->width;
  alpha->height = source->height;
  if (!VP8InitIo(io)) return VP8_STATUS_INVALID_PARAM;
  io->opaque = alpha;
  io->width = source->width;
  io->height = source->height;
  // Rows above what is shown are needed as well: filters go on from each row to the next.
  io->crop_right = source->width;
  io->crop_bottom = source->crop_bottom;
  rows->before = source->use_scaling
      ? (source->crop_bottom - source->crop_top) / source->scaled_height + ROWS_BEFORE_SCALER
      : ROWS_BEFORE;
  rows->most = rows->before + MOST_ROWS + STEP_ROWS;
  rows->band = (uint8_t *)WebPSafeMalloc((uint64_t)source->width * rows->most, 1);
  if (rows->band == NULL) return VP8_STATUS_OUT_OF_MEMORY;
  data += ALPHA_HEADER_LEN;
  size -= ALPHA_HEADER_LEN;
  if (alpha->method == ALPHA_LOSSLESS_COMPRESSION) return lossless_alpha_start(&rows->window, alpha, data, size);
  return size < (size_t)source->width * source->height ? VP8_STATUS_BITSTREAM_ERROR : VP8_STATUS_OK;
}

static int open_rows(VP8Decoder *decoder, const VP8Io *io) {
  AlphaRows *const rows = (AlphaRows *)WebPSafeCalloc(1, sizeof(*rows));
  int status;
  if (rows == NULL) return VP8SetError(decoder, VP8_STATUS_OUT_OF_MEMORY, "no memory for alpha");
  decoder->alph_dec = &rows->alpha;
  status = start(rows, decoder->alpha_data, decoder->alpha_data_size, io);
  return status == VP8_STATUS_OK || VP8SetError(decoder, (VP8StatusCode)status, "the alpha has no header");
}

// Where the first row of the picture would be, if none had been let go of.
static uint8_t *plane_of(const AlphaRows *rows) {
  return (uint8_t *)((uintptr_t)rows->band - (size_t)rows->first * rows->alpha.width);
}

// Makes room up to a row, which is not included: those before `kept` are let go of.
static void make_room(AlphaRows *rows, int last_row, int kept) {
  const size_t width = rows->alpha.width;
  if (last_row - rows->first <= rows->most || kept <= rows->first) return;
  memmove(rows->band, rows->band + (kept - rows->first) * width, (rows->next - kept) * width);
  rows->first = kept;
}

static int step(AlphaRows *rows, const uint8_t *coded, int last_row) {
  ALPHDecoder *const alpha = &rows->alpha;
  const size_t width = alpha->width;
  uint8_t *const plane = plane_of(rows);
  const uint8_t *before = rows->next > 0 ? plane + (rows->next - 1) * width : NULL;
  int y;
  alpha->output = plane;
  alpha->prev_line = before;
  if (alpha->method == ALPHA_LOSSLESS_COMPRESSION) return lossless_alpha_step(&rows->window, alpha, last_row);
  for (y = rows->next; y < last_row; ++y) {
    uint8_t *const to = plane + y * width;
    if (alpha->filter == WEBP_FILTER_NONE) memcpy(to, coded + y * width, width);
    else WebPUnfilters[alpha->filter](before, coded + y * width, to, (int)width);
    before = to;
  }
  return 1;
}

const uint8_t *VP8DecompressAlphaRows(VP8Decoder *const decoder, const VP8Io *const io, int row, int num_rows) {
  const int end = row + num_rows;
  AlphaRows *rows;
  if (row < 0 || num_rows <= 0 || num_rows > MOST_ROWS || end > io->crop_bottom) return NULL;
  if (decoder->alph_dec == NULL && !open_rows(decoder, io)) {
    WebPDeallocateAlphaMemory(decoder);
    return NULL;
  }
  rows = rows_of(decoder);
  while (rows->next < end) {
    const int last_row = rows->next + STEP_ROWS < end ? rows->next + STEP_ROWS : end;
    const int kept = (row < rows->next ? row : rows->next) - rows->before;
    make_room(rows, last_row, kept);
    if (!step(rows, decoder->alpha_data + ALPHA_HEADER_LEN, last_row)) {
      VP8SetError(decoder, rows->window.decoder->status, "the alpha is damaged");
      WebPDeallocateAlphaMemory(decoder);
      return NULL;
    }
    rows->next = last_row;
  }
  return plane_of(rows) + (size_t)row * rows->alpha.width;
}
