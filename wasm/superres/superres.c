// The stream of rows: a ring of planes of samples, and two result rows for every source row.
#include "superres.h"

typedef struct {
  Stream stream;
  Layout layout;
  const Filter (*filters)[4];
  int measured;                    // source rows whose moments are known
  float *moments, *scratch;        // a ring of TAP_ROWS rows of three planes; three planes
  int16_t *low, *high;             // what results may be, by plane
  uint16_t *buckets;
  uint8_t *odd;                    // the second of the two result rows
} Superres;

static int first_row(const Stream *s, int y) { (void)s; return y / 2 - REACH - 1; }
static int last_row(const Stream *s, int y) { (void)s; return y / 2 + REACH + 1; }

static void extend(int16_t *samples, int width) {
  for (int x = 1; x <= MARGIN; x++) samples[-x] = samples[0], samples[width - 1 + x] = samples[width - 1];
}

// Color is multiplied by alpha; the hash looks at luma and alpha together, so that it sees the outline of any color.
static void take(Stream *s, const uint8_t *source, uint8_t *place, int y) {
  (void)y;
  const Layout *layout = &((const Superres *)s)->layout;
  const int planes = layout->planes;
  int16_t *p[4], *look = samples_of(layout, place, planes);
  for (int i = 0; i < planes; i++) p[i] = samples_of(layout, place, i);
  for (int x = 0; x < s->width; x++, source += 4) {
    const int alpha = planes == 4 ? source[3] : 255;
    int color[3];
    for (int i = 0; i < 3; i++) {
      color[i] = alpha == 255 ? source[i] << SAMPLE_BITS : ((source[i] * alpha << SAMPLE_BITS) + 127) / 255;
      p[i][x] = (int16_t)color[i];
    }
    const int luma = (77 * color[0] + 150 * color[1] + 29 * color[2]) >> 8;
    if (planes == 4) p[3][x] = (int16_t)(alpha << SAMPLE_BITS);
    look[x] = (int16_t)(planes == 4 ? luma + (alpha << SAMPLE_BITS) : luma);
  }
  for (int i = 0; i <= planes; i++) extend(samples_of(layout, place, i), s->width);
}

// What a result may be: between the least and the greatest of the nine pixels around, and a 32nd of that beyond.
static void bound(const Superres *r, int y, int plane) {
  const Layout *layout = &r->layout;
  const int16_t *rows[3];
  for (int k = 0; k < 3; k++) rows[k] = samples_of(layout, ring_row(&r->stream, y + k - 1), plane);
  int16_t *low = r->low + (size_t)plane * layout->plane, *high = r->high + (size_t)plane * layout->plane;
  for (int x = 0; x < layout->width; x += 8) {
    v128_t least = wasm_v128_load(rows[0] + x), most = least;
    for (int k = 0; k < 3; k++)
      for (int i = -1; i <= 1; i++) {
        const v128_t samples = wasm_v128_load(rows[k] + x + i);
        least = wasm_i16x8_min(least, samples), most = wasm_i16x8_max(most, samples);
      }
    const v128_t slack = wasm_i16x8_shr(wasm_i16x8_sub(most, least), 5);
    wasm_v128_store(low + x, wasm_i16x8_sub(least, slack));
    wasm_v128_store(high + x, wasm_i16x8_add(most, slack));
  }
}

static void find_buckets(Superres *r, int y) {
  const Stream *s = &r->stream;
  const Layout *layout = &r->layout;
  const size_t row = 3 * layout->plane;
  for (; r->measured <= MIN(y + REACH, s->height - 1); r->measured++) {
    const int16_t *look[3];
    for (int k = 0; k < 3; k++) look[k] = samples_of(layout, ring_row(s, r->measured + k - 1), layout->planes);
    float *moments = r->moments + (size_t)(r->measured % TAP_ROWS) * row;
    superres_moments(layout, look[0], look[1], look[2], r->scratch, moments);
  }
  float *around[TAP_ROWS];
  for (int k = 0; k < TAP_ROWS; k++)
    around[k] = r->moments + (size_t)(clamp(y + k - REACH, 0, s->height - 1) % TAP_ROWS) * row;
  const int16_t *look[3];
  for (int k = 0; k < 3; k++) look[k] = samples_of(layout, ring_row(s, y + k - 1), layout->planes);
  superres_buckets(layout, look[0], look[1], look[2], around, r->buckets);
}

// The sums of four vectors, as one.
static inline v128_t sums_of(v128_t a, v128_t b, v128_t c, v128_t d) {
  const v128_t ab = wasm_i32x4_add(wasm_i32x4_shuffle(a, b, 0, 4, 1, 5), wasm_i32x4_shuffle(a, b, 2, 6, 3, 7));
  const v128_t cd = wasm_i32x4_add(wasm_i32x4_shuffle(c, d, 0, 4, 1, 5), wasm_i32x4_shuffle(c, d, 2, 6, 3, 7));
  return wasm_i32x4_add(wasm_i64x2_shuffle(ab, cd, 0, 2), wasm_i64x2_shuffle(ab, cd, 1, 3));
}

