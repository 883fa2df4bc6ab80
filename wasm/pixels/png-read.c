// PNG rows: compressed bytes in, bands of RGBA8 out (of 16-bit samples also RGBA16, or rows as they are stored). The binding parses
// chunks and feeds what IDAT holds; here is what touches pixels: inflate, unfilter, interlacing, expansion to RGBA.
//
// An interlaced picture keeps its seven passes unfiltered but packed as they are stored (a pass is a small picture), so
// it costs the size of its raw data and not four bytes a pixel; output rows are gathered from the passes.
#include "png-reader.h"
#include "png-unfilter.h"

#define PASS_BYTES (1 << 20) // unfiltered bytes of passes after which a call returns: a few milliseconds

// Adam7 (8.2): where a pass starts and how far its pixels are apart.
static const uint8_t x0[PASSES] = {0, 4, 0, 2, 0, 1, 0}, dx[PASSES] = {8, 8, 4, 4, 2, 2, 1};
static const uint8_t y0[PASSES] = {0, 0, 4, 0, 2, 0, 1}, dy[PASSES] = {8, 8, 8, 4, 4, 2, 2};

// What stops reading: more bytes, damage, or that a call was long enough; the binding knows the numbers.
enum { NEEDS_INPUT = 0, DAMAGED = -1, TRUNCATED = -2, BAD_FILTER = -3, PAUSED = -4 };

// Unfilters the next row of `count` bytes, and more behind it where they are there and it is faster together; `left`
// rows of this size are still to come. 1, or why not.
static int unfilter_next(Reader *r, size_t count, int left) {
  int rows = left >= UNFILTER_ROWS ? UNFILTER_ROWS : 1;
  size_t have;
  const uint8_t *bytes = inflate_output(r->stream, &have);
  if (have < rows * (count + 1)) {
    const InflateStatus status = inflate_run(r->stream);
    bytes = inflate_output(r->stream, &have);
    if (have < rows * (count + 1)) {
      if (status == INFLATE_MORE) return NEEDS_INPUT;
      if (have < count + 1) return status == INFLATE_DAMAGED ? DAMAGED : TRUNCATED;
      rows = 1;
    }
  }
  uint8_t *row = r->above + r->row_stride;
  if (rows == 1 || !png_unfilter_rows(bytes, row, r->row_stride, count, r->distance)) {
    rows = 1;
    if (!png_unfilter(bytes[0], bytes + 1, r->above, row, count, r->distance)) return BAD_FILTER;
  }
  inflate_take(r->stream, rows * (count + 1));
  r->waiting = rows;
  return 1;
}

// Makes `current` the next row of `count` bytes; 1, or why not.
static int next_row(Reader *r, size_t count, int left) {
  if (r->waiting == 0) {
    if (r->current != r->above) memcpy(r->above, r->current, count);
    r->current = r->above;
    const int status = unfilter_next(r, count, left);
    if (status != 1) return status;
  }
  r->waiting--;
  r->current += r->row_stride;
  return 1;
}

static int read_plain_row(Reader *r, uint8_t *out) {
  const int status = next_row(r, r->row_bytes, r->height - r->row);
  if (status != 1) return status;
  if (r->form == ROWS_AS_STORED) memcpy(out, r->current, r->row_bytes);
  else png_expand(r, r->current, out, r->width);
  return 1;
}

// Reads what is left of the passes, or as much of it as one call may.
static int read_passes(Reader *r) {
  size_t done = 0;
  while (r->pass < PASSES) {
    Pass *pass = &r->passes[r->pass];
    if (r->pass_row == pass->height || pass->width == 0) {
      r->pass++, r->pass_row = 0;
      continue;
    }
    if (r->pass_row == 0) memset(r->current = r->above, 0, pass->row_bytes + ROW_SLACK);
    if (done > PASS_BYTES) return PAUSED;
    const int status = next_row(r, pass->row_bytes, pass->height - r->pass_row);
    if (status != 1) return status;
    done += pass->row_bytes + 1;
    memcpy(pass->rows + pass->row_bytes * r->pass_row++, r->current, pass->row_bytes);
  }
  return 1;
}

static int read_interlaced_row(Reader *r, uint8_t *out) {
  const int status = read_passes(r);
  if (status != 1) return status;
  for (int p = 0; p < PASSES; p++) {
    const Pass *pass = &r->passes[p];
    if (pass->width == 0 || r->row < y0[p] || (r->row - y0[p]) % dy[p]) continue;
    const uint8_t *row = pass->rows + pass->row_bytes * ((r->row - y0[p]) / dy[p]);
    if (r->form == ROWS_AS_STORED) {
      for (int x = 0; x < pass->width; x++)
        memcpy(out + (size_t)(x0[p] + x * dx[p]) * r->distance, row + (size_t)x * r->distance, r->distance);
      continue;
    }
    memcpy(r->above, row, pass->row_bytes);
    png_expand(r, r->above, r->expanded, pass->width);
    if (r->form == ROWS_OF_RGBA16) {
      const uint64_t *from = (uint64_t *)r->expanded;
      uint64_t *to = (uint64_t *)out;
      for (int x = 0; x < pass->width; x++) to[x0[p] + x * dx[p]] = from[x];
      continue;
    }
    const uint32_t *from = (uint32_t *)r->expanded;
    uint32_t *to = (uint32_t *)out;
    for (int x = 0; x < pass->width; x++) to[x0[p] + x * dx[p]] = from[x];
  }
  return 1;
}

