// Stands for Brotli's encoder: what libjxl hands it are the segments of a JPEG file that say nothing to anybody, or that
// are compressed already. They are stored as they are (RFC 7932), which takes half a megabyte less of code and tables.
#include <brotli/encode.h>
#include <stdlib.h>
#include <string.h>

// The most that is stored in one block.
#define BLOCK_BYTES 65536
#define BLOCK_HEADER_BYTES 3

struct BrotliEncoderStateStruct {
  size_t left;   // Bytes of all that are still to come.
  size_t block;  // Bytes of this block that are still to come.
  int begun;
};

size_t BrotliEncoderMaxCompressedSize(size_t size) { return size + (size / BLOCK_BYTES + 2) * BLOCK_HEADER_BYTES; }

BrotliEncoderState *BrotliEncoderCreateInstance(brotli_alloc_func allocate, brotli_free_func free, void *opaque) {
  (void)allocate, (void)free, (void)opaque;
  return calloc(1, sizeof(BrotliEncoderState));
}

void BrotliEncoderDestroyInstance(BrotliEncoderState *state) { free(state); }

// Blocks are as long as this says that there is something to come.
BROTLI_BOOL BrotliEncoderSetParameter(BrotliEncoderState *state, BrotliEncoderParameter parameter, uint32_t value) {
  if (parameter == BROTLI_PARAM_SIZE_HINT) state->left = value;
  return BROTLI_TRUE;
}

BROTLI_BOOL BrotliEncoderHasMoreOutput(BrotliEncoderState *state) {
  (void)state;
  return BROTLI_FALSE;
}

static void begin_block(BrotliEncoderState *state, uint8_t *to) {
  state->block = state->left < BLOCK_BYTES ? state->left : BLOCK_BYTES;
  // Not the last one, four nibbles of its length less one, not compressed; before the first, a window of 64 KiB.
  uint32_t bits = (uint32_t)(state->block - 1) << 3 | 1u << 19;
  if (!state->begun) bits <<= 1;
  state->begun = 1;
  for (int i = 0; i < BLOCK_HEADER_BYTES; i++) to[i] = (uint8_t)(bits >> 8 * i);
}

BROTLI_BOOL BrotliEncoderCompressStream(BrotliEncoderState *state, BrotliEncoderOperation operation, size_t *size_in,
                                        const uint8_t **in, size_t *size_out, uint8_t **out, size_t *total) {
  uint8_t *to = *out;
  while (*size_in > 0) {
    if (*size_in > state->left) return BROTLI_FALSE;
    if (state->block == 0) {
      begin_block(state, to);
      to += BLOCK_HEADER_BYTES;
    }
    const size_t count = *size_in < state->block ? *size_in : state->block;
    memcpy(to, *in, count);
    to += count, *in += count, *size_in -= count;
    state->block -= count, state->left -= count;
  }
  // The last block, an empty one.
  if (operation == BROTLI_OPERATION_FINISH) *to++ = state->begun ? 3 : 6;
  const size_t written = to - *out;
  *out = to, *size_out -= written, *total += written;
  return BROTLI_TRUE;
}
