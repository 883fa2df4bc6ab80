// A decoder's state, for its parts: decode.c starts and prepares it, decode-rows.c delivers rows of pixels,
// decode-planes.c planes of samples.
#pragma once
#include <stdlib.h>
#include <string.h>
#define JPEG_INTERNALS
#include "jinclude.h"
#include "native.h"
#include "store.h"

enum { OUTPUT_RGBA = 0, OUTPUT_CMYK = 1, OUTPUT_PLANES = 2 };
enum stage { STAGE_SCANS, STAGE_SKIP, STAGE_READY };  // what comes before the first row: scans, rows above the region

// Read by the binding as 32-bit integers, in this order.
struct facts {
  uint32_t width, height;  // of the output, pixels
  uint32_t band;           // address of the rows that the last read delivered
  uint32_t band_rows;      // most rows that one read delivers
  uint32_t row_bytes;
  // Where the delivered part of each component lies, in its samples, and the rows of the last read.
  struct { uint32_t address, stride, x, y, width, height, rows; } planes[3];
};

struct decoder {
  struct jpeg_decompress_struct jpeg;
  struct jpeg_error_mgr errors;
  struct input input;
  struct store store;
  struct facts facts;
  enum stage stage;
  struct { uint32_t x, y, width, height; } region;
  uint32_t batch;       // rows of MCUs that are delivered at a time as planes
  int output;
  uint32_t left;        // columns that were decoded only to have exact borders
  uint32_t first, last; // rows [first, last) of the scaled picture are the region; of planes, rows of MCUs
  uint8_t *band;
  void *scratch;        // one row as libjpeg delivers it, when it cannot deliver into the band
  uint64_t color_loss;  // of the planes read so far, what averaging squares of chroma would lose, in 1/256
};

// Fails where the file ended too early, unless that is to be shown.
static inline void require_complete(struct decoder *d) {
  if (!d->store.shows_missing) input_require_complete(&d->jpeg, &d->input);
}

// Blocks in a row of interleaved MCUs.
static inline uint32_t unit_blocks(const struct decoder *d) {
  uint32_t blocks = 0;
  for (int c = 0; c < d->jpeg.num_components; c++)
    blocks += d->jpeg.comp_info[c].width_in_blocks * d->jpeg.comp_info[c].v_samp_factor;
  return blocks;
}

// decode-rows.c: what is known of the region becomes columns, rows and memory for some of them; then about so many blocks
// of the rows above it are gone past.
void decode_rows_begin(struct decoder *d);
void decode_rows_skip_first(struct decoder *d, uint32_t blocks);

// decode-planes.c: the same of rows of MCUs.
void decode_planes_begin(struct decoder *d);
void decode_planes_skip_first(struct decoder *d, uint32_t blocks);
