#include "huffman.h"
#include <string.h>

// Counts below 2^32 cannot give codes of more than 46 bits.
enum { LONGEST = 48, SYMBOLS = 257 };

// The rarest symbol that still stands for itself; of equally rare ones the last.
static int rarest(const uint32_t counts[SYMBOLS], int besides) {
  int found = -1;
  for (int i = 0; i < SYMBOLS; i++)
    if (counts[i] && i != besides && (found < 0 || counts[i] <= counts[found])) found = i;
  return found;
}

static void find_lengths(uint32_t counts[SYMBOLS], uint8_t lengths[SYMBOLS]) {
  int next[SYMBOLS];
  memset(next, -1, sizeof next);
  memset(lengths, 0, SYMBOLS);
  counts[256] = 1;  // takes the code of all ones, which must not be used
  for (;;) {
    int a = rarest(counts, -1), b = rarest(counts, a);
    if (b < 0) return;
    counts[a] += counts[b];
    counts[b] = 0;
    // Every symbol of both trees gets one bit longer; the trees are chained to one.
    for (lengths[a]++; next[a] >= 0; lengths[a]++) a = next[a];
    next[a] = b;
    for (lengths[b]++; next[b] >= 0; lengths[b]++) b = next[b];
  }
}

// Moves pairs of codes that are longer than 16 bits up, in exchange for splitting a shorter one.
static void limit_lengths(int histogram[LONGEST + 1]) {
  for (int length = LONGEST; length > 16; length--) {
    while (histogram[length] > 0) {
      int shorter = length - 2;
      while (histogram[shorter] == 0) shorter--;
      histogram[length] -= 2;
      histogram[length - 1]++;
      histogram[shorter + 1] += 2;
      histogram[shorter]--;
    }
  }
  // The reserved symbol is among the longest; it alone has no length when nothing was counted.
  int last = 16;
  while (last > 0 && histogram[last] == 0) last--;
  if (last > 0) histogram[last]--;
}

void huffman_optimize(struct huffman *table) {
  uint32_t counts[SYMBOLS];
  uint8_t lengths[SYMBOLS];
  int histogram[LONGEST + 1] = {0};
  memcpy(counts, table->counts, sizeof counts);
  find_lengths(counts, lengths);
  for (int i = 0; i < SYMBOLS; i++)
    if (lengths[i]) histogram[lengths[i]]++;
  limit_lengths(histogram);

  // Symbols in order of their unlimited length take the limited lengths in order.
  int count = 0;
  for (int length = 1; length < SYMBOLS; length++)
    for (int i = 0; i < 256; i++)
      if (lengths[i] == length) table->values[count++] = i;
  memset(table->size, 0, sizeof table->size);
  int index = 0, code = 0;
  table->lengths[0] = 0;
  for (int length = 1; length <= 16; length++, code <<= 1) {
    table->lengths[length] = histogram[length];
    for (int i = 0; i < histogram[length]; i++, code++, index++) {
      table->code[table->values[index]] = code;
      table->size[table->values[index]] = length;
    }
  }
}
