// The sizes of blocks that are chosen of a still.
#pragma once
#include <stdint.h>

struct AV1_COMP;

// Where sizes of blocks go that are chosen of what is encoded next, a byte for each 4 x 4 pixels, or come from, if they are known;
// NULL where they are not kept.
void blocks_in(uint8_t *chosen, int are_known);

// Whether they are known.
int has_blocks(void);

// Keeps them, once all are chosen.
void keep_blocks(const struct AV1_COMP *encoder);
