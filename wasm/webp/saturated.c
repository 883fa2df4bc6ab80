#include "saturated.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
  UNIT = 64,         // of a level, in which planes are worked on
  MOST = 255 * UNIT,
  INVERSE = 1024,
  CONTRAST = 24,     // levels between neighboring samples of chroma from which on a cell is looked at
  ROUNDS = 4,        // in which luma and chroma are corrected
  LAST_ROUNDS = 2,   // in which luma is, given the chroma as it is written
};
#define MOST_LOST 8.0f  // levels of brightness that a pixel may be off

// Levels to this power are the light that pixels are compared by. Between levels themselves, whose luma halved chroma leaves as it
// is where nothing is cut off, and light, whose means letters on a dark ground are seen as: of 1, 1.3, 1.5, 1.6 and 2.2, letters in
// six colors do best by SSIMULACRA 2, butteraugli and the second opinion together at this one.
#define POWER 1.5f
#define RED 0.299f
#define GREEN 0.587f
#define BLUE 0.114f
// Luma takes the levels from 16 to 235, and chroma those from 16 to 240 (Rec. ITU-R BT.601-7).
#define LUMA_RANGE (219 / 255.0f)
#define CHROMA_RANGE (224 / 255.0f)
// What a level of luma and of chroma is in levels of colors.
#define OF_LUMA (1 / LUMA_RANGE)
#define RED_OF_V (2 * (1 - RED) / CHROMA_RANGE)
#define BLUE_OF_U (2 * (1 - BLUE) / CHROMA_RANGE)
#define GREEN_OF_U (BLUE_OF_U * BLUE / GREEN)
#define GREEN_OF_V (RED_OF_V * RED / GREEN)

// The light of levels, and levels by light: of all pictures.
static float light_table[256], level_table[INVERSE + 2];

void saturated_init(void) {
  if (light_table[255] > 0) return;
  for (int i = 0; i < 256; i++) light_table[i] = powf(i / 255.0f, POWER);
  for (int i = 0; i < INVERSE + 2; i++) level_table[i] = 255 * powf((float)i / INVERSE, 1 / POWER);
}

enum { STAYS, IS_CORRECTED, HAS_CORRECTED_NEIGHBOR };

struct Saturated {
  int width, across; // pixels, samples of chroma
  // By pixel from row `2 * first` on: luma, and the brightness that is wanted. In units.
  int16_t *luma, *bright;
  // By sample from row `first - 1` on: chroma, and that which is wanted. In units.
  int16_t *u, *v, *wanted_u, *wanted_v;
  uint8_t *marks;    // what becomes of each sample and its pixels
  uint8_t *contrast; // of a row of samples
  // The rows of samples that are at hand, those whose luma is corrected, and whose chroma.
  int first, end, chroma_from, to;
  int down; // samples of the whole picture
  const uint8_t *rgba; // of row `2 * first`
  const WebPPicture *picture;
};

void saturated_close(Saturated *s) {
  if (s == NULL) return;
  free(s->luma), free(s->bright);
  free(s->u), free(s->v), free(s->wanted_u), free(s->wanted_v);
  free(s->marks), free(s->contrast);
  free(s);
}

Saturated *saturated_open(int width, int band_rows) {
  Saturated *const s = (Saturated *)calloc(1, sizeof(*s));
  const size_t rows = band_rows + SATURATED_KEPT_ROWS;
  if (s == NULL) return NULL;
  s->width = width;
  s->across = (width + 1) >> 1;
  const size_t pixels = rows * width, samples = (rows / 2 + 1) * s->across;
  s->luma = (int16_t *)malloc(pixels * sizeof(*s->luma));
  s->bright = (int16_t *)malloc(pixels * sizeof(*s->bright));
  int16_t **const planes[] = {&s->u, &s->v, &s->wanted_u, &s->wanted_v};
  int is_whole = s->luma != NULL && s->bright != NULL;
  for (int i = 0; i < 4; i++) is_whole &= (*planes[i] = (int16_t *)malloc(samples * sizeof(int16_t))) != NULL;
  s->marks = (uint8_t *)malloc(samples);
  s->contrast = (uint8_t *)malloc(s->across);
  if (!is_whole || s->marks == NULL || s->contrast == NULL) {
    saturated_close(s);
    return NULL;
  }
  return s;
}

