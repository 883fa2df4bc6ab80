// Tables that decode Huffman codes of deflate with one look-up, rarely two.
#pragma once

#include "pixels.h"

// Entry of a table: value << 16 | flags | code bits << 8 | bits to consume (the code and its extra bits).
#define IS_LITERAL 0x80000000u
#define IS_SUBTABLE 0x4000u // value: where it starts; code bits: how many bits index it
#define IS_END 0x2000u
#define IS_INVALID 0x1000u
#define IS_SPECIAL (IS_SUBTABLE | IS_END | IS_INVALID)

// Fills a table for canonical codes of the given lengths; `value[symbol]` is the entry without its bit counts, its low
// byte the number of extra bits. Returns 0 for lengths that form no complete code; one single code is allowed.
int inflate_table(uint32_t *table, int table_bits, const uint8_t *length, int symbols, const uint32_t *value);

// Entries of the symbols of RFC 1951, 3.2.5, without their bit counts.
uint32_t inflate_literal(int symbol);
uint32_t inflate_distance(int symbol);
