// The decoder follows the design that libdeflate documents: a 64-bit bit buffer refilled without branches, and tables
// whose entries hold everything a symbol needs (base value, extra bits, code length), so that a literal costs one
// look-up. What differs is the streaming: a symbol is never suspended half-way. The decoder stops between symbols when
// less than MARGIN input bytes are left (the caller appends more behind them) or when the output limit is passed,
// behind which there is room for one longest match. The Adler-32 at the end is not checked: in PNG, each chunk has its
// CRC.
#include "inflate.h"

#include "inflate-table.h"

#define HISTORY 32768
#define LONGEST_MATCH 258
#define SLOP (LONGEST_MATCH + 32) // a match may start just below the limit, and copies run in steps of 16 bytes
#define MARGIN 16                 // input bytes that one symbol and the refills around it may look at
#define HEADER_MARGIN 640         // the same for the code lengths of a block: 14 + 19 * 3 + 320 * 14 bits
#define PADDING (2 * HEADER_MARGIN) // zeros behind the last input

#define LITERAL_BITS 11
#define DISTANCE_BITS 8
#define LITERAL_TABLE 2342 // the most that 288 codes of at most 15 bits need with 11 direct bits (zlib's `enough`)
#define DISTANCE_TABLE 402

typedef enum { ZLIB_HEADER, BLOCK_HEADER, STORED, SYMBOLS, END, FAILED } State;

struct Inflate {
  State state;
  int final_block, last_input;
  uint64_t bits;
  uint32_t bit_count;
  uint32_t stored_left;
  uint8_t *next, *end;             // input; PADDING zeros follow `end` once `last_input`
  uint8_t *output;                 // history, unread bytes, slop
  size_t read, written, limit;     // offsets in `output`
  uint32_t literals[LITERAL_TABLE], distances[DISTANCE_TABLE];
  uint8_t input[INFLATE_INPUT + HEADER_MARGIN + PADDING];
};

// ---- buffers ----

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

// ---- bits ----

static inline uint64_t load64(const uint8_t *p) {
  uint64_t v;
  memcpy(&v, p, 8);
  return v;
}

#define REFILL()                               \
  do {                                         \
    bits |= load64(next) << (bit_count & 63);  \
    next += (63 - bit_count) >> 3;             \
    bit_count |= 56;                           \
  } while (0)

static inline void refill(Inflate *s) {
  s->bits |= load64(s->next) << s->bit_count;
  s->next += (63 - s->bit_count) >> 3;
  s->bit_count |= 56;
}

static inline uint32_t take(Inflate *s, int count) {
  const uint32_t v = (uint32_t)(s->bits & ((1u << count) - 1));
  s->bits >>= count;
  s->bit_count -= count;
  return v;
}

// Gives whole bytes back to the input; what is left of a byte is dropped.
static void align_to_byte(Inflate *s) {
  s->next -= s->bit_count >> 3;
  s->bits = s->bit_count = 0;
}

// More input was consumed than there was: only zeros of the padding were decoded.
static int overran(const Inflate *s) { return s->next - (s->bit_count >> 3) > s->end; }

// ---- headers of blocks ----

static int make_tables(Inflate *s, const uint8_t *length, int literals, int distances) {
  uint32_t value[288];
  for (int i = 0; i < literals; i++) value[i] = inflate_literal(i);
  if (!inflate_table(s->literals, LITERAL_BITS, length, literals, value)) return 0;
  for (int i = 0; i < distances; i++) value[i] = inflate_distance(i);
  return inflate_table(s->distances, DISTANCE_BITS, length + literals, distances, value);
}

static int make_fixed_tables(Inflate *s) {
  uint8_t length[288 + 32];
  memset(length, 8, 144), memset(length + 144, 9, 112), memset(length + 256, 7, 24), memset(length + 280, 8, 8);
  memset(length + 288, 5, 32);
  return make_tables(s, length, 288, 32);
}

