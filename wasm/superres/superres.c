// The stream of rows: a ring of planes of samples, and two result rows for every source row.
#include "superres.h"

#include "network.h"

typedef struct {
  Stream stream;
  Layout layout;
  int measured;                    // source rows whose moments are known
  float *moments, *scratch;        // a ring of TAP_ROWS rows of three planes; three planes
  int16_t *bounds;                 // those of the planes, then those of luma
  uint16_t *buckets;
  uint8_t *odd;                    // the second of the two result rows
  Network network;
  int16_t *luma;                   // what the network makes of it; null without one
  uint32_t slack;                  // of filters
  Sources sources;
} Superres;

// A result of filters may leave the range of the nine pixels around it by this power of two of the range: a 32nd, and a
// 128th where a doubled picture is doubled again, so that halos do not grow.
static const uint32_t filter_slack[2] = {5, 7};

// What the network makes may leave it by a quarter, which textures need, but by eight levels at most: no halos.
#define NETWORK_SLACK 2
#define MAX_SLACK (8 << SAMPLE_BITS)

static int first_row(const Stream *s, int y) { (void)s; return y / 2 - REACH - 1; }
static int last_row(const Stream *s, int y) { (void)s; return y / 2 + REACH + 1; }
static int last_row_of_network(const Stream *s, int y) { (void)s; return y / 2 + NETWORK_REACH; }

static void extend(int16_t *samples, int width) {
  for (int x = 1; x <= MARGIN; x++) samples[-x] = samples[0], samples[width - 1 + x] = samples[width - 1];
}

// Color is multiplied by alpha; the hash looks at luma and alpha together, so that it sees the outline of any color.
static void take(Stream *s, const uint8_t *source, uint8_t *place, int y) {
  (void)y;
  const Layout *layout = &((const Superres *)s)->layout;
  const int planes = layout->planes;
  int16_t *p[4], *look = samples_of(layout, place, layout->look), *lumas = samples_of(layout, place, layout->luma);
  for (int i = 0; i < planes; i++) p[i] = samples_of(layout, place, i);
  for (int x = 0; x < s->width; x++, source += 4) {
    const int alpha = planes == 4 ? source[3] : 255;
    int color[3];
    for (int i = 0; i < 3; i++) {
      color[i] = alpha == 255 ? source[i] << SAMPLE_BITS : ((source[i] * alpha << SAMPLE_BITS) + 127) / 255;
      p[i][x] = (int16_t)color[i];
    }
    const int luma = (LUMA_RED_256 * color[0] + LUMA_GREEN_256 * color[1] + LUMA_BLUE_256 * color[2]) >> 8;
    lumas[x] = (int16_t)luma;
    if (planes < 4) continue;
    p[ALPHA][x] = (int16_t)(alpha << SAMPLE_BITS);
    look[x] = (int16_t)(luma + (alpha << SAMPLE_BITS));
  }
  for (int i = 0; i <= layout->luma; i++) extend(samples_of(layout, place, i), s->width);
}

// What a result may be: between the least and the greatest of the nine pixels around, and that part of their difference
// beyond, at most `most_slack`.
static Bounds bound(const Superres *r, int y, int plane, uint32_t slack, int most_slack, int index) {
  const Layout *layout = &r->layout;
  int16_t *low = r->bounds + (size_t)index * 2 * layout->plane;
  const Bounds bounds = {low, low + layout->plane};
  const int16_t *rows[3];
  for (int k = 0; k < 3; k++) rows[k] = samples_of(layout, ring_row(&r->stream, y + k - 1), plane);
  for (int x = 0; x < layout->width; x += 8) {
    v128_t least = wasm_v128_load(rows[0] + x), most = least;
    for (int k = 0; k < 3; k++)
      for (int i = -1; i <= 1; i++) {
        const v128_t samples = wasm_v128_load(rows[k] + x + i);
        least = wasm_i16x8_min(least, samples), most = wasm_i16x8_max(most, samples);
      }
    v128_t more = wasm_i16x8_shr(wasm_i16x8_sub(most, least), slack);
    more = wasm_i16x8_min(more, wasm_i16x8_splat((int16_t)most_slack));
    wasm_v128_store(bounds.low + x, wasm_i16x8_sub(least, more));
    wasm_v128_store(bounds.high + x, wasm_i16x8_add(most, more));
  }
  return bounds;
}

