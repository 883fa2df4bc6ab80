// What is known of a file that is read: open.c finds it out, fill.c decodes rows by way of libtiff, read.c hands them out.
#pragma once
#include "tiff.h"

// Shared with reader.ts.
struct facts {
  uint32_t width, height, bits, samples, photometric, compression, orientation, alpha;
  uint32_t profile, profile_bytes, subsample_h, subsample_v, tables, tables_bytes, working_bytes;
  uint32_t deep_bits, band_rows;
};

struct reader {
  TIFF *files[MAX_PLANES];   // one for each plane that is read on its own
  struct holding *holdings;  // of libtiff
  int source;
  uint32_t size;
  uint32_t directory;        // where it lies; 0 for the first one
  struct facts facts;
  struct layout layout;
  enum way way;
  uint8_t separate;
  uint32_t height, tile_width, tile_height;
  uint8_t *samples[MAX_PLANES];  // a scanline or a tile of each plane
  uint8_t *scratch;
  uint8_t *band;
  uint8_t *alphas;  // of the pixels of the band, where they are inks that have alpha; else NULL
  uint32_t band_rows, band_first, band_count;
  uint32_t next;     // row
  uint32_t decoded;  // BY_SCANLINE: the row after the one that was decoded last
  uint32_t filled;   // columns of the next band that are filled already
};

// After so many pixels a call returns although it has no rows to give yet: 5 to 50 ms, as samples are compressed.
enum { CALL_PIXELS = 1 << 20 };

static inline uint32_t planes_of(const struct reader *reader) {
  if (!reader->separate || reader->way == BY_LIBTIFF) return 1;
  return reader->layout.colors + (reader->layout.alpha != ALPHA_NONE);
}

// Bytes of a pixel in the band.
static inline uint32_t pixel_bytes(const struct reader *reader) { return reader->layout.output == OUTPUT_DEEP ? 8 : 4; }

// Whether alpha of inks lies beside them, for which the four of a pixel leave no room.
static inline int has_inks_with_alpha(const struct reader *reader) {
  return reader->layout.photometric == PHOTOMETRIC_SEPARATED && reader->layout.alpha != ALPHA_NONE;
}

// Fails where libtiff said that something is wrong.
static inline void check(int good) {
  if (!good || damage) tiff_fail(damage ? damage : "damaged");
}

// open.c: the file at the directory of a reader, in which libtiff may hold `most` bytes; NULL where there is none.
TIFF *reader_file(const struct reader *reader, uint32_t most);
// fill.c: decodes what comes before the first row that is wanted: within a strip, rows can be decoded only one after the
// other. 0 when there is more of it.
int fill_skip(struct reader *reader);
// The next `count` rows into the band, where they are read by scanline.
void fill_scanlines(struct reader *reader, uint32_t count);
// One strip or row of tiles into the band, or some of it. 0 when there is more of it.
int fill_band(struct reader *reader);