// Reads the code lengths of a dynamic block (RFC 1951, 3.2.7).
static int read_dynamic_tables(Inflate *s) {
  static const uint8_t order[] = {16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};
  refill(s);
  const int literals = take(s, 5) + 257, distances = take(s, 5) + 1, codes = take(s, 4) + 4;
  if (literals > 286 || distances > 30) return 0;
  uint8_t length[286 + 30 + 138] = {0};
  uint32_t value[19], table[1 << 7];
  for (int i = 0; i < codes; i++) {
    refill(s);
    length[order[i]] = (uint8_t)take(s, 3);
  }
  for (int i = 0; i < 19; i++) value[i] = (uint32_t)i << 16;
  if (!inflate_table(table, 7, length, 19, value)) return 0;
  memset(length, 0, 19);
  for (int at = 0; at < literals + distances;) {
    refill(s);
    const uint32_t entry = table[s->bits & 127];
    if (entry & IS_INVALID) return 0;
    take(s, entry & 0xff);
    const int symbol = entry >> 16;
    if (symbol < 16) {
      length[at++] = (uint8_t)symbol;
      continue;
    }
    if (symbol == 16 && at == 0) return 0;
    const uint8_t repeated = symbol == 16 ? length[at - 1] : 0;
    const int times = symbol == 16 ? 3 + take(s, 2) : symbol == 17 ? 3 + take(s, 3) : 11 + take(s, 7);
    if (at + times > literals + distances) return 0;
    memset(length + at, repeated, times);
    at += times;
  }
  return length[256] && make_tables(s, length, literals, distances);
}

// ---- blocks ----

// Copies a match in steps of 16 bytes, up to 31 bytes too far; the caller keeps room for them.
static inline void copy_match(uint8_t *out, uint32_t distance, uint32_t length) {
  static const uint8_t repeat[16][16] = {
      {0}, {0}, {0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1}, {0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0},
      {0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3}, {0, 1, 2, 3, 4, 0, 1, 2, 3, 4, 0, 1, 2, 3, 4, 0},
      {0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5, 0, 1, 2, 3}, {0, 1, 2, 3, 4, 5, 6, 0, 1, 2, 3, 4, 5, 6, 0, 1},
      {0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 0, 1, 2, 3, 4, 5, 6},
      {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 1, 2, 3, 4, 5}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 0, 1, 2, 3, 4},
      {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 0, 1, 2, 3}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 0, 1, 2},
      {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 0, 1}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 0}};
  const uint8_t *from = out - distance, *end = out + length;
  if (distance >= 16) {
    do {
      wasm_v128_store(out, wasm_v128_load(from));
      out += 16, from += 16;
    } while (out < end);
    return;
  }
  const v128_t v = permute(wasm_v128_load(from), wasm_v128_load(repeat[distance]));
  const uint32_t step = 16 - 16 % distance;
  do {
    wasm_v128_store(out, v);
    out += step;
  } while (out < end);
}

