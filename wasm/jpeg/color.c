#include "color.h"

// Rounded x / 255 for x <= 255 * 255.
static uint8_t divide_by_255(uint32_t x) { return (x + 128 + ((x + 128) >> 8)) >> 8; }

void cmyk_to_rgba(uint8_t *pixels, uint32_t count) {
  for (uint32_t i = 0; i < count; i++, pixels += 4) {
    const uint32_t light = pixels[3];
    pixels[0] = divide_by_255(pixels[0] * light);
    pixels[1] = divide_by_255(pixels[1] * light);
    pixels[2] = divide_by_255(pixels[2] * light);
    pixels[3] = 255;
  }
}

void rgb_to_rgba(const uint8_t *from, uint8_t *to, uint32_t count) {
  for (uint32_t i = 0; i < count; i++, from += 3, to += 4) {
    to[0] = from[0];
    to[1] = from[1];
    to[2] = from[2];
    to[3] = 255;
  }
}

void gray_to_rgba(const uint8_t *from, uint8_t *to, uint32_t count) {
  for (uint32_t i = 0; i < count; i++, to += 4) {
    to[0] = to[1] = to[2] = from[i];
    to[3] = 255;
  }
}

void narrow_row(void *row, uint32_t first, uint32_t count, int precision) {
  const int16_t *from = (const int16_t *)row + first;
  uint8_t *to = row;
  const uint32_t max = (1u << precision) - 1;
  for (uint32_t i = 0; i < count; i++) {
    const uint32_t sample = (uint32_t)from[i] > max ? max : (uint32_t)from[i];
    to[i] = (sample * 255 + max / 2) / max;
  }
}
