// The decoder follows the design that libdeflate documents: a 64-bit bit buffer refilled without branches, and tables
// whose entries hold everything a symbol needs (base value, extra bits, code length), so that a literal costs one
// look-up. What differs is the streaming: a symbol is never suspended half-way. The decoder stops between symbols when
// less than MARGIN input bytes are left (the caller appends more behind them) or when the output limit is passed,
// behind which there is room for one longest match. The Adler-32 at the end is not checked: in PNG, each chunk has its
// CRC.
#include "inflate-state.h"

Inflate *inflate_open(size_t capacity) {
  Inflate *s = malloc(sizeof *s);
  if (!s) return 0;
  s->limit = HISTORY + capacity;
  s->output = malloc(s->limit + SLOP);
  if (!s->output) {
    free(s);
    return 0;
  }
  inflate_reset(s);
  return s;
}

void inflate_reset(Inflate *s) {
  s->state = ZLIB_HEADER;
  s->final_block = s->last_input = 0;
  s->bits = s->bit_count = s->stored_left = 0;
  s->next = s->end = s->input;
  s->read = s->written = 0;
}

void inflate_close(Inflate *s) {
  if (s) free(s->output);
  free(s);
}

uint8_t *inflate_input(Inflate *s, size_t *room) {
  // Whole bytes in the bit buffer go back, because a stored block may ask for them after they have moved.
  s->next -= s->bit_count >> 3;
  s->bit_count &= 7;
  s->bits &= (1u << s->bit_count) - 1;
  const size_t left = s->next < s->end ? (size_t)(s->end - s->next) : 0;
  if (s->next != s->input) {
    memmove(s->input, s->next, left);
    s->next = s->input;
    s->end = s->input + left;
  }
  *room = INFLATE_INPUT + HEADER_MARGIN - left;
  return s->end;
}

void inflate_feed(Inflate *s, size_t count, int last) {
  s->end += count;
  s->last_input = last;
  if (last) memset(s->end, 0, PADDING);
}

const uint8_t *inflate_output(const Inflate *s, size_t *count) {
  *count = s->written - s->read;
  return s->output + s->read;
}

void inflate_take(Inflate *s, size_t count) { s->read += count; }

// Moves the history and what is unread to the front of the output buffer.
static void slide(Inflate *s) {
  const size_t keep_from = MIN(s->read, s->written > HISTORY ? s->written - HISTORY : 0);
  if (keep_from == 0) return;
  memmove(s->output, s->output + keep_from, s->written - keep_from);
  s->written -= keep_from;
  s->read -= keep_from;
}

// More input was consumed than there was: only zeros of the padding were decoded.
static int overran(const Inflate *s) { return s->next - (s->bit_count >> 3) > s->end; }

static void run_stored(Inflate *s) {
  const size_t room = s->written < s->limit ? s->limit - s->written : 0, have = s->end - s->next;
  const size_t count = MIN(MIN(room, have), s->stored_left);
  memcpy(s->output + s->written, s->next, count);
  s->next += count, s->written += count, s->stored_left -= count;
  if (s->stored_left == 0) s->state = BLOCK_HEADER;
}

const uint8_t *inflate_behind(Inflate *s, size_t *count) {
  align_to_byte(s);
  *count = s->next < s->end ? (size_t)(s->end - s->next) : 0;
  return s->next;
}

InflateStatus inflate_run(Inflate *s) {
  slide(s);
  for (;;) {
    if (s->last_input && s->state != END && overran(s)) return INFLATE_TRUNCATED;
    const size_t have = s->end > s->next ? s->end - s->next : 0;
    const int short_of = !s->last_input && have < (s->state == SYMBOLS ? MARGIN + 1 : s->state == STORED ? 1 : HEADER_MARGIN);
    if (s->state == END) return INFLATE_END;
    if (s->state == FAILED) return INFLATE_DAMAGED;
    if (short_of && !(s->state == BLOCK_HEADER && s->final_block)) return INFLATE_MORE;
    if (s->written >= s->limit) return INFLATE_MORE;
    if (s->state == STORED && have == 0 && s->stored_left) return INFLATE_TRUNCATED;
    switch (s->state) {
      case ZLIB_HEADER: inflate_read_zlib_header(s); break;
      case BLOCK_HEADER: inflate_read_block_header(s); break;
      case STORED: run_stored(s); break;
      default: inflate_symbols(s);
    }
  }
}