static inline int clamped(int value, int least, int most) { return value < least ? least : value > most ? most : value; }

// The level of so much light.
static inline float level_of(float light) {
  const float at = light * INVERSE;
  const int index = clamped((int)at, 0, INVERSE);
  return level_table[index] + (level_table[index + 1] - level_table[index]) * (at - index);
}

static inline const uint8_t *pixel_at(const Saturated *s, int x, int y) {
  return s->rgba + 4 * ((ptrdiff_t)(y - 2 * s->first) * s->width + x);
}
static inline ptrdiff_t sample_at(const Saturated *s, int x, int y) { return (ptrdiff_t)(y - s->first + 1) * s->across + x; }

// Pixels of a sample, the last column and the last row of an odd number twice.
static inline int column_of(const Saturated *s, int x, int i) { return clamped(2 * x + (i & 1), 0, s->width - 1); }
static inline int row_of(const Saturated *s, int y, int i) { return clamped(2 * y + (i >> 1), 0, s->picture->height - 1); }

typedef struct {
  float red, green, blue; // light
} Light;

static inline float brightness(Light of) { return RED * of.red + GREEN * of.green + BLUE * of.blue; }

typedef struct {
  float u, v; // levels
} Chroma;

// The chroma of a color, given the sums of light of four pixels.
static inline Chroma chroma_of(Light sums) {
  const float red = level_of(sums.red / 4), green = level_of(sums.green / 4), blue = level_of(sums.blue / 4);
  const float luma = RED * red + GREEN * green + BLUE * blue;
  return (Chroma){128 + (blue - luma) * (1 / BLUE_OF_U), 128 + (red - luma) * (1 / RED_OF_V)};
}

static inline int rounded_level(float level) { return clamped((int)(level + 0.5f), 0, 255); }

// What a decoder shows of a luma and a chroma, in levels above 16 and 128.
static inline Light shown(float luma, Chroma chroma) {
  const float y = OF_LUMA * luma;
  const float red = y + RED_OF_V * chroma.v, blue = y + BLUE_OF_U * chroma.u;
  const float green = y - GREEN_OF_U * chroma.u - GREEN_OF_V * chroma.v;
  return (Light){light_table[rounded_level(red)], light_table[rounded_level(green)], light_table[rounded_level(blue)]};
}

// A sample and those around it: rows and columns before it, of it, behind it.
typedef struct {
  ptrdiff_t at[3][3];
} Near;

static inline Near near_of(const Saturated *s, int x, int y) {
  Near near;
  for (int row = 0; row < 3; row++) {
    const int from = clamped(y + row - 1, 0, s->down - 1);
    for (int column = 0; column < 3; column++) near.at[row][column] = sample_at(s, clamped(x + column - 1, 0, s->across - 1), from);
  }
  return near;
}

// Chroma of pixel `i` of a sample as decoders interpolate it, in levels above 128.
static inline Chroma interpolated(const Saturated *s, const Near *near, int i) {
  const int row = i >> 1 ? 2 : 0, column = i & 1 ? 2 : 0;
  const ptrdiff_t own = near->at[1][1], beside = near->at[1][column], over = near->at[row][1], across = near->at[row][column];
  const int u = 9 * s->u[own] + 3 * (s->u[beside] + s->u[over]) + s->u[across];
  const int v = 9 * s->v[own] + 3 * (s->v[beside] + s->v[over]) + s->v[across];
  return (Chroma){u * (1.0f / (16 * UNIT)) - 128, v * (1.0f / (16 * UNIT)) - 128};
}

// Corrects a sample and its pixels, or the luma of these alone, by what is shown of them.
static void correct(Saturated *s, int x, int y, int with_chroma) {
  const Near near = near_of(s, x, y);
  Light sums = {0, 0, 0};
  for (int i = 0; i < 4; i++) {
    const ptrdiff_t at = (ptrdiff_t)(row_of(s, y, i) - 2 * s->first) * s->width + column_of(s, x, i);
    const Light light = shown(s->luma[at] * (1.0f / UNIT) - 16, interpolated(s, &near, i));
    sums.red += light.red, sums.green += light.green, sums.blue += light.blue;
    const float missing = s->bright[at] - UNIT * level_of(brightness(light));
    s->luma[at] = (int16_t)clamped(s->luma[at] + (int)(missing * LUMA_RANGE), 0, MOST);
  }
  if (!with_chroma) return;
  const ptrdiff_t at = near.at[1][1];
  const Chroma is = chroma_of(sums);
  s->u[at] = (int16_t)clamped(s->u[at] + s->wanted_u[at] - (int)(is.u * UNIT), 0, MOST);
  s->v[at] = (int16_t)clamped(s->v[at] + s->wanted_v[at] - (int)(is.v * UNIT), 0, MOST);
}

