// The table of a writer's strings: a hash for exact strings, lists of children for choices.
#pragma once

#include "write.h"

static inline uint32_t hash_of(uint32_t key) { return key * 2654435761u >> 18; }

static inline int find(const Writer *w, int prefix, int value) {
  const uint32_t key = (uint32_t)prefix << 8 | (uint32_t)value;
  for (uint32_t at = hash_of(key); w->slot[at]; at = (at + 1) & (SLOTS - 1))
    if (w->slot[at] >> 12 == key) return (int)(w->slot[at] & (CODES - 1));
  return -1;
}

static inline void add(Writer *w, int prefix, int value) {
  const uint32_t key = (uint32_t)prefix << 8 | (uint32_t)value;
  uint32_t at = hash_of(key);
  while (w->slot[at]) at = (at + 1) & (SLOTS - 1);
  w->slot[at] = key << 12 | (uint32_t)w->next;
  w->added = at;
  w->prefix[w->next] = (uint16_t)prefix;
  w->value[w->next] = (uint8_t)value;
  w->child[w->next] = 0;
  w->sibling[w->next] = w->child[prefix];
  w->child[prefix] = (uint16_t)w->next;
  w->next++;
}

// Takes back what was added last.
static inline void take_back(Writer *w) {
  w->next--;
  w->slot[w->added] = 0;
  w->child[w->prefix[w->next]] = w->sibling[w->next];
}

static inline void clear_table(Writer *w) {
  memset(w->slot, 0, sizeof w->slot);
  memset(w->child, 0, sizeof(uint16_t) << w->min_size);
  w->size = w->min_size + 1;
  w->next = (1 << w->min_size) + 2;
}
