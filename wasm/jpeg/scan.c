// Entropy coding of scans: the parts of progressive ones here (T.81 annex G), sequential ones by scan-sequential.c.
#include <string.h>
#include "scan.h"
#include "scan-sequential.h"

enum {
  ZERO_RUN = 0xF0,          // sixteen zeros
  LONGEST_RUN = 0x7FFF,     // blocks that one end-of-band symbol can cover
};

static inline __attribute__((always_inline)) void symbol(struct scan_coder *coder, struct huffman *table, int value,
                                                         uint32_t extra, int extra_size, int writing) {
  if (writing) {
    put_bits(coder->out, (uint32_t)table->code[value] << extra_size | extra, table->size[value] + extra_size);
  } else {
    table->counts[value]++;
    coder->extra_bits += extra_size;
  }
}

// T.81 F.1.2.1: the size of a value, and its bits; negative values as their one's complement.
static inline __attribute__((always_inline)) void dc_symbol(struct scan_coder *coder, int slot, int difference,
                                                            int writing) {
  const int size = bit_length(difference < 0 ? -difference : difference);
  const uint32_t bits = (uint32_t)(difference + (difference >> 31)) & ((1u << size) - 1);
  symbol(coder, &coder->tables->table[0][slot], size, bits, size, writing);
}

static inline __attribute__((always_inline)) void ac_symbol(struct scan_coder *coder, int run, int value, int writing) {
  const int size = bit_length(value < 0 ? -value : value);
  const uint32_t bits = (uint32_t)(value + (value >> 31)) & ((1u << size) - 1);
  symbol(coder, coder->ac, run << 4 | size, bits, size, writing);
}

static void put_corrections(struct scan_coder *coder, const uint8_t *bits, uint32_t count, int writing) {
  if (!writing) {
    coder->extra_bits += count;
    return;
  }
  for (uint32_t i = 0; i < count; i++) put_bits(coder->out, bits[i], 1);
}

// T.81 G.1.2.2: an end-of-band run, then the corrections of its blocks.
static void flush_end_run(struct scan_coder *coder, int writing) {
  if (!coder->end_run) return;
  const int size = bit_length(coder->end_run) - 1;
  symbol(coder, coder->ac, size << 4, coder->end_run & ((1u << size) - 1), size, writing);
  coder->end_run = 0;
  put_corrections(coder, coder->correction, coder->corrections, writing);
  coder->corrections = 0;
}

static inline uint64_t band_mask(const struct scan *scan) {
  return (~0ull >> (63 - scan->last)) & (~0ull << scan->first);
}

// A band seen for the first time, down to bit `low`.
static inline __attribute__((always_inline)) void code_band(struct scan_coder *coder, const struct packed_block *block,
                                                            const struct scan *scan, int writing) {
  uint64_t left = block->mask & band_mask(scan);
  int index = __builtin_popcountll(block->mask & ~(~0ull << scan->first)), next = scan->first;
  for (; left; left &= left - 1, index++) {
    const int k = __builtin_ctzll(left), value = packed_value(block, index);
    // Toward zero, unlike an arithmetic shift.
    const int known = value < 0 ? -(-value >> scan->low) : value >> scan->low;
    if (!known) continue;
    flush_end_run(coder, writing);
    int run = k - next;
    for (; run > 15; run -= 16) symbol(coder, coder->ac, ZERO_RUN, 0, 0, writing);
    ac_symbol(coder, run, known, writing);
    next = k + 1;
  }
  if (next > scan->last) return;
  if (++coder->end_run == LONGEST_RUN) flush_end_run(coder, writing);
}

// Position of the last coefficient that becomes non-zero in this refinement, or 0.
static int last_new(const struct packed_block *block, const struct scan *scan) {
  uint64_t left = block->mask & band_mask(scan);
  int index = __builtin_popcountll(block->mask & (~0ull >> (63 - scan->last)));
  while (left) {
    const int k = 63 - __builtin_clzll(left), value = packed_value(block, --index);
    if ((value < 0 ? -value : value) >> scan->low == 1) return k;
    left &= ~(1ull << k);
  }
  return 0;
}

