#include "inflate-table.h"

static uint32_t reverse(uint32_t code, int length) {
  uint32_t r = 0;
  for (int i = 0; i < length; i++) r |= (code >> i & 1) << (length - 1 - i);
  return r;
}

int inflate_table(uint32_t *table, int table_bits, const uint8_t *length, int symbols, const uint32_t *value) {
  int count[16] = {0}, offset[16];
  uint16_t sorted[288];
  for (int i = 0; i < symbols; i++) count[length[i]]++;
  count[0] = 0;
  int space = 1 << 15, used = 0;
  for (int n = 1; n < 16; n++) {
    offset[n] = used;
    used += count[n];
    space -= count[n] << (15 - n);
  }
  if (space < 0 || (space > 0 && (used > 1 || (used == 1 && count[1] != 1)))) return 0;
  for (int i = 0; i < symbols; i++)
    if (length[i]) sorted[offset[length[i]]++] = (uint16_t)i;
  if (space > 0)
    for (int i = 0; i < 1 << table_bits; i++) table[i] = IS_INVALID | 1;

  uint32_t code = 0, sub_start = 1u << table_bits, sub_prefix = ~0u, sub_bits = 0;
  int n = 0, left = 0;
  for (int i = 0; i < used; i++, left--) {
    while (left == 0) left = count[++n], code <<= 1;
    const uint32_t reversed = reverse(code++, n), v = value[sorted[i]];
    if (n <= table_bits) {
      const uint32_t entry = (v & ~0xffu) | (uint32_t)n << 8 | ((v & 0xff) + n);
      for (uint32_t k = reversed; k < 1u << table_bits; k += 1u << n) table[k] = entry;
      continue;
    }
    const uint32_t prefix = reversed & ((1u << table_bits) - 1);
    if (prefix != sub_prefix) {
      sub_start += sub_prefix == ~0u ? 0 : 1u << sub_bits;
      sub_prefix = prefix;
      sub_bits = n - table_bits;
      for (int room = left; room < 1 << sub_bits; ) room = (room << 1) + count[table_bits + ++sub_bits];
      table[prefix] = sub_start << 16 | IS_SUBTABLE | sub_bits << 8 | table_bits;
    }
    const uint32_t entry = (v & ~0xffu) | (uint32_t)(n - table_bits) << 8 | ((v & 0xff) + n - table_bits);
    for (uint32_t k = reversed >> table_bits; k < 1u << sub_bits; k += 1u << (n - table_bits)) table[sub_start + k] = entry;
  }
  return 1;
}

uint32_t inflate_literal(int symbol) {
  static const uint16_t base[] = {3,  4,  5,  6,  7,  8,  9,  10, 11,  13,  15,  17,  19,  23, 27,
                                  31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258};
  static const uint8_t extra[] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0};
  if (symbol < 256) return IS_LITERAL | (uint32_t)symbol << 16;
  if (symbol == 256) return IS_END;
  if (symbol > 285) return IS_INVALID;
  return (uint32_t)base[symbol - 257] << 16 | extra[symbol - 257];
}

uint32_t inflate_distance(int symbol) {
  if (symbol > 29) return IS_INVALID;
  const uint32_t extra = symbol < 4 ? 0 : symbol / 2 - 1;
  const uint32_t base = symbol < 4 ? symbol + 1 : (2 + symbol % 2) * (1u << extra) + 1;
  return base << 16 | extra;
}
