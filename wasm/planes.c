// Planes of luma and chroma to RGBA: chroma is interpolated linearly, colors are computed in 20 bits after the point.
#include "planes.h"

#include <wasm_simd128.h>

// Samples of more bits lose those below.
#define MOST_BITS 12
#define POINT 20
// Chroma is interpolated in 16ths.
#define CHROMA_SHIFT 4
// Columns that an interpolation and a vector may touch besides those that are wanted.
#define PADDING 16

static size_t row_samples(int width) { return ((size_t)width + 2 * PADDING + 7) & ~(size_t)7; }

size_t planes_scratch(int width) { return row_samples(width) * 4 * sizeof(int16_t); }

// Colors that are coded as they are are not around 0: they have one bit less.
static int kept_bits(const Planes *planes) {
  const int most = planes->matrix == 0 ? MOST_BITS - 1 : MOST_BITS;
  return planes->bits > most ? most : planes->bits;
}

// Samples `from` to `from + count` of a row, minus `middle`.
static void load(const Planes *planes, int plane, int row, int from, int count, int middle, int16_t *to) {
  const ptrdiff_t at = planes->stride[plane] * row + from;
  if (planes->bits <= 8) {
    const uint8_t *const samples = (const uint8_t *)planes->plane[plane] + at;
    for (int i = 0; i < count; i++) to[i] = (int16_t)(samples[i] - middle);
  } else {
    const int down = planes->bits - kept_bits(planes);
    const uint16_t *const samples = (const uint16_t *)planes->plane[plane] + at;
    for (int i = 0; i < count; i++) to[i] = (int16_t)((samples[i] >> down) - middle);
  }
}

static int clamp(int value, int low, int high) { return value < low ? low : value > high ? high : value; }

// One row of chroma at the resolution of luma, in 16ths of a sample, around 0.
static void chroma_row(const Planes *planes, int plane, int x, int y, int width, int16_t *to, int16_t *near,
                       int16_t *other) {
  const int middle = planes->matrix == 0 ? 0 : 1 << (kept_bits(planes) - 1);
  if (planes->layout == PLANES_444) {
    load(planes, plane, y, x, width, middle, to);
    for (int i = 0; i < width; i++) to[i] = (int16_t)(to[i] << CHROMA_SHIFT);
    return;
  }
  const int halved = planes->layout == PLANES_420;
  const int last_column = (planes->width - 1) >> 1;
  const int last_row = halved ? (planes->height - 1) >> 1 : planes->height - 1;
  const int row = halved ? y >> 1 : y;
  const int next = halved ? clamp(row + (y & 1 ? 1 : -1), 0, last_row) : row;
  const int first = x >> 1;
  const int from = clamp(first - 1, 0, last_column);
  const int count = clamp(((x + width - 1) >> 1) + 1, 0, last_column) - from + 1;
  int16_t *const sums = near + 1;
  load(planes, plane, row, from, count, middle, sums);
  load(planes, plane, next, from, count, middle, other);
  for (int i = 0; i < count; i++) sums[i] = (int16_t)(3 * sums[i] + other[i]);
  sums[-1] = sums[0];
  sums[count] = sums[count - 1];
  // `at[0]` belongs to the pair of columns that `x` is in.
  const int16_t *const at = sums + (first - from);
  for (int pair = 0, column = (first << 1) - x; column < width; pair++, column += 2) {
    const int here = at[pair], before = at[pair - 1], after = at[pair + 1];
    if (column >= 0) to[column] = (int16_t)(planes->left ? 4 * here : 3 * here + before);
    if (column + 1 < width) to[column + 1] = (int16_t)(planes->left ? 2 * (here + after) : 3 * here + after);
  }
}

typedef struct {
  // What luma, the first and the second chroma add to red, green and blue.
  int32_t luma[3], first[3], second[3];
  // The offset of luma.
  int offset;
} Weights;

// The weights of red and blue in luma (ISO/IEC 23091-2, table 4).
static void luma_shares(int matrix, double *red, double *blue) {
  switch (matrix) {
    case 1: *red = 0.2126, *blue = 0.0722; break;
    case 4: *red = 0.30, *blue = 0.11; break;
    case 7: *red = 0.212, *blue = 0.087; break;
    case 9:
    case 10: *red = 0.2627, *blue = 0.0593; break;
    // By the primaries of the picture: where they were others, the container says another number.
    case 12:
    case 13: *red = 0.228975, *blue = 0.079287; break;
    default: *red = 0.299, *blue = 0.114; break;
  }
}

static int32_t fixed(double value) { return (int32_t)(value < 0 ? value - 0.5 : value + 0.5); }

