// Near-optimal parsing for what repeats often, as drawings do behind a filter. Matches are looked for only where a symbol of
// the cheapest path begins and inside short ones, so that the time goes with what is written more than with what is read.
// Included by deflate.c: it needs what libdeflate keeps to itself.
#pragma once

#include "deflate-matches.h"

#include <math.h>
#include <wasm_simd128.h>

// Bytes at both ends of a match where single literals may be cheaper.
#define EDGE 8
// Matches that are longer need not compete with those a byte or two further on.
#define LONG_ENOUGH 200
// Inside matches of at most so many bytes others are looked for: gradients and dithered pictures are made of such, and of
// those at their begin many go on in no good way.
#define SHORT_ENOUGH 48
// A bit, as costs count it, and the bits that a symbol is taken to cost that did not occur.
#define BIT 16
#define UNUSED_BITS 13
// More than any way costs, in the same unit.
#define IMPOSSIBLE (1 << 30)

// ---- costs ----

static void add_match(struct deflate_sequence **sequence, uint32_t length, uint32_t offset) {
  (*sequence)->litrunlen_and_length |= length << SEQ_LENGTH_SHIFT;
  (*sequence)->offset = (uint16_t)offset;
  (*sequence)->offset_slot = (uint16_t)deflate_get_offset_slot(offset);
  (++*sequence)->litrunlen_and_length = 0;
}

// Counts the symbols of the path through a block.
static void count_symbols(struct libdeflate_compressor *c, const Thorough *t, const uint8_t *at) {
  deflate_reset_symbol_frequencies(c);
  for (const struct deflate_sequence *s = t->sequences;; s++) {
    const uint32_t length = s->litrunlen_and_length >> SEQ_LENGTH_SHIFT;
    for (uint32_t left = s->litrunlen_and_length & SEQ_LITRUNLEN_MASK; left > 0; left--) c->freqs.litlen[*at++]++;
    if (!length) return;
    c->freqs.litlen[DEFLATE_FIRST_LEN_SYM + deflate_length_slot[length]]++;
    c->freqs.offset[s->offset_slot]++;
    at += length;
  }
}

static uint32_t cost_of(float all_bits, uint32_t times, unsigned extra) {
  const float bits = times ? all_bits - log2f((float)times) : UNUSED_BITS;
  return (uint32_t)(BIT * (MAX(1.0f, bits) + (float)extra));
}

// What symbols cost, by how often they occurred.
static void set_costs(const struct libdeflate_compressor *c, Thorough *t) {
  uint32_t all = 1, offsets = 1;
  for (int i = 0; i < DEFLATE_NUM_LITLEN_SYMS; i++) all += c->freqs.litlen[i];
  for (int i = 0; i < DEFLATE_NUM_OFFSET_SYMS; i++) offsets += c->freqs.offset[i];
  const float bits = log2f((float)all), offset_bits = log2f((float)offsets);
  for (int i = 0; i < DEFLATE_NUM_LITERALS; i++) t->literal_cost[i] = cost_of(bits, c->freqs.litlen[i], 0);
  for (int i = 0; i < SHORTEST; i++) t->length_cost[i] = IMPOSSIBLE;
  for (int i = SHORTEST; i <= LONGEST; i++) {
    const unsigned slot = deflate_length_slot[i];
    t->length_cost[i] = cost_of(bits, c->freqs.litlen[DEFLATE_FIRST_LEN_SYM + slot], deflate_extra_length_bits[slot]);
  }
  for (unsigned i = 0; i < ARRAY_LEN(deflate_offset_slot_base); i++)
    t->slot_cost[i] = cost_of(offset_bits, c->freqs.offset[i], deflate_extra_offset_bits[i]);
}

// ---- the cheapest path ----

// A match that reaches an end from any position since `from`; its offset << 16, and what it costs but for its length.
typedef struct { uint32_t from, end, item, cost; } Reach;

// Ways to go on in four lanes: what they cost, and their lengths << 16 | their offsets.
typedef struct { v128_t cost, way; } Ways;

// Takes up a match shortened to lengths above `below`. A vector may reach further down: that costs no less than the matches
// before, and what is too short for a match is out of the question.
static inline void add_lengths(Ways *least, const Thorough *t, uint32_t at, uint32_t offset, int below, int most) {
  const v128_t offset_cost = wasm_i32x4_splat((int32_t)t->slot_cost[deflate_get_offset_slot(offset)]);
  v128_t way = wasm_i32x4_add(wasm_i32x4_splat(most << 16 | (int32_t)offset), wasm_i32x4_const(-3 * 65536, -2 * 65536, -65536, 0));
  for (int length = most; length > below; length -= 4) {
    const v128_t costs = wasm_i32x4_add(wasm_v128_load(t->length_cost + length - 3), wasm_v128_load(t->cost + at + length - 3));
    const v128_t cost = wasm_i32x4_add(costs, offset_cost), is_less = wasm_i32x4_lt(cost, least->cost);
    least->cost = wasm_i32x4_min(cost, least->cost);
    least->way = wasm_v128_bitselect(way, least->way, is_less);
    way = wasm_i32x4_sub(way, wasm_i32x4_const_splat(4 * 65536));
  }
}

