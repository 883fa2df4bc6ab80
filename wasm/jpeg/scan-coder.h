// What the coders of progressive and of sequential scans share: a scan, its tables and how far it was coded.
#pragma once
#include "huffman.h"
#include "output.h"
#include "packed.h"

struct scan {
  uint8_t components;                 // how many; several only for sequential scans
  uint8_t component[PACKED_COMPONENTS];
  uint8_t first, last;                // spectral band, zigzag positions
  uint8_t high, low;                  // successive approximation: bits known before (0 at first), and after
};

// Huffman tables of the scan: [class][slot], class 0 DC, 1 AC; slot 0 is the first component's, 1 the others'.
struct scan_tables {
  struct huffman table[2][2];
};

enum { SCAN_CORRECTIONS = 1000 };  // correction bits held back until the symbol before them is known

// A scan that is counted or written while its coefficients come, one row of interleaved MCUs after the other.
struct scan_coder {
  struct scan scan;
  struct scan_tables *tables;
  struct output *out;                 // null: symbols are counted
  uint64_t extra_bits;
  struct huffman *ac;                 // of the component at hand
  int last_dc[PACKED_COMPONENTS];
  uint32_t end_run;                   // blocks whose band has ended, not yet coded
  uint32_t corrections;               // bits that belong behind that symbol
  uint8_t correction[SCAN_CORRECTIONS];
};

// The tables of a component: of the first one, or of the others.
static inline int scan_slot(int component) { return component > 0; }