static inline Light light_of(const Saturated *s, int x, int y) {
  const uint8_t *const pixel = pixel_at(s, x, y);
  return (Light){light_table[pixel[0]], light_table[pixel[1]], light_table[pixel[2]]};
}
static inline int luma_at(const Saturated *s, int x, int y) { return s->picture->y[(ptrdiff_t)y * s->picture->y_stride + x]; }

// Whether a pixel of a sample is seen plainly brighter or darker than it is, by the planes as they are.
static int is_lost(const Saturated *s, int x, int y) {
  const Near near = near_of(s, x, y);
  for (int i = 0; i < 4; i++) {
    const int column = column_of(s, x, i), row = row_of(s, y, i);
    const Light light = shown(luma_at(s, column, row) - 16, interpolated(s, &near, i));
    const float is = level_of(brightness(light)), was = level_of(brightness(light_of(s, column, row)));
    if (fabsf(is - was) > MOST_LOST) return 1;
  }
  return 0;
}

// Notes what is wanted of a sample and its pixels, and the luma that they have.
static void wish(Saturated *s, int x, int y) {
  Light sums = {0, 0, 0};
  for (int i = 0; i < 4; i++) {
    const int column = column_of(s, x, i), row = row_of(s, y, i);
    const Light light = light_of(s, column, row);
    const ptrdiff_t at = (ptrdiff_t)(row - 2 * s->first) * s->width + column;
    s->luma[at] = (int16_t)(luma_at(s, column, row) * UNIT);
    s->bright[at] = (int16_t)(level_of(brightness(light)) * UNIT);
    sums.red += light.red, sums.green += light.green, sums.blue += light.blue;
  }
  const Chroma wanted = chroma_of(sums);
  s->wanted_u[sample_at(s, x, y)] = (int16_t)(wanted.u * UNIT);
  s->wanted_v[sample_at(s, x, y)] = (int16_t)(wanted.v * UNIT);
}

static int is_opaque(const Saturated *s, int x, int y) {
  int alpha = 255;
  for (int i = 0; i < 4; i++) alpha &= pixel_at(s, column_of(s, x, i), row_of(s, y, i))[3];
  return alpha == 255;
}

static inline uint8_t apart(uint8_t one, uint8_t other) { return one > other ? one - other : other - one; }
static inline uint8_t larger(uint8_t one, uint8_t other) { return one > other ? one : other; }

// By how much each sample of a row differs from those around it, at most: adds what `plane` has of that.
static void find_contrast(Saturated *s, const uint8_t *plane, int stride, int y) {
  const uint8_t *const row = plane + (ptrdiff_t)y * stride;
  const uint8_t *const above = y > 0 ? row - stride : row, *const below = y + 1 < s->end ? row + stride : row;
  uint8_t *const contrast = s->contrast;
  const int last = s->across - 1;
  for (int x = 0; x <= last; x++) contrast[x] = larger(contrast[x], larger(apart(row[x], above[x]), apart(row[x], below[x])));
  for (int x = 0; x < last; x++) contrast[x] = larger(contrast[x], apart(row[x], row[x + 1]));
  for (int x = 1; x <= last; x++) contrast[x] = larger(contrast[x], apart(row[x], row[x - 1]));
}

static void load_chroma(Saturated *s) {
  const int stride = s->picture->uv_stride;
  for (int y = s->first > 0 ? s->first - 1 : 0; y < s->end; y++) {
    const uint8_t *const u = s->picture->u + (ptrdiff_t)y * stride, *const v = s->picture->v + (ptrdiff_t)y * stride;
    int16_t *const to_u = s->u + sample_at(s, 0, y), *const to_v = s->v + sample_at(s, 0, y);
    for (int x = 0; x < s->across; x++) to_u[x] = u[x] * UNIT, to_v[x] = v[x] * UNIT;
  }
}

