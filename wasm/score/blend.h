// Pixels to linear RGB on a background. Powers take long and pictures have few translucent colors: the latest are kept.
#pragma once
#include <math.h>
#include <stdint.h>

enum { BLENDS = 1024 };

// A translucent pixel, and its linear RGB on the background.
typedef struct {
  uint32_t pixel;
  float linear[3];
} Blend;

typedef struct {
  float background;
  Blend latest[BLENDS]; // of each hash
} Blends;

static double srgb_to_linear(double value) { return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4); }

// The reference blends before it linearizes.
static Blend blended(uint32_t pixel, float background) {
  Blend blend = {.pixel = pixel};
  float alpha = (pixel >> 24) / 255.0f;
  for (int plane = 0; plane < 3; plane++) {
    float level = (pixel >> 8 * plane & 255) / 255.0f;
    blend.linear[plane] = srgb_to_linear(alpha * level + (1 - alpha) * background);
  }
  return blend;
}

static void blends_open(Blends *blends, float background) {
  blends->background = background;
  for (int slot = 0; slot < BLENDS; slot++) blends->latest[slot] = blended(0, background);
}

static const Blend *blend_of(Blends *blends, uint32_t pixel) {
  Blend *blend = &blends->latest[pixel * 2654435761u >> 22];
  if (blend->pixel != pixel) *blend = blended(pixel, blends->background);
  return blend;
}
