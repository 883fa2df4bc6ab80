// Box blur: the mean of (2 radius + 1) squared pixels, by running sums; edges are extended.
#include "effects.h"

typedef struct {
  Stream stream;
  int radius;
  uint32_t *columns; // four sums a pixel, over the rows of the box
} Box;

static int first_row(const Stream *s, int y) { return y - 1 - ((const Box *)s)->radius; }
static int last_row(const Stream *s, int y) { return y + ((const Box *)s)->radius; }

static void take(Stream *s, const uint8_t *source, uint8_t *place, int y) {
  (void)y;
  premultiply_row((uint16_t *)place, source, s->width, 0);
}

// Adds one row to the sums of the columns, and takes another out of them.
static void slide(Box *box, const uint16_t *add, const uint16_t *remove) {
  for (int x = 0; x < box->stream.width; x++) {
    v128_t sum = wasm_v128_load(box->columns + x * 4);
    sum = wasm_i32x4_add(sum, wasm_u32x4_load16x4(add + x * 4));
    if (remove) sum = wasm_i32x4_sub(sum, wasm_u32x4_load16x4(remove + x * 4));
    wasm_v128_store(box->columns + x * 4, sum);
  }
}

static void make(Stream *s, int y, uint8_t *result) {
  Box *box = (Box *)s;
  const int radius = box->radius, last = s->width - 1;
  if (y > 0)
    slide(box, (uint16_t *)ring_row(s, y + radius), (uint16_t *)ring_row(s, y - 1 - radius));
  else
    for (int row = -radius; row <= radius; row++) slide(box, (uint16_t *)ring_row(s, row), NULL);
  const float count = (float)((2 * radius + 1) * (2 * radius + 1));
  const float scale = 1 / (255 * count);
  v128_t sum = wasm_i32x4_const_splat(0);
  for (int x = -radius; x <= radius; x++)
    sum = wasm_i32x4_add(sum, wasm_v128_load(box->columns + (size_t)clamp(x, 0, last) * 4));
  for (int x = 0; x < s->width; x++) {
    store_mean(result + x * 4, wasm_f32x4_convert_u32x4(sum), scale);
    sum = wasm_i32x4_add(sum, wasm_v128_load(box->columns + (size_t)clamp(x + 1 + radius, 0, last) * 4));
    sum = wasm_i32x4_sub(sum, wasm_v128_load(box->columns + (size_t)clamp(x - radius, 0, last) * 4));
  }
}

static void dispose(Stream *s) { free(((Box *)s)->columns); }

// A radius up to 127 keeps every sum within 32 bits.
Stream *EXPORT(box_open)(int width, int height, int radius) {
  Box *box = stream_open(sizeof(Box), width, height, width, height);
  if (!box) return NULL;
  box->radius = radius;
  box->stream.dispose = dispose;
  box->columns = calloc((size_t)width * 4, sizeof(uint32_t));
  if (!box->columns) {
    stream_close(&box->stream);
    return NULL;
  }
  if (!stream_ring(&box->stream, 2 * radius + 2, (size_t)width * 8)) return NULL;
  box->stream.first = first_row, box->stream.last = last_row;
  box->stream.take = take, box->stream.make = make;
  return &box->stream;
}
