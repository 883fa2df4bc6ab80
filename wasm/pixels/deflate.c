// libdeflate compresses whole buffers. Its compressor is included here (patched: input may start with history, the last
// block need not be final), so that a stream can be compressed in chunks: each chunk is preceded by the last 32 KiB of
// the one before, and the bits of an unfinished byte are carried over. Against the whole buffer this costs the headers
// of one or two blocks per chunk.
#include "deflate_compress.c"

#include "adler.h"
#include "deflate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define HISTORY 32768
#define CHUNK (512 << 10)
// The first of the levels that parse near-optimally, and the level of libdeflate that writes their blocks.
#define SLOW_LEVEL 10
#define FLUSHING_LEVEL 6

#include "deflate-thorough.h"

struct Deflate {
  struct libdeflate_compressor *compressor;
  Thorough *thorough;     // at levels that parse near-optimally
  size_t chunk;           // bytes that are compressed together
  size_t history, filled; // bytes of history at the start of `input`, and bytes behind them
  int started;
  bitbuf_t bits;
  unsigned bit_count;
  Adler adler;
  size_t output_size;
  uint8_t *output;
  uint8_t input[];
};

// ---- level 1: for pixels behind a filter, which rarely repeat ----

#define PIECE 8192        // bytes after which a block may end
#define HEADER_BITS 700   // about what new codes cost
#define LONGEST_BLOCK (256 << 10)
#define PARTS 4           // of a chunk that are compressed with and without matches,
#define PART (12 << 10)   // and their bytes

typedef struct { uint32_t times[256], count; float bits; } Histogram;

// What the bytes cost by their entropy, in bits.
static float bits_of(const uint32_t *times, uint32_t count) {
  float bits = (float)count * log2f((float)count);
  for (int v = 0; v < 256; v++)
    if (times[v]) bits -= (float)times[v] * log2f((float)times[v]);
  return bits;
}

// Four tables, because one that is counted up twice in a row makes the second wait for the first.
static void count_bytes(Histogram *h, const uint8_t *bytes, size_t count) {
  uint32_t times[4][256] = {0};
  size_t i = 0;
  for (; i + 4 <= count; i += 4)
    times[0][bytes[i]]++, times[1][bytes[i + 1]]++, times[2][bytes[i + 2]]++, times[3][bytes[i + 3]]++;
  for (; i < count; i++) times[0][bytes[i]]++;
  for (int v = 0; v < 256; v++) h->times[v] = times[0][v] + times[1][v] + times[2][v] + times[3][v];
  h->count = (uint32_t)count;
  h->bits = bits_of(h->times, h->count);
}

// Adds `next` to `block` unless codes of its own would be cheaper for it.
static int merge(Histogram *block, const Histogram *next) {
  Histogram both = {.count = block->count + next->count};
  for (int v = 0; v < 256; v++) both.times[v] = block->times[v] + next->times[v];
  both.bits = bits_of(both.times, both.count);
  if (both.count > LONGEST_BLOCK || both.bits > block->bits + next->bits + HEADER_BITS) return 0;
  *block = both;
  return 1;
}

// Huffman codes alone.
static void compress_literals(struct libdeflate_compressor *c, const u8 *in, size_t count,
                              struct deflate_output_bitstream *os) {
  const uint8_t *begin = in + c->history_size, *const end = in + count, *at = begin;
  Histogram block = {0}, next;
  while (begin < end) {
    const size_t piece = MIN(PIECE, end - at);
    if (piece) count_bytes(&next, at, piece);
    if (piece && (block.count == 0 ? (block = next, 1) : merge(&block, &next))) {
      at += piece;
      continue;
    }
    deflate_begin_sequences(c, c->p.g.sequences);
    memcpy(c->freqs.litlen, block.times, sizeof block.times);
    c->p.g.sequences[0].litrunlen_and_length = block.count;
    deflate_flush_block(c, os, begin, block.count, c->p.g.sequences, at == end);
    begin = at, block.count = 0;
  }
}

// What compressing `count` bytes behind `history` others makes, in bytes; it goes where the true output will go.
static size_t trial(struct libdeflate_compressor *c, const uint8_t *bytes, size_t history, size_t count,
                    struct deflate_output_bitstream os, typeof(compress_literals) *compress) {
  const size_t history_size = c->history_size;
  const uint8_t *before = os.next;
  c->history_size = history;
  compress(c, bytes, history + count, &os);
  c->history_size = history_size;
  return os.next - before;
}

