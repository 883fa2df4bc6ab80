// RGB to luma and chroma by BT.601, at full range as most AVIF files have them, or at that of films; chroma by the mean of four
// pixels. Of stills with halved chroma luma makes up for the brightness that is lost by that.
#include "cells.h"

#include <string.h>

// The weights of BT.601 for red, green and blue, scaled by 2^14; those of a difference add up to 0, those of luma to 2^14. Of
// limited range they are 219 and 224 parts of 255, and luma begins at 16.
#define SHIFT 14
struct weights {
  int y[3], u[3], v[3], black;
};
static const struct weights FULL = {{4899, 9617, 1868}, {-2765, -5427, 8192}, {8192, -6860, -1332}, 0};
static const struct weights LIMITED = {{4207, 8259, 1605}, {-2429, -4767, 7196}, {7196, -6026, -1170}, 16};

size_t cell_row_bytes(const struct cell_row *cells, int alpha) {
  const size_t luma = (size_t)cells->width * cells->height;
  const size_t half = (size_t)((cells->width + 1) / 2) * ((cells->height + 1) / 2);
  const size_t samples = luma + 2 * (cells->chroma == CHROMA_HALF ? half : luma) + (alpha ? luma : 0);
  return samples * sample_bytes(cells);
}

void cell_row_place(struct cell_row *cells, int alpha, uint8_t *memory) {
  const int half = cells->chroma == CHROMA_HALF;
  const size_t bytes = sample_bytes(cells);
  const size_t width = cells->width * bytes, chroma_width = half ? (size_t)((cells->width + 1) / 2) * bytes : width;
  const size_t chroma_height = half ? (cells->height + 1) / 2 : cells->height;
  cells->strides[0] = cells->strides[3] = width;
  cells->strides[1] = cells->strides[2] = chroma_width;
  cells->planes[0] = memory;
  cells->planes[1] = cells->planes[0] + width * cells->height;
  cells->planes[2] = cells->planes[1] + chroma_width * chroma_height;
  cells->planes[3] = alpha ? cells->planes[2] + chroma_width * chroma_height : NULL;
}

static inline uint8_t clamped(int value) { return (uint8_t)(value < 0 ? 0 : value > 255 ? 255 : value); }

static inline __attribute__((always_inline)) void luma_row(const uint8_t *restrict rgba, int width, struct weights weights,
                                                           uint8_t *restrict y) {
  for (int x = 0; x < width; x++) {
    const uint8_t *const p = rgba + x * 4;
    const int sum = p[0] * weights.y[0] + p[1] * weights.y[1] + p[2] * weights.y[2];
    y[x] = (uint8_t)(((sum + (1 << (SHIFT - 1))) >> SHIFT) + weights.black);
  }
}

// A difference; `shift` is 0 for one pixel, 2 for the sum of four.
static inline uint8_t difference(int r, int g, int b, const int weights[3], int shift) {
  const int sum = r * weights[0] + g * weights[1] + b * weights[2];
  return clamped(((sum + (1 << (SHIFT + shift - 1))) >> (SHIFT + shift)) + 128);
}

static inline __attribute__((always_inline)) void chroma_row(const uint8_t *restrict rgba, int width, struct weights weights,
                                                             uint8_t *restrict u, uint8_t *restrict v) {
  for (int x = 0; x < width; x++) {
    const uint8_t *const p = rgba + x * 4;
    u[x] = difference(p[0], p[1], p[2], weights.u, 0);
    v[x] = difference(p[0], p[1], p[2], weights.v, 0);
  }
}

static inline __attribute__((always_inline)) void half_chroma_row(const uint8_t *restrict top, const uint8_t *restrict bottom,
                                                                  int width, struct weights weights,
                                                                  uint8_t *restrict u, uint8_t *restrict v) {
  for (int x = 0; x < width / 2; x++) {
    const uint8_t *const a = top + x * 8, *const b = bottom + x * 8;
    const int red_sum = a[0] + a[4] + b[0] + b[4], green_sum = a[1] + a[5] + b[1] + b[5];
    const int blue_sum = a[2] + a[6] + b[2] + b[6];
    u[x] = difference(red_sum, green_sum, blue_sum, weights.u, 2);
    v[x] = difference(red_sum, green_sum, blue_sum, weights.v, 2);
  }
  if (width & 1) {
    const uint8_t *const a = top + (size_t)(width - 1) * 4, *const b = bottom + (size_t)(width - 1) * 4;
    const int red_sum = 2 * (a[0] + b[0]), green_sum = 2 * (a[1] + b[1]), blue_sum = 2 * (a[2] + b[2]);
    u[width / 2] = difference(red_sum, green_sum, blue_sum, weights.u, 2);
    v[width / 2] = difference(red_sum, green_sum, blue_sum, weights.v, 2);
  }
}

