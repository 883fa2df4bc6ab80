// Cells of one color each, the mean of their pixels; the cells at the right and the bottom may be cut.
#include "effects.h"

typedef struct {
  Stream stream;
  int cell;
  uint32_t *sums; // four a cell, of the row of cells that is being taken
  uint8_t *row;   // the result for that row of cells
} Cells;

static int first_row(const Stream *s, int y) { return y - y % ((const Cells *)s)->cell; }
static int last_row(const Stream *s, int y) { return first_row(s, y) + ((const Cells *)s)->cell - 1; }

static void take(Stream *s, const uint8_t *source, uint8_t *place, int y) {
  (void)place;
  Cells *cells = (Cells *)s;
  const int cell = cells->cell, across = (s->width + cell - 1) / cell;
  if (y % cell == 0) memset(cells->sums, 0, (size_t)across * 16);
  for (int index = 0; index < across; index++) {
    v128_t sum = wasm_v128_load(cells->sums + index * 4);
    const int end = MIN(s->width, (index + 1) * cell);
    for (int x = index * cell; x < end; x++) {
      const uint8_t *p = source + x * 4;
      v128_t pixel = wasm_u32x4_extend_low_u16x8(wasm_u16x8_extend_low_u8x16(wasm_v128_load32_zero(p)));
      pixel = wasm_i32x4_mul(wasm_i32x4_replace_lane(pixel, 3, 255), wasm_i32x4_splat(p[3]));
      sum = wasm_i32x4_add(sum, pixel);
    }
    wasm_v128_store(cells->sums + index * 4, sum);
  }
}

static void make(Stream *s, int y, uint8_t *result) {
  Cells *cells = (Cells *)s;
  const int cell = cells->cell;
  if (y % cell == 0) {
    const int rows = MIN(cell, s->height - y);
    for (int left = 0; left < s->width; left += cell) {
      const int end = MIN(s->width, left + cell);
      const v128_t sum = wasm_f32x4_convert_u32x4(wasm_v128_load(cells->sums + left / cell * 4));
      store_mean(cells->row + left * 4, sum, 1 / (255.0f * (float)(rows * (end - left))));
      for (int x = left + 1; x < end; x++) memcpy(cells->row + x * 4, cells->row + left * 4, 4);
    }
  }
  memcpy(result, cells->row, (size_t)s->width * 4);
}

static void dispose(Stream *s) {
  free(((Cells *)s)->sums);
  free(((Cells *)s)->row);
}

// A cell of 2 to 256 pixels.
Stream *EXPORT(pixellate_open)(int width, int height, int cell) {
  Cells *cells = stream_open(sizeof(Cells), width, height, width, height);
  if (!cells) return NULL;
  cells->stream.dispose = dispose;
  cells->cell = cell;
  cells->sums = malloc(((size_t)width / (size_t)cell + 1) * 16);
  cells->row = malloc((size_t)width * 4);
  if (!cells->sums || !cells->row) {
    stream_close(&cells->stream);
    return NULL;
  }
  // Nothing is kept in the ring, but it paces the stream: one row of cells at a time.
  if (!stream_ring(&cells->stream, cell, 0)) return NULL;
  cells->stream.first = first_row, cells->stream.last = last_row;
  cells->stream.take = take, cells->stream.make = make;
  return &cells->stream;
}