// The cheapest of four, the longest of those that cost the same.
static inline uint32_t cheapest(const Ways *least, uint32_t *cost) {
  v128_t all = wasm_i32x4_min(least->cost, wasm_i32x4_shuffle(least->cost, least->cost, 2, 3, 0, 1));
  all = wasm_i32x4_min(all, wasm_i32x4_shuffle(all, all, 1, 0, 3, 2));
  v128_t way = wasm_v128_and(least->way, wasm_i32x4_eq(all, least->cost));
  way = wasm_u32x4_max(way, wasm_i32x4_shuffle(way, way, 2, 3, 0, 1));
  way = wasm_u32x4_max(way, wasm_i32x4_shuffle(way, way, 1, 0, 3, 2));
  *cost = (uint32_t)wasm_i32x4_extract_lane(all, 0);
  return (uint32_t)wasm_i32x4_extract_lane(way, 0);
}

// Chooses how to go on from a position of the block: by a literal, a match found there, or the rest of a known one.
static inline void choose(Thorough *t, const uint8_t *in, uint32_t begin, uint32_t count, uint32_t at, const Reach *own,
                          const Reach *next) {
  uint32_t least = UINT32_MAX, item = 0;
  for (int k = 0; k < 2; k++) {
    const Reach *reach = k ? next : own;
    if (at < reach->from || at + SHORTEST > reach->end) continue;
    const uint32_t length = reach->end - at, cost = reach->cost + t->length_cost[length];
    if (cost < least) least = cost, item = reach->item | length;
  }
  const Match *match = t->pool + t->first[begin + at];
  if (t->first[begin + at] && match->length) {
    Ways ways = {wasm_i32x4_const_splat(INT32_MAX), wasm_i32x4_const_splat(0)};
    const int left = (int)MIN(count - at, LONGEST);
    for (int below = SHORTEST - 1; match->length && below < left; below = match++->length)
      add_lengths(&ways, t, at, match->offset, below, MIN(match->length, left));
    uint32_t cost;
    const uint32_t way = cheapest(&ways, &cost);
    if (cost < least) least = cost, item = way << 16 | way >> 16;
  }
  if (at < own->from + EDGE || at + EDGE > own->end) {
    const uint32_t cost = t->literal_cost[in[begin + at]] + t->cost[at + 1];
    if (cost < least) least = cost, item = 1;
  }
  t->cost[at] = least, t->item[at] = item;
}

// What reaching the end takes from four positions.
static inline v128_t costs_by(const Thorough *t, const Reach *reach, uint32_t at) {
  const v128_t costs = wasm_v128_load(t->length_cost + (reach->end - at - 3));
  return wasm_i32x4_add(wasm_i32x4_shuffle(costs, costs, 3, 2, 1, 0), wasm_i32x4_splat((int32_t)reach->cost));
}

static inline v128_t items_by(const Reach *reach, uint32_t at) {
  return wasm_i32x4_sub(wasm_i32x4_splat((int32_t)(reach->item | (reach->end - at))), wasm_i32x4_const(0, 1, 2, 3));
}

// The same for four positions inside a match, if nothing was looked for there.
static inline int choose_four(Thorough *t, uint32_t begin, uint32_t at, const Reach *own, const Reach *next) {
  const int is_inside = at >= own->from + EDGE && at + 3 + EDGE <= own->end;
  const int has_next = at >= next->from;
  if (!is_inside || wasm_v128_any_true(wasm_v128_load(t->first + begin + at)) || (!has_next && at + 3 >= next->from)) return 0;
  v128_t costs = costs_by(t, own, at), items = items_by(own, at);
  if (has_next) {
    const v128_t others = costs_by(t, next, at), is_less = wasm_u32x4_lt(others, costs);
    costs = wasm_u32x4_min(costs, others);
    items = wasm_v128_bitselect(items_by(next, at), items, is_less);
  }
  wasm_v128_store(t->cost + at, costs), wasm_v128_store(t->item + at, items);
  return 1;
}

// Goes back through the path as it is for a cheaper one. What it takes is in `cost`.
static void improve(Thorough *t, const uint8_t *in, uint32_t begin, uint32_t count, const struct deflate_sequence *last) {
  const Reach none = {.from = UINT32_MAX - EDGE};
  Reach next = none;
  uint32_t at = count;
  t->cost[count] = 0;
  for (const struct deflate_sequence *s = last; s >= t->sequences; s--) {
    const uint32_t length = s->litrunlen_and_length >> SEQ_LENGTH_SHIFT;
    if (length) {
      Reach own = {at - length, at, (uint32_t)s->offset << 16, t->slot_cost[s->offset_slot] + t->cost[at]};
      while (at > own.from)
        if (at - own.from >= 4 && choose_four(t, begin, at - 4, &own, &next)) at -= 4;
        else choose(t, in, begin, count, --at, &own, &next);
      // It may begin earlier, at the cost of what is before it.
      const uint8_t *bytes = in + begin;
      while (own.from > 0 && own.end - own.from < LONGEST && begin + own.from > s->offset &&
             bytes[own.from - 1] == bytes[(int32_t)own.from - 1 - s->offset])
        own.from--;
      next = own;
    }
    for (uint32_t left = s->litrunlen_and_length & SEQ_LITRUNLEN_MASK; left > 0; left--)
      choose(t, in, begin, count, --at, &none, &next);
  }
}

