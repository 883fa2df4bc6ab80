// Median of the (2 radius + 1) squared pixels around each, channel by channel; edges are extended. The work per pixel
// does not grow with the radius: a histogram per column, and one of the box that slides over them in two levels, whose
// finer one is brought up to date only where the median lies (Perreault and Hebert 2007, "Median filtering in constant
// time"). All of them count what is not above each level, so that counting one more pixel is one addition of a vector,
// and finding a rank one comparison. Small boxes are sorted by networks instead. Translucent pixels are ranked with
// their color times alpha.
#include "median.h"

// Cumulative counts over the high halves of levels, 16 to a column, then over the low halves for each of the high ones.
#define PARTS 16
#define BINS (PARTS + 256)

typedef struct {
  Stream stream;
  int radius, channels;
  // For each channel: the counts over high halves of all columns, then, part by part, those over low halves of all
  // columns. Neighbors have their medians in the same part, mostly, so what is read in a row lies in a row.
  uint8_t *columns; // null where a network sorts
} Median;

// The box that slides over a row of one channel.
typedef struct {
  const uint8_t *columns; // of the channel
  int radius, width;
  int current[PARTS];     // the x for which each part of `fine` holds
  v128_t coarse[2];
  v128_t fine[PARTS][2];
} Slide;

// What a pixel adds to 16 cumulative counts: 1 from its own on.
static const uint8_t STEPS[32] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};

static inline v128_t step_at(int half) { return wasm_v128_load(STEPS + 16 - half); }

static int first_row(const Stream *s, int y) { return y - 1 - ((const Median *)s)->radius; }
static int last_row(const Stream *s, int y) { return y + ((const Median *)s)->radius; }

static inline const uint8_t *pixels_of(const Stream *s, int y) { return ring_row(s, y) + MEDIAN_SIDE * 4; }

static void take(Stream *s, const uint8_t *source, uint8_t *place, int y) {
  (void)y;
  uint8_t *pixels = place + MEDIAN_SIDE * 4, *end = pixels + (size_t)s->width * 4;
  memcpy(pixels, source, (size_t)s->width * 4);
  if (((const Median *)s)->channels == 4)
    for (uint8_t *p = pixels; p < end; p += 4)
      for (int c = 0; c < 3; c++) p[c] = (uint8_t)((p[c] * p[3] + 127) / 255);
  for (int x = 0; x < MEDIAN_SIDE; x++) {
    memcpy(place + x * 4, pixels, 4);
    memcpy(end + x * 4, end - 4, 4);
  }
}

// The 16 counts of a column: part 0 is over high halves, part 1 + n over the low halves where the high one is n.
static inline v128_t *counts_of(uint8_t *columns, int width, int part, int x) {
  return (v128_t *)(columns + ((size_t)part * width + (size_t)x) * 16);
}

static inline void count(uint8_t *columns, int width, int x, int level) {
  v128_t *coarse = counts_of(columns, width, 0, x), *fine = counts_of(columns, width, 1 + (level >> 4), x);
  *coarse = wasm_i8x16_add(*coarse, step_at(level >> 4));
  *fine = wasm_i8x16_add(*fine, step_at(level & 15));
}

static inline void discount(uint8_t *columns, int width, int x, int level) {
  v128_t *coarse = counts_of(columns, width, 0, x), *fine = counts_of(columns, width, 1 + (level >> 4), x);
  *coarse = wasm_i8x16_sub(*coarse, step_at(level >> 4));
  *fine = wasm_i8x16_sub(*fine, step_at(level & 15));
}

static inline v128_t column_at(const Slide *slide, int part, int x) {
  return *counts_of((uint8_t *)slide->columns, slide->width, part, clamp(x, 0, slide->width - 1));
}

static inline void add(v128_t sum[2], v128_t counts) {
  sum[0] = wasm_i16x8_add(sum[0], wasm_u16x8_extend_low_u8x16(counts));
  sum[1] = wasm_i16x8_add(sum[1], wasm_u16x8_extend_high_u8x16(counts));
}

// The difference of two columns may be negative, and is added as such.
static inline void move(v128_t sum[2], v128_t in, v128_t out) {
  const v128_t low = wasm_i16x8_sub(wasm_u16x8_extend_low_u8x16(in), wasm_u16x8_extend_low_u8x16(out));
  const v128_t high = wasm_i16x8_sub(wasm_u16x8_extend_high_u8x16(in), wasm_u16x8_extend_high_u8x16(out));
  sum[0] = wasm_i16x8_add(sum[0], low), sum[1] = wasm_i16x8_add(sum[1], high);
}

// Brings the 16 finer counts of a part to where the box is now.
static inline void refine(Slide *slide, int part, int x) {
  v128_t *fine = slide->fine[part];
  const int radius = slide->radius;
  if (x - slide->current[part] > radius) {
    fine[0] = fine[1] = wasm_i16x8_const_splat(0);
    for (int i = x - radius; i <= x + radius; i++) add(fine, column_at(slide, 1 + part, i));
  } else {
    for (int i = slide->current[part] + 1; i <= x; i++)
      move(fine, column_at(slide, 1 + part, i + radius), column_at(slide, 1 + part, i - 1 - radius));
  }
  slide->current[part] = x;
}

