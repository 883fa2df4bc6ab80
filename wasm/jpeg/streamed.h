// A file that is written while its coefficients come, so that they are never held: all scans at once, each to an output
// of its own. The coefficients come twice, first to be counted.
#pragma once
#include "file.h"

struct streamed {
  struct script script;
  struct output *outputs;      // of its scans, once they are chosen
};

void streamed_count(struct streamed *streamed, const struct packed *store, int progressive);
// Makes codes of what was counted: of all the symbols, or of a sample that does not have all. The scans go to the sinks
// behind `sink`, in their order.
void streamed_write(struct streamed *streamed, const struct packed *store, int sampled, int sink);
// Takes one row of interleaved MCUs, and frees it.
void streamed_take(struct streamed *streamed, struct packed *store, uint32_t unit);
void streamed_end(struct streamed *streamed);
void streamed_free(struct streamed *streamed);