// T.81 G.1.2.3: one more bit for coefficients already known, and coefficients that become +1 or -1.
static inline __attribute__((always_inline)) void refine_band(struct scan_coder *coder, const struct packed_block *block,
                                                              const struct scan *scan, int writing) {
  const int last = last_new(block, scan);
  uint64_t left = block->mask & band_mask(scan);
  int index = __builtin_popcountll(block->mask & ~(~0ull << scan->first)), next = scan->first, run = 0;
  uint8_t *pending = coder->correction + coder->corrections;
  uint32_t pending_count = 0;
  for (; left; left &= left - 1, index++) {
    const int k = __builtin_ctzll(left), value = packed_value(block, index);
    const int known = (value < 0 ? -value : value) >> scan->low;
    run += k - next + !known;
    next = k + 1;
    if (!known) continue;
    for (; run > 15 && k <= last; run -= 16) {
      flush_end_run(coder, writing);
      symbol(coder, coder->ac, ZERO_RUN, 0, 0, writing);
      put_corrections(coder, pending, pending_count, writing);
      pending = coder->correction;
      pending_count = 0;
    }
    if (known > 1) {
      pending[pending_count++] = known & 1;
      continue;
    }
    flush_end_run(coder, writing);
    symbol(coder, coder->ac, run << 4 | 1, value > 0, 1, writing);
    put_corrections(coder, pending, pending_count, writing);
    pending = coder->correction;
    pending_count = run = 0;
  }
  run += scan->last + 1 - next;
  if (!run && !pending_count) return;
  coder->end_run++;
  coder->corrections += pending_count;
  if (coder->end_run == LONGEST_RUN || coder->corrections > SCAN_CORRECTIONS - 63) flush_end_run(coder, writing);
}

static inline __attribute__((always_inline)) void code_ac_rows(struct scan_coder *coder, const struct packed *store,
                                                               uint32_t first, uint32_t end, int refining,
                                                               int writing) {
  const struct packed_component *component = &store->component[coder->scan.component[0]];
  const struct scan scan = coder->scan;
  coder->ac = &coder->tables->table[1][scan_slot(scan.component[0])];
  for (uint32_t row = packed_block_row(component, first); row < packed_block_row(component, end); row++) {
    const uint8_t *cursor = component->rows[row];
    for (uint32_t x = 0; x < component->width; x++) {
      const struct packed_block block = packed_read(&cursor);
      if (refining) refine_band(coder, &block, &scan, writing);
      else code_band(coder, &block, &scan, writing);
    }
  }
}

// T.81 G.1.2.1: differences of DC values down to bit `low`, or one more bit of each.
static inline __attribute__((always_inline)) void code_dc_rows(struct scan_coder *coder, const struct packed *store,
                                                               uint32_t first, uint32_t end, int writing) {
  const int index = coder->scan.component[0], slot = scan_slot(index), low = coder->scan.low;
  const struct packed_component *component = &store->component[index];
  const int16_t *dc = component->dc + (size_t)packed_block_row(component, first) * component->width;
  const int16_t *const behind = component->dc + (size_t)packed_block_row(component, end) * component->width;
  for (; dc < behind; dc++) {
    const int known = *dc >> low;
    if (!coder->scan.high) dc_symbol(coder, slot, known - coder->last_dc[0], writing);
    else if (writing) put_bits(coder->out, known & 1, 1);
    else coder->extra_bits++;
    coder->last_dc[0] = known;
  }
}

static inline __attribute__((always_inline)) void code_rows(struct scan_coder *coder, const struct packed *store,
                                                            uint32_t first, uint32_t end, int writing) {
  const struct scan *scan = &coder->scan;
  if (scan->first == 0) code_dc_rows(coder, store, first, end, writing);
  else if (scan->high) code_ac_rows(coder, store, first, end, 1, writing);
  else code_ac_rows(coder, store, first, end, 0, writing);
}

void scan_start(struct scan_coder *coder, const struct scan *scan, struct scan_tables *tables, struct output *out) {
  memset(coder, 0, sizeof *coder);
  coder->scan = *scan;
  coder->tables = tables;
  coder->out = out;
  if (!out) memset(tables, 0, sizeof *tables);
}

void scan_feed(struct scan_coder *coder, const struct packed *store, uint32_t first, uint32_t end) {
  if (coder->scan.first == 0 && coder->scan.last > 0) scan_feed_sequential(coder, store, first, end);
  else if (coder->out) code_rows(coder, store, first, end, 1);
  else code_rows(coder, store, first, end, 0);
}

void scan_end(struct scan_coder *coder) {
  if (coder->scan.first > 0) flush_end_run(coder, coder->out != NULL);
  if (coder->out) finish_bits(coder->out);
}

uint64_t scan_optimize(const struct scan_coder *coder) {
  uint64_t bits = coder->extra_bits;
  for (int i = 0; i < 4; i++) {
    struct huffman *table = &coder->tables->table[i >> 1][i & 1];
    huffman_optimize(table);
    for (int value = 0; value < 256; value++) bits += (uint64_t)table->counts[value] * table->size[value];
  }
  return bits;
}
