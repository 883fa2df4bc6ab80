#include "turn.h"
#include <stdlib.h>
#include <string.h>
#include "native.h"

enum { BLOCK_BYTES = 64 * sizeof(int16_t) };

// Where the coefficient at a zigzag position goes, in natural order, and whether its sign changes: basis functions of
// odd frequency are odd about the middle of the block.
struct moves {
  uint8_t position[64];
  uint8_t negated[64];
};

static struct moves moves_of(struct turn turn) {
  struct moves moves;
  for (int k = 0; k < 64; k++) {
    const int row = natural_position[k] >> 3, column = natural_position[k] & 7;
    const int y = turn.transpose ? column : row, x = turn.transpose ? row : column;
    moves.position[k] = 8 * y + x;
    moves.negated[k] = (turn.flip_x & x & 1) ^ (turn.flip_y & y & 1);
  }
  return moves;
}

static void move_block(const uint8_t **cursor, int dc, const struct moves *moves, int16_t *to) {
  const struct packed_block block = packed_read(cursor);
  to[0] = dc;
  int index = 0;
  for (uint64_t left = block.mask; left; left &= left - 1, index++) {
    const int k = __builtin_ctzll(left), value = packed_value(&block, index);
    to[moves->position[k]] = moves->negated[k] ? -value : value;
  }
}

static void free_row(struct packed_component *component, uint32_t row) {
  free(component->rows[row]);
  component->rows[row] = NULL;
}

static void mirror(struct packed_component *from, struct turning *turning, int c, struct turn turn) {
  const struct moves moves = moves_of(turn);
  for (uint32_t y = 0; y < from->height; y++) {
    const uint8_t *cursor = from->rows[y];
    const int16_t *dc = from->dc + (size_t)y * from->width;
    memset(turning->blocks, 0, (size_t)from->width * BLOCK_BYTES);
    for (uint32_t x = 0; x < from->width; x++)
      move_block(&cursor, dc[x], &moves, turning->blocks + 64 * (size_t)(turn.flip_x ? from->width - 1 - x : x));
    free_row(from, y);
    packed_add_row(&turning->result, c, turn.flip_y ? from->height - 1 - y : y, turning->blocks, ORDER_NATURAL);
  }
}

// Rows of the result are columns of the source: all rows are read side by side.
static void transpose(struct packed_component *from, struct turning *turning, int c, struct turn turn) {
  const struct moves moves = moves_of(turn);
  for (uint32_t y = 0; y < from->height; y++) turning->cursors[y] = from->rows[y];
  for (uint32_t x = 0; x < from->width; x++) {
    memset(turning->blocks, 0, (size_t)from->height * BLOCK_BYTES);
    for (uint32_t y = 0; y < from->height; y++)
      move_block(&turning->cursors[y], from->dc[(size_t)y * from->width + x], &moves,
                 turning->blocks + 64 * (size_t)(turn.flip_x ? from->height - 1 - y : y));
    packed_add_row(&turning->result, c, turn.flip_y ? from->width - 1 - x : x, turning->blocks, ORDER_NATURAL);
  }
  for (uint32_t y = 0; y < from->height; y++) free_row(from, y);
}

static void prepare(const struct packed *from, struct turning *turning, int transposed) {
  struct packed *to = &turning->result;
  to->width = transposed ? from->height : from->width;
  to->height = transposed ? from->width : from->height;
  to->components = from->components;
  to->used_tables = from->used_tables;
  for (int t = 0; t < 4; t++)
    for (int i = 0; i < 64; i++) to->divisors[t][i] = from->divisors[t][transposed ? (i & 7) << 3 | i >> 3 : i];
  uint32_t longest = 0;
  for (int c = 0; c < to->components; c++) {
    const struct packed_component *component = &from->component[c];
    to->component[c].id = component->id;
    to->component[c].table = component->table;
    to->component[c].h = transposed ? component->v : component->h;
    to->component[c].v = transposed ? component->h : component->v;
    const uint32_t length = component->width > component->height ? component->width : component->height;
    if (length > longest) longest = length;
  }
  packed_prepare(to);
  turning->blocks = allocate((size_t)longest * BLOCK_BYTES);
  turning->cursors = allocate((size_t)longest * sizeof *turning->cursors);
}

void packed_turn(struct packed *from, struct turning *turning, struct turn turn) {
  prepare(from, turning, turn.transpose);
  for (int c = 0; c < from->components; c++) {
    if (turn.transpose) transpose(&from->component[c], turning, c, turn);
    else mirror(&from->component[c], turning, c, turn);
  }
  packed_free(from);
  memset(from, 0, sizeof *from);
}

void turning_free(struct turning *turning) {
  packed_free(&turning->result);
  free(turning->blocks);
  free(turning->cursors);
}
