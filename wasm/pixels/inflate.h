// Streaming decompression of zlib data (RFC 1950, RFC 1951).
#pragma once

#include "pixels.h"

#define INFLATE_INPUT (64 << 10) // bytes that may be fed at a time

typedef enum {
  INFLATE_MORE = 0,       // wants input, or output room
  INFLATE_END = 1,        // the stream is complete
  INFLATE_DAMAGED = -1,
  INFLATE_TRUNCATED = -2, // the input ended before the stream did
} InflateStatus;

typedef struct Inflate Inflate;

// `capacity`: bytes of output that the caller may leave unread. Returns 0 when memory ran out.
Inflate *inflate_open(size_t capacity);
void inflate_close(Inflate *s);
void inflate_reset(Inflate *s);

// Where the next INFLATE_INPUT bytes may be written, after what has not been consumed yet, and how many fit.
uint8_t *inflate_input(Inflate *s, size_t *room);
// Announces `count` bytes written there; `last` says that nothing follows.
void inflate_feed(Inflate *s, size_t count, int last);

// Decodes until the output is full or the input used up.
InflateStatus inflate_run(Inflate *s);

// The decoded bytes not taken yet, and taking some of them; pointers are valid until the next run.
const uint8_t *inflate_output(const Inflate *s, size_t *count);
void inflate_take(Inflate *s, size_t count);

// What was fed and lies behind a stream that is complete: the checksum, as far as it is there.
const uint8_t *inflate_behind(Inflate *s, size_t *count);
