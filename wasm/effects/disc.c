// Disc blur: the mean of the pixels no further away than the radius, as an open lens draws points; edges extended.
#include "effects.h"

#include <math.h>

#define MAX_REACH 32
#define VECTORS (LANES / 8)

typedef struct {
  Stream stream;
  int reach;
  int half[2 * MAX_REACH + 1]; // how far the disc goes to each side, by row
  int count;
  int16_t *changes; // of an opaque row: by how much the sum of each sample is more than that of the pixel before
} Disc;

static int first_row(const Stream *s, int y) { return y - ((const Disc *)s)->reach; }
static int last_row(const Stream *s, int y) { return y + ((const Disc *)s)->reach; }

static void take(Stream *s, const uint8_t *source, uint8_t *place, int y) {
  (void)y;
  premultiply_row((uint16_t *)place, source, s->width, ((Disc *)s)->reach + 1);
}

static void make(Stream *s, int y, uint8_t *result) {
  Disc *disc = (Disc *)s;
  const int reach = disc->reach, rows = 2 * reach + 1;
  const uint16_t *enter[2 * MAX_REACH + 1], *leave[2 * MAX_REACH + 1];
  v128_t sum = wasm_i32x4_const_splat(0);
  for (int row = 0; row < rows; row++) {
    const uint16_t *center = (uint16_t *)ring_row(s, y + row - reach) + (size_t)(reach + 1) * 4;
    const int half = disc->half[row];
    for (int x = -half; x <= half; x++) {
      // The rows are padded by the reach; a picture narrower than that has its last pixel there.
      sum = wasm_i32x4_add(sum, wasm_u32x4_load16x4(center + (ptrdiff_t)x * 4));
    }
    enter[row] = center + (ptrdiff_t)(half + 1) * 4;
    leave[row] = center - (ptrdiff_t)half * 4;
  }
  const float scale = 1 / (255.0f * (float)disc->count);
  for (int x = 0; x < s->width; x++) {
    store_mean(result + x * 4, wasm_f32x4_convert_u32x4(sum), scale);
    for (int row = 0; row < rows; row++) {
      sum = wasm_i32x4_add(sum, wasm_u32x4_load16x4(enter[row] + (size_t)x * 4));
      sum = wasm_i32x4_sub(sum, wasm_u32x4_load16x4(leave[row] + (size_t)x * 4));
    }
  }
}

static void dispose(Stream *s) { free(((Disc *)s)->changes); }

static void take_opaque(Stream *s, const uint8_t *source, uint8_t *place, int y) {
  (void)y;
  take_samples((int16_t *)place, source, s->width, ((Disc *)s)->reach + 1, 0);
}

// What comes into the disc around each pixel, row by row, without what went out of it.
static void find_changes(const Disc *disc, int y) {
  const int rows = 2 * disc->reach + 1;
  const int16_t *enter[2 * MAX_REACH + 1], *leave[2 * MAX_REACH + 1];
  for (int row = 0; row < rows; row++) {
    const int16_t *center = (int16_t *)ring_row(&disc->stream, y + row - disc->reach) + (size_t)(disc->reach + 1) * 3;
    enter[row] = center + (ptrdiff_t)disc->half[row] * 3;
    leave[row] = center - (ptrdiff_t)(disc->half[row] + 1) * 3;
  }
  for (size_t i = 0; i < (size_t)disc->stream.width * 3; i += LANES) {
    v128_t change[VECTORS];
    for (int j = 0; j < VECTORS; j++) change[j] = wasm_i16x8_const_splat(0);
    for (int row = 0; row < rows; row++)
      for (int j = 0; j < VECTORS; j++) {
        const v128_t in = wasm_v128_load(enter[row] + i + j * 8), out = wasm_v128_load(leave[row] + i + j * 8);
        change[j] = wasm_i16x8_add(change[j], wasm_i16x8_sub(in, out));
      }
    for (int j = 0; j < VECTORS; j++) wasm_v128_store(disc->changes + i + j * 8, change[j]);
  }
}

static void make_opaque(Stream *s, int y, uint8_t *result) {
  const Disc *disc = (const Disc *)s;
  const v128_t share = wasm_f32x4_splat(1.0f / (float)disc->count);
  v128_t sum = wasm_i32x4_const_splat(0);
  for (int row = 0; row < 2 * disc->reach + 1; row++) {
    // Around the pixel before the first.
    const int16_t *center = (int16_t *)ring_row(s, y + row - disc->reach) + (size_t)disc->reach * 3;
    for (int x = -disc->half[row]; x <= disc->half[row]; x++)
      sum = wasm_i32x4_add(sum, wasm_i32x4_load16x4(center + (ptrdiff_t)x * 3));
  }
  find_changes(disc, y);
  for (int x = 0; x < s->width; x++, result += 4) {
    sum = wasm_i32x4_add(sum, wasm_i32x4_load16x4(disc->changes + (size_t)x * 3));
    store_bytes(result, wasm_f32x4_mul(wasm_f32x4_convert_i32x4(sum), share));
    result[3] = 255;
  }
}

// A radius of 1 to MAX_REACH.
Stream *EXPORT(disc_open)(int width, int height, double radius, int opaque) {
  Disc *disc = stream_open(sizeof(Disc), width, height, width, height);
  if (!disc) return NULL;
  disc->stream.dispose = dispose;
  disc->reach = MIN(MAX_REACH, (int)radius);
  for (int dy = -disc->reach; dy <= disc->reach; dy++) {
    const int half = (int)sqrt(radius * radius - dy * dy);
    disc->half[dy + disc->reach] = half;
    disc->count += 2 * half + 1;
  }
  disc->changes = malloc(padded_samples((size_t)width * 3) * sizeof(int16_t));
  if (!disc->changes) {
    stream_close(&disc->stream);
    return NULL;
  }
  const size_t pixels = (size_t)width + 2 * (size_t)(disc->reach + 1);
  const size_t row_bytes = opaque ? padded_samples(pixels * 3) * sizeof(int16_t) : pixels * 8;
  if (!stream_ring(&disc->stream, 2 * disc->reach + 1, row_bytes)) return NULL;
  disc->stream.first = first_row, disc->stream.last = last_row;
  disc->stream.take = opaque ? take_opaque : take, disc->stream.make = opaque ? make_opaque : make;
  return &disc->stream;
}
