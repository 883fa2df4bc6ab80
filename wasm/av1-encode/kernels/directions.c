// Predicts samples of 10 bits along a direction, from those above and at the left, eight at a time: libaom does it one by one, or
// with vectors of another machine. What comes out is the same.
#include <string.h>

#include "config/av1_rtcd.h"
#include "../../simd.h"

enum { MOST = 64, LANES = 8 };

// What lies so many parts of 32 behind each of eight samples, towards the next ones. 32 times the most of 10 bits fits.
static inline v128_t between(v128_t near, v128_t far, int part) {
  const v128_t sum = wasm_i16x8_add(wasm_i16x8_mul(near, wasm_i16x8_splat((int16_t)(32 - part))),
                                    wasm_i16x8_mul(far, wasm_i16x8_splat((int16_t)part)));
  return wasm_u16x8_shr(wasm_i16x8_add(sum, wasm_i16x8_const_splat(16)), 5);
}

// The same from a place of an edge on; of one that is doubled, from every second sample on.
static inline v128_t along(const uint16_t *from, int part, int doubled) {
  if (!doubled) return between(wasm_v128_load(from), wasm_v128_load(from + 1), part);
  const v128_t a = wasm_v128_load(from), b = wasm_v128_load(from + LANES);
  return between(wasm_i16x8_shuffle(a, b, 0, 2, 4, 6, 8, 10, 12, 14), wasm_i16x8_shuffle(a, b, 1, 3, 5, 7, 9, 11, 13, 15), part);
}

static inline void store(uint16_t *to, v128_t samples, int count) {
  if (count >= LANES) {
    wasm_v128_store(to, samples);
  } else {
    wasm_v128_store64_lane(to, samples, 0);
  }
}

// Lines along an edge that is continued by its last sample. Each lies `step` 64ths of a sample behind the one before, and the first
// so much behind the edge.
static void lines_behind(uint16_t *to, ptrdiff_t stride, int length, int count, const uint16_t *edge, int doubled, int step) {
  const int last = (length + count - 1) << doubled;
  uint16_t samples[3 * MOST + 3 * LANES];
  memcpy(samples, edge, (size_t)last * sizeof *edge);
  const v128_t end = wasm_i16x8_splat((int16_t)edge[last]);
  for (int at = last; at < last + (length << doubled) + LANES; at += LANES) wasm_v128_store(samples + at, end);
  for (int line = 0, at = step; line < count; line++, at += step, to += stride) {
    const int part = ((at << doubled) & 0x3f) >> 1, place = at >> (6 - doubled);
    const uint16_t *const from = samples + (place < last ? place : last);
    for (int i = 0; i < length; i += LANES) store(to + i, along(from + (i << doubled), part, doubled), length - i);
  }
}

// Lines that begin before the edge does, each by as much more than the one before. How many samples of a line lie before it:
static inline int missing(int line, int doubled, int step) {
  const int before = -((-(line + 1) * step) >> (6 - doubled)) - 1;
  return before >> doubled;
}

// Those that lie before it, and some that a vector has beside the others, become anything. libaom has 16 samples before an edge.
static void lines_before(uint16_t *to, ptrdiff_t stride, int length, int count, const uint16_t *edge, int doubled, int step) {
  for (int line = 0; line < count; line++, to += stride) {
    const int at = -(line + 1) * step;
    const int part = ((at * (1 << doubled)) & 0x3f) >> 1, place = at >> (6 - doubled);
    for (int i = missing(line, doubled, step) & -LANES; i < length; i += LANES) {
      store(to + i, along(edge + place + (i << doubled), part, doubled), length - i);
    }
  }
}

// Lines of `MOST` samples that are columns. Numbers of both are multiples of four.
static void transpose(uint16_t *to, ptrdiff_t stride, int width, int height, const uint16_t *lines) {
  for (int y = 0; y < height; y += 4) {
    for (int x = 0; x < width; x += 4) {
      const uint16_t *const from = lines + x * MOST + y;
      const v128_t ab = low16(wasm_v128_load64_zero(from), wasm_v128_load64_zero(from + MOST));
      const v128_t cd = low16(wasm_v128_load64_zero(from + 2 * MOST), wasm_v128_load64_zero(from + 3 * MOST));
      const v128_t top = low32(ab, cd), bottom = high32(ab, cd);
      uint16_t *const at = to + y * stride + x;
      wasm_v128_store64_lane(at, top, 0);
      wasm_v128_store64_lane(at + stride, top, 1);
      wasm_v128_store64_lane(at + 2 * stride, bottom, 0);
      wasm_v128_store64_lane(at + 3 * stride, bottom, 1);
    }
  }
}

// From the edge above, continued to the right.
void av1_highbd_dr_prediction_z1_c(uint16_t *to, ptrdiff_t stride, int width, int height, const uint16_t *above,
                                   const uint16_t *left, int doubled, int dx, int dy, int bits) {
  (void)left, (void)dy, (void)bits;
  lines_behind(to, stride, width, height, above, doubled, dx);
}

// From the edge at the left, continued downwards.
void av1_highbd_dr_prediction_z3_c(uint16_t *to, ptrdiff_t stride, int width, int height, const uint16_t *above,
                                   const uint16_t *left, int doubled, int dx, int dy, int bits) {
  (void)above, (void)dx, (void)bits;
  uint16_t columns[MOST * MOST];
  lines_behind(columns, MOST, height, width, left, doubled, dy);
  transpose(to, stride, width, height, columns);
}

// From both: of the edge at the left comes what lies before the one above.
void av1_highbd_dr_prediction_z2_c(uint16_t *to, ptrdiff_t stride, int width, int height, const uint16_t *above,
                                   const uint16_t *left, int doubled_above, int doubled_left, int dx, int dy, int bits) {
  (void)bits;
  lines_before(to, stride, width, height, above, doubled_above, dx);
  const int most = (missing(height - 1, doubled_above, dx) + 3) & -4, columns = most < width ? most : width;
  if (columns == 0) return;
  uint16_t lines[MOST * MOST], rows[MOST * MOST];
  lines_before(lines, MOST, height, columns, left, doubled_left, dy);
  transpose(rows, MOST, columns, height, lines);
  for (int y = 0; y < height; y++) {
    const int count = missing(y, doubled_above, dx);
    memcpy(to + y * stride, rows + y * MOST, (size_t)(count < width ? count : width) * sizeof *rows);
  }
}