static Weights weights_of(const Planes *planes) {
  const int bits = kept_bits(planes);
  const double one = (double)(1 << POINT), most = (double)((1 << bits) - 1);
  const double unit = (double)(1 << (bits - 8));
  const double luma = one * 255 / (planes->full_range ? most : 219 * unit);
  const double chroma = one * 255 / (planes->full_range ? most : 224 * unit) / (1 << CHROMA_SHIFT);
  Weights weights = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}, planes->full_range ? 0 : 16 * (int)unit};
  if (planes->matrix == 0) {
    // Green, blue, red, all with the range of luma.
    weights.luma[1] = fixed(luma);
    weights.first[2] = weights.second[0] = fixed(luma / (1 << CHROMA_SHIFT));
    return weights;
  }
  for (int i = 0; i < 3; i++) weights.luma[i] = fixed(luma);
  if (planes->matrix == 8) {
    weights.first[0] = weights.first[2] = fixed(-chroma);
    weights.first[1] = weights.second[0] = fixed(chroma);
    weights.second[2] = fixed(-chroma);
    return weights;
  }
  double red, blue;
  luma_shares(planes->matrix, &red, &blue);
  const double green = 1 - red - blue;
  weights.first[1] = fixed(-chroma * 2 * (1 - blue) * blue / green);
  weights.first[2] = fixed(chroma * 2 * (1 - blue));
  weights.second[0] = fixed(chroma * 2 * (1 - red));
  weights.second[1] = fixed(-chroma * 2 * (1 - red) * red / green);
  return weights;
}

static v128_t weighted(v128_t luma, v128_t first, v128_t second, const Weights *weights, int channel, v128_t bias) {
  v128_t sum = wasm_i32x4_add(bias, wasm_i32x4_mul(luma, wasm_i32x4_splat(weights->luma[channel])));
  sum = wasm_i32x4_add(sum, wasm_i32x4_mul(first, wasm_i32x4_splat(weights->first[channel])));
  sum = wasm_i32x4_add(sum, wasm_i32x4_mul(second, wasm_i32x4_splat(weights->second[channel])));
  return wasm_i32x4_shr(sum, POINT);
}

static v128_t channel_of(const v128_t luma[2], const v128_t first[2], const v128_t second[2], const Weights *weights,
                         int channel) {
  const v128_t bias = wasm_i32x4_splat((1 << (POINT - 1)) - weights->luma[channel] * weights->offset);
  return wasm_i16x8_narrow_i32x4(weighted(luma[0], first[0], second[0], weights, channel, bias),
                                 weighted(luma[1], first[1], second[1], weights, channel, bias));
}

// Eight pixels; `count` of them are written.
static void store(const Weights *weights, const int16_t *luma, const int16_t *first, const int16_t *second, uint8_t *to,
                  int count) {
  const v128_t y = wasm_v128_load(luma), u = wasm_v128_load(first), v = wasm_v128_load(second);
  const v128_t ys[2] = {wasm_i32x4_extend_low_i16x8(y), wasm_i32x4_extend_high_i16x8(y)};
  const v128_t us[2] = {wasm_i32x4_extend_low_i16x8(u), wasm_i32x4_extend_high_i16x8(u)};
  const v128_t vs[2] = {wasm_i32x4_extend_low_i16x8(v), wasm_i32x4_extend_high_i16x8(v)};
  const v128_t red = channel_of(ys, us, vs, weights, 0);
  const v128_t green = channel_of(ys, us, vs, weights, 1);
  const v128_t blue = channel_of(ys, us, vs, weights, 2);
  const v128_t rg = wasm_u8x16_narrow_i16x8(red, green);
  const v128_t ba = wasm_u8x16_narrow_i16x8(blue, wasm_i16x8_splat(255));
  const v128_t r_g = wasm_i8x16_shuffle(rg, rg, 0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15);
  const v128_t b_a = wasm_i8x16_shuffle(ba, ba, 0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15);
  uint8_t pixels[32];
  wasm_v128_store(pixels, wasm_i16x8_shuffle(r_g, b_a, 0, 8, 1, 9, 2, 10, 3, 11));
  wasm_v128_store(pixels + 16, wasm_i16x8_shuffle(r_g, b_a, 4, 12, 5, 13, 6, 14, 7, 15));
  __builtin_memcpy(to, pixels, (size_t)count * 4);
}

// Pixels of 16 bits.
static void store_deep(const Weights *weights, const int16_t *restrict luma, const int16_t *restrict first,
                       const int16_t *restrict second, uint16_t *restrict to, int count) {
  const float scale = 65535.0f / 255 / (1 << POINT);
  for (int i = 0; i < count; i++, to += 4) {
    for (int channel = 0; channel < 3; channel++) {
      const int32_t sum = (luma[i] - weights->offset) * weights->luma[channel] + first[i] * weights->first[channel] +
                          second[i] * weights->second[channel];
      const float value = (float)sum * scale;
      to[channel] = (uint16_t)(value < 0 ? 0 : value > 65535 ? 65535 : value + 0.5f);
    }
    to[3] = 65535;
  }
}

// A row of luma and chroma at its resolution.
typedef struct {
  int16_t *luma, *first, *second, *other;
  // Red and blue of matrix 0 have luma's offset, in 16ths.
  int shared;
} Row;