// Marks what is around a sample of which something is lost.
static void mark_around(Saturated *s, int x, int y) {
  for (int row = y - 1; row <= y + 1; row++) {
    if (row < s->first || row >= s->to) continue;
    for (int column = x > 0 ? x - 1 : 0; column <= x + 1 && column < s->across; column++) {
      if (is_opaque(s, column, row)) s->marks[sample_at(s, column, row)] = row < s->chroma_from ? HAS_CORRECTED_NEIGHBOR : IS_CORRECTED;
    }
  }
}

// Marks all that is to be corrected; returns how many samples lose something.
static int mark(Saturated *s) {
  int lost = 0;
  memset(s->marks, STAYS, (size_t)(s->end - s->first + 1) * s->across);
  for (int y = s->chroma_from; y < s->to; y++) {
    memset(s->contrast, 0, s->across);
    find_contrast(s, s->picture->u, s->picture->uv_stride, y);
    find_contrast(s, s->picture->v, s->picture->uv_stride, y);
    for (int x = 0; x < s->across; x++) {
      if (s->contrast[x] < CONTRAST || !is_opaque(s, x, y)) continue;
      if (lost == 0) load_chroma(s);
      if (is_lost(s, x, y)) mark_around(s, x, y), lost++;
    }
  }
  return lost;
}

static void each_marked(Saturated *s, void (*work)(Saturated *s, int x, int y, int mark)) {
  for (int y = s->first; y < s->to; y++) {
    const uint8_t *const marks = s->marks + sample_at(s, 0, y);
    for (int x = 0; x < s->across; x++)
      if (marks[x] != STAYS) work(s, x, y, marks[x]);
  }
}

static void wish_marked(Saturated *s, int x, int y, int mark) {
  (void)mark;
  wish(s, x, y);
}
static void correct_marked(Saturated *s, int x, int y, int mark) { correct(s, x, y, mark == IS_CORRECTED); }
static void correct_luma(Saturated *s, int x, int y, int mark) {
  (void)mark;
  correct(s, x, y, 0);
}
static void round_chroma(Saturated *s, int x, int y, int mark) {
  const ptrdiff_t at = sample_at(s, x, y), to = (ptrdiff_t)y * s->picture->uv_stride + x;
  if (mark != IS_CORRECTED) return;
  s->picture->u[to] = (uint8_t)((s->u[at] + UNIT / 2) / UNIT), s->u[at] = s->picture->u[to] * UNIT;
  s->picture->v[to] = (uint8_t)((s->v[at] + UNIT / 2) / UNIT), s->v[at] = s->picture->v[to] * UNIT;
}
static void write_luma(Saturated *s, int x, int y, int mark) {
  (void)mark;
  for (int i = 0; i < 4; i++) {
    const int column = column_of(s, x, i), row = row_of(s, y, i);
    const int luma = s->luma[(ptrdiff_t)(row - 2 * s->first) * s->width + column];
    s->picture->y[(ptrdiff_t)row * s->picture->y_stride + column] = (uint8_t)((luma + UNIT / 2) / UNIT);
  }
}

void saturated_take(Saturated *s, WebPPicture *picture, const uint8_t *rgba, int y, int rows) {
  const int is_last = y + rows >= picture->height, kept = y > 0 ? SATURATED_KEPT_ROWS : 0;
  s->picture = picture;
  s->rgba = rgba - (ptrdiff_t)kept * 4 * s->width;
  s->first = (y - kept) / 2;
  s->end = (y + rows + 1) / 2;
  s->down = (picture->height + 1) / 2;
  // The first row of samples was corrected before its lower neighbors were; the last one's are yet to come.
  s->chroma_from = y > 0 ? s->first + 1 : 0;
  s->to = is_last ? s->end : s->end - 1;
  if (mark(s) == 0) return;
  each_marked(s, wish_marked);
  for (int round = 0; round < ROUNDS; round++) each_marked(s, correct_marked);
  each_marked(s, round_chroma);
  for (int round = 0; round < LAST_ROUNDS; round++) each_marked(s, correct_luma);
  each_marked(s, write_luma);
}
