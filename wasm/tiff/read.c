// Rows of the first picture of a TIFF file, from the top: by scanline, by rows of tiles, or, for what is stored as
// blocks of luma and chroma, by libtiff's own conversion of whole strips and tiles.
#include <stdlib.h>
#include "reader.h"

// What `reader_read` returns when it wants to be called again for rows.
enum { PAUSED = -1 };

static void *allocate(uint64_t bytes) {
  void *memory = bytes < 0x7fffffff ? calloc(1, (size_t)bytes) : NULL;
  if (!memory) tiff_fail("out of memory");
  return memory;
}

// Prepares to read from row `first`. Nothing is allocated before.
void EXPORT(reader_start)(struct reader *reader, uint32_t first, uint32_t most, int output) {
  TIFF *file = reader->files[0];
  damage = NULL;
  holdings_use(&reader->holdings);
  reader->layout.output = (uint16_t)output;
  reader->band = allocate((uint64_t)reader->layout.width * pixel_bytes(reader) * reader->band_rows);
  reader->layout.band = reader->band;
  if (output == OUTPUT_CMYK && has_inks_with_alpha(reader))
    reader->layout.alphas = reader->alphas = allocate((uint64_t)reader->layout.width * reader->band_rows);
  reader->next = first;
  if (reader->way == BY_LIBTIFF) {
    // So that rows lie from bottom to top, whatever the orientation, which is not this module's matter.
    TIFFSetField(file, TIFFTAG_ORIENTATION, ORIENTATION_TOPLEFT);
    return;
  }
  reader->scratch = allocate((uint64_t)reader->layout.width * MAX_PLANES);
  const uint64_t unit = reader->way == BY_TILE ? TIFFTileSize64(file) : (uint64_t)TIFFScanlineSize64(file);
  for (uint32_t plane = 0; plane < planes_of(reader); plane++) {
    reader->samples[plane] = allocate(unit);
    if (plane > 0 && reader->way == BY_SCANLINE) {
      reader->files[plane] = reader_file(reader, most);
      check(reader->files[plane] != NULL);
    }
  }
  reader->decoded = first - first % reader->tile_height;
}

// The next rows, at most `most`; returns how many, or PAUSED when it wants to be called again for them. `reader_rows`
// says where they are.
int32_t EXPORT(reader_read)(struct reader *reader, uint32_t most) {
  if (reader->next >= reader->height) return 0;
  damage = NULL;
  holdings_use(&reader->holdings);
  const uint32_t left = reader->height - reader->next;
  if (most > left) most = left;
  if (reader->way == BY_SCANLINE) {
    if (!fill_skip(reader)) return PAUSED;
    if (most > reader->band_rows) most = reader->band_rows;
    fill_scanlines(reader, most);
  } else {
    if (reader->band_count == 0 || reader->next >= reader->band_first + reader->band_count) {
      if (!fill_band(reader)) return PAUSED;
    }
    const uint32_t held = reader->band_first + reader->band_count - reader->next;
    if (most > held) most = held;
  }
  reader->next += most;
  return (int32_t)most;
}

// Where the rows are that were read last, `count` of them.
const uint8_t *EXPORT(reader_rows)(const struct reader *reader, uint32_t count) {
  const uint32_t first = reader->next - count - reader->band_first;
  return reader->band + (uint64_t)first * reader->layout.width * pixel_bytes(reader);
}

// Where the alpha of these rows of inks is, a byte for each pixel; NULL where they have none.
const uint8_t *EXPORT(reader_alphas)(const struct reader *reader, uint32_t count) {
  const uint32_t first = reader->next - count - reader->band_first;
  return reader->alphas ? reader->alphas + (uint64_t)first * reader->layout.width : NULL;
}

void EXPORT(reader_close)(struct reader *reader) {
  holdings_use(&reader->holdings);
  for (int plane = 0; plane < MAX_PLANES; plane++) {
    if (reader->files[plane]) TIFFClose(reader->files[plane]);
    free(reader->samples[plane]);
  }
  holdings_free(&reader->holdings);
  free(reader->scratch);
  free(reader->alphas);
  free(reader->band);
  free(reader);
}
