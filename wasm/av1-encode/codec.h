// What libaom is told of all that is encoded here, stills and frames.
#pragma once
#include <stddef.h>

#include "aom/aom_encoder.h"
#include "cells.h"

// How samples are coded.
struct coded {
  int alpha;  // as a picture without chroma
  int half;   // chroma has half the columns and rows
  int rgb;
  int deep;  // 10 bits a sample
  int limited;  // range
  int wide;  // the matrix is that of BT.2020
  int primaries, transfer;  // ISO/IEC 23091-2
};

// Colors are those of sRGB.
struct coded coded_as(enum chroma chroma, int alpha);

// What is said before the codec is opened. A quantizer of 0 is lossless.
void configure(aom_codec_enc_cfg_t *config, const struct coded *coded, int width, int height, int quantizer);

// What is said once it is open.
void control(aom_codec_ctx_t *codec, const struct coded *coded, int quantizer);

// The columns from `x` on of a row of cells as a picture. `gray` stands for the chroma of alpha.
void cell_image(const struct cell_row *cells, int alpha, uint8_t *gray, size_t x, int width, aom_image_t *image);
