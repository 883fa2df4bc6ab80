// An encoder's state, for encode.c and for encode-bands.c, which takes the coefficients that jpegli makes.
#pragma once
#include <stdlib.h>
#include <string.h>
#include "native.h"
#include "coded.h"
#include "file.h"
#include "lib/jpegli/encode.h"
#include "overshoot.h"
#include "packed.h"
#include "trellis.h"

// One row of MCUs of one component, in place of jpegli's array of the whole picture.
struct jvirt_barray_control {
  int component;
  uint32_t first_row;        // of blocks, that the band holds
  uint32_t rows;             // of blocks, that hold coefficients
  JBLOCKROW band[MAX_SAMP_FACTOR];
};

struct encoder {
  struct jpeg_compress_struct jpeg;
  struct jpeg_error_mgr errors;
  struct jpeg_destination_mgr destination;
  uint8_t ignored[4096];     // what jpegli writes by itself
  struct jvirt_barray_control bands[PACKED_COMPONENTS];
  int band_count;
  int weighs;                // bits against errors: coefficients come undivided
  struct trellis trellis[PACKED_COMPONENTS];
  struct overshoot overshoot;  // of luma
  struct packed packed;
  struct output out;
  struct file_options options;
  struct file_writer file;   // in use once all rows are there
  int finishing;
  uint8_t *profile;
  uint8_t *rows;             // rows or planes on their way in
  int halves;                // rows become planes here, with chroma halved both ways
  struct coded coded;
  int16_t *blocks;           // of a row of coded chroma
  uint64_t color_loss;       // what halving of chroma would lose of the colors that were measured, squared, and
  uint64_t colors;           // their number
};

// Makes an encoder stand in for jpegli's arrays of coefficients.
void bands_attach(struct encoder *e);
// Packs the rows that the bands still hold.
void bands_finish(struct encoder *e);
void bands_free(struct encoder *e);
// Codes a row of blocks of Cb and of Cr, and puts what a decoder will have into the place of their samples.
void code_chroma(void *encoder, uint32_t row, uint8_t *planes[2]);
