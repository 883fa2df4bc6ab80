// RGB of 16 bits to luma and chroma of 10 by BT.2020 without constant luminance, at full range; chroma by the mean of four
// pixels.
#include "cells.h"

// A full sample of 10 bits, and of 16.
#define FULL 1023.0f
#define FULL_16 65535.0f
#define MIDDLE 512.0f
// The shares of red and blue in luma (ISO/IEC 23091-2, table 4).
#define RED 0.2627f
#define BLUE 0.0593f
#define GREEN (1 - RED - BLUE)

static inline uint16_t rounded(float value) {
  return (uint16_t)(value < 0 ? 0 : value > FULL ? FULL : value + 0.5f);
}

static inline float luma(float r, float g, float b) { return r * RED + g * GREEN + b * BLUE; }

static inline uint16_t scaled(uint16_t sample) { return rounded(sample * (FULL / FULL_16)); }

// What is there of a color beyond luma becomes chroma of `pixels` pixels whose sums these are.
static inline uint16_t difference(float color, float y, float share, int pixels) {
  return rounded((color - y) * (FULL / FULL_16 / 2 / pixels) / (1 - share) + MIDDLE);
}

static void luma_row(const uint16_t *restrict rgba, int width, uint16_t *restrict y) {
  for (int x = 0; x < width; x++) {
    const uint16_t *const p = rgba + x * 4;
    y[x] = rounded(luma(p[0], p[1], p[2]) * (FULL / FULL_16));
  }
}

static void chroma_row(const uint16_t *restrict rgba, int width, uint16_t *restrict u, uint16_t *restrict v) {
  for (int x = 0; x < width; x++) {
    const uint16_t *const p = rgba + x * 4;
    const float y = luma(p[0], p[1], p[2]);
    u[x] = difference(p[2], y, BLUE, 1);
    v[x] = difference(p[0], y, RED, 1);
  }
}

static void half_chroma_row(const uint16_t *restrict top, const uint16_t *restrict bottom, int width,
                            uint16_t *restrict u, uint16_t *restrict v) {
  for (int x = 0; x < width; x += 2) {
    // The last column of an odd number of them stands for two.
    const int next = x + 1 < width ? 4 : 0;
    const uint16_t *const a = top + x * 4, *const b = bottom + x * 4;
    const float red = (float)a[0] + a[next] + b[0] + b[next];
    const float green = (float)a[1] + a[next + 1] + b[1] + b[next + 1];
    const float blue = (float)a[2] + a[next + 2] + b[2] + b[next + 2];
    const float y = luma(red, green, blue);
    u[x / 2] = difference(blue, y, BLUE, 4);
    v[x / 2] = difference(red, y, RED, 4);
  }
}

static void rgb_row(const uint16_t *restrict rgba, int width, uint16_t *restrict g, uint16_t *restrict b,
                    uint16_t *restrict r) {
  for (int x = 0; x < width; x++) {
    r[x] = scaled(rgba[x * 4]);
    g[x] = scaled(rgba[x * 4 + 1]);
    b[x] = scaled(rgba[x * 4 + 2]);
  }
}

static int alpha_row(const uint16_t *restrict rgba, int width, uint16_t *restrict alpha) {
  uint16_t all = 0x3ff;
  for (int x = 0; x < width; x++) {
    alpha[x] = scaled(rgba[x * 4 + 3]);
    all &= alpha[x];
  }
  return all != 0x3ff;
}

static uint16_t *row_of(const struct cell_row *cells, int plane, int y) {
  return (uint16_t *)(cells->planes[plane] + y * cells->strides[plane]);
}

void cell_row_add_deep(struct cell_row *cells, const uint16_t *rgba, int rows) {
  const int width = cells->filled;
  for (int row = 0; row < rows; row++) {
    const int y = cells->rows + row;
    const uint16_t *const from = rgba + (size_t)row * width * 4;
    if (cells->planes[3] && alpha_row(from, width, row_of(cells, 3, y))) cells->translucent = 1;
    if (cells->chroma == CHROMA_RGB) {
      rgb_row(from, width, row_of(cells, 0, y), row_of(cells, 1, y), row_of(cells, 2, y));
      continue;
    }
    luma_row(from, width, row_of(cells, 0, y));
    if (cells->chroma == CHROMA_FULL) {
      chroma_row(from, width, row_of(cells, 1, y), row_of(cells, 2, y));
    } else if ((y & 1) == 0) {
      const uint16_t *const below = row + 1 < rows ? from + (size_t)width * 4 : from;
      half_chroma_row(from, below, width, row_of(cells, 1, y / 2), row_of(cells, 2, y / 2));
    }
  }
  cells->rows += rows;
}
