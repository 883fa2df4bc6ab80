// Decodes rows into the band of a reader: scanlines, rows of tiles, or what libtiff itself converts.
#include <string.h>
#include "reader.h"

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

int fill_skip(struct reader *reader) {
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

void fill_scanlines(struct reader *reader, uint32_t count) {
  for (uint32_t row = 0; row < count; row++) {
    read_scanline(reader, reader->next + row);
    convert(reader, 0, 0, reader->layout.width, reader->band + (uint64_t)row * reader->layout.width * pixel_bytes(reader));
  }
  reader->band_first = reader->next;
  reader->decoded += count;
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
      convert(reader, (uint32_t)TIFFTileRowSize(file), y, columns, reader->band + ((uint64_t)y * width + left) * pixel_bytes(reader));
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

int fill_band(struct reader *reader) { return reader->way == BY_TILE ? fill_tiles(reader) : fill_by_libtiff(reader); }
