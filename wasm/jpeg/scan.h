// Entropy coding of one scan of packed coefficients (ITU-T T.81, annexes F and G), with Huffman codes made for it.
#pragma once
#include "huffman.h"
#include "output.h"
#include "packed.h"

struct scan {
  uint8_t components;                 // how many; several only for DC or sequential scans
  uint8_t component[PACKED_COMPONENTS];
  uint8_t first, last;                // spectral band, zigzag positions
  uint8_t high, low;                  // successive approximation: bits known before (0 at first), and after
};

// Huffman tables of the scan: [class][slot], class 0 DC, 1 AC; slot 0 is the first component's, 1 the others'.
struct scan_tables {
  struct huffman table[2][2];
};

int scan_slot(int component);
// Counts symbols and makes the tables; returns the exact number of entropy-coded bits, byte stuffing apart.
uint64_t scan_count(const struct packed *store, const struct scan *scan, struct scan_tables *tables);
// Writes the entropy-coded segment with those tables.
void scan_write(const struct packed *store, const struct scan *scan, struct scan_tables *tables, struct output *out);
