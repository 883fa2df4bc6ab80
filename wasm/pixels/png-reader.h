// The state of a reader of PNG rows, for png-read.c and png-expand.c.
#pragma once

#include "inflate.h"
#include "png.h"

// What rows are given as; the numbers are shared with png-reader.ts. The last two are for samples of 16 bits.
typedef enum { ROWS_OF_RGBA8, ROWS_AS_STORED, ROWS_OF_RGBA16 } Form;

#define PASSES 7 // of an interlaced picture
#define EXPAND_SLACK 16 // bytes that expansion may write behind a row

typedef struct { int width, height; size_t row_bytes; uint8_t *rows; } Pass;

typedef struct {
  int width, height, depth, channels;
  ColorType type;
  int interlaced;
  Form form;
  int pixel_bytes;         // of expanded rows
  int inexact;             // some 16-bit sample was not twice the same byte
  int distance;            // bytes per complete pixel, for the filters
  int row;                 // next output row
  int band_rows;
  size_t row_bytes, stride; // of a stored row, and of a row in the band
  Inflate *stream;
  uint8_t *rows_memory;     // the row above, then those unfiltered last
  size_t row_stride;
  uint8_t *above, *current;
  int waiting;             // unfiltered rows behind `current`
  uint8_t *band, *expanded;
  int pass, pass_row;      // next row of which pass
  Pass passes[PASSES];
  uint8_t *passes_memory;
  int has_key;
  uint16_t key[3];         // the transparent color, samples as stored
  void *levels;            // value of each sample (256 or 65536 of them) in expanded rows, if not linear
  uint32_t table[256];     // RGBA of each palette index or gray level of at most 8 bits
} Reader;

// One unfiltered row to RGBA of its form; `out` has EXPAND_SLACK bytes more.
void png_expand(Reader *r, const uint8_t *row, uint8_t *out, int width);
