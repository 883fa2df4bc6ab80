// Rotation by less than a quarter turn to either side. Every result pixel is an interpolation of 4 x 4 source pixels
// (Catmull-Rom: Keys 1981, a = -0.5), weighted by alpha, with the source extended at its edges; how much of the pixel
// the turned picture covers decides how much of the background shows.
#include "effects.h"

#include <math.h>

typedef struct {
  Stream stream;
  double cosine, sine;
  int opaque; // the ring holds three bytes a pixel, levels less 128, as it may hold most of the picture
  float background[4]; // color times alpha, 0 to 65025, and alpha times 255
  const uint8_t **rows; // the rows of the ring, twice
} Rotate;

// Places between two samples that the filter of opaque pictures knows, and its weights there, in 16384ths.
#define PHASE_BITS 10
#define ONE_BITS 14
static int16_t weights_of[1 << PHASE_BITS][4];

// The column and row of the source, as coordinates of pixel edges, at the center of a result pixel.
static double column_at(const Rotate *r, double x, double y) {
  const Stream *s = &r->stream;
  return s->width / 2.0 + (x + 0.5 - s->result_width / 2.0) * r->cosine + (y + 0.5 - s->result_height / 2.0) * r->sine;
}

static double row_at(const Rotate *r, double x, double y) {
  const Stream *s = &r->stream;
  return s->height / 2.0 - (x + 0.5 - s->result_width / 2.0) * r->sine + (y + 0.5 - s->result_height / 2.0) * r->cosine;
}

// The x of result row y, from `from` to before `to`, that lie in the picture grown by `margin` pixels.
static void touched(const Rotate *r, int y, double margin, int *from, int *to) {
  const Stream *s = &r->stream;
  const double column = column_at(r, 0, y), row = row_at(r, 0, y);
  double low = 0, high = s->result_width - 1;
  const double starts[2] = {column, row}, steps[2] = {r->cosine, -r->sine}, sizes[2] = {s->width, s->height};
  for (int axis = 0; axis < 2; axis++) {
    if (sizes[axis] + 2 * margin <= 0) high = -1;
    if (fabs(steps[axis]) < 1e-12) {
      if (starts[axis] < -margin || starts[axis] > sizes[axis] + margin) high = -1;
      continue;
    }
    const double a = (-margin - starts[axis]) / steps[axis], b = (sizes[axis] + margin - starts[axis]) / steps[axis];
    low = fmax(low, fmin(a, b)), high = fmin(high, fmax(a, b));
  }
  // Where there are none, both may be beyond what an integer holds.
  *from = *to = 0;
  if (low <= high) *from = (int)ceil(low), *to = (int)floor(high) + 1;
}

// The source row in the middle of what result row y crosses, and how far the crossing goes up and down from there.
static void crossed(const Rotate *r, int y, double *middle, double *reach) {
  const Stream *s = &r->stream;
  *middle = s->height / 2.0 + (y + 0.5 - s->result_height / 2.0) / r->cosine;
  *reach = (s->width / 2.0 + 1) * fabs(r->sine) / r->cosine;
}

static int first_row(const Stream *s, int y) {
  double middle, reach;
  crossed((const Rotate *)s, y, &middle, &reach);
  return (int)floor(middle - reach) - 3;
}

static int last_row(const Stream *s, int y) {
  double middle, reach;
  crossed((const Rotate *)s, y, &middle, &reach);
  return (int)ceil(middle + reach) + 3;
}

// The four weights for a place `t` of the way from the second sample to the third.
static inline v128_t weights_at(float t) {
  const v128_t at = wasm_f32x4_splat(t);
  v128_t w = wasm_f32x4_const(-0.5f, 1.5f, -1.5f, 0.5f);
  w = wasm_f32x4_add(wasm_f32x4_mul(w, at), wasm_f32x4_const(1.0f, -2.5f, 2.0f, -0.5f));
  w = wasm_f32x4_add(wasm_f32x4_mul(w, at), wasm_f32x4_const(-0.5f, 0.0f, 0.5f, 0.0f));
  return wasm_f32x4_add(wasm_f32x4_mul(w, at), wasm_f32x4_const(0.0f, 1.0f, 0.0f, 0.0f));
}

static inline v128_t floats_low(v128_t v) { return wasm_f32x4_convert_u32x4(wasm_u32x4_extend_low_u16x8(v)); }
static inline v128_t floats_high(v128_t v) { return wasm_f32x4_convert_u32x4(wasm_u32x4_extend_high_u16x8(v)); }

// Four neighbors of a row, premultiplied and weighted.
static inline v128_t across(v128_t bytes, v128_t w) {
  const v128_t alpha = wasm_i8x16_shuffle(bytes, bytes, 3, 3, 3, 3, 7, 7, 7, 7, 11, 11, 11, 11, 15, 15, 15, 15);
  const v128_t color = wasm_v128_or(bytes, wasm_i32x4_const_splat((int)0xff000000));
  const v128_t low = wasm_u16x8_extmul_low_u8x16(color, alpha), high = wasm_u16x8_extmul_high_u8x16(color, alpha);
  v128_t sum = wasm_f32x4_mul(floats_low(low), wasm_i32x4_shuffle(w, w, 0, 0, 0, 0));
  sum = wasm_f32x4_add(sum, wasm_f32x4_mul(floats_high(low), wasm_i32x4_shuffle(w, w, 1, 1, 1, 1)));
  sum = wasm_f32x4_add(sum, wasm_f32x4_mul(floats_low(high), wasm_i32x4_shuffle(w, w, 2, 2, 2, 2)));
  return wasm_f32x4_add(sum, wasm_f32x4_mul(floats_high(high), wasm_i32x4_shuffle(w, w, 3, 3, 3, 3)));
}

