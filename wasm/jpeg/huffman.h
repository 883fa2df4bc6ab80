// Huffman codes with lengths that suit counted symbols (ITU-T T.81 annex K.2) and the symbols' codes (annex C).
#pragma once
#include <stdint.h>

struct huffman {
  uint32_t counts[257];   // in: occurrences; the last place is reserved
  uint8_t lengths[17];    // out: number of codes of each length, 1 to 16
  uint8_t values[256];    // out: symbols by increasing code
  uint16_t code[256];     // out
  uint8_t size[256];      // out: bits of the code, 0 for symbols that do not occur
};

// What symbols say of a value: how many bits its magnitude has (T.81 F.1.2.1).
static inline int bit_length(uint32_t x) { return x ? 32 - __builtin_clz(x) : 0; }

void huffman_optimize(struct huffman *table);
