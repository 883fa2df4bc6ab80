// What reading and writing of PNG rows share (PNG specification, third edition).
#pragma once

#include "pixels.h"

// Filter types of a row (9.2), as stored before it.
enum { FILTER_NONE, FILTER_SUB, FILTER_UP, FILTER_AVERAGE, FILTER_PAETH, FILTER_TYPES };

#define ROW_SLACK 32 // readable and writable bytes before and behind a row, so that SIMD needs no tail

// Color types of a picture (11.2.1).
typedef enum { PNG_GRAY = 0, PNG_RGB = 2, PNG_PALETTE = 3, PNG_GRAY_ALPHA = 4, PNG_RGBA = 6 } ColorType;

static inline int png_channels(ColorType type) {
  return type == PNG_RGB ? 3 : type == PNG_GRAY_ALPHA ? 2 : type == PNG_RGBA ? 4 : 1;
}

// Whether four pixels are all like one.
static inline int is_plain(const uint32_t *pixel, uint32_t one) {
  return wasm_i32x4_all_true(wasm_i32x4_eq(wasm_v128_load(pixel), wasm_i32x4_splat((int32_t)one)));
}

// Bytes of a row of `width` pixels.
static inline size_t png_row_bytes(int width, int channels, int depth) {
  return ((size_t)width * channels * depth + 7) / 8;
}
