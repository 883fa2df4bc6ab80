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
  struct packed result;
  int16_t *blocks;             // a row of the result
  const uint8_t **cursors;     // where each row of the source is read
};

// Moves the picture of `from` to `turning->result`, turned, and frees it. Mirroring needs whole MCUs: a partial one cannot
// lie at the left or at the top. Mirroring frees rows as it goes; transposing holds a component twice.
// Should it fail, free both.
void packed_turn(struct packed *from, struct turning *turning, struct turn turn);
void turning_free(struct turning *turning);
