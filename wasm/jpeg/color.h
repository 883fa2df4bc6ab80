// Row conversions that libjpeg does not offer.
#pragma once
#include <stdint.h>

// CMYK to RGB without a profile, in place, `count` pixels: r = (255 - c)(255 - k) / 255. Adobe files store 255 - ink.
void cmyk_to_rgba(uint8_t *pixels, uint32_t count);
void rgb_to_rgba(const uint8_t *from, uint8_t *to, uint32_t count);
void gray_to_rgba(const uint8_t *from, uint8_t *to, uint32_t count);
// Scales `count` samples of `precision` bits (9 to 12), from index `first` of `row` on, to 8 bits at the start of `row`.
void narrow_row(void *row, uint32_t first, uint32_t count, int precision);
