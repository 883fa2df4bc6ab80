// The stream of rows: a ring of planes of samples, and two result rows for every source row.
#include "superres.h"

#include "network.h"

typedef struct {
  Stream stream;
  Layout layout;
  int16_t *bounds;                 // those of the planes, of luma, and of alpha as its network makes it
  int most_slack;                  // of what networks make
  uint8_t *odd;                    // the second of the two result rows
  int forms;                       // of the network that makes luma: as it is, and turned
  int16_t *turned;                 // what the second of them made
  Network luma[2], alpha;
  Sources sources;
} Superres;

// A result of Lanczos3 may leave the range of the nine pixels around it by a 32nd of that range.
#define COLOR_SLACK 5

// What a network makes may leave it by a quarter, which textures need, but by so many samples at most: no halos.
#define NETWORK_SLACK 2

static int first_row(const Stream *s, int y) { (void)s; return y / 2 - REACH; }
static int last_row(const Stream *s, int y) { (void)s; return y / 2 + NETWORK_REACH; }

// Rows between those, both included.
#define RING_ROWS (REACH + 1 + NETWORK_REACH)

_Static_assert(NETWORK_REACH >= REACH, "the rows after one are there");

static void extend(int16_t *samples, int width) {
  for (int x = 1; x <= MARGIN; x++) samples[-x] = samples[0], samples[width - 1 + x] = samples[width - 1];
}

// Color is multiplied by alpha, and so is luma.
static void take(Stream *s, const uint8_t *source, uint8_t *place, int y) {
  (void)y;
  const Layout *layout = &((const Superres *)s)->layout;
  const int planes = layout->planes;
  int16_t *p[4], *luma = samples_of(layout, place, planes);
  for (int i = 0; i < planes; i++) p[i] = samples_of(layout, place, i);
  for (int x = 0; x < s->width; x++, source += 4) {
    const int alpha = planes > ALPHA ? source[3] : 255;
    int color[3];
    for (int i = 0; i < 3; i++) {
      color[i] = alpha == 255 ? source[i] << SAMPLE_BITS : ((source[i] * alpha << SAMPLE_BITS) + 127) / 255;
      p[i][x] = (int16_t)color[i];
    }
    luma[x] = (int16_t)((LUMA_RED_256 * color[0] + LUMA_GREEN_256 * color[1] + LUMA_BLUE_256 * color[2]) >> 8);
    if (planes > ALPHA) p[ALPHA][x] = (int16_t)(alpha << SAMPLE_BITS);
  }
  for (int i = 0; i <= planes; i++) extend(samples_of(layout, place, i), s->width);
}

// What a result may be: between the least and the greatest of the nine pixels around, and that part of their difference
// beyond, at most `most_slack`.
static void bound(const Superres *r, int y, int plane, uint32_t slack, int most_slack, const Bounds *bounds) {
  const int16_t *rows[3];
  for (int k = 0; k < 3; k++) rows[k] = samples_of(&r->layout, ring_row(&r->stream, y + k - 1), plane);
  for (int x = 0; x < r->layout.width; x += 8) {
    v128_t least = wasm_v128_load(rows[0] + x), most = least;
    for (int k = 0; k < 3; k++)
      for (int i = -1; i <= 1; i++) {
        const v128_t samples = wasm_v128_load(rows[k] + x + i);
        least = wasm_i16x8_min(least, samples), most = wasm_i16x8_max(most, samples);
      }
    v128_t more = wasm_i16x8_shr(wasm_i16x8_sub(most, least), slack);
    more = wasm_i16x8_min(more, wasm_i16x8_splat((int16_t)most_slack));
    wasm_v128_store(bounds->low + x, wasm_i16x8_sub(least, more));
    wasm_v128_store(bounds->high + x, wasm_i16x8_add(most, more));
  }
}

static const int16_t *luma_row(const void *context, int y) {
  const Superres *r = context;
  return samples_of(&r->layout, ring_row(&r->stream, y), r->layout.planes);
}

static const int16_t *alpha_row(const void *context, int y) {
  const Superres *r = context;
  return samples_of(&r->layout, ring_row(&r->stream, y), ALPHA);
}

// The mean of what both forms made, in the place of the first.
static void average(int16_t *quads, const int16_t *turned, size_t count) {
  // The mean that the instruction makes is one of numbers without a sign.
  const v128_t sign = wasm_i16x8_splat(INT16_MIN);
  for (size_t i = 0; i < count; i += 8) {
    const v128_t a = wasm_v128_xor(wasm_v128_load(quads + i), sign), b = wasm_v128_xor(wasm_v128_load(turned + i), sign);
    wasm_v128_store(quads + i, wasm_v128_xor(wasm_u16x8_avgr(a, b), sign));
  }
}

