// PNG rows the other way: rows of RGBA8 or RGBA16 (or indices, or rows as they are to be stored) in, compressed bytes for IDAT out.
// Packs each row in the chosen color type and depth, filters it, and hands it to deflate.
#include "deflate.h"
#include "png-filter.h"

#define WINDOW_ROWS 16
#define SLOTS 1024

// What the window holds: RGBA8, a palette index per byte, rows packed as PNG stores them, or RGBA16.
typedef enum { RGBA_PIXELS, INDICES, STORED_ROWS, DEEP_PIXELS } Input;

typedef struct {
  int width, depth, strategy, distance;
  Input input;
  ColorType type;
  size_t row_bytes, stride; // of a stored row, and of a row in the window
  uint8_t *window, *memory;
  uint8_t *row, *above;
  uint8_t *filtered[FILTER_TYPES]; // filter type, then the bytes
  uint8_t *output;                 // compressed bytes made by the last commit
  size_t made, output_size;
  uint32_t key;                    // what transparent pixels become, if `keyed`
  int keyed;
  uint32_t color[SLOTS];
  int16_t index[SLOTS];
  Deflate *stream;
} Writer;

// ---- packing ----

static void set_color(Writer *w, uint32_t color, int index) {
  uint32_t at = color * 2654435761u >> 22;
  while (w->index[at] >= 0) at = (at + 1) % SLOTS;
  w->color[at] = color, w->index[at] = (int16_t)index;
}

static int index_of(const Writer *w, uint32_t color) {
  uint32_t at = color * 2654435761u >> 22;
  while (w->index[at] >= 0 && w->color[at] != color) at = (at + 1) % SLOTS;
  return MAX(0, w->index[at]);
}

// One byte per pixel to `depth` bits per pixel; `shift` drops the low bits of gray levels.
static void pack_bits(uint8_t *bytes, int width, int depth, int shift) {
  const int per_byte = 8 / depth;
  for (int x = 0, at = 0; x < width; at++) {
    int packed = 0;
    for (int k = 0; k < per_byte; k++, x++) packed = packed << depth | (x < width ? bytes[x] >> shift : 0);
    bytes[at] = (uint8_t)packed;
  }
}

static void pack_rgba(const Writer *w, const uint8_t *source, uint8_t *row) {
  const uint32_t *pixel = (const uint32_t *)source;
  const int width = w->width;
  if (w->type == PNG_RGBA) {
    memcpy(row, source, (size_t)width * 4);
  } else if (w->type == PNG_RGB) {
    for (int x = 0; x < width; x++, row += 3) {
      const uint32_t p = w->keyed && pixel[x] >> 24 == 0 ? w->key : pixel[x];
      row[0] = (uint8_t)p, row[1] = (uint8_t)(p >> 8), row[2] = (uint8_t)(p >> 16);
    }
  } else if (w->type == PNG_GRAY_ALPHA) {
    for (int x = 0; x < width; x++) row[2 * x] = source[4 * x], row[2 * x + 1] = source[4 * x + 3];
  } else if (w->type == PNG_GRAY) {
    for (int x = 0; x < width; x++) row[x] = (uint8_t)(w->keyed && pixel[x] >> 24 == 0 ? w->key : pixel[x]);
    if (w->depth < 8) pack_bits(row, width, w->depth, 8 - w->depth);
  } else {
    uint32_t last = ~pixel[0];
    uint8_t index = 0;
    for (int x = 0; x < width; x++) {
      row[x] = index;
      if (pixel[x] != last) row[x] = index = (uint8_t)index_of(w, last = pixel[x]);
      else for (; x + 4 < width && is_plain(pixel + x + 1, last); x += 4) memset(row + x + 1, index, 4);
    }
    if (w->depth < 8) pack_bits(row, width, w->depth, 0);
  }
}

// Samples of 16 bits have their high byte first in files.
static void pack_deep(const Writer *w, const uint16_t *pixel, uint8_t *row) {
  const int channels = png_channels(w->type), has_alpha = channels % 2 == 0;
  for (int x = 0; x < w->width; x++, pixel += 4) {
    for (int c = 0; c < channels; c++, row += 2) {
      const int sample = pixel[has_alpha && c == channels - 1 ? 3 : c];
      row[0] = (uint8_t)(sample >> 8), row[1] = (uint8_t)sample;
    }
  }
}

static void pack(const Writer *w, const uint8_t *source, uint8_t *row) {
  if (w->input == DEEP_PIXELS) {
    pack_deep(w, (const uint16_t *)source, row);
    return;
  }
  if (w->input == RGBA_PIXELS) {
    pack_rgba(w, source, row);
    return;
  }
  memcpy(row, source, w->stride);
  if (w->input == INDICES && w->depth < 8) pack_bits(row, w->width, w->depth, 0);
}

