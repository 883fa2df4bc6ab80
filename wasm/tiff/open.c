// Opens a file: the first picture's size and layout, what else the binding wants to know, and the memory that reading
// it takes.
#include <stdio.h>
#include <stdlib.h>
#include "reader.h"

// The longest compressed strip or tile: libtiff holds one as it is.
static uint32_t longest(TIFF *file, uint32_t size) {
  const uint32_t count = TIFFIsTiled(file) ? TIFFNumberOfTiles(file) : TIFFNumberOfStrips(file);
  if (count > 65536) return size;
  uint64_t most = 0;
  for (uint32_t i = 0; i < count; i++) {
    const uint64_t bytes = TIFFGetStrileByteCount(file, i);
    if (bytes > most) most = bytes;
  }
  return most < size ? (uint32_t)most : size;
}

enum { OVERHEAD_BYTES = 512 << 10 };

static void plan_memory(struct reader *reader) {
  TIFF *file = reader->files[0];
  const uint64_t width = reader->layout.width, planes = planes_of(reader);
  const int tiled = TIFFIsTiled(file);
  if (tiled) {
    TIFFGetField(file, TIFFTAG_TILEWIDTH, &reader->tile_width);
    TIFFGetField(file, TIFFTAG_TILELENGTH, &reader->tile_height);
  } else {
    TIFFGetFieldDefaulted(file, TIFFTAG_ROWSPERSTRIP, &reader->tile_height);
    reader->tile_width = reader->layout.width;
  }
  if (reader->tile_height > reader->height) {
    if (!tiled) reader->tile_height = reader->height;
  }
  if (reader->tile_width == 0 || reader->tile_height == 0) tiff_fail("empty strips");
  if (reader->way != BY_LIBTIFF && tiled) reader->way = BY_TILE;
  const uint64_t unit = reader->way == BY_SCANLINE ? (uint64_t)TIFFScanlineSize64(file)
                      : tiled ? TIFFTileSize64(file) : TIFFStripSize64(file);
  const uint32_t shown = reader->tile_height < reader->height ? reader->tile_height : reader->height;
  reader->band_rows = reader->way == BY_SCANLINE ? BAND_ROWS : shown;
  uint64_t bytes = OVERHEAD_BYTES + planes * (unit + 65536 + longest(file, reader->size));
  bytes += width * 4 * reader->band_rows + width * MAX_PLANES;
  if (has_inks_with_alpha(reader)) bytes += width * reader->band_rows;
  // libtiff's conversion has a raster of whole tiles besides its samples.
  if (reader->way == BY_LIBTIFF) bytes += (uint64_t)reader->tile_width * reader->tile_height * 4 + 2 * unit;
  // Entropy-coded coefficients of a progressive JPEG, and rows of blocks.
  if (tiff_field(file, TIFFTAG_COMPRESSION) == COMPRESSION_JPEG) bytes += (uint64_t)reader->tile_width * 256;
  reader->facts.working_bytes = bytes > 0x7fffffff ? 0x7fffffff : (uint32_t)bytes;
}

static void read_facts(struct reader *reader) {
  TIFF *file = reader->files[0];
  struct facts *facts = &reader->facts;
  facts->width = reader->layout.width;
  facts->height = reader->height;
  facts->bits = reader->layout.bits;
  facts->samples = reader->layout.samples;
  facts->photometric = reader->layout.photometric;
  facts->compression = tiff_field(file, TIFFTAG_COMPRESSION);
  facts->orientation = tiff_field(file, TIFFTAG_ORIENTATION);
  facts->alpha = reader->layout.alpha;
  facts->deep_bits = deep_bits(&reader->layout, reader->way);
  facts->band_rows = reader->band_rows;
  uint32_t length = 0;
  void *data = NULL;
  if (TIFFGetField(file, TIFFTAG_ICCPROFILE, &length, &data)) {
    facts->profile = (uint32_t)(uintptr_t)data;
    facts->profile_bytes = length;
  }
  if (facts->compression == COMPRESSION_JPEG && TIFFGetField(file, TIFFTAG_JPEGTABLES, &length, &data)) {
    facts->tables = (uint32_t)(uintptr_t)data;
    facts->tables_bytes = length;
  }
  uint16_t h = 1, v = 1;
  if (facts->photometric == PHOTOMETRIC_YCBCR) TIFFGetFieldDefaulted(file, TIFFTAG_YCBCRSUBSAMPLING, &h, &v);
  facts->subsample_h = h;
  facts->subsample_v = v;
}

// The reason names the number, for which the caller has a word.
static void check_compression(uint16_t compression) {
  static char reason[sizeof "compression 65535"];
  if (TIFFIsCODECConfigured(compression)) return;
  snprintf(reason, sizeof reason, "compression %u", compression);
  tiff_fail(reason);
}

struct reader *EXPORT(reader_new)(int source, uint32_t size) {
  struct reader *reader = calloc(1, sizeof *reader);
  if (!reader) return NULL;
  reader->source = source;
  reader->size = size;
  return reader;
}

TIFF *reader_file(const struct reader *reader, uint32_t most) {
  TIFF *const file = source_open(reader->source, reader->size, most);
  if (!file || !reader->directory || TIFFSetSubDirectory(file, reader->directory)) return file;
  TIFFClose(file);
  return NULL;
}

// Reads the directory at a place of the file, or the first one where that is 0. `most` is the memory that libtiff may hold.
void EXPORT(reader_open)(struct reader *reader, uint32_t most, uint32_t directory) {
  holdings_use(&reader->holdings);
  reader->directory = directory;
  TIFF *file = reader->files[0] = reader_file(reader, most);
  if (!file) tiff_fail("no directory");
  TIFFGetField(file, TIFFTAG_IMAGEWIDTH, &reader->layout.width);
  TIFFGetField(file, TIFFTAG_IMAGELENGTH, &reader->height);
  if (reader->layout.width == 0 || reader->height == 0) tiff_fail("no pixels");
  check_compression(tiff_field(file, TIFFTAG_COMPRESSION));
  reader->separate = tiff_field(file, TIFFTAG_PLANARCONFIG) == PLANARCONFIG_SEPARATE && tiff_field(file, TIFFTAG_SAMPLESPERPIXEL) > 1;
  reader->way = layout_read(file, &reader->layout);
  plan_memory(reader);
  read_facts(reader);
}

const struct facts *EXPORT(reader_facts)(const struct reader *reader) { return &reader->facts; }
