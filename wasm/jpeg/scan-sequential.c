// Entropy coding of sequential scans (T.81 annex F): DC and AC coefficients of a block one behind the other.
#include "scan-sequential.h"

enum {
  END_OF_BLOCK = 0,
  ZERO_RUN = 0xF0,            // sixteen zeros
  BLOCK_BYTES = 512,          // more than what a block can take: 64 codes with values of 27 bits, all stuffed
};

#define HOT static inline __attribute__((always_inline))

// What changes with every symbol; a local variable, so that it stays in registers.
struct coder {
  struct output *out;         // null: symbols are counted
  uint64_t bits;              // as in struct output
  int bit_count;
  uint64_t extra_bits;
};

// BLOCK_BYTES must be free before each block.
HOT void put_symbol(struct coder *coder, struct huffman *table, int symbol, uint32_t extra, int extra_size, int writing) {
  if (!writing) {
    table->counts[symbol]++;
    coder->extra_bits += extra_size;
    return;
  }
  const int size = table->size[symbol] + extra_size;
  coder->bits = coder->bits << size | (uint32_t)table->code[symbol] << extra_size | extra;
  coder->bit_count += size;
  if (coder->bit_count < 32) return;
  coder->bit_count -= 32;
  put_entropy_word(coder->out, coder->bits >> coder->bit_count);
}

// T.81 F.1.2.1: the size of a value, and its bits; negative values as their one's complement.
HOT void put_value(struct coder *coder, struct huffman *table, int run, int value, int writing) {
  const int size = bit_length(value < 0 ? -value : value);
  const uint32_t bits = (uint32_t)(value + (value >> 31)) & ((1u << size) - 1);
  put_symbol(coder, table, run << 4 | size, bits, size, writing);
}

HOT void put_ac(struct coder *coder, struct huffman *table, const struct packed_block *block, int wide, int writing) {
  int next = 1, index = 0;
  for (uint64_t left = block->mask; left; left &= left - 1) {
    const int k = __builtin_ctzll(left);
    int run = k - next;
    for (; run > 15; run -= 16) put_symbol(coder, table, ZERO_RUN, 0, 0, writing);
    const int value = wide ? packed_value(block, index++) : block->narrow[index++];
    put_value(coder, table, run, value, writing);
    next = k + 1;
  }
  if (next < 64) put_symbol(coder, table, END_OF_BLOCK, 0, 0, writing);
}

// Blocks beyond the edge repeat the last DC value.
HOT void put_block(struct coder *coder, struct huffman *dc, struct huffman *ac, const int16_t *value,
                   const uint8_t **cursor, int *last_dc, int writing) {
  if (writing && coder->out->used + BLOCK_BYTES > OUTPUT_BYTES) output_flush(coder->out);
  if (!value) {
    put_symbol(coder, dc, 0, 0, 0, writing);
    put_symbol(coder, ac, END_OF_BLOCK, 0, 0, writing);
    return;
  }
  put_value(coder, dc, 0, *value - *last_dc, writing);
  *last_dc = *value;
  const struct packed_block block = packed_read(cursor);
  if (block.narrow) put_ac(coder, ac, &block, 0, writing);
  else put_ac(coder, ac, &block, 1, writing);
}

// A component on its own has only the blocks that hold pixels, one to a unit.
struct layout {
  int h, v;
  uint32_t columns, first, end;
};

static struct layout layout_of(const struct scan *scan, const struct packed *store, uint32_t first, uint32_t end) {
  const struct packed_component *component = &store->component[scan->component[0]];
  if (scan->components > 1) return (struct layout){0, 0, packed_units_across(store), first, end};
  return (struct layout){1, 1, component->width, packed_block_row(component, first), packed_block_row(component, end)};
}

HOT void code_rows(struct scan_coder *scan_coder, const struct packed *store, uint32_t first, uint32_t end,
                   int writing) {
  const struct scan *scan = &scan_coder->scan;
  const struct layout layout = layout_of(scan, store, first, end);
  struct coder coder = {scan_coder->out, writing ? scan_coder->out->bits : 0, writing ? scan_coder->out->bit_count : 0, 0};
  for (uint32_t unit = layout.first; unit < layout.end; unit++) {
    const uint8_t *cursors[PACKED_COMPONENTS][4];
    for (int i = 0; i < scan->components; i++) {
      const struct packed_component *component = &store->component[scan->component[i]];
      const int rows = layout.v ? layout.v : component->v;
      for (int v = 0; v < rows; v++) {
        const uint32_t y = unit * rows + v;
        cursors[i][v] = y < component->height ? component->rows[y] : NULL;
      }
    }
    for (uint32_t column = 0; column < layout.columns; column++)
      for (int i = 0; i < scan->components; i++) {
        const struct packed_component *component = &store->component[scan->component[i]];
        const int slot = scan_slot(scan->component[i]);
        const int rows = layout.v ? layout.v : component->v, columns = layout.h ? layout.h : component->h;
        for (int v = 0; v < rows; v++)
          for (int h = 0; h < columns; h++) {
            const uint32_t x = column * columns + h, y = unit * rows + v;
            const int inside = x < component->width && y < component->height;
            put_block(&coder, &scan_coder->tables->table[0][slot], &scan_coder->tables->table[1][slot],
                      inside ? &component->dc[(size_t)y * component->width + x] : NULL, &cursors[i][v],
                      &scan_coder->last_dc[i], writing);
          }
      }
  }
  scan_coder->extra_bits += coder.extra_bits;
  if (!writing) return;
  scan_coder->out->bits = coder.bits;
  scan_coder->out->bit_count = coder.bit_count;
}

void scan_feed_sequential(struct scan_coder *coder, const struct packed *store, uint32_t first, uint32_t end) {
  if (coder->out) code_rows(coder, store, first, end, 1);
  else code_rows(coder, store, first, end, 0);
}
