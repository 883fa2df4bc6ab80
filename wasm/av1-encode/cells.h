// The planes of a row of cells, as libaom takes them.
#pragma once
#include <stddef.h>
#include <stdint.h>

#include "halved.h"

enum chroma { CHROMA_HALF, CHROMA_FULL, CHROMA_RGB };

struct cell_row {
  int width, height;  // of the whole row of cells; the last one of a picture may have fewer rows
  int filled;         // columns of the picture
  int rows;           // rows of the picture so far
  enum chroma chroma;
  int bits;            // of a sample: 8, or 10 in two bytes
  int limited;         // luma is 16 to 235, chroma 16 to 240; of 8 bits that are not RGB
  uint8_t *planes[4];  // luma, blue and red difference (or G, B, R), alpha or NULL
  size_t strides[4];    // in bytes
  uint8_t translucent;  // some alpha is not full
  // Makes the planes of colors, whose first `halved_rows` are there; NULL where chroma is in full or a mean of four pixels.
  struct halved *halved;
  int halved_rows;
};

// Bytes of a sample.
static inline size_t sample_bytes(const struct cell_row *cells) { return cells->bits > 8 ? 2 : 1; }

size_t cell_row_bytes(const struct cell_row *cells, int alpha);
// `memory` has `cell_row_bytes`.
void cell_row_place(struct cell_row *cells, int alpha, uint8_t *memory);

// The rows that follow are those of the next row of cells, which has so many rows of the picture.
void cell_row_next(struct cell_row *cells, int rows);

// Takes an even number of rows, RGBA, but for the last ones of a picture.
void cell_row_add(struct cell_row *cells, const uint8_t *rgba, int rows);

// The same for deep cells: 16 bits a sample, of which 65,535 is full.
void cell_row_add_deep(struct cell_row *cells, const uint16_t *rgba, int rows);
