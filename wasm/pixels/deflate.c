/*
 * libdeflate compresses whole buffers. Its compressor is included here (patched: input may start with history, the last
 * block need not be final), so that a stream can be compressed in chunks: each chunk is preceded by the last 32 KiB of
 * the one before, and the bits of an unfinished byte are carried over. Against the whole buffer this costs the headers
 * of one or two blocks per chunk.
 */
#include "deflate_compress.c"

#include "deflate.h"

#include <stdlib.h>
#include <string.h>

#define HISTORY 32768
#define CHUNK (512 << 10)
#define ADLER_MODULUS 65521
#define ADLER_RUN 5552 /* bytes after which the sums of RFC 1950 may overflow */

struct Deflate {
  struct libdeflate_compressor *compressor;
  size_t history, filled; /* bytes of history at the start of `input`, and bytes behind them */
  int started;
  bitbuf_t bits;
  unsigned bit_count;
  uint32_t adler_low, adler_high;
  size_t output_size;
  uint8_t *output;
  uint8_t input[HISTORY + CHUNK];
};

Deflate *deflate_open(int level) {
  Deflate *d = malloc(sizeof *d);
  if (!d) return 0;
  d->history = d->filled = d->started = d->bits = d->bit_count = d->adler_high = 0;
  d->adler_low = 1;
  d->compressor = libdeflate_alloc_compressor(level);
  d->output_size = libdeflate_deflate_compress_bound(d->compressor, CHUNK) + 16;
  d->output = malloc(d->output_size);
  if (!d->compressor || !d->output) {
    deflate_close(d);
    return 0;
  }
  return d;
}

void deflate_close(Deflate *d) {
  if (!d) return;
  libdeflate_free_compressor(d->compressor);
  free(d->output);
  free(d);
}

const uint8_t *deflate_output(const Deflate *d) { return d->output; }

static void add_to_adler(Deflate *d, const uint8_t *bytes, size_t count) {
  uint32_t low = d->adler_low, high = d->adler_high;
  while (count > 0) {
    const size_t run = count < ADLER_RUN ? count : ADLER_RUN;
    for (size_t i = 0; i < run; i++) low += bytes[i], high += low;
    low %= ADLER_MODULUS, high %= ADLER_MODULUS;
    bytes += run, count -= run;
  }
  d->adler_low = low, d->adler_high = high;
}

/* Compresses what is in the buffer and keeps its end as history. */
static size_t compress_chunk(Deflate *d, int last) {
  struct libdeflate_compressor *c = d->compressor;
  struct deflate_output_bitstream os = {.bitbuf = d->bits, .bitcount = d->bit_count, .next = d->output};
  os.end = d->output + d->output_size - OUTPUT_END_PADDING - 8;
  if (!d->started) {
    *os.next++ = 0x78; /* deflate, 32 KiB window */
    *os.next++ = 0xda; /* written by the slowest algorithm; makes the header a multiple of 31 */
    d->started = 1;
  }
  c->history_size = d->history;
  c->more_follows = !last;
  if (d->filled > 0) (*c->impl)(c, d->input, d->history + d->filled, &os);
  const size_t total = d->history + d->filled, keep = total < HISTORY ? total : HISTORY;
  memmove(d->input, d->input + total - keep, keep);
  d->history = keep, d->filled = 0;
  d->bits = os.bitbuf, d->bit_count = os.bitcount;
  return os.next - d->output;
}

/* One byte is always held back until the end is known: an empty last chunk could not carry the final block. */
size_t deflate_write(Deflate *d, const uint8_t *bytes, size_t count, size_t *taken) {
  const int full = d->filled == CHUNK;
  const size_t made = full && count > 0 ? compress_chunk(d, 0) : 0;
  const size_t room = CHUNK - d->filled;
  *taken = count < room ? count : room;
  memcpy(d->input + d->history + d->filled, bytes, *taken);
  add_to_adler(d, bytes, *taken);
  d->filled += *taken;
  return made;
}

size_t deflate_finish(Deflate *d) {
  size_t made = compress_chunk(d, 1);
  if (d->bit_count) d->output[made++] = (uint8_t)d->bits;
  const uint32_t adler = d->adler_high << 16 | d->adler_low;
  for (int shift = 24; shift >= 0; shift -= 8) d->output[made++] = (uint8_t)(adler >> shift);
  return made;
}
