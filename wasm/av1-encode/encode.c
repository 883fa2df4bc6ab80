// Encodes a picture that arrives in bands of RGBA rows as a grid of cells: each is a still of its own for libaom, so
// that memory depends on the cell and not on the picture. Where there are several, they become the tiles of one picture.
#include <stdlib.h>
#include <string.h>

#include "aom/aom_encoder.h"
#include "../native.h"
#include "aom/aomcx.h"
#include "blocks.h"
#include "breaths.h"
#include "cells.h"
#include "codec.h"
#include "stills.h"

// Even, so that bands begin on a row of chroma.
#define BAND_ROWS 32
// 0 to 7.
#define SHARPNESS 2
// Percent of what the tuning says.
#define VARIANCE_BOOST 70

typedef struct {
  struct cell_row cells;
  int cell_width;
  struct halved halved;
  int left;  // rows of the picture from this row of cells on
  int tiled;  // cells become tiles
  int sixteen_bit;   // rows have 16 bits a sample
  int quantizer, alpha_quantizer, speed, drawn;
  int primaries, transfer;
  aom_codec_ctx_t codec;
  int codec_open;
  uint8_t *memory, *gray;
  uint8_t *blocks;  // a size for each 4 x 4 pixels of a cell
  void *band;
  size_t bytes;  // of the cell that was encoded last
} Encoder;

static void close_codec(Encoder *encoder) {
  if (encoder->codec_open) aom_codec_destroy(&encoder->codec);
  encoder->codec_open = 0;
}

void EXPORT(encoder_close)(Encoder *encoder) {
  if (encoder == NULL) return;
  close_codec(encoder);
  free(encoder->memory);
  free(encoder->band);
  free(encoder->gray);
  free(encoder->blocks);
  halved_free(&encoder->halved);
  free(encoder);
}

void *allocate(size_t bytes) { return calloc(1, bytes); }

static void start_row_of_cells(Encoder *encoder) {
  const int height = encoder->cells.height;
  cell_row_next(&encoder->cells, encoder->left < height ? encoder->left : height);
}

// libaom counts whole blocks of 8 x 8.
static size_t blocks_bytes(const Encoder *encoder) {
  return (size_t)((encoder->cell_width + 7) / 8 * 2) * ((encoder->cells.height + 7) / 8 * 2);
}

// Cells at the right and the bottom end where the picture does. Quantizers are 0 to 63, 0 being lossless; `speed` is 0 to 9.
// Of a picture that is `drawn` most is of one tone, as letters and logos are. Rows that are `sixteen_bit` have 16 bits a sample,
// and are coded in 10. `primaries` and `transfer` are those of ISO/IEC 23091-2. Returns NULL when memory does not suffice.
Encoder *EXPORT(encoder_open)(int width, int height, int cell_width, int cell_height, int tiled, int chroma, int alpha,
                              int quantizer, int alpha_quantizer, int speed, int drawn, int sixteen_bit, int bits,
                              int primaries, int transfer) {
  Encoder *const encoder = calloc(1, sizeof *encoder);
  if (encoder == NULL) return NULL;
  encoder->cells = (struct cell_row){.width = width, .height = cell_height, .filled = width, .chroma = chroma, .bits = bits};
  encoder->cell_width = cell_width;
  encoder->left = height;
  encoder->tiled = tiled;
  encoder->sixteen_bit = sixteen_bit;
  encoder->quantizer = quantizer;
  encoder->alpha_quantizer = alpha_quantizer;
  encoder->speed = speed;
  encoder->drawn = drawn;
  encoder->primaries = primaries;
  encoder->transfer = transfer;
  encoder->memory = malloc(cell_row_bytes(&encoder->cells, alpha));
  encoder->band = malloc((size_t)width * 4 * (sixteen_bit ? 2 : 1) * BAND_ROWS);
  encoder->gray = malloc(cell_width * sample_bytes(&encoder->cells));
  encoder->blocks = malloc(blocks_bytes(encoder));
  if (encoder->memory == NULL || encoder->band == NULL || encoder->gray == NULL || encoder->blocks == NULL) {
    encoder_close(encoder);
    return NULL;
  }
  if (chroma == CHROMA_HALF && !sixteen_bit) {
    encoder->halved.deep = bits > 8;
    halved_start(&encoder->halved, (uint32_t)width, (uint32_t)height);
    if (!halved_is_whole(&encoder->halved)) {
      encoder_close(encoder);
      return NULL;
    }
    encoder->cells.halved = &encoder->halved;
  }
  if (bits > 8) {
    for (int x = 0; x < cell_width; x++) ((uint16_t *)encoder->gray)[x] = 512;
  } else {
    memset(encoder->gray, 128, cell_width);
  }
  cell_row_place(&encoder->cells, alpha, encoder->memory);
  start_row_of_cells(encoder);
  return encoder;
}

void *EXPORT(encoder_band)(Encoder *encoder) { return encoder->band; }

// Takes the first `rows` rows of the band: an even number, but at the bottom of the picture.
void EXPORT(encoder_rows)(Encoder *encoder, int rows) {
  (encoder->sixteen_bit ? cell_row_add_deep(&encoder->cells, encoder->band, rows)
                       : cell_row_add(&encoder->cells, encoder->band, rows));
}

