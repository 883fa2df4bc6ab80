// The symbols of an image of the lossless bitstream, for what the lean coder writes with them: files and alpha channels.
#ifndef LEAN_SYMBOLS_H_
#define LEAN_SYMBOLS_H_

#include "src/utils/bit_writer_utils.h"
#include "src/utils/huffman_encode_utils.h"
#include "src/webp/encode.h"
#include "src/webp/format_constants.h"

#define GREEN_SYMBOLS (NUM_LITERAL_CODES + NUM_LENGTH_CODES)
#define CODES 5
#define TABLE_BITS 15
#define DRAIN_BYTES (1 << 16)

// Either 32-bit pixels or 8-bit samples, which count as green.
typedef struct {
  const uint32_t *pixels;
  const uint8_t *samples;
  int width;
  int height;
} Image;

typedef struct {
  uint32_t counts[CODES][GREEN_SYMBOLS];
  uint8_t lengths[CODES][GREEN_SYMBOLS];
  uint16_t codes[CODES][GREEN_SYMBOLS];
  HuffmanTreeCode trees[CODES];
  HuffmanTree pool[3 * GREEN_SYMBOLS];
  HuffmanTreeToken tokens[GREEN_SYMBOLS];
  uint8_t runs[GREEN_SYMBOLS];
  uint32_t table[1 << TABLE_BITS];
  uint64_t extra_bits;
} Coder;

// Bits that go to the writer of `picture` as they come, where there is one.
typedef struct {
  VP8LBitWriter bits;
  const WebPPicture *picture;
} Output;

// Counts the symbols of an image and makes prefix codes for them. Returns the number of bits that they will take.
uint64_t lean_count_codes(Coder *coder, const Image *image);
void lean_write_codes(Coder *coder, VP8LBitWriter *bits);
// Writes the symbols of an image. Returns 0 when memory, or the writer, does not suffice.
int lean_write_symbols(Coder *coder, const Image *image, Output *output);

#endif
