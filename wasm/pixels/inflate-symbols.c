// Decodes the literals and matches of a block, the loop in which decompression spends its time.
#include "inflate-state.h"

#define REFILL()                               \
  do {                                         \
    bits |= load64(next) << (bit_count & 63);  \
    next += (63 - bit_count) >> 3;             \
    bit_count |= 56;                           \
  } while (0)

// Copies a match in steps of 16 bytes, up to 31 bytes too far; the caller keeps room for them.
static inline void copy_match(uint8_t *out, uint32_t distance, uint32_t length) {
  static const uint8_t repeat[16][16] = {
      {0}, {0}, {0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1}, {0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0},
      {0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3}, {0, 1, 2, 3, 4, 0, 1, 2, 3, 4, 0, 1, 2, 3, 4, 0},
      {0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5, 0, 1, 2, 3}, {0, 1, 2, 3, 4, 5, 6, 0, 1, 2, 3, 4, 5, 6, 0, 1},
      {0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 0, 1, 2, 3, 4, 5, 6},
      {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 1, 2, 3, 4, 5}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 0, 1, 2, 3, 4},
      {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 0, 1, 2, 3}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 0, 1, 2},
      {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 0, 1}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 0}};
  const uint8_t *from = out - distance, *end = out + length;
  if (distance >= 16) {
    do {
      wasm_v128_store(out, wasm_v128_load(from));
      out += 16, from += 16;
    } while (out < end);
    return;
  }
  const v128_t v = permute(wasm_v128_load(from), wasm_v128_load(repeat[distance]));
  const uint32_t step = 16 - 16 % distance;
  do {
    wasm_v128_store(out, v);
    out += step;
  } while (out < end);
}

void inflate_symbols(Inflate *s) {
  const uint8_t *next = s->next;
  const uint8_t *input_limit = s->last_input ? s->end + PADDING - 2 * MARGIN : s->end - MARGIN;
  uint8_t *out = s->output + s->written, *const out_limit = s->output + s->limit;
  uint64_t bits = s->bits;
  uint32_t bit_count = s->bit_count;
  const uint32_t *literals = s->literals, *distances = s->distances;
  State state = SYMBOLS;
  while (next < input_limit && out < out_limit) {
    REFILL();
    uint32_t entry = literals[bits & ((1 << LITERAL_BITS) - 1)];
    if (entry & IS_LITERAL) {
      bits >>= entry & 0xff, bit_count -= entry & 0xff;
      *out++ = (uint8_t)(entry >> 16);
      entry = literals[bits & ((1 << LITERAL_BITS) - 1)];
      if (entry & IS_LITERAL) {
        bits >>= entry & 0xff, bit_count -= entry & 0xff;
        *out++ = (uint8_t)(entry >> 16);
        entry = literals[bits & ((1 << LITERAL_BITS) - 1)];
        if (entry & IS_LITERAL) {
          bits >>= entry & 0xff, bit_count -= entry & 0xff;
          *out++ = (uint8_t)(entry >> 16);
          continue;
        }
      }
      REFILL();
    }
    if (entry & IS_SPECIAL) {
      if (entry & IS_SUBTABLE) {
        bits >>= LITERAL_BITS, bit_count -= LITERAL_BITS;
        entry = literals[(entry >> 16) + (bits & ((1u << (entry >> 8 & 0xf)) - 1))];
        if (entry & IS_LITERAL) {
          bits >>= entry & 0xff, bit_count -= entry & 0xff;
          *out++ = (uint8_t)(entry >> 16);
          continue;
        }
      }
      if (entry & IS_SPECIAL) {
        bits >>= entry & 0xff, bit_count -= entry & 0xff;
        state = entry & IS_END ? BLOCK_HEADER : FAILED;
        break;
      }
    }
    const uint32_t length_code = entry >> 8 & 0xf, length_bits = entry & 0xff;
    const uint32_t length = (entry >> 16) + ((uint32_t)(bits >> length_code) & ((1u << (length_bits - length_code)) - 1));
    bits >>= length_bits, bit_count -= length_bits;
    entry = distances[bits & ((1 << DISTANCE_BITS) - 1)];
    if (entry & IS_SUBTABLE) {
      bits >>= DISTANCE_BITS, bit_count -= DISTANCE_BITS;
      entry = distances[(entry >> 16) + (bits & ((1u << (entry >> 8 & 0xf)) - 1))];
    }
    const uint32_t code = entry >> 8 & 0xf, code_and_extra = entry & 0xff;
    const uint32_t distance = (entry >> 16) + ((uint32_t)(bits >> code) & ((1u << (code_and_extra - code)) - 1));
    bits >>= code_and_extra, bit_count -= code_and_extra;
    if (entry & IS_INVALID || distance > (size_t)(out - s->output)) {
      state = FAILED;
      break;
    }
    copy_match(out, distance, length);
    out += length;
  }
  s->next = (uint8_t *)next, s->bits = bits, s->bit_count = bit_count;
  s->written = out - s->output;
  s->state = state;
}
