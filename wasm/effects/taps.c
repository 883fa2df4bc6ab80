// A filter of few scattered taps, the same everywhere, as motion blur needs it; edges are extended. Opaque pictures are
// filtered in 16 bits: each tap rounds to a 256th of a level.
#include "effects.h"

#define FRACTION 7 // bits of the samples of opaque pictures
#define VECTORS (LANES / 8)
#define WHOLE 32768.0f

typedef struct { int x, y, weight; } Tap;

typedef struct {
  Stream stream;
  int reach_x, reach_y, count;
  Tap *taps;
  const uint16_t **rows; // of each tap, at x = 0 of the result row that is being made
  uint8_t *bytes;        // the result row without alpha
} Taps;

static int first_row(const Stream *s, int y) { return y - ((const Taps *)s)->reach_y; }
static int last_row(const Stream *s, int y) { return y + ((const Taps *)s)->reach_y; }

static void take(Stream *s, const uint8_t *source, uint8_t *place, int y) {
  (void)y;
  premultiply_row((uint16_t *)place, source, s->width, ((Taps *)s)->reach_x);
}

static void take_opaque(Stream *s, const uint8_t *source, uint8_t *place, int y) {
  (void)y;
  take_samples((int16_t *)place, source, s->width, ((Taps *)s)->reach_x, FRACTION);
}

static void find_rows(Taps *filter, int y, int channels) {
  for (int tap = 0; tap < filter->count; tap++) {
    const Tap *t = filter->taps + tap;
    filter->rows[tap] = (uint16_t *)ring_row(&filter->stream, y + t->y) + (ptrdiff_t)(filter->reach_x + t->x) * channels;
  }
}

static void make_opaque(Stream *s, int y, uint8_t *result) {
  Taps *filter = (Taps *)s;
  find_rows(filter, y, 3);
  for (size_t i = 0; i < (size_t)s->width * 3; i += LANES) {
    v128_t sum[VECTORS];
    for (int j = 0; j < VECTORS; j++) sum[j] = wasm_i16x8_const_splat(1 << (FRACTION - 1));
    for (int tap = 0; tap < filter->count; tap++) {
      const uint16_t *samples = filter->rows[tap] + i;
      const v128_t weight = wasm_i16x8_splat((int16_t)filter->taps[tap].weight);
      for (int j = 0; j < VECTORS; j++) sum[j] = wasm_i16x8_add(sum[j], times(wasm_v128_load(samples + j * 8), weight));
    }
    for (int j = 0; j < VECTORS; j += 2)
      wasm_v128_store(filter->bytes + i + j * 8,
                      wasm_u8x16_narrow_i16x8(wasm_u16x8_shr(sum[j], FRACTION), wasm_u16x8_shr(sum[j + 1], FRACTION)));
  }
  store_opaque(result, filter->bytes, s->width);
}

static void make(Stream *s, int y, uint8_t *result) {
  Taps *filter = (Taps *)s;
  find_rows(filter, y, 4);
  const float scale = 1 / (255.0f * WHOLE);
  int x = 0;
  for (; x + 1 < s->width; x += 2) {
    v128_t left = wasm_i32x4_const_splat(0), right = left;
    for (int tap = 0; tap < filter->count; tap++) {
      const v128_t pixels = wasm_v128_load(filter->rows[tap] + (size_t)x * 4);
      const v128_t weight = wasm_i16x8_splat((int16_t)filter->taps[tap].weight);
      left = wasm_i32x4_add(left, wasm_u32x4_extmul_low_u16x8(pixels, weight));
      right = wasm_i32x4_add(right, wasm_u32x4_extmul_high_u16x8(pixels, weight));
    }
    store_mean(result + x * 4, wasm_f32x4_convert_u32x4(left), scale);
    store_mean(result + x * 4 + 4, wasm_f32x4_convert_u32x4(right), scale);
  }
  if (x == s->width) return;
  v128_t sum = wasm_i32x4_const_splat(0);
  for (int tap = 0; tap < filter->count; tap++) {
    const v128_t pixel = wasm_u32x4_load16x4(filter->rows[tap] + (size_t)x * 4);
    sum = wasm_i32x4_add(sum, wasm_i32x4_mul(pixel, wasm_i32x4_splat(filter->taps[tap].weight)));
  }
  store_mean(result + x * 4, wasm_f32x4_convert_u32x4(sum), scale);
}

static void dispose(Stream *s) {
  free(((Taps *)s)->taps);
  free(((Taps *)s)->rows);
  free(((Taps *)s)->bytes);
}

// `taps` holds x, y and weight of each of up to 127; the weights are at most 32767 and add up to 32768.
Stream *EXPORT(taps_open)(int width, int height, const int32_t *taps, int count, int opaque) {
  Taps *filter = stream_open(sizeof(Taps), width, height, width, height);
  if (!filter) return NULL;
  filter->stream.dispose = dispose;
  filter->count = count;
  filter->taps = malloc((size_t)count * sizeof(Tap));
  filter->rows = malloc((size_t)count * sizeof(uint16_t *));
  filter->bytes = malloc(padded_samples((size_t)width * 3));
  if (!filter->taps || !filter->rows || !filter->bytes) {
    stream_close(&filter->stream);
    return NULL;
  }
  memcpy(filter->taps, taps, (size_t)count * sizeof(Tap));
  for (int tap = 0; tap < count; tap++) {
    filter->reach_x = MAX(filter->reach_x, abs(filter->taps[tap].x));
    filter->reach_y = MAX(filter->reach_y, abs(filter->taps[tap].y));
  }
  const size_t pixels = (size_t)width + 2 * (size_t)filter->reach_x;
  const size_t row_bytes = opaque ? padded_samples(pixels * 3) * sizeof(int16_t) : pixels * 8;
  if (!stream_ring(&filter->stream, 2 * filter->reach_y + 1, row_bytes)) return NULL;
  filter->stream.first = first_row, filter->stream.last = last_row;
  filter->stream.take = opaque ? take_opaque : take, filter->stream.make = opaque ? make_opaque : make;
  return &filter->stream;
}