// ---- filtering ----

static const uint8_t *filtered_row(Writer *w) {
  int best = w->strategy;
  if (best < FILTER_TYPES) {
    png_filter(best, w->row, w->above, w->filtered[best] + 1, w->row_bytes, w->distance);
    return w->filtered[best];
  }
  float least = 0;
  for (int filter = 0; filter < FILTER_TYPES; filter++) {
    png_filter(filter, w->row, w->above, w->filtered[filter] + 1, w->row_bytes, w->distance);
    const float rating = png_rate(w->strategy, w->filtered[filter] + 1, w->row_bytes);
    if (filter == 0 || rating < least) least = rating, best = filter;
  }
  return w->filtered[best];
}

static int keep_output(Writer *w, size_t count) {
  if (w->made + count > w->output_size) {
    const size_t size = round_up(w->made + count, 65536);
    uint8_t *grown = realloc(w->output, size);
    if (!grown) return 0;
    w->output = grown, w->output_size = size;
  }
  memcpy(w->output + w->made, deflate_output(w->stream), count);
  w->made += count;
  return 1;
}

static int write_bytes(Writer *w, const uint8_t *bytes, size_t count) {
  while (count > 0) {
    size_t taken;
    const size_t made = deflate_write(w->stream, bytes, count, &taken);
    if (made && !keep_output(w, made)) return 0;
    bytes += taken, count -= taken;
  }
  return 1;
}

// ---- API ----

void EXPORT(writer_close)(Writer *w) {
  deflate_close(w->stream);
  free(w->window), free(w->memory), free(w->output);
  free(w);
}

// rows: of the whole picture; strategy: a filter type for all rows, or BY_SUM, BY_ENTROPY, BY_BIGRAMS. Returns 0 when
// memory ran out.
Writer *EXPORT(writer_open)(int width, int rows, int type, int depth, int input, int strategy, int level) {
  Writer *w = calloc(1, sizeof *w);
  if (!w) return 0;
  w->width = width, w->type = type, w->depth = depth, w->input = input, w->strategy = strategy;
  const int channels = png_channels(type);
  w->distance = MAX(1, channels * depth / 8);
  w->row_bytes = png_row_bytes(width, channels, depth);
  const size_t strides[] = {(size_t)width * 4, (size_t)width, w->row_bytes, (size_t)width * 8};
  w->stride = strides[input];
  memset(w->index, -1, sizeof w->index);
  // a row is packed from one byte per sample, so it may need more room than it has bytes in the end
  const size_t stride = round_up(MAX((size_t)width * channels, w->row_bytes) + 2 * ROW_SLACK, 16);
  w->window = malloc(w->stride * WINDOW_ROWS);
  w->memory = calloc(2 + FILTER_TYPES, stride);
  w->stream = deflate_open(level, (w->row_bytes + 1) * (size_t)rows);
  if (!w->window || !w->memory || !w->stream) {
    writer_close(w);
    return 0;
  }
  w->row = w->memory + ROW_SLACK;
  w->above = w->memory + stride + ROW_SLACK;
  for (int filter = 0; filter < FILTER_TYPES; filter++) {
    w->filtered[filter] = w->memory + (2 + filter) * stride;
    w->filtered[filter][0] = (uint8_t)filter;
  }
  return w;
}

uint8_t *EXPORT(writer_window)(const Writer *w) { return w->window; }
uint8_t *EXPORT(writer_output)(const Writer *w) { return w->output; }

// A palette entry, as the bytes R, G, B, A in memory.
void EXPORT(writer_set_color)(Writer *w, uint32_t color, int index) { set_color(w, color, index); }

// Transparent pixels are written as this color (which tRNS declares), in types 0 and 2.
void EXPORT(writer_set_key)(Writer *w, uint32_t color) { w->keyed = 1, w->key = color; }

// Takes the first `rows` rows of the window; `last` ends the picture. Returns the number of compressed bytes at
// writer_output, which are valid until the next call, or -1 when memory ran out.
int EXPORT(writer_commit)(Writer *w, int rows, int last) {
  w->made = 0;
  for (int i = 0; i < rows; i++) {
    pack(w, w->window + i * w->stride, w->row);
    if (!write_bytes(w, filtered_row(w), w->row_bytes + 1)) return -1;
    uint8_t *swap = w->above;
    w->above = w->row, w->row = swap;
  }
  if (last && !keep_output(w, deflate_finish(w->stream))) return -1;
  return (int)w->made;
}