static void find_buckets(Superres *r, int y) {
  const Stream *s = &r->stream;
  const Layout *layout = &r->layout;
  const size_t row = 3 * layout->plane;
  for (; r->measured <= MIN(y + REACH, s->height - 1); r->measured++) {
    const int16_t *look[3];
    for (int k = 0; k < 3; k++) look[k] = samples_of(layout, ring_row(s, r->measured + k - 1), layout->look);
    float *moments = r->moments + (size_t)(r->measured % TAP_ROWS) * row;
    superres_moments(layout, look[0], look[1], look[2], r->scratch, moments);
  }
  float *around[TAP_ROWS];
  for (int k = 0; k < TAP_ROWS; k++)
    around[k] = r->moments + (size_t)(clamp(y + k - REACH, 0, s->height - 1) % TAP_ROWS) * row;
  const int16_t *look[3];
  for (int k = 0; k < 3; k++) look[k] = samples_of(layout, ring_row(s, y + k - 1), layout->look);
  superres_buckets(layout, look[0], look[1], look[2], around, r->buckets);
}

static const int16_t *luma_row(const void *context, int y) {
  const Superres *r = context;
  return samples_of(&r->layout, ring_row(&r->stream, y), r->layout.luma);
}

static void make(Stream *s, int y, uint8_t *result) {
  Superres *r = (Superres *)s;
  Sources *sources = &r->sources;
  const int planes = r->layout.planes;
  if (y % 2) {
    memcpy(result, r->odd, (size_t)s->result_width * 4);
    return;
  }
  find_buckets(r, y / 2);
  for (int plane = 0; plane < planes; plane++) {
    for (int k = 0; k < TAP_ROWS; k++)
      sources->rows[plane][k] = samples_of(&r->layout, ring_row(s, y / 2 + k - REACH), plane);
    sources->bounds[plane] = bound(r, y / 2, plane, r->slack, INT16_MAX, plane);
  }
  if (r->luma) {
    network_double(&r->network, y / 2, luma_row, r, r->luma);
    sources->luma_bounds = bound(r, y / 2, r->layout.luma, NETWORK_SLACK, MAX_SLACK, planes);
  }
  superres_pixels(sources, result, r->odd);
}

static void dispose(Stream *s) {
  Superres *r = (Superres *)s;
  free(r->moments), free(r->scratch), free(r->bounds), free(r->buckets), free(r->odd);
  free(r->luma);
  network_close(&r->network);
}

// Which network makes luma; 0 is none, and any other the small one.
#define LARGE_NETWORK 2

// Everything besides the ring. Returns 0 when memory ran out.
static int allocate(Superres *r, int network) {
  const int width = r->stream.width;
  const size_t plane = r->layout.plane;
  r->moments = calloc(TAP_ROWS * 3 * plane, sizeof(float));
  r->scratch = calloc(3 * plane, sizeof(float));
  r->bounds = malloc((size_t)(r->layout.planes + 1) * 2 * plane * sizeof(int16_t));
  r->buckets = malloc(plane * sizeof(uint16_t));
  r->odd = malloc((size_t)width * 8);
  if (!r->moments || !r->scratch || !r->bounds || !r->buckets || !r->odd) return 0;
  if (!network) return 1;
  r->luma = malloc(plane * 4 * sizeof(int16_t));
  return r->luma && network_open(&r->network, width, network == LARGE_NETWORK);
}

// Twice the size; `doubling` is 0 for a picture as it came, and 1 for one that was doubled before.
Stream *EXPORT(superres_open)(int width, int height, int doubling, int opaque, int network) {
  Superres *r = stream_open(sizeof(Superres), width, height, 2 * width, 2 * height);
  if (!r) return NULL;
  Stream *s = &r->stream;
  s->dispose = dispose;
  const int planes = opaque ? 3 : 4;
  const size_t plane = ((size_t)width + 2 * MARGIN + 7) & ~(size_t)7;
  // The hash of an opaque picture looks at luma itself.
  r->layout = (Layout){width, planes, planes, opaque ? planes : planes + 1, plane};
  r->slack = filter_slack[doubling];
  if (!allocate(r, network)) {
    stream_close(s);
    return NULL;
  }
  r->sources = (Sources){.layout = &r->layout, .filters = superres_filters(doubling), .buckets = r->buckets, .luma = r->luma};
  const int reach = network ? NETWORK_REACH : REACH + 1;
  if (!stream_ring(s, REACH + 1 + reach + 3, (size_t)(r->layout.luma + 1) * plane * sizeof(int16_t))) return NULL;
  s->first = first_row, s->last = network ? last_row_of_network : last_row;
  s->take = take, s->make = make;
  return s;
}
