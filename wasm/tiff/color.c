// Samples as sRGB: TIFF 6.0, sections 4 to 6, 16 and 23; ICC specification, appendix on TIFF, for ICCLab.
#include <math.h>
#include <string.h>
#include "tiff.h"

static void convert_gray(const struct layout *layout, const uint8_t *gray, uint32_t count, uint8_t *to) {
  const uint8_t flip = layout->photometric == PHOTOMETRIC_MINISWHITE ? 255 : 0;
  for (uint32_t x = 0; x < count; x++, to += 4) to[0] = to[1] = to[2] = gray[x] ^ flip;
}

static void convert_palette(const struct layout *layout, const uint8_t *indices, uint32_t count, uint8_t *to) {
  for (uint32_t x = 0; x < count; x++, to += 4)
    for (int c = 0; c < 3; c++) to[c] = layout->palette[indices[x]][c];
}

static void convert_rgb(const uint8_t *samples, uint32_t stride, uint32_t count, uint8_t *to) {
  for (uint32_t x = 0; x < count; x++, to += 4)
    for (int c = 0; c < 3; c++) to[c] = samples[c * stride + x];
}

static void convert_inks(const struct layout *layout, const uint8_t *samples, uint32_t stride, uint32_t count, uint8_t *to) {
  const uint8_t *key = samples + 3 * stride;
  for (uint32_t x = 0; x < count; x++, to += 4) {
    for (int c = 0; c < 3; c++) {
      const uint8_t ink = samples[c * stride + x];
      to[c] = layout->output == OUTPUT_CMYK ? ink : (uint8_t)(((255 - ink) * (255 - key[x]) + 127) / 255);
    }
    if (layout->output == OUTPUT_CMYK) to[3] = key[x];
  }
}

// Inks that were multiplied by alpha, as they were before. What is clear has none.
static void straighten_inks(const uint8_t *alpha, uint32_t stride, uint32_t count, uint8_t *samples) {
  for (int c = 0; c < 4; c++, samples += stride) {
    for (uint32_t x = 0; x < count; x++) {
      const uint32_t a = alpha[x], straight = a ? (samples[x] * 255 + a / 2) / a : 0;
      samples[x] = (uint8_t)(straight > 255 ? 255 : straight);
    }
  }
}

static float inverse_lightness(float t) { return t > 6 / 29.0f ? t * t * t : (t - 4 / 29.0f) * (108 / 841.0f); }

static uint8_t encoded(float linear) {
  if (!(linear > 0)) return 0;
  if (linear >= 1) return 255;
  float value = linear <= 0.0031308f ? 12.92f * linear : 1.055f * powf(linear, 1 / 2.4f) - 0.055f;
  return (uint8_t)(value * 255 + 0.5f);
}

// CIE L*a*b* of white D50 to sRGB, with Bradford's adaptation to D65.
static void write_lab(float lightness, float a, float b, uint8_t *to) {
  float fy = (lightness + 16) / 116;
  float x = 0.9642f * inverse_lightness(fy + a / 500);
  float y = inverse_lightness(fy);
  float z = 0.8249f * inverse_lightness(fy - b / 200);
  to[0] = encoded(3.1338561f * x - 1.6168667f * y - 0.4906146f * z);
  to[1] = encoded(-0.9787684f * x + 1.9161415f * y + 0.0334540f * z);
  to[2] = encoded(0.0719453f * x - 0.2289914f * y + 1.4052427f * z);
}

static float two_sided(float value, uint16_t bits) {
  const float half = bits == 16 ? 32768 : 128;
  return (value >= half ? value - 2 * half : value) / (bits == 16 ? 256 : 1);
}

static void convert_lab(const struct layout *layout, const struct row *row, uint8_t *to) {
  const uint16_t bits = layout->bits;
  const int plain = layout->photometric == PHOTOMETRIC_CIELAB;
  for (uint32_t x = 0; x < row->count; x++, to += 4) {
    float lightness = sample_number(layout, row, 0, x);
    float a = sample_number(layout, row, 1, x);
    float b = sample_number(layout, row, 2, x);
    if (layout->format == SAMPLEFORMAT_IEEEFP) {
      write_lab(lightness, a, b, to);
      continue;
    }
    lightness *= bits == 16 ? 100 / 65535.0f : 100 / 255.0f;
    a = plain ? two_sided(a, bits) : bits == 16 ? a / 256 - 128 : a - 128;
    b = plain ? two_sided(b, bits) : bits == 16 ? b / 256 - 128 : b - 128;
    write_lab(lightness, a, b, to);
  }
}