// Decodes symbols until the block ends or room or input runs short.
static void run_symbols(Inflate *s) {
  const uint8_t *next = s->next;
  const uint8_t *input_limit = s->last_input ? s->end + PADDING - 2 * MARGIN : s->end - MARGIN;
  uint8_t *out = s->output + s->written, *const out_limit = s->output + s->limit;
  uint64_t bits = s->bits;
  uint32_t bit_count = s->bit_count;
  const uint32_t *literals = s->literals, *distances = s->distances;
  State state = SYMBOLS;
  while (next < input_limit && out < out_limit) {
    REFILL();
    uint32_t entry = literals[bits & ((1 << LITERAL_BITS) - 1)];
    if (entry & IS_LITERAL) {
      bits >>= entry & 0xff, bit_count -= entry & 0xff;
      *out++ = (uint8_t)(entry >> 16);
      entry = literals[bits & ((1 << LITERAL_BITS) - 1)];
      if (entry & IS_LITERAL) {
        bits >>= entry & 0xff, bit_count -= entry & 0xff;
        *out++ = (uint8_t)(entry >> 16);
        entry = literals[bits & ((1 << LITERAL_BITS) - 1)];
        if (entry & IS_LITERAL) {
          bits >>= entry & 0xff, bit_count -= entry & 0xff;
          *out++ = (uint8_t)(entry >> 16);
          continue;
        }
      }
      REFILL();
    }
    if (entry & IS_SPECIAL) {
      if (entry & IS_SUBTABLE) {
        bits >>= LITERAL_BITS, bit_count -= LITERAL_BITS;
        entry = literals[(entry >> 16) + (bits & ((1u << (entry >> 8 & 0xf)) - 1))];
        if (entry & IS_LITERAL) {
          bits >>= entry & 0xff, bit_count -= entry & 0xff;
          *out++ = (uint8_t)(entry >> 16);
          continue;
        }
      }
      if (entry & IS_SPECIAL) {
        bits >>= entry & 0xff, bit_count -= entry & 0xff;
        state = entry & IS_END ? BLOCK_HEADER : FAILED;
        break;
      }
    }
    const uint32_t length_code = entry >> 8 & 0xf, length_bits = entry & 0xff;
    const uint32_t length = (entry >> 16) + ((uint32_t)(bits >> length_code) & ((1u << (length_bits - length_code)) - 1));
    bits >>= length_bits, bit_count -= length_bits;
    entry = distances[bits & ((1 << DISTANCE_BITS) - 1)];
    if (entry & IS_SUBTABLE) {
      bits >>= DISTANCE_BITS, bit_count -= DISTANCE_BITS;
      entry = distances[(entry >> 16) + (bits & ((1u << (entry >> 8 & 0xf)) - 1))];
    }
    const uint32_t code = entry >> 8 & 0xf, code_and_extra = entry & 0xff;
    const uint32_t distance = (entry >> 16) + ((uint32_t)(bits >> code) & ((1u << (code_and_extra - code)) - 1));
    bits >>= code_and_extra, bit_count -= code_and_extra;
    if (entry & IS_INVALID || distance > (size_t)(out - s->output)) {
      state = FAILED;
      break;
    }
    copy_match(out, distance, length);
    out += length;
  }
  s->next = (uint8_t *)next, s->bits = bits, s->bit_count = bit_count;
  s->written = out - s->output;
  s->state = state;
}

static void run_stored(Inflate *s) {
  const size_t room = s->written < s->limit ? s->limit - s->written : 0, have = s->end - s->next;
  const size_t count = MIN(MIN(room, have), s->stored_left);
  memcpy(s->output + s->written, s->next, count);
  s->next += count, s->written += count, s->stored_left -= count;
  if (s->stored_left == 0) s->state = BLOCK_HEADER;
}

static void read_block_header(Inflate *s) {
  if (s->final_block) {
    s->state = END;
    return;
  }
  refill(s);
  s->final_block = take(s, 1);
  const int type = take(s, 2);
  int good = type != 3;
  if (type == 0) {
    align_to_byte(s);
    const uint32_t length = s->next[0] | s->next[1] << 8, complement = s->next[2] | s->next[3] << 8;
    s->next += 4;
    s->stored_left = length;
    good = (length ^ complement) == 0xffff;
  } else if (type == 1) {
    good = make_fixed_tables(s);
  } else if (type == 2) {
    good = read_dynamic_tables(s);
  }
  s->state = !good ? FAILED : type == 0 ? STORED : SYMBOLS;
}

static void read_zlib_header(Inflate *s) {
  const int method = s->next[0], flags = s->next[1];
  s->next += 2;
  const int good = (method & 15) == 8 && method >> 4 <= 7 && (method << 8 | flags) % 31 == 0 && !(flags & 32);
  s->state = good ? BLOCK_HEADER : FAILED;
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
      case ZLIB_HEADER: read_zlib_header(s); break;
      case BLOCK_HEADER: read_block_header(s); break;
      case STORED: run_stored(s); break;
      default: run_symbols(s);
    }
  }
}
