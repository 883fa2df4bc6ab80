// The state of a writer, for its parts: write.c puts codes together, write-match.c chooses their strings.
#pragma once

#include "gif.h"

enum {
  OUTPUT_BYTES = 65536,
  SLOTS = 1 << 14,
};

typedef struct {
  uint8_t *indices, *others;
  uint8_t output[OUTPUT_BYTES];
  int made, block;  // `block`: where the length of the open sub-block is
  uint32_t bits;
  int bit_count;
  // the table: a hash for exact strings, lists of children for choices
  uint32_t slot[SLOTS];
  uint16_t prefix[CODES], child[CODES], sibling[CODES];
  uint8_t value[CODES];
  uint32_t added;  // the slot used last
  int size, min_size, next;
  // the choice
  float color[256][3];
  int colors, transparent;
  float tolerance;  // squared
  int lossy, choosy;
  int visits, best_code;
  size_t best_length;
  float best_cost;
  // the way through the indices: where the next code begins and where they end
  size_t at, end;
  int previous;  // the code before, or -1
  // how well a full table does: see `patience`
  float patience;
  size_t growing_from, watched_from;
  int growing_codes, watched_codes;
} Writer;

// Finds the string that begins at `at`, into `best_code` and `best_length`. `previous` is the code before it, or -1: with
// the first pixel of this string it becomes an entry of the table, if there is room, and that entry may already be the
// string.
void writer_match(Writer *w, size_t at, int previous);