// Returns whether any pixel of the row of cells is translucent.
int EXPORT(encoder_translucent)(Encoder *encoder) { return encoder->cells.translucent; }

// The rows that follow are those of the next row of cells.
void EXPORT(encoder_next)(Encoder *encoder) {
  encoder->left -= encoder->cells.height;
  start_row_of_cells(encoder);
}

static int open_codec(Encoder *encoder, const aom_image_t *image, int alpha) {
  aom_codec_iface_t *const interface = aom_codec_av1_cx();
  aom_codec_enc_cfg_t config;
  if (aom_codec_enc_config_default(interface, &config, AOM_USAGE_ALL_INTRA) != AOM_CODEC_OK) return 0;
  struct coded coded = coded_as(encoder->cells.chroma, alpha);
  coded.deep = encoder->cells.bits > 8;
  coded.wide = encoder->sixteen_bit;
  coded.primaries = encoder->primaries;
  coded.transfer = encoder->transfer;
  const int quantizer = alpha ? encoder->alpha_quantizer : encoder->quantizer;
  config.g_limit = 1;
  config.g_lag_in_frames = 0;
  configure(&config, &coded, (int)image->d_w, (int)image->d_h, quantizer);
  if (aom_codec_enc_init(&encoder->codec, interface, &config, coded.deep ? AOM_CODEC_USE_HIGHBITDEPTH : 0) != AOM_CODEC_OK) return 0;
  encoder->codec_open = 1;
  aom_codec_ctx_t *const codec = &encoder->codec;
  aom_codec_control(codec, AOME_SET_CPUUSED, encoder->speed);
  if (!alpha) {
    const int drawn = encoder->drawn;
    // What is drawn keeps its even ground and its edges by the structure of blocks: for the eye and the score alike it takes a tenth
    // fewer bytes then, letters a quarter.
    aom_codec_control(codec, AOME_SET_TUNING, drawn ? AOM_TUNE_SSIM : AOM_TUNE_SSIMULACRA2);
    if (drawn) aom_codec_control(codec, AV1E_SET_TUNE_CONTENT, AOM_CONTENT_SCREEN);
    // The tuning says 7, which keeps noise: by the score, less of it takes 2 to 4 percent fewer bytes.
    aom_codec_control(codec, AOME_SET_SHARPNESS, SHARPNESS);
    // Smooth places are quantized more finely, which pays less by the score than the tuning takes it to.
    aom_codec_control(codec, AV1E_SET_DELTAQ_STRENGTH, VARIANCE_BOOST);
    // The filter against ringing blurs as well: without it photographs are 1 percent smaller, at scores of 60 and of 90, too.
    aom_codec_control(codec, AV1E_SET_ENABLE_CDEF, drawn);
  }
  control(codec, &coded, quantizer);
  // What restores samples is built for 8 bits alone.
  if (encoder->tiled || coded.deep) aom_codec_control(codec, AV1E_SET_ENABLE_RESTORATION, 0);
  if (encoder->tiled) aom_codec_control(codec, AV1E_SET_SUPERBLOCK_SIZE, AOM_SUPERBLOCK_SIZE_64X64);
  return 1;
}

// The sizes of blocks of the cell that was encoded last, or of the next one. Those of alpha are not kept.
uint8_t *EXPORT(encoder_blocks)(Encoder *encoder) { return encoder->blocks; }

// Encodes a cell of the row, its colors or its alpha, which takes `nanoseconds` for a pixel, with the sizes of blocks of an
// earlier encoding if these are `known`. Pauses. Returns the bitstream, valid until the next call; NULL on failure.
const uint8_t *EXPORT(encoder_cell)(Encoder *encoder, int column, int alpha, int known, int nanoseconds) {
  breathe_by(nanoseconds);
  be_tile(encoder->tiled);
  close_codec(encoder);
  const struct cell_row *const cells = &encoder->cells;
  const int x = column * encoder->cell_width;
  const int width = x + encoder->cell_width < cells->width ? encoder->cell_width : cells->width - x;
  aom_image_t image;
  cell_image(cells, alpha, encoder->gray, x, width, &image);
  image.h = image.d_h = cells->rows;
  if (!alpha) blocks_in(encoder->blocks, known);
  if (!open_codec(encoder, &image, alpha)) return NULL;
  const aom_codec_err_t error = aom_codec_encode(&encoder->codec, &image, 0, 1, 0);
  blocks_in(NULL, 0);
  if (error != AOM_CODEC_OK) return NULL;
  aom_codec_iter_t position = NULL;
  for (const aom_codec_cx_pkt_t *packet; (packet = aom_codec_get_cx_data(&encoder->codec, &position)) != NULL;) {
    if (packet->kind != AOM_CODEC_CX_FRAME_PKT) continue;
    encoder->bytes = packet->data.frame.sz;
    return packet->data.frame.buf;
  }
  return NULL;
}

size_t EXPORT(encoder_bytes)(const Encoder *encoder) { return encoder->bytes; }
