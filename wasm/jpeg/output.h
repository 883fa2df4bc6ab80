// Bytes and bits on their way to the host, in pieces of 64 KiB.
#pragma once
#include <string.h>
#include "native.h"

enum { OUTPUT_BYTES = 65536 };

struct output {
  int sink;
  size_t used;
  uint64_t bits;      // not written yet, in the low `bit_count` bits
  int bit_count;
  uint8_t buffer[OUTPUT_BYTES];
};

static inline void output_flush(struct output *out) {
  if (out->used) push(out->sink, out->buffer, out->used);
  out->used = 0;
}

static inline void put_byte(struct output *out, int byte) {
  if (out->used == OUTPUT_BYTES) output_flush(out);
  out->buffer[out->used++] = byte;
}

static inline void put_word(struct output *out, int word) {
  put_byte(out, word >> 8);
  put_byte(out, word);
}

static inline void put_bytes(struct output *out, const uint8_t *bytes, size_t count) {
  for (size_t i = 0; i < count; i++) put_byte(out, bytes[i]);
}

// Four entropy-coded bytes, for which up to eight must be free: a byte 0xFF is followed by a zero.
static inline void put_entropy_word(struct output *out, uint32_t word) {
  // A byte of all ones is a byte whose complement is zero.
  const uint32_t complement = ~word;
  if (!((complement - 0x01010101u) & word & 0x80808080u)) {
    const uint32_t swapped = __builtin_bswap32(word);
    memcpy(out->buffer + out->used, &swapped, 4);
    out->used += 4;
    return;
  }
  for (int shift = 24; shift >= 0; shift -= 8) {
    const uint8_t byte = word >> shift;
    out->buffer[out->used++] = byte;
    if (byte == 0xFF) out->buffer[out->used++] = 0;
  }
}

// Entropy-coded bits, most significant first, at most 32.
static inline void put_bits(struct output *out, uint32_t bits, int count) {
  out->bits = out->bits << count | bits;
  out->bit_count += count;
  if (out->bit_count < 32) return;
  out->bit_count -= 32;
  if (out->used + 8 > OUTPUT_BYTES) output_flush(out);
  put_entropy_word(out, out->bits >> out->bit_count);
}

// Fills the last byte with ones.
static inline void finish_bits(struct output *out) {
  while (out->bit_count > 0) {
    const int missing = out->bit_count < 8 ? 8 - out->bit_count : 0;
    const uint8_t byte = (out->bits << missing | ((1u << missing) - 1)) >> (out->bit_count + missing - 8);
    put_byte(out, byte);
    if (byte == 0xFF) put_byte(out, 0);
    out->bit_count += missing - 8;
  }
  out->bits = 0;
}