// Both ways on a few parts; matches are searched for in the whole only if they gain something there.
static void compress_fast(struct libdeflate_compressor *c, const u8 *in, size_t count,
                          struct deflate_output_bitstream *os) {
  const size_t step = (count - c->history_size) / PARTS, part = MIN(step, PART);
  // A few bytes, which may also be the rest of a large picture, have no parts, and the search goes beyond the end of none.
  if (step == 0) return compress_literals(c, in, count, os);
  size_t with = 0, without = 0;
  for (int k = 0; k < PARTS; k++) {
    const size_t from = c->history_size + k * step + (step - part) / 2, history = MIN(from, HISTORY);
    with += trial(c, in + from - history, history, part, *os, deflate_compress_greedy);
    without += trial(c, in + from, 0, part, *os, compress_literals);
  }
  if (with < without - without / 64) deflate_compress_greedy(c, in, count, os);
  else compress_literals(c, in, count, os);
}

// ---- the stream ----

Deflate *deflate_open(int level, size_t expected) {
  const int is_slow = level >= SLOW_LEVEL;
  const size_t chunk = MAX(1, MIN(expected, is_slow ? PARSED_BYTES : CHUNK));
  Deflate *d = malloc(sizeof *d + HISTORY + chunk);
  if (!d) return 0;
  d->history = d->filled = d->started = d->bits = d->bit_count = 0;
  d->adler = adler_start();
  d->chunk = chunk;
  d->thorough = is_slow ? thorough_open(level, (uint32_t)chunk) : 0;
  d->compressor = libdeflate_alloc_compressor(is_slow ? FLUSHING_LEVEL : MAX(level, 2));
  if (level == 1 && d->compressor) d->compressor->impl = compress_fast;
  d->output_size = libdeflate_deflate_compress_bound(d->compressor, d->chunk) + 64;
  d->output = malloc(d->output_size);
  if (!d->compressor || !d->output || (is_slow && !d->thorough)) {
    deflate_close(d);
    return 0;
  }
  return d;
}

void deflate_close(Deflate *d) {
  if (!d) return;
  libdeflate_free_compressor(d->compressor);
  thorough_close(d->thorough);
  free(d->output);
  free(d);
}

const uint8_t *deflate_output(const Deflate *d) { return d->output; }

// Compresses what is in the buffer and keeps its end as history.
static size_t compress_chunk(Deflate *d, int last) {
  struct libdeflate_compressor *c = d->compressor;
  struct deflate_output_bitstream os = {.bitbuf = d->bits, .bitcount = d->bit_count, .next = d->output};
  os.end = d->output + d->output_size - OUTPUT_END_PADDING - 8;
  if (!d->started) {
    *os.next++ = 0x78; // deflate, 32 KiB window
    *os.next++ = 0xda; // written by the slowest algorithm; makes the header a multiple of 31
    d->started = 1;
  }
  c->history_size = d->history;
  c->more_follows = !last;
  const size_t count = d->history + d->filled;
  if (d->filled > 0 && d->thorough) compress_thoroughly(c, d->thorough, d->input, count, &os);
  else if (d->filled > 0) (*c->impl)(c, d->input, count, &os);
  const size_t total = d->history + d->filled, keep = total < HISTORY ? total : HISTORY;
  memmove(d->input, d->input + total - keep, keep);
  d->history = keep, d->filled = 0;
  d->bits = os.bitbuf, d->bit_count = os.bitcount;
  return os.next - d->output;
}

// One byte is always held back until the end is known: an empty last chunk could not carry the final block.
size_t deflate_write(Deflate *d, const uint8_t *bytes, size_t count, size_t *taken) {
  const int full = d->filled == d->chunk;
  const size_t made = full && count > 0 ? compress_chunk(d, 0) : 0;
  const size_t room = d->chunk - d->filled;
  *taken = count < room ? count : room;
  memcpy(d->input + d->history + d->filled, bytes, *taken);
  adler_add(&d->adler, bytes, *taken);
  d->filled += *taken;
  return made;
}

size_t deflate_finish(Deflate *d) {
  size_t made = compress_chunk(d, 1);
  if (d->bit_count) d->output[made++] = (uint8_t)d->bits;
  const uint32_t adler = adler_value(&d->adler);
  for (int shift = 24; shift >= 0; shift -= 8) d->output[made++] = (uint8_t)(adler >> shift);
  return made;
}