static void write_alpha(const struct layout *layout, const uint8_t *alpha, uint32_t count, uint8_t *to) {
  for (uint32_t x = 0; x < count; x++, to += 4) {
    const uint32_t a = to[3] = alpha[x];
    const int is_straight = layout->alpha != ALPHA_PREMULTIPLIED || layout->photometric == PHOTOMETRIC_SEPARATED;
    if (is_straight || a == 255) continue;
    for (int c = 0; c < 3; c++) {
      const uint32_t straight = a ? (to[c] * 255 + a / 2) / a : 0;
      to[c] = (uint8_t)(straight > 255 ? 255 : straight);
    }
  }
}

static void write_deep_alpha(const struct layout *layout, const struct row *row, uint16_t *to) {
  struct layout plain = *layout;
  plain.photometric = PHOTOMETRIC_MINISBLACK;
  samples_unpack_deep(&plain, row, layout->colors, to + 3);
  if (layout->alpha != ALPHA_PREMULTIPLIED) return;
  for (uint32_t x = 0; x < row->count; x++, to += 4) {
    const uint32_t a = to[3];
    for (int c = 0; c < 3; c++) {
      const uint32_t straight = a ? (to[c] * 65535u + a / 2) / a : 0;
      to[c] = (uint16_t)(straight > 65535 ? 65535 : straight);
    }
  }
}

uint32_t deep_bits(const struct layout *layout, enum way way) {
  const uint16_t photometric = layout->photometric;
  const int is_plain = photometric == PHOTOMETRIC_RGB || photometric == PHOTOMETRIC_MINISBLACK ||
                       photometric == PHOTOMETRIC_MINISWHITE;
  if (way == BY_LIBTIFF || !is_plain || layout->bits <= 8) return 0;
  return layout->bits < 16 ? layout->bits : 16;
}

static void convert_deep(const struct layout *layout, const struct row *row, uint16_t *to) {
  const uint16_t flip = layout->photometric == PHOTOMETRIC_MINISWHITE ? 65535 : 0;
  for (uint16_t sample = 0; sample < layout->colors; sample++) samples_unpack_deep(layout, row, sample, to + sample);
  for (uint32_t x = 0; x < row->count; x++) {
    uint16_t *const pixel = to + 4 * (size_t)x;
    if (layout->colors == 1) pixel[0] = pixel[1] = pixel[2] = pixel[0] ^ flip;
    pixel[3] = 65535;
  }
  if (layout->alpha != ALPHA_NONE) write_deep_alpha(layout, row, to);
}

void row_convert(const struct layout *layout, const struct row *row, uint8_t *scratch, uint8_t *to) {
  if (layout->output == OUTPUT_DEEP) {
    convert_deep(layout, row, (uint16_t *)to);
    return;
  }
  const uint32_t stride = layout->width;
  uint8_t *const alpha = scratch + layout->colors * stride;
  if (layout->alpha != ALPHA_NONE) {
    struct layout plain = *layout;
    plain.photometric = PHOTOMETRIC_MINISBLACK;
    samples_unpack(&plain, row, layout->colors, alpha);
  }
  const int lab = layout->photometric == PHOTOMETRIC_CIELAB || layout->photometric == PHOTOMETRIC_ICCLAB;
  for (uint16_t sample = 0; !lab && sample < layout->colors; sample++)
    samples_unpack(layout, row, sample, scratch + sample * stride);
  switch (layout->photometric) {
    case PHOTOMETRIC_RGB:
    case PHOTOMETRIC_YCBCR:
      convert_rgb(scratch, stride, row->count, to);
      break;
    case PHOTOMETRIC_PALETTE:
      convert_palette(layout, scratch, row->count, to);
      break;
    case PHOTOMETRIC_SEPARATED:
      if (layout->alpha == ALPHA_PREMULTIPLIED) straighten_inks(alpha, stride, row->count, scratch);
      convert_inks(layout, scratch, stride, row->count, to);
      break;
    case PHOTOMETRIC_CIELAB:
    case PHOTOMETRIC_ICCLAB:
      convert_lab(layout, row, to);
      break;
    default:
      convert_gray(layout, scratch, row->count, to);
  }
  if (layout->output == OUTPUT_CMYK) {
    if (layout->alphas) memcpy(layout->alphas + (to - layout->band) / 4, alpha, row->count);
    return;
  }
  if (layout->alpha == ALPHA_NONE) {
    for (uint32_t x = 0; x < row->count; x++) to[x * 4 + 3] = 255;
    return;
  }
  write_alpha(layout, alpha, row->count, to);
}
