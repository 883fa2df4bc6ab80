// Inflating of data that is neither PNG rows nor small: piece by piece, with its checksum.
#include "adler.h"
#include "inflate.h"

#define PIECE (256 << 10) // bytes that are made at a time: about a millisecond
#define CHECKSUM_BYTES 4

typedef struct {
  Inflate *stream;
  Adler adler;
  int last; // nothing follows what was fed
} Inflater;

void EXPORT(inflater_close)(Inflater *i) {
  inflate_close(i->stream);
  free(i);
}

// Returns 0 when memory ran out.
Inflater *EXPORT(inflater_open)(void) {
  Inflater *i = calloc(1, sizeof *i);
  if (!i) return 0;
  i->stream = inflate_open(PIECE);
  i->adler = adler_start();
  if (i->stream) return i;
  free(i);
  return 0;
}

// Where compressed bytes go, and how many; the place moves with each call.
uint8_t *EXPORT(inflater_input)(Inflater *i) {
  size_t room;
  return inflate_input(i->stream, &room);
}
int EXPORT(inflater_room)(Inflater *i) {
  size_t room;
  inflate_input(i->stream, &room);
  return (int)room;
}
void EXPORT(inflater_feed)(Inflater *i, int count, int last) {
  inflate_feed(i->stream, (size_t)count, last);
  i->last = last;
}

// What a run says when it made nothing; the binding knows the numbers.
enum { NEEDS_INPUT = 0, DAMAGED = -1, COMPLETE = -2 };

static int end(Inflater *i) {
  size_t count;
  const uint8_t *bytes = inflate_behind(i->stream, &count);
  if (count < CHECKSUM_BYTES) return i->last ? DAMAGED : NEEDS_INPUT;
  const uint32_t expected = (uint32_t)bytes[0] << 24 | bytes[1] << 16 | bytes[2] << 8 | bytes[3];
  return expected == adler_value(&i->adler) ? COMPLETE : DAMAGED;
}

// Makes the next piece and gives up the one before. Returns how many bytes it has, or why it has none.
int EXPORT(inflater_run)(Inflater *i) {
  size_t have;
  inflate_output(i->stream, &have);
  inflate_take(i->stream, have);
  const InflateStatus status = inflate_run(i->stream);
  const uint8_t *bytes = inflate_output(i->stream, &have);
  adler_add(&i->adler, bytes, have);
  if (have > 0) return (int)have;
  return status == INFLATE_MORE ? NEEDS_INPUT : status == INFLATE_END ? end(i) : DAMAGED;
}

const uint8_t *EXPORT(inflater_output)(const Inflater *i) {
  size_t have;
  return inflate_output(i->stream, &have);
}
