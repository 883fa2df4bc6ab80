// Mirrored and transposed pictures without going through pixels: blocks change their places, and coefficients within
// blocks theirs and their signs.
#pragma once
#include "packed.h"

// First transposed, then mirrored left to right, then top to bottom.
struct turn {
  int transpose, flip_x, flip_y;
};

// A picture on its way to its turned self.
struct turning {
  struct turn turn;
  struct packed result;
  int16_t *blocks;             // a row of the result
  const uint8_t **cursors;     // where each row of the source is read
  int component;               // that is being moved, and
  uint32_t done;               // how many of its rows, or columns if it is transposed, were moved
};

void turning_start(const struct packed *from, struct turning *turning, struct turn turn);
// Moves about `blocks` blocks of the picture of `from` to `turning->result`, and frees `from` when all are moved; returns
// whether there are more. Mirroring needs whole MCUs: a partial one cannot lie at the left or at the top. Mirroring frees
// rows as it goes; transposing holds a component twice. Should it fail, free both.
int turning_step(struct packed *from, struct turning *turning, uint32_t blocks);
void turning_free(struct turning *turning);
