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

static void mirror_row(struct packed_component *from, struct turning *turning, uint32_t y) {
  const struct turn turn = turning->turn;
  const struct moves moves = moves_of(turn);
  const uint8_t *cursor = from->rows[y];
  const int16_t *dc = from->dc + (size_t)y * from->width;
  memset(turning->blocks, 0, (size_t)from->width * BLOCK_BYTES);
  for (uint32_t x = 0; x < from->width; x++)
    move_block(&cursor, dc[x], &moves, turning->blocks + 64 * (size_t)(turn.flip_x ? from->width - 1 - x : x));
  free_row(from, y);
  packed_add_row(&turning->result, turning->component, turn.flip_y ? from->height - 1 - y : y, turning->blocks,
                 ORDER_NATURAL);
}

// Rows of the result are columns of the source: all rows are read side by side.
static void transpose_column(struct packed_component *from, struct turning *turning, uint32_t x) {
  const struct turn turn = turning->turn;
  const struct moves moves = moves_of(turn);
  for (uint32_t y = 0; x == 0 && y < from->height; y++) turning->cursors[y] = from->rows[y];
  memset(turning->blocks, 0, (size_t)from->height * BLOCK_BYTES);
  for (uint32_t y = 0; y < from->height; y++)
    move_block(&turning->cursors[y], from->dc[(size_t)y * from->width + x], &moves,
               turning->blocks + 64 * (size_t)(turn.flip_x ? from->height - 1 - y : y));
  packed_add_row(&turning->result, turning->component, turn.flip_y ? from->width - 1 - x : x, turning->blocks,
                 ORDER_NATURAL);
  for (uint32_t y = 0; x + 1 == from->width && y < from->height; y++) free_row(from, y);
}

void turning_start(const struct packed *from, struct turning *turning, struct turn turn) {
  const int transposed = turn.transpose;
  turning->turn = turn;
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

int turning_step(struct packed *from, struct turning *turning, uint32_t blocks) {
  struct packed_component *component = &from->component[turning->component];
  const int transposed = turning->turn.transpose;
  const uint32_t lines = transposed ? component->width : component->height;
  const uint32_t most = 1 + blocks / (transposed ? component->height : component->width), left = lines - turning->done;
  for (const uint32_t end = turning->done + (most < left ? most : left); turning->done < end; turning->done++) {
    if (transposed) transpose_column(component, turning, turning->done);
    else mirror_row(component, turning, turning->done);
  }
  if (turning->done < lines) return 1;
  turning->done = 0;
  if (++turning->component < from->components) return 1;
  packed_free(from);
  memset(from, 0, sizeof *from);
  return 0;
}

void turning_free(struct turning *turning) {
  packed_free(&turning->result);
  free(turning->blocks);
  free(turning->cursors);
}