void EXPORT(png_close)(Reader *r) {
  inflate_close(r->stream);
  free(r->rows_memory), free(r->band), free(r->expanded), free(r->passes_memory), free(r->levels);
  free(r);
}

static int allocate_passes(Reader *r) {
  size_t total = 0;
  for (int p = 0; p < PASSES; p++) {
    Pass *pass = &r->passes[p];
    pass->width = (r->width - x0[p] + dx[p] - 1) / dx[p];
    pass->height = (r->height - y0[p] + dy[p] - 1) / dy[p];
    if (pass->width <= 0 || pass->height <= 0) pass->width = pass->height = 0;
    pass->row_bytes = png_row_bytes(pass->width, r->channels, r->depth);
    total += pass->row_bytes * pass->height;
  }
  r->passes_memory = malloc(total + ROW_SLACK);
  if (!r->passes_memory) return 0;
  total = 0;
  for (int p = 0; p < PASSES; p++) {
    r->passes[p].rows = r->passes_memory + total;
    total += r->passes[p].row_bytes * r->passes[p].height;
  }
  return 1;
}

// Opens a reader for a picture as its IHDR describes it (checked by the caller). Returns 0 when memory ran out.
Reader *EXPORT(png_open)(int width, int height, int depth, int type, int interlaced, int form) {
  Reader *r = calloc(1, sizeof *r);
  if (!r) return 0;
  r->width = width, r->height = height, r->depth = depth, r->type = type, r->interlaced = interlaced, r->form = form;
  r->pixel_bytes = form == ROWS_OF_RGBA16 ? 8 : 4;
  r->channels = png_channels(type);
  r->distance = MAX(1, r->channels * depth / 8);
  r->row_bytes = png_row_bytes(width, r->channels, depth);
  r->band_rows = clamp(65536 / (int)MIN(65536, (size_t)width * r->pixel_bytes), 1, 16);
  r->stride = form == ROWS_AS_STORED ? r->row_bytes : (size_t)width * r->pixel_bytes;
  r->row_stride = round_up(r->row_bytes, 16) + 2 * ROW_SLACK;
  r->rows_memory = calloc(1 + UNFILTER_ROWS, r->row_stride);
  r->expanded = interlaced ? malloc((size_t)width * r->pixel_bytes + EXPAND_SLACK) : 0;
  r->band = malloc(r->stride * r->band_rows + EXPAND_SLACK);
  r->stream = inflate_open(MAX((size_t)64 << 10, (UNFILTER_ROWS + 1) * (r->row_bytes + 1)));
  if (!r->rows_memory || !r->band || !r->stream || (interlaced && (!r->expanded || !allocate_passes(r)))) {
    png_close(r);
    return 0;
  }
  r->above = r->current = r->rows_memory + ROW_SLACK;
  return r;
}

// 256 RGBA entries: the color of each palette index, or of each gray level as it is stored.
uint32_t *EXPORT(png_table)(Reader *r) { return r->table; }

// Makes one stored color transparent (tRNS of types 0 and 2). Gray of at most 8 bits has it in the table.
void EXPORT(png_set_key)(Reader *r, int red, int green, int blue) {
  r->has_key = 1;
  r->key[0] = red, r->key[1] = green, r->key[2] = blue;
}

// A table for the caller to fill: the value of each sample as rows are to have it, 65536 of them for 16 bits, else 256.
void *EXPORT(png_levels)(Reader *r) {
  const size_t bytes = r->form == ROWS_OF_RGBA16 ? 2 : 1;
  if (!r->levels) r->levels = malloc((r->depth == 16 ? 65536 : 256) * bytes);
  return r->levels;
}

// Where compressed bytes go, and how many; the place moves with each call.
uint8_t *EXPORT(png_input)(Reader *r) {
  size_t room;
  return inflate_input(r->stream, &room);
}
int EXPORT(png_room)(Reader *r) {
  size_t room;
  inflate_input(r->stream, &room);
  return (int)room;
}
void EXPORT(png_feed)(Reader *r, int count, int last) { inflate_feed(r->stream, (size_t)count, last); }

uint8_t *EXPORT(png_band)(const Reader *r) { return r->band; }

// Whether all 16-bit samples so far were twice the same byte, so that 8 bits hold them exactly.
int EXPORT(png_exact)(const Reader *r) { return !r->inexact; }

// Rows written to the band, at most `max`; 0: more input is needed; negative: why there are none.
int EXPORT(png_read)(Reader *r, int max) {
  int count = 0;
  while (count < MIN(max, r->band_rows) && r->row < r->height) {
    uint8_t *out = r->band + count * r->stride;
    const int status = r->interlaced ? read_interlaced_row(r, out) : read_plain_row(r, out);
    if (status != 1) return count ? count : status;
    r->row++, count++;
  }
  return count;
}
