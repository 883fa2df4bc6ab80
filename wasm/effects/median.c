/*
 * Median of the (2 radius + 1) squared pixels around each, channel by channel; edges are extended. The work per pixel
 * does not grow with the radius: a histogram per column, and one of the box that slides over them in two levels, whose
 * finer one is brought up to date only where the median lies (Perreault and Hebert 2007, "Median filtering in constant
 * time"). Translucent pixels are ranked with their color times alpha.
 */
#include "effects.h"

#define COARSE 16
#define FINE 256
#define BINS (COARSE + FINE)

typedef struct {
  Stream stream;
  int radius, channels;
  uint16_t *columns; /* BINS of each column of the first channel, then of the next */
} Median;

/* The box that slides over a row of one channel. */
typedef struct {
  const uint16_t *columns;
  int radius, last;     /* last column */
  int current[COARSE];  /* the x for which each part of `fine` holds */
  uint16_t coarse[COARSE], fine[FINE];
} Slide;

static int first_row(const Stream *s, int y) { return y - 1 - ((const Median *)s)->radius; }
static int last_row(const Stream *s, int y) { return y + ((const Median *)s)->radius; }

static void take(Stream *s, const uint8_t *source, uint8_t *place, int y) {
  (void)y;
  memcpy(place, source, (size_t)s->width * 4);
  if (((const Median *)s)->channels == 3) return;
  for (uint8_t *p = place; p < place + (size_t)s->width * 4; p += 4)
    for (int c = 0; c < 3; c++) p[c] = (uint8_t)((p[c] * p[3] + 127) / 255);
}

static void count_row(Median *median, int y, int change) {
  const Stream *s = &median->stream;
  const uint8_t *row = ring_row(s, y);
  for (int c = 0; c < median->channels; c++) {
    uint16_t *column = median->columns + (size_t)c * s->width * BINS;
    for (int x = 0; x < s->width; x++, column += BINS) {
      const int value = row[x * 4 + c];
      column[value >> 4] = (uint16_t)(column[value >> 4] + change);
      column[COARSE + value] = (uint16_t)(column[COARSE + value] + change);
    }
  }
}

static inline const uint16_t *column_at(const Slide *slide, int x) { return slide->columns + (size_t)clamp(x, 0, slide->last) * BINS; }

static inline void add16(uint16_t *sum, const uint16_t *add) {
  wasm_v128_store(sum, wasm_i16x8_add(wasm_v128_load(sum), wasm_v128_load(add)));
  wasm_v128_store(sum + 8, wasm_i16x8_add(wasm_v128_load(sum + 8), wasm_v128_load(add + 8)));
}

static inline void subtract16(uint16_t *sum, const uint16_t *subtract) {
  wasm_v128_store(sum, wasm_i16x8_sub(wasm_v128_load(sum), wasm_v128_load(subtract)));
  wasm_v128_store(sum + 8, wasm_i16x8_sub(wasm_v128_load(sum + 8), wasm_v128_load(subtract + 8)));
}

/* Brings 16 bins of the finer histogram to where the box is now. */
static void refine(Slide *slide, int part, int x) {
  uint16_t *fine = slide->fine + part * 16;
  const int from = COARSE + part * 16, radius = slide->radius;
  if (x - slide->current[part] > radius) {
    memset(fine, 0, 32);
    for (int i = x - radius; i <= x + radius; i++) add16(fine, column_at(slide, i) + from);
  } else {
    for (int i = slide->current[part] + 1; i <= x; i++) {
      add16(fine, column_at(slide, i + radius) + from);
      subtract16(fine, column_at(slide, i - 1 - radius) + from);
    }
  }
  slide->current[part] = x;
}

static uint8_t median_at(Slide *slide, int x, int rank) {
  int below = 0, part = 0;
  while (below + slide->coarse[part] <= rank) below += slide->coarse[part++];
  refine(slide, part, x);
  int value = part * 16;
  while (below + slide->fine[value] <= rank) below += slide->fine[value++];
  return (uint8_t)value;
}

static void filter_channel(const Median *median, int channel, uint8_t *result) {
  const Stream *s = &median->stream;
  const int radius = median->radius, side = 2 * radius + 1;
  Slide slide = {.columns = median->columns + (size_t)channel * s->width * BINS, .radius = radius, .last = s->width - 1};
  for (int part = 0; part < COARSE; part++) slide.current[part] = -side - 1;
  for (int x = -radius; x <= radius; x++) add16(slide.coarse, column_at(&slide, x));
  for (int x = 0; x < s->width; x++) {
    result[x * 4 + channel] = median_at(&slide, x, (side * side - 1) / 2);
    add16(slide.coarse, column_at(&slide, x + 1 + radius));
    subtract16(slide.coarse, column_at(&slide, x - radius));
  }
}

static void make(Stream *s, int y, uint8_t *result) {
  Median *median = (Median *)s;
  const int radius = median->radius;
  if (y > 0) {
    count_row(median, y + radius, 1);
    count_row(median, y - 1 - radius, -1);
  } else {
    for (int row = -radius; row <= radius; row++) count_row(median, row, 1);
  }
  for (int c = 0; c < median->channels; c++) filter_channel(median, c, result);
  for (uint8_t *p = result; p < result + (size_t)s->width * 4; p += 4) {
    if (median->channels == 3) p[3] = 255;
    else if (p[3] == 0) memset(p, 0, 4);
    else if (p[3] < 255) for (int c = 0; c < 3; c++) p[c] = (uint8_t)MIN(255, (p[c] * 255 + p[3] / 2) / p[3]);
  }
}

static void dispose(Stream *s) { free(((Median *)s)->columns); }

/* A radius of 1 to 127 keeps every count within 16 bits. */
Stream *EXPORT(median_open)(int width, int height, int radius, int opaque) {
  Median *median = stream_open(sizeof(Median), width, height, width, height);
  if (!median) return NULL;
  median->stream.dispose = dispose;
  median->radius = radius;
  median->channels = opaque ? 3 : 4;
  median->columns = calloc((size_t)width * BINS * (size_t)median->channels, sizeof(uint16_t));
  if (!median->columns) {
    stream_close(&median->stream);
    return NULL;
  }
  if (!stream_ring(&median->stream, 2 * radius + 2, (size_t)width * 4)) return NULL;
  median->stream.first = first_row, median->stream.last = last_row;
  median->stream.take = take, median->stream.make = make;
  return &median->stream;
}
