// Headers of deflate: of the stream (RFC 1950) and of its blocks, with the codes that these describe (RFC 1951).
#include "inflate-state.h"

static int make_tables(Inflate *s, const uint8_t *length, int literals, int distances) {
  uint32_t value[288];
  for (int i = 0; i < literals; i++) value[i] = inflate_literal(i);
  if (!inflate_table(s->literals, LITERAL_BITS, length, literals, value)) return 0;
  for (int i = 0; i < distances; i++) value[i] = inflate_distance(i);
  return inflate_table(s->distances, DISTANCE_BITS, length + literals, distances, value);
}

static int make_fixed_tables(Inflate *s) {
  uint8_t length[288 + 32];
  memset(length, 8, 144), memset(length + 144, 9, 112), memset(length + 256, 7, 24), memset(length + 280, 8, 8);
  memset(length + 288, 5, 32);
  return make_tables(s, length, 288, 32);
}

// Reads the code lengths of a dynamic block (RFC 1951, 3.2.7).
static int read_dynamic_tables(Inflate *s) {
  static const uint8_t order[] = {16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};
  refill(s);
  const int literals = take(s, 5) + 257, distances = take(s, 5) + 1, codes = take(s, 4) + 4;
  if (literals > 286 || distances > 30) return 0;
  uint8_t length[286 + 30 + 138] = {0};
  uint32_t value[19], table[1 << 7];
  for (int i = 0; i < codes; i++) {
    refill(s);
    length[order[i]] = (uint8_t)take(s, 3);
  }
  for (int i = 0; i < 19; i++) value[i] = (uint32_t)i << 16;
  if (!inflate_table(table, 7, length, 19, value)) return 0;
  memset(length, 0, 19);
  for (int at = 0; at < literals + distances;) {
    refill(s);
    const uint32_t entry = table[s->bits & 127];
    if (entry & IS_INVALID) return 0;
    take(s, entry & 0xff);
    const int symbol = entry >> 16;
    if (symbol < 16) {
      length[at++] = (uint8_t)symbol;
      continue;
    }
    if (symbol == 16 && at == 0) return 0;
    const uint8_t repeated = symbol == 16 ? length[at - 1] : 0;
    const int times = symbol == 16 ? 3 + take(s, 2) : symbol == 17 ? 3 + take(s, 3) : 11 + take(s, 7);
    if (at + times > literals + distances) return 0;
    memset(length + at, repeated, times);
    at += times;
  }
  return length[256] && make_tables(s, length, literals, distances);
}

void inflate_read_block_header(Inflate *s) {
  if (s->final_block) {
    s->state = END;
    return;
  }
  refill(s);
  s->final_block = take(s, 1);
  const int type = take(s, 2);
  int good = type != 3;
  if (type == 0) {
    align_to_byte(s);
    const uint32_t length = s->next[0] | s->next[1] << 8, complement = s->next[2] | s->next[3] << 8;
    s->next += 4;
    s->stored_left = length;
    good = (length ^ complement) == 0xffff;
  } else if (type == 1) {
    good = make_fixed_tables(s);
  } else if (type == 2) {
    good = read_dynamic_tables(s);
  }
  s->state = !good ? FAILED : type == 0 ? STORED : SYMBOLS;
}

void inflate_read_zlib_header(Inflate *s) {
  const int method = s->next[0], flags = s->next[1];
  s->next += 2;
  const int good = (method & 15) == 8 && method >> 4 <= 7 && (method << 8 | flags) % 31 == 0 && !(flags & 32);
  s->state = good ? BLOCK_HEADER : FAILED;
}
