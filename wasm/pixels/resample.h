// Inside the resampler: what its parts share. resample.c says how they work together.
#pragma once

#include "taps.h"

#define FRACTION 6
#define WHITE (255 << FRACTION)
#define LANES 32 // samples that the vertical loop takes at a time; rows are padded to it
#define BOX_MIN 8 // reductions from here on are averaged first...
#define BOX_LEFT 4 // ...down to at least this, so that the averaging stays clear of the pass band
#define WINDOW_ROWS 16
#define LANES_OF_PIXEL 4 // sums of a block of colors, whether or not there is alpha
#define GROUP 4 // result rows of a picture without alpha that are computed together

typedef enum { GRAY = 1, OPAQUE = 3, ALPHA = 4 } Mode; // the value is the number of channels filtered

typedef struct {
  Mode mode;
  int linear;
  int narrow; // the ring holds bytes
  int grouped; // result rows come in groups: `row` holds as many, and `group` the same for the horizontal filter
  int source_width, source_height; // what the caller writes
  int box_x, box_y;                // samples averaged per axis, 1 for none
  int width, height;               // after the box
  int result_width, result_height;
  int window_rows, band_rows;
  int rows_in, box_rows, prepared, written; // rows committed, in the open box, in the ring, returned
  size_t samples;                  // per row in the ring, padded
  int pairs;                       // capacity of the ring in pairs of rows
  Taps vertical, horizontal;
  uint8_t *window, *band, *ring;
  int16_t *even, *odd, *row, *group; // fixed point; `even` also keeps a source row until its partner comes
  uint32_t *sums; // of the open box row: one each of gray blocks, LANES_OF_PIXEL of others
  const uint8_t **pair;
  uint8_t *from_linear; // WHITE + 1 entries
  int16_t to_linear[256];
} Resampler;

// Takes one source row into the open box, which goes to the ring when it is full.
void resample_add_to_box(Resampler *r, const uint8_t *source);
// One row of the window as fixed-point samples of the mode's channels: with alpha, in linear light, or gray.
void resample_prepare(const Resampler *r, const uint8_t *source, int16_t *row);
// Appends one row of fixed-point samples to the ring; an unpaired last row is paired with itself (its weight is 0).
void resample_append(Resampler *r, int16_t *row);

// Takes source rows to the ring, two at a time where they come so.
void resample_add_rows(Resampler *r, const uint8_t *source, int count);
void resample_add_linear_row(Resampler *r, const uint8_t *source);

// Where the pair of rows in the ring lies to which `row` belongs.
uint8_t *resample_pair(const Resampler *r, int row);

// Computes result row y: to `row` at source width, then from r->row to `out`.
void resample_vertically(Resampler *r, int y, int16_t *row);
void resample_horizontally(const Resampler *r, uint8_t *out);

// Computes `count` result rows from y on, at most GROUP, to `out`; for a resampler that is `grouped`.
void resample_group(Resampler *r, int y, int count, uint8_t *out);
