// Bits and Huffman symbols of an entropy-coded segment, read ahead by up to 63 bits.
#pragma once
#include <string.h>
#define JPEG_INTERNALS
#include "jinclude.h"
#include "jpeglib.h"
#include "jerror.h"

// What changes with every symbol; a local variable in the decoding loops, so that it stays in registers.
struct bits {
  uint64_t bits;              // the next `count` bits, right-aligned
  int count;
  const uint8_t *next;        // input not read yet
  const uint8_t *fast_end;    // as far as it may be read without a look for the end of the segment
};

struct reader {
  struct bits bits;           // as of the last `reader_leave`
  int missing;                // bits at the end of those that stand for data beyond the next marker
  const uint8_t *end;
  j_decompress_ptr jpeg;
};

void reader_start(struct reader *reader, j_decompress_ptr jpeg);
// Continues where the input stands.
struct bits reader_enter(struct reader *reader);
// Tells the input how far it was read; fails if bits were used that the segment did not have.
void reader_leave(struct reader *reader, struct bits bits);
// Forgets the rest of the segment and passes the restart marker.
void reader_restart(struct reader *reader);
void reader_refill_bytewise(struct reader *reader);

#define HOT static inline __attribute__((always_inline))

// Makes at least 32 bits available: the longest code and the bits behind it.
HOT void refill(struct reader *reader, struct bits *bits) {
  if (bits->count >= 32) return;
  if (bits->fast_end - bits->next >= 4) {
    uint32_t word;
    memcpy(&word, bits->next, 4);
    if (!((~word - 0x01010101u) & word & 0x80808080u)) {  // no byte is 0xFF
      bits->bits = bits->bits << 32 | __builtin_bswap32(word);
      bits->count += 32;
      bits->next += 4;
      return;
    }
  }
  reader->bits.bits = bits->bits;
  reader->bits.count = bits->count;
  reader->bits.next = bits->next;
  reader_refill_bytewise(reader);
  bits->bits = reader->bits.bits;
  bits->count = reader->bits.count;
  bits->next = reader->bits.next;
  bits->fast_end = reader->bits.fast_end;
}

HOT uint32_t take(struct bits *bits, int count) {
  bits->count -= count;
  return (uint32_t)(bits->bits >> bits->count) & ((1u << count) - 1);
}

// T.81 F.2.2.1: the value of `size` bits, of which a leading zero means negative.
HOT int extend(uint32_t bits, int size) {
  return (int)bits < 1 << (size - 1) ? (int)bits - (1 << size) + 1 : (int)bits;
}

enum { LOOK_BITS = 10 };

// What the next LOOK_BITS bits mean: bits 0-7 how many to drop, 8-11 a run of zeros, 12-15 the size of a value that is
// still to be read, 16-31 the value if it was among them. 0 means that the code is longer.
struct decode_table {
  int32_t look[1 << LOOK_BITS];
  int32_t longest[18];        // the largest code of each length, and
  int32_t offset[17];         // where its values begin
  uint8_t values[256];
};

struct symbol {
  int run;
  int value;                  // 0: end of block or band for a run below 15, sixteen zeros for 15
};

// Checks and prepares a table of the file; class 0 is DC, 1 is AC.
void decode_table_prepare(j_decompress_ptr jpeg, int class, int number, struct decode_table **table);
// A code longer than LOOK_BITS, the first of the 32 bits; returns the entry that a larger `look` would hold.
int32_t decode_long(const struct decode_table *table, uint32_t bits, j_decompress_ptr jpeg);

// The next symbol and its value; at least 32 bits must be available.
HOT struct symbol decode(const struct reader *reader, struct bits *bits, const struct decode_table *table) {
  int32_t entry = table->look[(bits->bits >> (bits->count - LOOK_BITS)) & ((1 << LOOK_BITS) - 1)];
  if (__builtin_expect(!entry, 0)) entry = decode_long(table, bits->bits >> (bits->count - 32), reader->jpeg);
  bits->count -= entry & 0xFF;
  const int size = entry >> 12 & 15;
  struct symbol symbol = {entry >> 8 & 15, entry >> 16};
  if (size) symbol.value = extend(take(bits, size), size);
  return symbol;
}
