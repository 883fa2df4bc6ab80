// Samples of 1 to 32 bits, integers and floating point, as 8 bits or 16. libtiff has put whole bytes in this machine's order.
#include <math.h>
#include <string.h>
#include "tiff.h"

static uint32_t bits_at(const uint8_t *from, uint64_t bit, uint16_t bits) {
  uint32_t value = 0;
  for (uint16_t done = 0; done < bits;) {
    uint32_t within = bit & 7, take = 8 - within;
    if (take > (uint32_t)(bits - done)) take = bits - done;
    value = value << take | ((from[bit >> 3] >> (8 - within - take)) & ((1u << take) - 1));
    bit += take;
    done += take;
  }
  return value;
}

static float half(uint16_t bits) {
  uint32_t exponent = bits >> 10 & 31, fraction = bits & 1023;
  float value = exponent == 0 ? ldexpf((float)fraction, -24)
              : exponent == 31 ? (fraction ? 0 : INFINITY)
              : ldexpf((float)(fraction | 1024), (int)exponent - 25);
  return bits & 0x8000 ? -value : value;
}

static float floating(const uint8_t *from, uint16_t bits) {
  if (bits == 16) {
    uint16_t value;
    memcpy(&value, from, 2);
    return half(value);
  }
  if (bits == 32) {
    float value;
    memcpy(&value, from, 4);
    return value;
  }
  double value;
  memcpy(&value, from, 8);
  return (float)value;
}

static uint8_t level(float value) { return value > 0 ? (value < 1 ? (uint8_t)(value * 255 + 0.5f) : 255) : 0; }

struct place {
  const uint8_t *from;
  uint64_t first;  // sample
  uint32_t step;   // samples from pixel to pixel
};

static struct place place_of(const struct layout *layout, const struct row *row, uint16_t sample) {
  if (row->separate) return (struct place){row->planes[sample], row->first, 1};
  return (struct place){row->planes[0], (uint64_t)row->first * layout->samples + sample, layout->samples};
}

// Signed integers of which `top` is the highest bit, moved so that the lowest is 0.
static uint32_t shifted(const struct layout *layout, uint32_t value, uint32_t top) {
  return layout->format == SAMPLEFORMAT_INT ? value ^ top : value;
}

// Bytes that are said to be signed are not: libtiff, ImageMagick and Pillow show them so, and so they are written.
static void unpack_bytes(struct place at, uint32_t count, uint8_t *to) {
  const uint8_t *from = at.from + at.first;
  for (uint32_t x = 0; x < count; x++, from += at.step) to[x] = *from;
}

static void unpack_words(const struct layout *layout, struct place at, uint32_t count, uint8_t *to) {
  const uint32_t flip = shifted(layout, 0, 0x8000);
  const uint8_t *from = at.from + at.first * 2;
  for (uint32_t x = 0; x < count; x++, from += at.step * 2) {
    uint32_t value = (from[0] | from[1] << 8) ^ flip;
    to[x] = (uint8_t)((value * 255 + 32767) / 65535);
  }
}

void samples_unpack(const struct layout *layout, const struct row *row, uint16_t sample, uint8_t *to) {
  const struct place at = place_of(layout, row, sample);
  const uint16_t bits = layout->bits;
  if (layout->format == SAMPLEFORMAT_IEEEFP) {
    const uint8_t *from = at.from + at.first * (bits / 8);
    for (uint32_t x = 0; x < row->count; x++, from += at.step * (bits / 8)) to[x] = level(floating(from, bits));
  } else if (layout->photometric == PHOTOMETRIC_PALETTE && bits <= 8) {
    for (uint32_t x = 0; x < row->count; x++)
      to[x] = (uint8_t)bits_at(at.from, (at.first + (uint64_t)x * at.step) * bits, bits);
  } else if (bits == 8) {
    unpack_bytes(at, row->count, to);
  } else if (bits == 16) {
    unpack_words(layout, at, row->count, to);
  } else if (bits == 32) {
    const uint8_t flip = (uint8_t)shifted(layout, 0, 0x80);
    const uint8_t *from = at.from + at.first * 4 + 3;
    for (uint32_t x = 0; x < row->count; x++, from += at.step * 4) to[x] = *from ^ flip;
  } else {
    const uint32_t most = (1u << bits) - 1;
    for (uint32_t x = 0; x < row->count; x++) {
      uint32_t value = bits_at(at.from, (at.first + (uint64_t)x * at.step) * bits, bits);
      to[x] = (uint8_t)((shifted(layout, value, 1u << (bits - 1)) * 255 + most / 2) / most);
    }
  }
}

static uint16_t deep_level(float value) {
  return value > 0 ? (value < 1 ? (uint16_t)(value * 65535 + 0.5f) : 65535) : 0;
}

void samples_unpack_deep(const struct layout *layout, const struct row *row, uint16_t sample, uint16_t *to) {
  const struct place at = place_of(layout, row, sample);
  const uint16_t bits = layout->bits;
  if (layout->format == SAMPLEFORMAT_IEEEFP) {
    const uint8_t *from = at.from + at.first * (bits / 8);
    for (uint32_t x = 0; x < row->count; x++, from += at.step * (bits / 8)) to[4 * x] = deep_level(floating(from, bits));
  } else if (bits == 16 || bits == 32) {
    // Of 32 bits the upper ones.
    const uint32_t flip = shifted(layout, 0, 0x8000), bytes = bits / 8;
    const uint8_t *from = at.from + at.first * bytes + bytes - 2;
    for (uint32_t x = 0; x < row->count; x++, from += at.step * bytes)
      to[4 * x] = (uint16_t)((from[0] | from[1] << 8) ^ flip);
  } else {
    const uint32_t most = (1u << bits) - 1;
    for (uint32_t x = 0; x < row->count; x++) {
      const uint32_t value = bits_at(at.from, (at.first + (uint64_t)x * at.step) * bits, bits);
      to[4 * x] = (uint16_t)((shifted(layout, value, 1u << (bits - 1)) * 65535 + most / 2) / most);
    }
  }
}

// A sample as stored; integers are not scaled.
float sample_number(const struct layout *layout, const struct row *row, uint16_t sample, uint32_t pixel) {
  const struct place at = place_of(layout, row, sample);
  const uint64_t index = at.first + (uint64_t)pixel * at.step;
  if (layout->format == SAMPLEFORMAT_IEEEFP) return floating(at.from + index * (layout->bits / 8), layout->bits);
  if (layout->bits == 16) return (float)(at.from[index * 2] | at.from[index * 2 + 1] << 8);
  return (float)at.from[index];
}