static Row row_in(void *scratch, const Planes *planes, const Weights *weights, int width) {
  const size_t samples = row_samples(width);
  int16_t *const luma = (int16_t *)scratch;
  const Row row = {luma, luma + samples, luma + 2 * samples, luma + 3 * samples,
                   planes->matrix == 0 ? weights->offset << CHROMA_SHIFT : 0};
  if (planes->layout == PLANES_GRAY) {
    for (int i = 0; i < width + 8; i++) row.first[i] = row.second[i] = 0;
  }
  return row;
}

static void read_row(const Row *row, const Planes *planes, int x, int y, int width) {
  if (planes->layout != PLANES_GRAY) {
    // The row of luma is not there yet: its place serves as the first of two rows of chroma.
    chroma_row(planes, 1, x, y, width, row->first, row->luma, row->other);
    chroma_row(planes, 2, x, y, width, row->second, row->luma, row->other);
    if (row->shared != 0) {
      for (int i = 0; i < width; i++) row->first[i] -= (int16_t)row->shared, row->second[i] -= (int16_t)row->shared;
    }
  }
  load(planes, 0, y, x, width, 0, row->luma);
}

void planes_draw(const Planes *planes, int x, int y, int width, int rows, uint8_t *to, size_t to_stride, void *scratch) {
  const Weights weights = weights_of(planes);
  const Row row = row_in(scratch, planes, &weights, width);
  for (int drawn = 0; drawn < rows; drawn++, to += to_stride) {
    read_row(&row, planes, x, y + drawn, width);
    for (int i = 0; i < width; i += 8) {
      store(&weights, row.luma + i, row.first + i, row.second + i, to + (size_t)i * 4, width - i < 8 ? width - i : 8);
    }
  }
}

void planes_draw_deep(const Planes *planes, int x, int y, int width, int rows, uint16_t *to, size_t to_stride,
                      void *scratch) {
  const Weights weights = weights_of(planes);
  const Row row = row_in(scratch, planes, &weights, width);
  for (int drawn = 0; drawn < rows; drawn++, to += to_stride) {
    read_row(&row, planes, x, y + drawn, width);
    store_deep(&weights, row.luma, row.first, row.second, to, width);
  }
}

// How samples of alpha become levels: limited range has no alpha at its black, and all of it at its white.
typedef struct {
  int offset, range, most;
} Widening;

static Widening widening_of(const Planes *planes, int most) {
  const int unit = planes->bits > 8 ? 1 << (planes->bits - 8) : 1;
  const Widening full = {0, (1 << planes->bits) - 1, most}, limited = {16 * unit, 219 * unit, most};
  return planes->full_range ? full : limited;
}

static unsigned widened(unsigned sample, const Widening *by) {
  const int above = clamp((int)sample - by->offset, 0, by->range);
  return ((unsigned)above * (unsigned)by->most + (unsigned)by->range / 2) / (unsigned)by->range;
}

void planes_draw_alpha(const Planes *planes, int x, int y, int width, int rows, uint8_t *to, size_t to_stride) {
  const Widening widening = widening_of(planes, 255);
  for (int row = 0; row < rows; row++, to += to_stride) {
    const ptrdiff_t at = planes->stride[0] * (y + row) + x;
    const uint8_t *const bytes = (const uint8_t *)planes->plane[0] + at;
    const uint16_t *const samples = (const uint16_t *)planes->plane[0] + at;
    if (planes->bits == 8 && planes->full_range) {
      for (int i = 0; i < width; i++) to[i * 4 + 3] = bytes[i];
    } else {
      for (int i = 0; i < width; i++) {
        to[i * 4 + 3] = (uint8_t)widened(planes->bits <= 8 ? bytes[i] : samples[i], &widening);
      }
    }
  }
}

void planes_draw_alpha_deep(const Planes *planes, int x, int y, int width, int rows, uint16_t *to, size_t to_stride) {
  const Widening widening = widening_of(planes, 65535);
  for (int row = 0; row < rows; row++, to += to_stride) {
    const ptrdiff_t at = planes->stride[0] * (y + row) + x;
    const uint8_t *const bytes = (const uint8_t *)planes->plane[0] + at;
    const uint16_t *const samples = (const uint16_t *)planes->plane[0] + at;
    for (int i = 0; i < width; i++) {
      to[i * 4 + 3] = (uint16_t)widened(planes->bits <= 8 ? bytes[i] : samples[i], &widening);
    }
  }
}

void planes_unpremultiply(uint8_t *rgba, size_t pixels) {
  for (size_t i = 0; i < pixels; i++, rgba += 4) {
    const unsigned alpha = rgba[3];
    if (alpha == 255 || alpha == 0) continue;
    for (int channel = 0; channel < 3; channel++) {
      const unsigned color = (rgba[channel] * 255u + alpha / 2) / alpha;
      rgba[channel] = color > 255 ? 255 : (uint8_t)color;
    }
  }
}
