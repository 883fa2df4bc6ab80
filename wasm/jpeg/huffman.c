#include "huffman.h"
#include <string.h>

// Counts below 2^32 cannot give codes of more than 46 bits.
enum {
  LONGEST = 48,
  RESERVED = 256,  // takes the code of all ones, which must not be used
  SYMBOLS = 257,
};

// What occurs, in the order of symbols, and the place of the next of the same tree.
struct trees {
  int count;
  uint32_t counts[SYMBOLS];
  int symbol[SYMBOLS], next[SYMBOLS];
  uint8_t length[SYMBOLS];
};

// The rarest tree; of equally rare ones the last.
static int rarest(const struct trees *t, int besides) {
  int found = -1;
  for (int i = 0; i < t->count; i++)
    if (t->counts[i] && i != besides && (found < 0 || t->counts[i] <= t->counts[found])) found = i;
  return found;
}

static void plant(struct trees *t, int symbol, uint32_t count) {
  const int at = t->count++;
  t->counts[at] = count;
  t->symbol[at] = symbol;
  t->next[at] = -1;
  t->length[at] = 0;
}

static void find_lengths(struct trees *t) {
  for (;;) {
    int a = rarest(t, -1), b = rarest(t, a);
    if (b < 0) return;
    t->counts[a] += t->counts[b];
    t->counts[b] = 0;
    // Every symbol of both trees gets one bit longer; the trees are chained to one.
    for (t->length[a]++; t->next[a] >= 0; t->length[a]++) a = t->next[a];
    t->next[a] = b;
    for (t->length[b]++; t->next[b] >= 0; t->length[b]++) b = t->next[b];
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
  struct trees trees = {0};
  int histogram[LONGEST + 1] = {0}, longest = 0;
  for (int symbol = 0; symbol < 256; symbol++)
    if (table->counts[symbol]) plant(&trees, symbol, table->counts[symbol]);
  plant(&trees, RESERVED, 1);
  find_lengths(&trees);
  for (int i = 0; i < trees.count; i++) {
    const int length = trees.length[i];
    if (length) histogram[length]++;
    if (length > longest) longest = length;
  }
  limit_lengths(histogram);

  // Symbols in order of their unlimited length take the limited lengths in order.
  int count = 0;
  for (int length = 1; length <= longest; length++)
    for (int i = 0; i < trees.count; i++)
      if (trees.length[i] == length && trees.symbol[i] != RESERVED) table->values[count++] = trees.symbol[i];
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
