// The checksum of zlib data (RFC 1950).
#pragma once

#include <stddef.h>
#include <stdint.h>

#define ADLER_MODULUS 65521
#define ADLER_RUN 5552 // bytes after which the sums may overflow

typedef struct { uint32_t low, high; } Adler;

static inline Adler adler_start(void) { return (Adler){1, 0}; }

static inline void adler_add(Adler *adler, const uint8_t *bytes, size_t count) {
  uint32_t low = adler->low, high = adler->high;
  while (count > 0) {
    const size_t run = count < ADLER_RUN ? count : ADLER_RUN;
    for (size_t i = 0; i < run; i++) low += bytes[i], high += low;
    low %= ADLER_MODULUS, high %= ADLER_MODULUS;
    bytes += run, count -= run;
  }
  adler->low = low, adler->high = high;
}

static inline uint32_t adler_value(const Adler *adler) { return adler->high << 16 | adler->low; }
