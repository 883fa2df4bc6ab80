// Rows of the first picture of a TIFF file, from the top: by scanline, by rows of tiles, or, for what is stored as
// blocks of luma and chroma, by libtiff's own conversion of whole strips and tiles.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tiff.h"

// Shared with reader.ts.
struct facts {
  uint32_t width, height, bits, samples, photometric, compression, orientation, alpha;
  uint32_t profile, profile_bytes, subsample_h, subsample_v, tables, tables_bytes, working_bytes;
};

struct reader {
  TIFF *files[MAX_PLANES];   // one for each plane that is read on its own
  struct holding *holdings;  // of libtiff
  int source;
  uint32_t size;
  struct facts facts;
  struct layout layout;
  enum way way;
  uint8_t separate;
  uint32_t height, tile_width, tile_height;
  uint8_t *samples[MAX_PLANES];  // a scanline or a tile of each plane
  uint8_t *scratch;
  uint8_t *band;
  uint32_t band_rows, band_first, band_count;
  uint32_t next;     // row
  uint32_t decoded;  // BY_SCANLINE: the row after the one that was decoded last
  uint32_t filled;   // columns of the next band that are filled already
};

// Pixels after which a call returns although it has no rows to give yet: 5 to 50 ms, as samples are compressed.
enum { CALL_PIXELS = 1 << 20, PAUSED = -1 };

static uint32_t planes_of(const struct reader *reader) {
  if (!reader->separate || reader->way == BY_LIBTIFF) return 1;
  return reader->layout.colors + (reader->layout.alpha != ALPHA_NONE);
}

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

EXPORT("reader_new")
struct reader *reader_new(int source, uint32_t size) {
  struct reader *reader = calloc(1, sizeof *reader);
  if (!reader) return NULL;
  reader->source = source;
  reader->size = size;
  return reader;
}

// Reads the first directory. `most` is the memory that libtiff may hold.
EXPORT("reader_open")
void reader_open(struct reader *reader, uint32_t most) {
  holdings_use(&reader->holdings);
  TIFF *file = reader->files[0] = source_open(reader->source, reader->size, most);
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

EXPORT("reader_facts")
const struct facts *reader_facts(const struct reader *reader) { return &reader->facts; }

static void *allocate(uint64_t bytes) {
  void *memory = bytes < 0x7fffffff ? calloc(1, (size_t)bytes) : NULL;
  if (!memory) tiff_fail("out of memory");
  return memory;
}

static void check(int good) {
  if (!good || damage) tiff_fail(damage ? damage : "damaged");
}

// Strips and tiles that a file does not have are said to be at its very beginning, where its signature is.
static void require_place(TIFF *file, uint32_t strip_or_tile) {
  if (TIFFGetStrileOffset(file, strip_or_tile) == 0) tiff_fail("a strip or tile is missing");
}

static void read_scanline(struct reader *reader, uint32_t y) {
  for (uint32_t plane = 0; plane < planes_of(reader); plane++) {
    TIFF *file = reader->files[plane];
    if (y % reader->tile_height == 0) require_place(file, TIFFComputeStrip(file, y, (uint16_t)plane));
    check(TIFFReadScanline(file, reader->samples[plane], y, (uint16_t)plane) == 1);
  }
}

// Prepares to read from row `first`. Nothing is allocated before.
EXPORT("reader_start")
void reader_start(struct reader *reader, uint32_t first, uint32_t most, int output) {
  TIFF *file = reader->files[0];
  damage = NULL;
  holdings_use(&reader->holdings);
  reader->layout.output = (uint16_t)output;
  reader->band = allocate((uint64_t)reader->layout.width * 4 * reader->band_rows);
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
      reader->files[plane] = source_open(reader->source, reader->size, most);
      check(reader->files[plane] != NULL);
    }
  }
  reader->decoded = first - first % reader->tile_height;
}

// Decodes what comes before the first row that is wanted: within a strip, rows can be decoded only one after the other.
// 0 when there is more of it.
static int skip_rows(struct reader *reader) {
  const uint32_t rows = CALL_PIXELS / reader->layout.width + 1;
  for (uint32_t count = 0; count < rows && reader->decoded < reader->next; count++)
    read_scanline(reader, reader->decoded++);
  return reader->decoded == reader->next;
}

static void convert(struct reader *reader, uint32_t from_row_bytes, uint32_t y, uint32_t count, uint8_t *to) {
  struct row row = {.first = 0, .count = count, .separate = reader->separate};
  for (uint32_t plane = 0; plane < planes_of(reader); plane++)
    row.planes[plane] = reader->samples[plane] + (uint64_t)y * from_row_bytes;
  row_convert(&reader->layout, &row, reader->scratch, to);
}

// Whether `done` tiles are enough for one call.
static int is_long(const struct reader *reader, uint32_t done) {
  return (uint64_t)done * reader->tile_width * reader->tile_height >= CALL_PIXELS;
}

static int end_band(struct reader *reader, uint32_t top, uint32_t rows) {
  reader->filled = 0;
  reader->band_first = top;
  reader->band_count = rows;
  return 1;
}

