// Coefficients of a picture that comes in several scans, in little memory.
//
// libjpeg keeps all 64 coefficients of every block, at every scale: 3 bytes per pixel at 4:2:0. To decode the further
// scans it is enough to know which coefficients are not zero already; to decode at n/8 of the size only the n x n
// lowest frequencies matter. So a block is a 64-bit map and the coefficients that are kept: 40 bytes in place of 128 at
// half the size.
#pragma once
#include "native.h"

struct store_component {
  uint32_t width, height;   // in blocks, whole MCUs
  int kept;                 // kept x kept coefficients of each block, 1 to 8
  uint64_t **maps;          // rows of maps, bit k: the coefficient at zigzag position k is not zero
  int16_t **values;         // rows of kept coefficients; null outside of the window
};

struct store {
  int components;
  // Samples a side that the inverse transform makes of a block, by component; 0: as libjpeg chooses.
  int scaled_size[MAX_COMPONENTS];
  size_t bytes;
  struct store_component component[MAX_COMPONENTS];
  // Blocks that may be decoded before reading of scans is suspended, at the end of a row of MCUs.
  int32_t blocks_left;
  // Rows of interleaved MCUs whose coefficients are wanted in this pass over the file, every `window_step`th of them; 0
  // to 0: all.
  uint32_t window_first, window_end, window_step;
  // If set, a single scan is not stored: each finished row of blocks, 64 coefficients in natural order each, goes here.
  void (*take_row)(void *taker, int component, uint32_t row, int16_t *blocks);
  // All components of a row of interleaved MCUs were taken.
  void (*end_unit)(void *taker, uint32_t unit);
  void *taker;
  // Rows that no scan was about are gray, in place of a failure.
  int shows_missing;
};

// The place of a zigzag position among the coefficients that a row keeps (natural order of kept x kept), or -1.
const int8_t *store_slots(const struct store_component *component, uint32_t row);

// The store of a decompressor is its client_data. It outlives libjpeg's pools: free it after them.
static inline struct store *store_of(j_decompress_ptr jpeg) { return (struct store *)jpeg->client_data; }
void store_allocate(j_decompress_ptr jpeg, struct store *store);
// Makes room for the rows of a component in a row of interleaved MCUs, unless there is: a picture's rows all at once
// would take long to clear.
void store_open_rows(j_decompress_ptr jpeg, struct store *store, int component, uint32_t unit);
// Bytes that the coefficients of all blocks would take.
size_t store_full_bytes(j_decompress_ptr jpeg);
void store_free_row(struct store_component *component, uint32_t row);
void store_free(struct store *store);
// Writes the 64 coefficients of a block in natural order, zero where they were not kept.
void store_expand(const struct store_component *component, uint32_t row, uint32_t x, int16_t *block);

// progressive.c: decodes the current row of MCUs of the current progressive Huffman scan into the store.
void progressive_decode_row(j_decompress_ptr jpeg, uint32_t unit_rows);