// How many of 16 growing counts are at most `rank`.
static inline int below(const v128_t counts[2], v128_t rank) {
  const v128_t low = wasm_u16x8_le(counts[0], rank), high = wasm_u16x8_le(counts[1], rank);
  return __builtin_popcount(wasm_i8x16_bitmask(wasm_i8x16_narrow_i16x8(low, high)));
}

static inline uint8_t median_at(Slide *slide, int x, int rank) {
  const int part = below(slide->coarse, wasm_i16x8_splat((int16_t)rank));
  const int under = part ? ((const uint16_t *)slide->coarse)[part - 1] : 0;
  refine(slide, part, x);
  return (uint8_t)(part * 16 + below(slide->fine[part], wasm_i16x8_splat((int16_t)(rank - under))));
}

static void filter_channel(const Median *median, int channel, uint8_t *result) {
  const Stream *s = &median->stream;
  const int radius = median->radius, side = 2 * radius + 1;
  Slide slide = {.columns = median->columns + (size_t)channel * s->width * BINS, .radius = radius, .width = s->width};
  for (int part = 0; part < PARTS; part++) slide.current[part] = -side - 1;
  for (int x = -radius; x <= radius; x++) add(slide.coarse, column_at(&slide, 0, x));
  for (int x = 0; x < s->width; x++) {
    result[x * 4 + channel] = median_at(&slide, x, (side * side - 1) / 2);
    move(slide.coarse, column_at(&slide, 0, x + 1 + radius), column_at(&slide, 0, x - radius));
  }
}

static void count_row(Median *median, int y) {
  const Stream *s = &median->stream;
  const uint8_t *row = pixels_of(s, y);
  for (int c = 0; c < median->channels; c++) {
    uint8_t *columns = median->columns + (size_t)c * s->width * BINS;
    for (int x = 0; x < s->width; x++) count(columns, s->width, x, row[x * 4 + c]);
  }
}

// The row that enters the columns, and the one that leaves them.
static void exchange_rows(Median *median, int in, int out) {
  const Stream *s = &median->stream;
  const uint8_t *entering = pixels_of(s, in), *leaving = pixels_of(s, out);
  for (int c = 0; c < median->channels; c++) {
    uint8_t *columns = median->columns + (size_t)c * s->width * BINS;
    for (int x = 0; x < s->width; x++) {
      const int to = entering[x * 4 + c], from = leaving[x * 4 + c];
      if (to == from) continue;
      count(columns, s->width, x, to);
      discount(columns, s->width, x, from);
    }
  }
}

// Opaque, or color divided by alpha again.
static void finish(const Median *median, uint8_t *row) {
  for (uint8_t *p = row; p < row + (size_t)median->stream.width * 4; p += 4) {
    if (median->channels == 3) p[3] = 255;
    else if (p[3] == 0) memset(p, 0, 4);
    else if (p[3] < 255) for (int c = 0; c < 3; c++) p[c] = (uint8_t)MIN(255, (p[c] * 255 + p[3] / 2) / p[3]);
  }
}

static void make(Stream *s, int y, uint8_t *result) {
  Median *median = (Median *)s;
  const int radius = median->radius;
  if (median->columns) {
    if (y > 0) exchange_rows(median, y + radius, y - 1 - radius);
    else for (int row = -radius; row <= radius; row++) count_row(median, row);
    for (int c = 0; c < median->channels; c++) filter_channel(median, c, result);
  } else {
    const uint8_t *rows[2 * MEDIAN_NETWORK_RADIUS + 1];
    for (int k = 0; k <= 2 * radius; k++) rows[k] = pixels_of(s, y + k - radius);
    (radius == 1 ? median_of_nine : median_of_twenty_five)(rows, s->width, result);
  }
  finish(median, result);
}

static void dispose(Stream *s) { free(((Median *)s)->columns); }

// A radius of 1 to 127 keeps the counts of a column within 8 bits, and those of the box within 16.
Stream *EXPORT(median_open)(int width, int height, int radius, int opaque) {
  Median *median = stream_open(sizeof(Median), width, height, width, height);
  if (!median) return NULL;
  median->stream.dispose = dispose;
  median->radius = radius;
  median->channels = opaque ? 3 : 4;
  const int counts = radius > MEDIAN_NETWORK_RADIUS;
  if (counts) median->columns = calloc((size_t)width * BINS, (size_t)median->channels);
  if (counts && !median->columns) {
    stream_close(&median->stream);
    return NULL;
  }
  if (!stream_ring(&median->stream, 2 * radius + 2, ((size_t)width + 3 * MEDIAN_SIDE) * 4)) return NULL;
  median->stream.first = first_row, median->stream.last = last_row;
  median->stream.take = take, median->stream.make = make;
  return &median->stream;
}
