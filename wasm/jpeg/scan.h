// Entropy coding of one scan of packed coefficients (ITU-T T.81, annexes F and G), with Huffman codes made for it.
#pragma once
#include "scan-coder.h"

void scan_start(struct scan_coder *coder, const struct scan *scan, struct scan_tables *tables, struct output *out);
// Takes the rows of interleaved MCUs from `first` up to `end`.
void scan_feed(struct scan_coder *coder, const struct packed *store, uint32_t first, uint32_t end);
void scan_end(struct scan_coder *coder);
// Makes codes for what was counted; returns the number of entropy-coded bits, byte stuffing apart.
uint64_t scan_optimize(const struct scan_coder *coder);