// One plane of the four pixels that pixel x becomes, in samples.
static inline v128_t quad(const Superres *r, const int16_t *const rows[TAP_ROWS], const Filter filters[4], int plane, int x) {
  v128_t sums[4];
  for (int row = 0; row < TAP_ROWS; row++) {
    const v128_t samples = wasm_v128_load(rows[row] + x - REACH);
    for (int phase = 0; phase < 4; phase++) {
      const v128_t term = wasm_i32x4_dot_i16x8(samples, wasm_v128_load(filters[phase][row]));
      sums[phase] = row ? wasm_i32x4_add(sums[phase], term) : term;
    }
  }
  v128_t v = sums_of(sums[0], sums[1], sums[2], sums[3]);
  v = wasm_i32x4_shr(wasm_i32x4_add(v, wasm_i32x4_const_splat(1 << (ONE_BITS - 1))), ONE_BITS);
  const size_t at = (size_t)plane * r->layout.plane + (size_t)x;
  v = wasm_i32x4_max(v, wasm_i32x4_splat(r->low[at]));
  v = wasm_i32x4_min(v, wasm_i32x4_splat(r->high[at]));
  return wasm_i32x4_max(v, wasm_i32x4_const_splat(0));
}

static inline v128_t levels(v128_t samples) {
  const v128_t rounded = wasm_i32x4_add(samples, wasm_i32x4_const_splat(1 << (SAMPLE_BITS - 1)));
  return wasm_i32x4_min(wasm_i32x4_shr(rounded, SAMPLE_BITS), wasm_i32x4_const_splat(255));
}

// Samples of color by samples of alpha, as levels.
static inline v128_t straight(v128_t color, v128_t alpha) {
  const v128_t whole = wasm_f32x4_convert_i32x4(wasm_i32x4_max(alpha, wasm_i32x4_const_splat(1)));
  const v128_t scaled = wasm_f32x4_mul(wasm_f32x4_convert_i32x4(color), wasm_f32x4_const_splat(255));
  const v128_t level = wasm_f32x4_add(wasm_f32x4_div(scaled, whole), wasm_f32x4_const_splat(0.5f));
  return wasm_i32x4_min(wasm_i32x4_trunc_sat_f32x4(level), wasm_i32x4_const_splat(255));
}

static inline v128_t packed(v128_t red, v128_t green, v128_t blue, v128_t alpha) {
  return wasm_v128_or(wasm_v128_or(red, wasm_i32x4_shl(green, 8)),
                      wasm_v128_or(wasm_i32x4_shl(blue, 16), wasm_i32x4_shl(alpha, 24)));
}

static inline __attribute__((always_inline)) void make_pair(const Superres *r, int y, uint8_t *even, int planes) {
  const int16_t *rows[4][TAP_ROWS];
  for (int plane = 0; plane < planes; plane++)
    for (int k = 0; k < TAP_ROWS; k++)
      rows[plane][k] = samples_of(&r->layout, ring_row(&r->stream, y + k - REACH), plane);
  for (int x = 0; x < r->layout.width; x++) {
    const Filter *filters = r->filters[r->buckets[x]];
    v128_t v[4];
    for (int plane = 0; plane < planes; plane++) v[plane] = quad(r, rows[plane], filters, plane, x);
    v128_t pixels;
    if (planes == 4) {
      const v128_t alpha = levels(v[3]);
      pixels = packed(straight(v[0], v[3]), straight(v[1], v[3]), straight(v[2], v[3]), alpha);
      pixels = wasm_v128_andnot(pixels, wasm_i32x4_eq(alpha, wasm_i32x4_const_splat(0)));
    } else {
      pixels = packed(levels(v[0]), levels(v[1]), levels(v[2]), wasm_i32x4_const_splat(255));
    }
    wasm_v128_store64_lane(even + (size_t)x * 8, pixels, 0);
    wasm_v128_store64_lane(r->odd + (size_t)x * 8, pixels, 1);
  }
}

static void make(Stream *s, int y, uint8_t *result) {
  Superres *r = (Superres *)s;
  if (y % 2) {
    memcpy(result, r->odd, (size_t)s->result_width * 4);
    return;
  }
  find_buckets(r, y / 2);
  for (int plane = 0; plane < r->layout.planes; plane++) bound(r, y / 2, plane);
  if (r->layout.planes == 4) make_pair(r, y / 2, result, 4);
  else make_pair(r, y / 2, result, 3);
}

static void dispose(Stream *s) {
  Superres *r = (Superres *)s;
  free(r->moments), free(r->scratch), free(r->low), free(r->high), free(r->buckets), free(r->odd);
}

// Twice the size; `doubling` is 0 for a picture as it came, and 1 for one that was doubled before.
Stream *EXPORT(superres_open)(int width, int height, int doubling, int opaque) {
  Superres *r = stream_open(sizeof(Superres), width, height, 2 * width, 2 * height);
  if (!r) return NULL;
  Stream *s = &r->stream;
  s->dispose = dispose;
  const int planes = opaque ? 3 : 4;
  const size_t plane = ((size_t)width + 2 * MARGIN + 7) & ~(size_t)7;
  r->layout = (Layout){width, planes, plane};
  r->filters = superres_filters(doubling);
  r->moments = calloc(TAP_ROWS * 3 * plane, sizeof(float));
  r->scratch = calloc(3 * plane, sizeof(float));
  r->low = malloc((size_t)planes * plane * sizeof(int16_t));
  r->high = malloc((size_t)planes * plane * sizeof(int16_t));
  r->buckets = malloc(plane * sizeof(uint16_t));
  r->odd = malloc((size_t)width * 8);
  if (!r->moments || !r->scratch || !r->low || !r->high || !r->buckets || !r->odd) {
    stream_close(s);
    return NULL;
  }
  if (!stream_ring(s, 2 * (REACH + 1) + 2, (size_t)(planes + 1) * plane * sizeof(int16_t))) return NULL;
  s->first = first_row, s->last = last_row;
  s->take = take, s->make = make;
  return s;
}