// The items from the begin on as sequences; the last of them.
static const struct deflate_sequence *take_path(Thorough *t, uint32_t count) {
  struct deflate_sequence *s = t->sequences;
  s->litrunlen_and_length = 0;
  for (uint32_t at = 0; at < count;) {
    const uint32_t length = t->item[at] & 0xffff;
    if (length == 1) s->litrunlen_and_length++;
    else add_match(&s, length, t->item[at] >> 16);
    at += length;
  }
  return s;
}

// Looks for matches wherever a symbol of the path begins, and inside short ones.
static void find_more(Thorough *t, const uint8_t *in, uint32_t begin, uint32_t count, uint32_t end) {
  for (uint32_t at = 0, length; at < count; at += length) {
    length = t->item[at] & 0xffff;
    for (uint32_t p = begin + at, last = p + (length <= SHORT_ENOUGH ? length - 1 : 0); p <= last; p++)
      if (!t->first[p] && has_room(t, 1)) find_matches(t, in, p, MIN(LONGEST, end - p));
  }
}

static void optimize(struct libdeflate_compressor *c, Thorough *t, const uint8_t *in, uint32_t begin, uint32_t count,
                     uint32_t end, const struct deflate_sequence *last) {
  uint32_t before = UINT32_MAX;
  for (int pass = 1;; pass++) {
    count_symbols(c, t, in + begin);
    set_costs(c, t);
    improve(t, in, begin, count, last);
    last = take_path(t, count);
    if (pass == t->patience.passes || before - t->cost[0] < before / t->patience.worthwhile) break;
    before = t->cost[0];
    find_more(t, in, begin, count, end);
  }
  count_symbols(c, t, in + begin);
}

// ---- blocks ----

// Whether a match some bytes further on is better by what it is longer and what its offset takes.
static int is_better(Match further, Match match, uint32_t ahead) {
  if (further.length < match.length) return 0;
  const int longer = further.length - match.length;
  return 4 * longer + (int)bsr32(match.offset) - (int)bsr32(further.offset) > (ahead == 1 ? 2 : 6);
}

static void compress_thoroughly(struct libdeflate_compressor *c, Thorough *t, const uint8_t *in, size_t count,
                                struct deflate_output_bitstream *os) {
  const uint32_t end = (uint32_t)count;
  link_positions(t, in, end);
  // What is not known yet of a block may be read, but not chosen.
  memset(t->cost, 0, (count - c->history_size + 1) * sizeof t->cost[0]);
  t->steps = (long)(t->patience.depth / USUAL_PART) * (end - (uint32_t)c->history_size);
  for (uint32_t p = (uint32_t)c->history_size; p < end;) {
    const uint32_t begin = p;
    const unsigned least = calculate_min_match_len(in + p, end - p, t->patience.depth);
    struct deflate_sequence *s = t->sequences;
    s->litrunlen_and_length = 0;
    init_block_split_stats(&c->split_stats);
    estimate_costs_of_block(c, in + p, end - p, p == c->history_size);
    // What was looked at beyond the block before is no longer in the pool.
    memset(t->first + p, 0, (MOST_AHEAD + 1) * sizeof t->first[0]);
    t->used = 1;
    do {
      Match match = longest(t, in, p, MIN(LONGEST, end - p));
      uint32_t literals = match.length < least || !match_pays(c, in + p, match.length, match.offset);
      for (uint32_t ahead = 1; !literals && ahead <= (uint32_t)t->patience.ahead && match.length < LONG_ENOUGH; ahead++) {
        const uint32_t further = p + ahead;
        if (further < end && is_better(longest(t, in, further, MIN(LONGEST, end - further)), match, ahead)) literals = ahead;
      }
      for (uint32_t k = 0; k < literals; k++) observe_literal(&c->split_stats, in[p + k]);
      s->litrunlen_and_length += literals, p += literals;
      if (literals) continue;
      observe_match(&c->split_stats, match.length);
      add_match(&s, match.length, match.offset), p += match.length;
    } while (p < end && has_room(t, MOST_AHEAD + 1) && !should_end_block(&c->split_stats, in + begin, in + p, in + end));
    optimize(c, t, in, begin, p - begin, end, s);
    deflate_flush_block(c, os, in + begin, p - begin, t->sequences, p == end);
  }
}