static void rgb_row(const uint8_t *restrict rgba, int width, uint8_t *restrict g, uint8_t *restrict b,
                    uint8_t *restrict r) {
  for (int x = 0; x < width; x++) {
    r[x] = rgba[x * 4];
    g[x] = rgba[x * 4 + 1];
    b[x] = rgba[x * 4 + 2];
  }
}

static int alpha_row(const uint8_t *restrict rgba, int width, uint8_t *restrict alpha) {
  uint8_t all = 255;
  for (int x = 0; x < width; x++) {
    alpha[x] = rgba[x * 4 + 3];
    all &= alpha[x];
  }
  return all != 255;
}

void cell_row_next(struct cell_row *cells, int rows) {
  cells->rows = cells->halved_rows = 0;
  cells->translucent = 0;
  if (cells->halved == NULL) return;
  cells->halved->rows = 0;
  cells->halved->height = (uint32_t)rows;
}

// Takes the rows of planes that are complete.
static void take_halved(void *all) {
  struct cell_row *const cells = all;
  const struct halved *const halved = cells->halved;
  const int left = (int)halved->height - cells->halved_rows, width = cells->filled;
  const size_t bytes = sample_bytes(cells), stride = halved->columns * bytes, half = stride / 2;
  const uint8_t *from = halved->planes;
  for (int row = 0; row < left && row < HALVED_MCU; row++, from += stride) {
    memcpy(cells->planes[0] + (cells->halved_rows + row) * cells->strides[0], from, width * bytes);
  }
  for (int p = 1; p < 3; p++) {
    from = halved->planes + stride * HALVED_MCU + (p - 1) * half * (HALVED_MCU / 2);
    for (int row = 0; 2 * row < left && row < HALVED_MCU / 2; row++, from += half) {
      memcpy(cells->planes[p] + (cells->halved_rows / 2 + row) * cells->strides[p], from, (width + 1) / 2 * bytes);
    }
  }
  cells->halved_rows += HALVED_MCU;
}

// Takes a row of luma and, unless chroma is halved and the row an odd one, one of chroma.
static inline __attribute__((always_inline)) void take_row(struct cell_row *cells, const uint8_t *from, const uint8_t *below,
                                                           struct weights weights, int y) {
  const int width = cells->filled;
  luma_row(from, width, weights, cells->planes[0] + y * cells->strides[0]);
  const int half = cells->chroma == CHROMA_HALF;
  if (half && (y & 1)) return;
  uint8_t *const u = cells->planes[1] + (half ? y / 2 : y) * cells->strides[1];
  uint8_t *const v = cells->planes[2] + (half ? y / 2 : y) * cells->strides[2];
  if (half) half_chroma_row(from, below, width, weights, u, v);
  else chroma_row(from, width, weights, u, v);
}

void cell_row_add(struct cell_row *cells, const uint8_t *rgba, int rows) {
  const int width = cells->filled;
  for (int row = 0; row < rows; row++) {
    const int y = cells->rows + row;
    const uint8_t *const from = rgba + (size_t)row * width * 4;
    uint8_t *at[4];
    for (int p = 0; p < 4; p++) at[p] = cells->planes[p] + y * cells->strides[p];
    if (cells->planes[3] && alpha_row(from, width, at[3])) cells->translucent = 1;
    if (cells->halved) {
      halved_take(cells->halved, from, take_halved, cells);
      continue;
    }
    if (cells->chroma == CHROMA_RGB) {
      rgb_row(from, width, at[0], at[1], at[2]);
      continue;
    }
    const uint8_t *const below = row + 1 < rows ? from + (size_t)width * 4 : from;
    if (cells->limited) take_row(cells, from, below, LIMITED, y);
    else take_row(cells, from, below, FULL, y);
  }
  cells->rows += rows;
}