// One row of tiles into the band, or some of it. 0 when there is more of it.
static int fill_tiles(struct reader *reader) {
  TIFF *file = reader->files[0];
  const uint32_t top = reader->next - reader->next % reader->tile_height, width = reader->layout.width;
  const uint32_t rows = reader->height - top < reader->tile_height ? reader->height - top : reader->tile_height;
  for (uint32_t done = 0; reader->filled < width; reader->filled += reader->tile_width, done++) {
    if (is_long(reader, done)) return 0;
    const uint32_t left = reader->filled;
    for (uint32_t plane = 0; plane < planes_of(reader); plane++) {
      const uint32_t tile = TIFFComputeTile(file, left, top, 0, (uint16_t)plane);
      require_place(file, tile);
      check(TIFFReadEncodedTile(file, tile, reader->samples[plane], (tmsize_t)-1) >= 0);
    }
    const uint32_t columns = width - left < reader->tile_width ? width - left : reader->tile_width;
    for (uint32_t y = 0; y < rows; y++)
      convert(reader, (uint32_t)TIFFTileRowSize(file), y, columns, reader->band + ((uint64_t)y * width + left) * 4);
  }
  return end_band(reader, top, rows);
}

static void straighten(uint8_t *pixel) {
  const uint32_t alpha = pixel[3];
  if (alpha == 255) return;
  for (int c = 0; c < 3; c++) {
    const uint32_t straight = alpha ? (pixel[c] * 255 + alpha / 2) / alpha : 0;
    pixel[c] = (uint8_t)(straight > 255 ? 255 : straight);
  }
}

// One strip or row of tiles, by libtiff, which writes rows from the bottom up and premultiplies; or some of the tiles.
// 0 when there is more of it.
static int fill_by_libtiff(struct reader *reader) {
  TIFF *file = reader->files[0];
  const uint32_t top = reader->next - reader->next % reader->tile_height, width = reader->layout.width;
  const uint32_t rows = reader->height - top < reader->tile_height ? reader->height - top : reader->tile_height;
  const int tiled = TIFFIsTiled(file);
  const uint32_t raster_rows = tiled ? reader->tile_height : rows;
  uint32_t *raster = _TIFFmalloc((tmsize_t)(reader->tile_width * raster_rows * 4));
  if (!raster) tiff_fail("out of memory");
  int good = 1;
  for (uint32_t done = 0; good && reader->filled < width && !is_long(reader, done); reader->filled += reader->tile_width, done++) {
    const uint32_t left = reader->filled;
    // Old JPEG data has places of its own.
    if (reader->facts.compression != COMPRESSION_OJPEG)
      require_place(file, tiled ? TIFFComputeTile(file, left, top, 0, 0) : TIFFComputeStrip(file, top, 0));
    good = tiled ? TIFFReadRGBATileExt(file, left, top, raster, 1) : TIFFReadRGBAStripExt(file, top, raster, 1);
    const uint32_t columns = width - left < reader->tile_width ? width - left : reader->tile_width;
    for (uint32_t y = 0; good && y < rows; y++) {
      uint8_t *to = reader->band + ((uint64_t)y * width + left) * 4;
      memcpy(to, raster + (uint64_t)(raster_rows - 1 - y) * reader->tile_width, columns * 4);
      for (uint32_t x = 0; x < columns; x++) straighten(to + x * 4);
    }
  }
  _TIFFfree(raster);
  check(good);
  return reader->filled < width ? 0 : end_band(reader, top, rows);
}

// The next rows, at most `most`; returns how many, or PAUSED when it wants to be called again for them. `reader_rows`
// says where they are.
EXPORT("reader_read")
int32_t reader_read(struct reader *reader, uint32_t most) {
  if (reader->next >= reader->height) return 0;
  damage = NULL;
  holdings_use(&reader->holdings);
  const uint32_t left = reader->height - reader->next;
  if (most > left) most = left;
  if (reader->way == BY_SCANLINE) {
    if (!skip_rows(reader)) return PAUSED;
    if (most > reader->band_rows) most = reader->band_rows;
    for (uint32_t row = 0; row < most; row++) {
      read_scanline(reader, reader->next + row);
      convert(reader, 0, 0, reader->layout.width, reader->band + (uint64_t)row * reader->layout.width * 4);
    }
    reader->band_first = reader->next;
    reader->decoded += most;
  } else {
    if (reader->band_count == 0 || reader->next >= reader->band_first + reader->band_count) {
      if (!(reader->way == BY_TILE ? fill_tiles(reader) : fill_by_libtiff(reader))) return PAUSED;
    }
    const uint32_t held = reader->band_first + reader->band_count - reader->next;
    if (most > held) most = held;
  }
  reader->next += most;
  return (int32_t)most;
}

// Where the rows are that were read last, `count` of them.
EXPORT("reader_rows")
const uint8_t *reader_rows(const struct reader *reader, uint32_t count) {
  const uint32_t first = reader->next - count - reader->band_first;
  return reader->band + (uint64_t)first * reader->layout.width * 4;
}

EXPORT("reader_close")
void reader_close(struct reader *reader) {
  holdings_use(&reader->holdings);
  for (int plane = 0; plane < MAX_PLANES; plane++) {
    if (reader->files[plane]) TIFFClose(reader->files[plane]);
    free(reader->samples[plane]);
  }
  holdings_free(&reader->holdings);
  free(reader->scratch);
  free(reader->band);
  free(reader);
}
