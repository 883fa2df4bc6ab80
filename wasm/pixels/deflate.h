// Streaming compression to zlib data (RFC 1950) of levels 1 to 12, with libdeflate's compressor.
#pragma once

#include <stddef.h>
#include <stdint.h>

typedef struct Deflate Deflate;

// Levels as in libdeflate: 2 fast, 6 default, 9 thorough, 10 to 12 near-optimal parsing of our own (8 MiB of memory,
// 1.5 else; less where fewer bytes are expected than are compressed together).
// Level 1 is our own: it takes matches only where they pay, and is as good as level 5 for photographs behind a filter.
// expected: bytes of the whole stream; more may come, and are compressed in pieces of so many.
Deflate *deflate_open(int level, size_t expected);
void deflate_close(Deflate *d);

// Appends bytes; returns how many compressed bytes this made, which lie at deflate_output until the next call.
size_t deflate_write(Deflate *d, const uint8_t *bytes, size_t count, size_t *taken);
// Ends the stream; the rest of the compressed bytes.
size_t deflate_finish(Deflate *d);
const uint8_t *deflate_output(const Deflate *d);
