// Bits and Huffman symbols of an entropy-coded segment.
//
// Stuffed zeros are taken out before bits are read: the bytes of the segment are kept in descending order of addresses,
// so that a load of eight of them has the first bit on top, and the bit buffer is filled without a branch (variant 4 of
// F. Giesen, "Reading bits in far too many ways", 2018).
#pragma once
#include <string.h>
#define JPEG_INTERNALS
#include "jinclude.h"
#include "jpeglib.h"
#include "jerror.h"

enum {
  READER_BYTES = 4096,
  BLOCK_BYTES = 264,          // more than the longest codes of a block and what the bit buffer holds ahead
};

// What changes with every symbol; a local variable in the decoding loops, so that it stays in registers.
struct bits {
  uint64_t bits;              // the next bits, from the top; behind `count` of them, some that are read again
  int count;                  // bits that were read and not used
  const uint8_t *next;        // the end of the bytes that were not read, of which the highest is the first
};

struct reader {
  struct bits bits;           // as of the last `reader_leave`
  uint8_t *last;              // the last byte that was read ahead; zeros below it once the segment has ended
  j_decompress_ptr jpeg;
  uint8_t bytes[READER_BYTES];
};

// Forgets what was read ahead and begins a segment.
void reader_start(struct reader *reader, j_decompress_ptr jpeg);
// Reads ahead; fails if bits were used that the segment did not have. Returns 0 where that, and the rest of the segment, is to
// be shown as missing: zeros follow.
int reader_fill(struct reader *reader, struct bits *bits);
// Ends the segment: bytes that nobody wanted are counted as discarded.
void reader_end(struct reader *reader, struct bits bits);
// Warns of discarded bytes in front of a marker that was read ahead; of others libjpeg does when it finds the marker.
void reader_tell_discarded(j_decompress_ptr jpeg);
// After the last segment of a picture: warns of bytes before the next marker, which nobody wanted.
void reader_require_end(j_decompress_ptr jpeg);
// Ends the segment, passes the restart marker and begins the next segment.
struct bits reader_restart(struct reader *reader, struct bits bits);

#define HOT static inline __attribute__((always_inline))

// To be called before every block: what follows may read as many bits as a block can have. Returns 0 where the data of the
// segment ended before.
HOT int reserve(struct reader *reader, struct bits *bits) {
  return __builtin_expect(bits->next - reader->last >= BLOCK_BYTES, 1) || reader_fill(reader, bits);
}

// Makes at least 56 bits available.
HOT void refill(struct bits *bits) {
  uint64_t bytes;
  memcpy(&bytes, bits->next - 8, 8);
  bits->bits |= bytes >> bits->count;
  bits->next -= (63 - bits->count) >> 3;
  bits->count |= 56;
}

HOT void drop(struct bits *bits, int count) {
  bits->bits <<= count;
  bits->count -= count;
}

// The next 1 to 32 bits; as many must be available.
HOT uint32_t take(struct bits *bits, int count) {
  const uint32_t taken = bits->bits >> (64 - count);
  drop(bits, count);
  return taken;
}

enum { LOOK_BITS = 10 };

// What the next LOOK_BITS bits mean: bits 0-5 the length of the code and of the value behind it, 8-15 the symbol. 0 means
// that the code is longer.
struct decode_table {
  uint16_t look[1 << LOOK_BITS];
  int32_t longest[18];        // the largest code of each length, and
  int32_t offset[17];         // where its symbols begin
  uint8_t symbols[256];
};

struct symbol {
  int run;
  int value;                  // 0: end of block or band for a run below 15, sixteen zeros for 15
};

// The number of a table as a scan has it, of four bits; fails for those that no table can have.
int table_number(j_decompress_ptr jpeg, int number);
// Checks and prepares a table of the file; class 0 is DC, 1 is AC.
void decode_table_prepare(j_decompress_ptr jpeg, int class, int number, struct decode_table **table);
// A code longer than LOOK_BITS, on top of the bits; returns the entry that a larger `look` would hold.
uint32_t decode_long(const struct decode_table *table, uint64_t bits, j_decompress_ptr jpeg);

// The entry of the code on top of the bits, of which at least 16 must be available.
HOT uint32_t look_up(const struct reader *reader, const struct bits *bits, const struct decode_table *table) {
  const uint32_t entry = table->look[bits->bits >> (64 - LOOK_BITS)];
  return __builtin_expect(entry != 0, 1) ? entry : decode_long(table, bits->bits, reader->jpeg);
}

// T.81 F.2.2.1: the value behind a code, or 0 if there is none. With a leading zero it is negative, and its bits are
// those of its magnitude inverted.
HOT int value_of(uint64_t bits, uint32_t entry) {
  const int size = entry >> 8 & 15, length = (entry & 63) - size;
  const int64_t value = bits << length, negative = ~(value >> 63);
  const int magnitude = (uint64_t)(value ^ negative) >> 1 >> (63 - size);
  return (magnitude ^ (int)negative) - (int)negative;
}

// The next symbol and its value; at least 31 bits must be available.
HOT struct symbol decode(const struct reader *reader, struct bits *bits, const struct decode_table *table) {
  const uint32_t entry = look_up(reader, bits, table);
  const struct symbol symbol = {entry >> 12, value_of(bits->bits, entry)};
  drop(bits, entry & 63);
  return symbol;
}
