// Quantized coefficients of a whole picture in little memory: what lies between a decoder or a forward transform and
// the entropy coder. Written once, row of blocks by row of blocks; read in any scan order, any number of times.
//
// A block of an AC row is a 64-bit mask (bit k: the coefficient at zigzag position k is not zero; bit 0: values are wide)
// followed by the non-zero values in zigzag order, one byte each, or two if the block is wide. DC values are apart, since
// DC scans read nothing else. A photograph at quality 80 takes about 0.4 byte per pixel, a sixth of libjpeg's arrays.
#pragma once
#include <stddef.h>
#include <stdint.h>

enum { PACKED_COMPONENTS = 4 };

struct packed_component {
  int id, h, v;              // identifier and sampling factors of the frame header
  int table;                 // index of the quantization table
  uint32_t width, height;    // in blocks, as non-interleaved scans count them
  int16_t *dc;               // width * height
  uint8_t **rows;            // AC data of each row of blocks
};

struct packed {
  uint32_t width, height;    // of the picture, pixels
  int components;
  int max_h, max_v;
  struct packed_component component[PACKED_COMPONENTS];
  uint16_t divisors[4][64];  // quantization tables in natural order
  uint8_t used_tables;       // bit per table
  size_t bytes;              // held now
  size_t limit;              // fails rather than hold more; 0: none
  uint8_t *scratch;          // a row of the worst size
};

// Component sampling, tables and ids must be set; computes sizes and allocates what is fixed.
void packed_prepare(struct packed *store);
enum block_order { ORDER_NATURAL, ORDER_ZIGZAG };
// Interleaved MCUs in a row.
uint32_t packed_units_across(const struct packed *store);
// The first row of blocks of a component in a row of interleaved MCUs, or one behind its last.
uint32_t packed_block_row(const struct packed_component *component, uint32_t unit);
// Packs one row of blocks of 64 coefficients each.
void packed_add_row(struct packed *store, int component, uint32_t row, const int16_t *blocks, enum block_order order);
// A YCbCr store as one of luma alone if nothing in it has a color; shares all memory with the original.
struct packed packed_without_empty_chroma(const struct packed *store);
void packed_free(struct packed *store);

// A block as read back: values are in zigzag order, one for each set bit of the mask.
struct packed_block {
  uint64_t mask;
  const int8_t *narrow;      // or
  const int16_t *wide;       // one of the two is null
};

// Reads the block at *cursor and moves the cursor behind it.
static inline struct packed_block packed_read(const uint8_t **cursor) {
  struct packed_block block = {};
  uint64_t head;
  __builtin_memcpy(&head, *cursor, 8);
  block.mask = head & ~1ull;
  const int count = __builtin_popcountll(block.mask);
  if (head & 1) {
    block.wide = (const int16_t *)(*cursor + 8);
    *cursor += 8 + 2 * count;
  } else {
    block.narrow = (const int8_t *)(*cursor + 8);
    *cursor += 8 + count;
  }
  return block;
}

static inline int packed_value(const struct packed_block *block, int index) {
  if (block->narrow) return block->narrow[index];
  int16_t value;
  __builtin_memcpy(&value, (const uint8_t *)block->wide + 2 * index, 2);
  return value;
}

extern const uint8_t natural_position[64];  // of a zigzag position