static void take_opaque(Stream *s, const uint8_t *source, uint8_t *place, int y) {
  (void)y;
  for (int x = 0; x < s->width; x++)
    for (int c = 0; c < 3; c++) place[(size_t)x * 3 + c] = source[(size_t)x * 4 + c] ^ 128;
}

// Pixels left to left + 3 of a row, the row extended. The ring has room for a load that begins at its last pixel.
static inline v128_t four_pixels(const Rotate *r, const uint8_t *row, int left) {
  const int width = r->stream.width;
  const v128_t opaque = wasm_i8x16_const_splat(-1);
  if (left >= 0 && left + 4 <= width) {
    if (!r->opaque) return wasm_v128_load(row + (size_t)left * 4);
    const v128_t bytes = wasm_v128_xor(wasm_v128_load(row + (size_t)left * 3), wasm_i8x16_const_splat(-128));
    return wasm_i8x16_shuffle(bytes, opaque, 0, 1, 2, 16, 3, 4, 5, 16, 6, 7, 8, 16, 9, 10, 11, 16);
  }
  uint32_t pixels[4];
  const size_t bytes = r->opaque ? 3 : 4;
  memset(pixels, 255, sizeof(pixels));
  for (int i = 0; i < 4; i++) memcpy(pixels + i, row + (size_t)clamp(left + i, 0, width - 1) * bytes, bytes);
  return r->opaque ? wasm_v128_xor(wasm_v128_load(pixels), wasm_i32x4_const_splat(0x808080)) : wasm_v128_load(pixels);
}

// The source at a place, premultiplied; overshoot of the filter is cut.
static v128_t interpolate(const Rotate *r, float column, float row) {
  const Stream *s = &r->stream;
  const float left = floorf(column - 0.5f), top = floorf(row - 0.5f);
  const v128_t w = weights_at(column - 0.5f - left), v = weights_at(row - 0.5f - top);
  v128_t sum = wasm_f32x4_const_splat(0);
#define ADD_ROW(i) \
  sum = wasm_f32x4_add(sum, wasm_f32x4_mul(across(four_pixels(r, ring_row(s, (int)top - 1 + i), (int)left - 1), w), \
                                           wasm_i32x4_shuffle(v, v, i, i, i, i)))
  ADD_ROW(0);
  ADD_ROW(1);
  ADD_ROW(2);
  ADD_ROW(3);
#undef ADD_ROW
  const v128_t most = wasm_f32x4_pmin(wasm_f32x4_const_splat(65025), wasm_i32x4_shuffle(sum, sum, 3, 3, 3, 3));
  return wasm_f32x4_pmax(wasm_f32x4_const_splat(0), wasm_f32x4_pmin(sum, most));
}

// The part of a pixel around `at` that lies between 0 and `size`.
static inline float covered(float at, float size) { return MIN(1, MAX(0, MIN(at, size - at) + 0.5f)); }

// What lies at x in result row y, near or beyond the edge of the picture.
static void make_edge(const Rotate *r, int x, int y, uint8_t *result) {
  const Stream *s = &r->stream;
  const v128_t background = wasm_v128_load(r->background);
  v128_t color = background;
  const float column = (float)column_at(r, x, y), row = (float)row_at(r, x, y);
  const float share = covered(column, (float)s->width) * covered(row, (float)s->height);
  if (share > 0) {
    const v128_t inside = wasm_f32x4_mul(interpolate(r, column, row), wasm_f32x4_splat(share));
    color = wasm_f32x4_add(inside, wasm_f32x4_mul(background, wasm_f32x4_splat(1 - share)));
  }
  store_mean(result + (size_t)x * 4, color, 1 / 255.0f);
}