static void make(Stream *s, int y, uint8_t *result) {
  Superres *r = (Superres *)s;
  Sources *sources = &r->sources;
  const int planes = r->layout.planes;
  if (y % 2) {
    memcpy(result, r->odd, (size_t)s->result_width * 4);
    return;
  }
  y /= 2;
  for (int plane = 0; plane < planes; plane++) {
    for (int k = 0; k < TAP_ROWS; k++)
      sources->rows[plane][k] = samples_of(&r->layout, ring_row(s, y + k - REACH), plane);
    bound(r, y, plane, COLOR_SLACK, INT16_MAX, &sources->bounds[plane]);
  }
  network_double(&r->luma[0], y, luma_row, r, sources->luma.quads);
  if (r->forms == 2) {
    network_double(&r->luma[1], y, luma_row, r, r->turned);
    average(sources->luma.quads, r->turned, (size_t)(s->width + 1) / 2 * 8);
  }
  bound(r, y, planes, NETWORK_SLACK, r->most_slack, &sources->luma.bounds);
  if (planes > ALPHA) {
    network_double(&r->alpha, y, alpha_row, r, sources->alpha.quads);
    bound(r, y, ALPHA, NETWORK_SLACK, r->most_slack, &sources->alpha.bounds);
  }
  superres_pixels(sources, result, r->odd);
}

static void dispose(Stream *s) {
  Superres *r = (Superres *)s;
  free(r->bounds), free(r->odd), free(r->turned);
  free(r->sources.luma.quads), free(r->sources.alpha.quads);
  network_close(&r->luma[0]), network_close(&r->luma[1]), network_close(&r->alpha);
}

// Everything besides the ring. Returns 0 when memory ran out.
static int allocate(Superres *r, Kind kind) {
  const int width = r->stream.width, planes = r->layout.planes, has_alpha = planes > ALPHA;
  const size_t plane = r->layout.plane;
  Sources *sources = &r->sources;
  *sources = (Sources){.layout = &r->layout};
  r->bounds = malloc((size_t)(planes + 2) * 2 * plane * sizeof(int16_t));
  r->odd = malloc((size_t)width * 8);
  sources->luma.quads = malloc(plane * 4 * sizeof(int16_t));
  if (has_alpha) sources->alpha.quads = malloc(plane * 4 * sizeof(int16_t));
  if (r->forms == 2) r->turned = malloc(plane * 4 * sizeof(int16_t));
  if (!r->bounds || !r->odd || !sources->luma.quads || (has_alpha && !sources->alpha.quads)) return 0;
  if (r->forms == 2 && !r->turned) return 0;
  Bounds *bounds[] = {&sources->bounds[0],    &sources->bounds[1],     &sources->bounds[2],
                      &sources->luma.bounds, &sources->alpha.bounds, &sources->bounds[ALPHA]};
  for (int i = 0; i < planes + 2; i++) {
    int16_t *low = r->bounds + (size_t)i * 2 * plane;
    *bounds[i] = (Bounds){low, low + plane};
  }
  // The outline of a picture takes what the small network can do.
  if (has_alpha && !network_open(&r->alpha, width, SMALL, 0)) return 0;
  for (int form = 0; form < r->forms; form++)
    if (!network_open(&r->luma[form], width, kind, form)) return 0;
  return 1;
}

// Twice the size; `forms`, 1 or 2, is how many forms of the network luma is the mean of, `slack` how many levels what a network
// makes may leave the range of the pixels around by, and `strength` how much of luma is the network's, in 256ths.
Stream *EXPORT(superres_open)(int width, int height, int opaque, Kind kind, int forms, int slack, int strength) {
  Superres *r = stream_open(sizeof(Superres), width, height, 2 * width, 2 * height);
  if (!r) return NULL;
  Stream *s = &r->stream;
  s->dispose = dispose;
  const int planes = opaque ? ALPHA : ALPHA + 1;
  const size_t plane = ((size_t)width + 2 * MARGIN + 7) & ~(size_t)7;
  r->layout = (Layout){width, planes, plane};
  r->most_slack = slack << SAMPLE_BITS, r->forms = forms;
  if (!allocate(r, kind)) {
    stream_close(s);
    return NULL;
  }
  r->sources.strength = strength;
  if (!stream_ring(s, RING_ROWS, (size_t)(planes + 1) * plane * sizeof(int16_t))) return NULL;
  s->first = first_row, s->last = last_row;
  s->take = take, s->make = make;
  return s;
}
