/* Disc blur: the mean of the pixels no further away than the radius, as an open lens draws points; edges extended. */
#include "effects.h"

#include <math.h>

#define MAX_REACH 32

typedef struct {
  Stream stream;
  int reach;
  int half[2 * MAX_REACH + 1]; /* how far the disc goes to each side, by row */
  int count;
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
      /* The rows are padded by the reach; a picture narrower than that has its last pixel there. */
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

/* A radius of 1 to MAX_REACH. */
Stream *EXPORT(disc_open)(int width, int height, double radius) {
  Disc *disc = stream_open(sizeof(Disc), width, height, width, height);
  if (!disc) return NULL;
  disc->reach = MIN(MAX_REACH, (int)radius);
  for (int dy = -disc->reach; dy <= disc->reach; dy++) {
    const int half = (int)sqrt(radius * radius - dy * dy);
    disc->half[dy + disc->reach] = half;
    disc->count += 2 * half + 1;
  }
  const size_t row_bytes = ((size_t)width + 2 * (size_t)(disc->reach + 1)) * 8;
  if (!stream_ring(&disc->stream, 2 * disc->reach + 1, row_bytes)) return NULL;
  disc->stream.first = first_row, disc->stream.last = last_row;
  disc->stream.take = take, disc->stream.make = make;
  return &disc->stream;
}