// Three opaque samples, all of whose neighbors are in the picture, from places in 2^32ths of a pixel. Samples are taken
// as high bytes of 16 bits: of the first two columns side by side, and of the other two. Down first, to 128ths of a
// level.
static inline v128_t interpolate_opaque(const uint8_t *const *rows, int64_t column, int64_t row) {
  const size_t at = (size_t)((column >> 32) - 1) * 3;
  const uint8_t *const *top = rows + (row >> 32) - 1;
  const int16_t *w = weights_of[(uint32_t)column >> (32 - PHASE_BITS)], *v = weights_of[(uint32_t)row >> (32 - PHASE_BITS)];
  const v128_t near = wasm_i8x16_const(-1, 0, -1, 3, -1, 1, -1, 4, -1, 2, -1, 5, -1, 2, -1, 5);
  const v128_t far = wasm_i8x16_const(-1, 6, -1, 9, -1, 7, -1, 10, -1, 8, -1, 11, -1, 8, -1, 11);
  v128_t left = wasm_i16x8_const_splat(0), right = left;
  for (int i = 0; i < 4; i++) {
    const v128_t bytes = wasm_v128_load(top[i] + at), weight = wasm_v128_load16_splat(v + i);
    left = wasm_i16x8_add(left, times(permute(bytes, near), weight));
    right = wasm_i16x8_add(right, times(permute(bytes, far), weight));
  }
  const int bits = ONE_BITS + 7;
  const v128_t sum = wasm_i32x4_add(wasm_i32x4_dot_i16x8(left, wasm_v128_load32_splat(w)),
                                    wasm_i32x4_dot_i16x8(right, wasm_v128_load32_splat(w + 2)));
  return wasm_i32x4_shr(wasm_i32x4_add(sum, wasm_i32x4_const_splat((128 << bits) + (1 << (bits - 1)))), bits);
}

static void make_inside(const Rotate *r, int from, int to, int y, uint8_t *result) {
  const Stream *s = &r->stream;
  const int64_t right = (int64_t)(r->cosine * 4294967296.0), down = (int64_t)(-r->sine * 4294967296.0);
  // Rows are counted from the first that the ring holds.
  const int first = MAX(0, s->taken - s->ring_rows);
  const uint8_t *const *rows = r->rows + first % s->ring_rows;
  int64_t column = (int64_t)((column_at(r, from, y) - 0.5) * 4294967296.0);
  int64_t row = (int64_t)((row_at(r, from, y) - 0.5 - first) * 4294967296.0);
  for (int x = from; x < to; x++, column += right, row += down) {
    const v128_t v = interpolate_opaque(rows, column, row);
    const v128_t bytes = wasm_u8x16_narrow_i16x8(wasm_i16x8_narrow_i32x4(v, v), v);
    wasm_v128_store32_lane(result + (size_t)x * 4, wasm_v128_or(bytes, wasm_i32x4_const_splat((int)0xff000000)), 0);
  }
}

static void make(Stream *s, int y, uint8_t *result) {
  const Rotate *r = (const Rotate *)s;
  const int width = s->result_width;
  int from, to, inside, outside;
  touched(r, y, 1, &from, &to);
  // Two pixels to each side are in the picture, and a hundredth makes up for the rounding of places.
  touched(r, y, -2.01, &inside, &outside);
  if (!r->opaque || inside >= outside) inside = outside = to;
  store_mean(result, wasm_v128_load(r->background), 1 / 255.0f);
  uint32_t background;
  memcpy(&background, result, 4);
  for (int x = 0; x < width; x++) memcpy(result + (size_t)x * 4, &background, 4);
  for (int x = from; x < inside; x++) make_edge(r, x, y, result);
  make_inside(r, inside, outside, y, result);
  for (int x = outside; x < to; x++) make_edge(r, x, y, result);
}

static void find_weights(void) {
  for (int phase = 0; phase < 1 << PHASE_BITS; phase++) {
    float exact[4];
    wasm_v128_store(exact, weights_at((float)phase / (1 << PHASE_BITS)));
    int16_t *weights = weights_of[phase];
    int rest = 1 << ONE_BITS;
    for (int i = 0; i < 4; i++) rest -= weights[i] = (int16_t)roundf(exact[i] * (1 << ONE_BITS));
    weights[phase < 1 << (PHASE_BITS - 1) ? 1 : 2] += (int16_t)rest;
  }
}

static void dispose(Stream *s) { free(((Rotate *)s)->rows); }

static int list_rows(Rotate *r) {
  const Stream *s = &r->stream;
  r->rows = malloc(2 * (size_t)s->ring_rows * sizeof(*r->rows));
  if (!r->rows) return 0;
  for (int i = 0; i < 2 * s->ring_rows; i++) r->rows[i] = s->ring + (size_t)(i % s->ring_rows) * s->row_bytes;
  return 1;
}

// Clockwise, by the angle whose cosine (above 0) and sine are given; `background` is RGBA, 0 to 255.
Stream *EXPORT(rotate_open)(int width, int height, int result_width, int result_height, double cosine, double sine,
                            int opaque, const float *background) {
  Rotate *r = stream_open(sizeof(Rotate), width, height, result_width, result_height);
  if (!r) return NULL;
  r->stream.dispose = dispose;
  r->cosine = cosine, r->sine = sine, r->opaque = opaque;
  for (int c = 0; c < 3; c++) r->background[c] = background[c] * background[3];
  r->background[3] = background[3] * 255;
  if (!weights_of[0][1]) find_weights();
  const double slope = fabs(sine) / cosine;
  if (!stream_ring(&r->stream, (int)ceil((width + 2) * slope) + 10, (size_t)width * (opaque ? 3 : 4))) return NULL;
  if (!list_rows(r)) {
    stream_close(&r->stream);
    return NULL;
  }
  r->stream.first = first_row, r->stream.last = last_row;
  r->stream.take = opaque ? take_opaque : take_bytes, r->stream.make = make;
  return &r->stream;
}
