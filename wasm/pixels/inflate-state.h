// The state of a stream that is being decompressed, and how bits are taken from its input: for inflate.c, which
// holds the buffers, inflate-header.c and inflate-symbols.c.
#pragma once

#include "inflate-table.h"
#include "inflate.h"

#define HISTORY 32768
#define LONGEST_MATCH 258
#define SLOP (LONGEST_MATCH + 32) // a match may start just below the limit, and copies run in steps of 16 bytes
#define MARGIN 16                 // input bytes that one symbol and the refills around it may look at
#define HEADER_MARGIN 640         // the same for the code lengths of a block: 14 + 19 * 3 + 320 * 14 bits
#define PADDING (2 * HEADER_MARGIN) // zeros behind the last input

#define LITERAL_BITS 11
#define DISTANCE_BITS 8
#define LITERAL_TABLE 2342 // the most that 288 codes of at most 15 bits need with 11 direct bits (zlib's `enough`)
#define DISTANCE_TABLE 402

typedef enum { ZLIB_HEADER, BLOCK_HEADER, STORED, SYMBOLS, END, FAILED } State;

struct Inflate {
  State state;
  int final_block, last_input;
  uint64_t bits;
  uint32_t bit_count;
  uint32_t stored_left;
  uint8_t *next, *end;             // input; PADDING zeros follow `end` once `last_input`
  uint8_t *output;                 // history, unread bytes, slop
  size_t read, written, limit;     // offsets in `output`
  uint32_t literals[LITERAL_TABLE], distances[DISTANCE_TABLE];
  uint8_t input[INFLATE_INPUT + HEADER_MARGIN + PADDING];
};

static inline uint64_t load64(const uint8_t *p) {
  uint64_t v;
  memcpy(&v, p, 8);
  return v;
}

static inline void refill(Inflate *s) {
  s->bits |= load64(s->next) << s->bit_count;
  s->next += (63 - s->bit_count) >> 3;
  s->bit_count |= 56;
}

static inline uint32_t take(Inflate *s, int count) {
  const uint32_t v = (uint32_t)(s->bits & ((1u << count) - 1));
  s->bits >>= count;
  s->bit_count -= count;
  return v;
}

// Gives whole bytes back to the input; what is left of a byte is dropped.
static inline void align_to_byte(Inflate *s) {
  s->next -= s->bit_count >> 3;
  s->bits = s->bit_count = 0;
}

// Reads the header of the stream; of a block, with the tables of its codes.
void inflate_read_zlib_header(Inflate *s);
void inflate_read_block_header(Inflate *s);

// Decodes symbols until the block ends or room or input runs short.
void inflate_symbols(Inflate *s);
