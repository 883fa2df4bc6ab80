#include "packed.h"
#include <stdlib.h>
#include <string.h>
#include "native.h"
#include "../simd.h"

enum { BLOCK_MOST = 8 + 2 * 63 };

const uint8_t natural_position[64] = {
  0,  1,  8,  16, 9,  2,  3,  10, 17, 24, 32, 25, 18, 11, 4,  5,  12, 19, 26, 33, 40, 48,
  41, 34, 27, 20, 13, 6,  7,  14, 21, 28, 35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23,
  30, 37, 44, 51, 58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47, 55, 62, 63,
};

// zigzag_bits[row][bits]: the zigzag mask of those non-zero coefficients of a row of the block.
static uint64_t zigzag_bits[8][256];

static void make_zigzag_bits(void) {
  if (zigzag_bits[0][1]) return;
  for (int k = 0; k < 64; k++) {
    const int row = natural_position[k] >> 3, bit = 1 << (natural_position[k] & 7);
    for (int bits = 0; bits < 256; bits++)
      if (bits & bit) zigzag_bits[row][bits] |= 1ull << k;
  }
}

static uint32_t divide_up(uint32_t a, uint32_t b) { return (a + b - 1) / b; }

void packed_prepare(struct packed *store) {
  make_zigzag_bits();
  store->max_h = store->max_v = 1;
  for (int c = 0; c < store->components; c++) {
    const struct packed_component *component = &store->component[c];
    if (component->h > store->max_h) store->max_h = component->h;
    if (component->v > store->max_v) store->max_v = component->v;
  }
  uint32_t widest = 0;
  for (int c = 0; c < store->components; c++) {
    struct packed_component *component = &store->component[c];
    component->width = divide_up(store->width * component->h, 8 * store->max_h);
    component->height = divide_up(store->height * component->v, 8 * store->max_v);
    component->dc = allocate((size_t)component->width * component->height * sizeof *component->dc);
    component->rows = allocate(component->height * sizeof *component->rows);
    store->bytes += (size_t)component->width * component->height * sizeof *component->dc;
    if (component->width > widest) widest = component->width;
  }
  store->scratch = allocate((size_t)widest * BLOCK_MOST);
}

uint32_t packed_units_across(const struct packed *store) { return divide_up(store->width, 8 * store->max_h); }

uint32_t packed_block_row(const struct packed_component *component, uint32_t unit) {
  const uint32_t row = unit * component->v;
  return row < component->height ? row : component->height;
}

// Bit k: coefficient k in natural order is not zero.
static uint64_t nonzero_mask(const int16_t *block) {
  uint64_t mask = 0;
  const v128_t zero = wasm_i16x8_splat(0);
  for (int i = 0; i < 4; i++) {
    const v128_t low = wasm_i16x8_ne(wasm_v128_load(block + 16 * i), zero);
    const v128_t high = wasm_i16x8_ne(wasm_v128_load(block + 16 * i + 8), zero);
    mask |= (uint64_t)wasm_i8x16_bitmask(wasm_i8x16_narrow_i16x8(low, high)) << (16 * i);
  }
  return mask;
}

static uint64_t to_zigzag(uint64_t natural) {
  uint64_t mask = 0;
  for (int row = 0; row < 8; row++) mask |= zigzag_bits[row][(natural >> (8 * row)) & 255];
  return mask;
}

static inline __attribute__((always_inline)) uint8_t *pack_block(uint8_t *to, const int16_t *block,
                                                                enum block_order order) {
  const uint64_t nonzero = nonzero_mask(block);
  const uint64_t mask = (order == ORDER_ZIGZAG ? nonzero : to_zigzag(nonzero)) & ~1ull;
  int16_t values[64];
  int count = 0, wide = 0;
  for (uint64_t left = mask; left; left &= left - 1) {
    const int k = __builtin_ctzll(left), value = block[order == ORDER_ZIGZAG ? k : natural_position[k]];
    wide |= value != (int8_t)value;
    values[count++] = value;
  }
  const uint64_t head = mask | wide;
  memcpy(to, &head, 8);
  to += 8;
  if (wide) {
    memcpy(to, values, 2 * count);
    return to + 2 * count;
  }
  for (int i = 0; i < count; i++) to[i] = values[i];
  return to + count;
}

void packed_add_row(struct packed *store, int index, uint32_t row, const int16_t *blocks,
                    enum block_order order) {
  struct packed_component *component = &store->component[index];
  int16_t *dc = component->dc + (size_t)row * component->width;
  uint8_t *end = store->scratch;
  for (uint32_t x = 0; x < component->width; x++, blocks += 64) {
    dc[x] = blocks[0];
    end = order == ORDER_ZIGZAG ? pack_block(end, blocks, ORDER_ZIGZAG) : pack_block(end, blocks, ORDER_NATURAL);
  }
  const size_t length = end - store->scratch;
  if (store->limit && store->bytes + length > store->limit) fail("the picture needs more memory than was declared");
  component->rows[row] = malloc(length);
  if (!component->rows[row]) fail("out of memory");
  memcpy(component->rows[row], store->scratch, length);
  store->bytes += length;
}

static int is_empty(const struct packed_component *component) {
  for (size_t i = 0; i < (size_t)component->width * component->height; i++)
    if (component->dc[i]) return 0;
  for (uint32_t row = 0; row < component->height; row++) {
    const uint8_t *cursor = component->rows[row];
    for (uint32_t x = 0; x < component->width; x++)
      if (packed_read(&cursor).mask) return 0;
  }
  return 1;
}

struct packed packed_without_empty_chroma(const struct packed *store) {
  struct packed luma = *store;
  const int full = store->component[0].h == store->max_h && store->component[0].v == store->max_v;
  if (store->components != 3 || !full || !is_empty(&store->component[1]) || !is_empty(&store->component[2])) return luma;
  luma.components = 1;
  luma.component[0].h = luma.component[0].v = luma.max_h = luma.max_v = 1;
  luma.used_tables = 1 << luma.component[0].table;
  return luma;
}

void packed_free(struct packed *store) {
  for (int c = 0; c < store->components; c++) {
    struct packed_component *component = &store->component[c];
    for (uint32_t row = 0; component->rows && row < component->height; row++) free(component->rows[row]);
    free(component->rows);
    free(component->dc);
  }
  free(store->scratch);
}
