// The scans of a file: which there are, and their codes. Of several ways to divide the coefficients of a progressive file
// among scans, each component takes the one that needs the fewest bytes.
#pragma once
#include "scan.h"

enum {
  SCANS_PER_COMPONENT = 5,
  SCANS_MOST = SCANS_PER_COMPONENT * PACKED_COMPONENTS,
  COUNTED_PER_COMPONENT = 7,
  COUNTED_MOST = COUNTED_PER_COMPONENT * PACKED_COMPONENTS,
};

// A scan that is counted, then written.
struct script_scan {
  struct scan scan;
  struct scan_tables tables;
  struct scan_coder coder;
  uint64_t bytes;                           // that it takes, byte stuffing apart
};

struct script {
  int progressive;
  uint64_t blocks[PACKED_COMPONENTS];       // that were looked at, and
  uint64_t values[PACKED_COMPONENTS];       // their AC coefficients that are not zero
  uint64_t squares[PACKED_COMPONENTS];      // of the numbers of these in a block, added up
  int count;
  struct script_scan *scans[COUNTED_MOST];  // all there is a choice of; after it those of the file, in their order
};

// Notes how much the rows of interleaved MCUs from `first` up to `end` hold. What is noted before the start limits what
// there is to choose from; what is noted before the choice limits that.
void script_look(struct script *script, const struct packed *store, uint32_t first, uint32_t end);
void script_start(struct script *script, const struct packed *store, int progressive);
// Counts, or writes, the rows of interleaved MCUs from `first` up to `end`.
void script_feed(struct script *script, const struct packed *store, uint32_t first, uint32_t end);
// Chooses, and makes codes of what was counted: of all the symbols, or of a sample that does not have all.
void script_choose(struct script *script, int sampled);
void script_free(struct script *script);
