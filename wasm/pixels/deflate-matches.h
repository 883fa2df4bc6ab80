// What near-optimal parsing knows of the bytes that it parses, and the matches in them. Included by deflate.c: it needs what
// libdeflate keeps to itself.
#pragma once

#include <stdint.h>
#include <stdlib.h>

#define WINDOW 32768
#define LONGEST 258
#define SHORTEST 3
#define HASH_BITS 15
// Bytes that are parsed together; more would hold more memory.
#define PARSED_BYTES (192 << 10)
// Matches of a block: it ends where there may be no room for those of the next position.
#define POOL (PARSED_BYTES * 4)
// Of fewer bytes there are fewer to begin with; the pool grows up to that where they have more.
#define POOL_PER_BYTE (POOL / PARSED_BYTES)
// Positions beyond a match where a longer one may begin.
#define MOST_AHEAD 2
// The part of the usual depth that is looked at for each byte, on average; beyond, a smaller one must do.
#define USUAL_PART 4
#define SHALLOW 4

// How patient a level is: candidates for a match, passes over a block, and positions beyond a match that are looked at. A
// pass that gains less than a part of `worthwhile` is the last one.
typedef struct { int depth, passes, ahead; uint32_t worthwhile; } Patience;
static const Patience PATIENCE[] = {{32, 4, 1, 50}, {64, 4, 1, 300}, {128, 6, 2, 1000}};

typedef struct { uint16_t length, offset; } Match;

typedef struct {
  Patience patience;
  long steps;          // that are left
  uint32_t used, room; // of the pool, and what it has room for as yet
  // Of all positions: the distance to the position before that begins alike, by four bytes and by three (0: none within the
  // window), and where its matches begin in the pool (0: not looked for).
  uint16_t *back, *back3;
  uint32_t *first;
  uint32_t *cost, *item;              // from here to the end of the block; the offset << 16 | the length
  struct deflate_sequence *sequences; // the cheapest path
  Match *pool;
  uint32_t literal_cost[256], length_cost[LONGEST + 1], slot_cost[32];
  uint32_t head[1 << HASH_BITS], head3[1 << HASH_BITS];
  uint32_t tables[];
} Thorough;

static void thorough_close(Thorough *t) {
  if (t) free(t->pool);
  free(t);
}

// For at most `parsed` bytes that are compressed together, behind a window of others.
static Thorough *thorough_open(int level, uint32_t parsed) {
  const uint32_t positions = WINDOW + parsed, sequences = parsed / SHORTEST + 2;
  const size_t words = (positions + MOST_AHEAD + 1) + (parsed + 1) + parsed + positions;
  Thorough *t = malloc(sizeof *t + words * sizeof(uint32_t) + sequences * sizeof(struct deflate_sequence));
  if (!t) return 0;
  t->patience = PATIENCE[level - SLOW_LEVEL];
  t->room = MIN(POOL, parsed * POOL_PER_BYTE + (MOST_AHEAD + 2) * LONGEST);
  t->pool = malloc(t->room * sizeof *t->pool);
  t->first = t->tables;
  t->cost = t->first + positions + MOST_AHEAD + 1;
  t->item = t->cost + parsed + 1;
  t->sequences = (struct deflate_sequence *)(t->item + parsed);
  t->back = (uint16_t *)(t->sequences + sequences);
  t->back3 = t->back + positions;
  if (t->pool) return t;
  thorough_close(t);
  return 0;
}

// ---- matches ----

static inline uint32_t hash_of(uint32_t bytes) { return (bytes * 0x1E35A7BDu) >> (32 - HASH_BITS); }

static inline int is_run(uint32_t four) { return four == (four >> 8 | four << 24); }

// Links positions that begin alike. Runs of one byte begin alike where as much of them is left: others match no further.
static void link_positions(Thorough *t, const uint8_t *in, uint32_t count) {
  memset(t->head, 0, sizeof t->head), memset(t->head3, 0, sizeof t->head3);
  memset(t->first, 0, (count + MOST_AHEAD + 1) * sizeof t->first[0]);
  uint32_t run_end = 0;
  for (uint32_t p = 0; p + 4 <= count; p++) {
    const uint32_t four = load_u32_unaligned(in + p), at = p + WINDOW;
    uint32_t key = four;
    if (is_run(four)) {
      if (run_end < p + 4)
        for (run_end = p + 4; run_end < count && in[run_end] == in[p];) run_end++;
      key = in[p] | MIN(run_end - p, LONGEST + 1) << 12;
    }
    uint32_t *head = &t->head[hash_of(key)], *head3 = &t->head3[hash_of(four << 8)];
    const uint32_t distance = at - *head, distance3 = at - *head3;
    t->back[p] = (uint16_t)(distance < WINDOW ? distance : 0);
    t->back3[p] = (uint16_t)(distance3 < WINDOW ? distance3 : 0);
    *head = *head3 = at;
  }
}

// Puts the matches of a position into the pool, longer ones farther away, and a length of 0 behind them.
static void find_matches(Thorough *t, const uint8_t *in, uint32_t p, uint32_t most) {
  Match *out = t->pool + t->used;
  t->first[p] = t->used;
  if (most >= 4) {
    const uint8_t *at = in + p;
    const uint32_t four = load_u32_unaligned(at), near = t->back3[p];
    uint32_t best = SHORTEST;
    if (p > 0 && is_run(four) && at[-1] == at[0]) *out++ = (Match){(uint16_t)(best = lz_extend(at, at - 1, 4, most)), 1};
    else if (near && load_u32_unaligned(at - near) << 8 == four << 8) *out++ = (Match){SHORTEST, (uint16_t)near};
    uint32_t tail = load_u32_unaligned(at + best - 3);
    const int depth = t->steps > 0 ? t->patience.depth : t->patience.depth / SHALLOW;
    int left = depth;
    for (uint32_t distance = t->back[p], step; best < most && distance && distance <= WINDOW; distance += step) {
      const uint8_t *match = at - distance;
      if (load_u32_unaligned(match + best - 3) == tail && load_u32_unaligned(match) == four) {
        const uint32_t length = lz_extend(at, match, 4, most);
        if (length > best) {
          *out++ = (Match){(uint16_t)(best = length), (uint16_t)distance};
          tail = load_u32_unaligned(at + best - 3);
        }
      }
      step = t->back[p - distance];
      if (!step || --left <= 0) break;
    }
    t->steps -= depth - left + 1;
  }
  *out++ = (Match){0, 0};
  t->used = (uint32_t)(out - t->pool);
}

// Whether the pool has room for the matches of so many positions. Where there is no memory for it to grow the block ends.
static int has_room(Thorough *t, uint32_t positions) {
  const uint32_t wanted = t->used + positions * LONGEST;
  if (wanted >= POOL) return 0;
  if (wanted < t->room) return 1;
  const uint32_t room = MIN(POOL, MAX(wanted + 1, 2 * t->room));
  Match *grown = realloc(t->pool, room * sizeof *grown);
  if (!grown) return 0;
  t->pool = grown, t->room = room;
  return 1;
}

// The longest match of a position, at most so many bytes; its length is 0 where there is none.
static Match longest(Thorough *t, const uint8_t *in, uint32_t p, uint32_t most) {
  if (!t->first[p]) find_matches(t, in, p, most);
  const Match *match = t->pool + t->first[p];
  while (match[0].length && match[1].length) match++;
  return *match;
}
