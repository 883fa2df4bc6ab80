// Entropy coding of sequential scans (T.81 annex F).
#pragma once
#include "scan-coder.h"

// Takes the rows of interleaved MCUs from `first` up to `end`.
void scan_feed_sequential(struct scan_coder *coder, const struct packed *store, uint32_t first, uint32_t end);
