// Pixels to linear RGB, on a background. Pictures have few translucent colors: the latest are kept.
#pragma once
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "gauss.h"

enum { BLENDS = 1024 };

// A translucent pixel, and its linear RGB on the background.
typedef struct {
  uint32_t pixel;
  float linear[3];
} Blend;

typedef struct {
  float of_level[256]; // linear light of an opaque sample
  float background;
  Blend latest[BLENDS]; // of each hash
} Linear;

// The curve of sRGB as the reference tool has it: a quotient of polynomials that is off by some millionths at most. See
// gauss.h for why the last bits count.
static float srgb_to_linear(float level) {
  static const float above[5] = {8.210152774e-01f, 7.961564959e-01f, 1.624820318e-01f, 1.043637593e-02f, 2.200248328e-04f};
  static const float below[5] = {6.521209011e-03f, -5.512498495e-02f, 4.987528350e-01f, 1.076976492e+00f, 2.631846970e-01f};
  if (level <= 0.04045f) return level * (1.0f / 12.92f);
  v128_t x = wasm_f32x4_splat(level), up = wasm_f32x4_splat(above[0]), down = wasm_f32x4_splat(below[0]);
  for (int power = 1; power < 5; power++) {
    up = fused(up, x, wasm_f32x4_splat(above[power]));
    down = fused(down, x, wasm_f32x4_splat(below[power]));
  }
  return wasm_f32x4_extract_lane(wasm_f32x4_div(up, down), 0);
}

// The reference blends before it linearizes.
static Blend blended(uint32_t pixel, float background) {
  const float part = 1.0f / 255.0f;
  Blend blend = {.pixel = pixel};
  float alpha = (pixel >> 24) * part;
  for (int plane = 0; plane < 3; plane++) {
    float level = (pixel >> 8 * plane & 255) * part;
    blend.linear[plane] = srgb_to_linear(alpha * level + (1.0f - alpha) * background);
  }
  return blend;
}

static void linear_open(Linear *linear, float background) {
  linear->background = background;
  for (int level = 0; level < 256; level++) linear->of_level[level] = srgb_to_linear(level * (1.0f / 255.0f));
  const Blend clear = blended(0, background);
  for (int slot = 0; slot < BLENDS; slot++) linear->latest[slot] = clear;
}

static const Blend *blend_of(Linear *linear, uint32_t pixel) {
  Blend *blend = &linear->latest[pixel * 2654435761u >> 22];
  if (blend->pixel != pixel) *blend = blended(pixel, linear->background);
  return blend;
}

static inline void opaque_to_linear(const float *of_level, uint32_t pixel, int stride, float *planes) {
  planes[0] = of_level[pixel & 255];
  planes[stride] = of_level[pixel >> 8 & 255];
  planes[2 * stride] = of_level[pixel >> 16 & 255];
}

static void pixel_to_linear(Linear *linear, uint32_t pixel, int stride, float *planes) {
  if (pixel >> 24 == 255) return opaque_to_linear(linear->of_level, pixel, stride, planes);
  const Blend *blend = blend_of(linear, pixel);
  for (int plane = 0; plane < 3; plane++) planes[plane * stride] = blend->linear[plane];
}

// Whether four pixels are all like the one before them.
static inline int is_run(const uint8_t *rgba) {
  return wasm_i32x4_all_true(wasm_i32x4_eq(wasm_v128_load(rgba), wasm_v128_load(rgba - 4)));
}

static inline void four_to_linear(Linear *linear, const uint8_t *rgba, int stride, float *planes) {
  uint32_t pixels[4];
  memcpy(pixels, rgba, sizeof pixels);
  if ((pixels[0] & pixels[1] & pixels[2] & pixels[3]) >> 24 == 255) {
    for (int next = 0; next < 4; next++) opaque_to_linear(linear->of_level, pixels[next], stride, planes + next);
  } else {
    for (int next = 0; next < 4; next++) pixel_to_linear(linear, pixels[next], stride, planes + next);
  }
}

// The same of a row that is mostly of runs, as those of drawings are.
static void runs_to_linear(Linear *linear, const uint8_t *rgba, int width, int stride, float *planes) {
  if (width >= 4) four_to_linear(linear, rgba, stride, planes);
  for (int at = 4; at + 4 <= width; at += 4) {
    if (!is_run(rgba + at * 4)) {
      four_to_linear(linear, rgba + at * 4, stride, planes + at);
      continue;
    }
    for (int plane = 0; plane < 3; plane++) {
      float *values = planes + plane * stride + at;
      wasm_v128_store(values, everywhere(values - 1));
    }
  }
}

// A row of RGBA8 to planes of `stride` floats.
static void to_linear(Linear *linear, const uint8_t *rgba, int width, int stride, float *planes) {
  int runs = 0;
  for (int at = 4; at + 4 <= width; at += 4) runs += is_run(rgba + at * 4);
  if (runs * 8 > width) runs_to_linear(linear, rgba, width, stride, planes);
  else for (int at = 0; at + 4 <= width; at += 4) four_to_linear(linear, rgba + at * 4, stride, planes + at);
  for (int at = width & ~3; at < width; at++) {
    uint32_t pixel;
    memcpy(&pixel, rgba + at * 4, sizeof pixel);
    pixel_to_linear(linear, pixel, stride, planes + at);
  }
}
