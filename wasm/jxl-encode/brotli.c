// Stands for Brotli's encoder: what libjxl hands it are the segments of a JPEG file. The binding compresses them, because
// its runtime has Brotli aboard, which takes half a megabyte of code and tables. What is long says nothing to anybody, a
// preview above all, and is compressed already: it is stored as it is (RFC 7932).
#include <brotli/encode.h>
#include <stdlib.h>
#include <string.h>

#include "../native.h"

// Compresses to `out` and returns how many bytes that takes; 0 where they are more than `capacity`.
extern size_t IMPORT(brotli)(const uint8_t *bytes, size_t size, uint8_t *out, size_t capacity);

// The most that is gathered and compressed.
#define GATHERED_BYTES (1 << 20)
// The most that is stored in one block.
#define BLOCK_BYTES 65536
#define BLOCK_HEADER_BYTES 3

struct BrotliEncoderStateStruct {
  uint8_t *gathered;  // Null where bytes are stored as they come.
  size_t count;       // Bytes that are gathered.
  size_t left;        // Bytes of all that are still to come.
  size_t block;       // Bytes of this block that are still to come.
  int begun;
};

size_t BrotliEncoderMaxCompressedSize(size_t size) { return size + (size / BLOCK_BYTES + 2) * BLOCK_HEADER_BYTES; }

BrotliEncoderState *BrotliEncoderCreateInstance(brotli_alloc_func allocate, brotli_free_func free, void *opaque) {
  (void)allocate, (void)free, (void)opaque;
  return calloc(1, sizeof(BrotliEncoderState));
}

void BrotliEncoderDestroyInstance(BrotliEncoderState *state) {
  free(state->gathered);
  free(state);
}

// The size says how many bytes are to come in all.
BROTLI_BOOL BrotliEncoderSetParameter(BrotliEncoderState *state, BrotliEncoderParameter parameter, uint32_t value) {
  if (parameter != BROTLI_PARAM_SIZE_HINT) return BROTLI_TRUE;
  state->left = value;
  if (value > 0 && value <= GATHERED_BYTES) state->gathered = malloc(value);
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

// Writes blocks of what comes next; returns where they end.
static uint8_t *store(BrotliEncoderState *state, const uint8_t *bytes, size_t size, uint8_t *to) {
  while (size > 0) {
    if (state->block == 0) {
      begin_block(state, to);
      to += BLOCK_HEADER_BYTES;
    }
    const size_t count = size < state->block ? size : state->block;
    memcpy(to, bytes, count);
    to += count, bytes += count, size -= count;
    state->block -= count, state->left -= count;
  }
  return to;
}

// Writes the last block, an empty one; returns where it ends.
static uint8_t *finish_stored(BrotliEncoderState *state, uint8_t *to) {
  *to++ = state->begun ? 3 : 6;
  return to;
}

// Writes all that was gathered, the end included; returns where it ends.
static uint8_t *finish_gathered(BrotliEncoderState *state, uint8_t *to, size_t capacity) {
  const size_t written = brotli(state->gathered, state->count, to, capacity);
  if (written > 0) return to + written;
  state->left = state->count;
  return finish_stored(state, store(state, state->gathered, state->count, to));
}

BROTLI_BOOL BrotliEncoderCompressStream(BrotliEncoderState *state, BrotliEncoderOperation operation, size_t *size_in,
                                        const uint8_t **in, size_t *size_out, uint8_t **out, size_t *total) {
  if (*size_in > state->left) return BROTLI_FALSE;
  uint8_t *to = *out;
  if (state->gathered) {
    memcpy(state->gathered + state->count, *in, *size_in);
    state->count += *size_in, state->left -= *size_in;
  } else {
    to = store(state, *in, *size_in, to);
  }
  *in += *size_in, *size_in = 0;
  if (operation == BROTLI_OPERATION_FINISH) {
    to = state->gathered ? finish_gathered(state, to, *size_out) : finish_stored(state, to);
  }
  const size_t written = to - *out;
  *out = to, *size_out -= written, *total += written;
  return BROTLI_TRUE;
}
