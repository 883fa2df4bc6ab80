// A smaller file of the same picture without going through pixels: coefficients in, coefficients out, with Huffman
// codes made for them; and, if asked, divided by larger divisors, or turned. Metadata stays behind.
#include <stdlib.h>
#include <string.h>
#include "recompress.h"

struct recompressor *EXPORT(recompressor_new)(int sink) {
  struct recompressor *r = allocate(sizeof *r);
  r->out.sink = sink;
  return r;
}

void EXPORT(recompressor_close)(struct recompressor *r) {
  if (r->jpeg.err) jpeg_destroy_decompress(&r->jpeg);
  store_free(&r->store);
  packed_free(&r->packed);
  turning_free(&r->turning);
  streamed_free(&r->streamed);
  tiles_free(&r->tiles);
  file_free(&r->file);
  free(r->profile);
  free(r);
}

uint8_t *EXPORT(recompressor_profile)(struct recompressor *r, size_t length) {
  free(r->profile);
  r->profile = allocate(length);
  r->options.profile = r->profile;
  r->options.profile_length = length;
  return r->profile;
}

// The result consists of tiles of the picture; returns where their places are to be written, x and y of each.
uint32_t *EXPORT(recompressor_tiles)(struct recompressor *r, uint32_t count, uint32_t across, uint32_t side) {
  return tiles_choose(&r->tiles, count, across, side);
}

// Turns what was read, about `blocks` blocks at a time: transposed, then mirrored left to right and top to bottom,
// where partial MCUs allow it. Returns whether there is more.
int EXPORT(recompressor_turn)(struct recompressor *r, int transpose, int flip_x, int flip_y, uint32_t blocks) {
  if (r->stage != STAGE_TURN) turning_start(&r->packed, &r->turning, (struct turn){transpose, flip_x, flip_y});
  r->stage = STAGE_TURN;
  if (turning_step(&r->packed, &r->turning, blocks)) return 1;
  r->packed = r->turning.result;
  memset(&r->turning.result, 0, sizeof r->turning.result);
  return 0;
}

static void begin_write(struct recompressor *r, int progressive) {
  if (r->tiles.count) tiles_pack(&r->tiles, &r->packed);
  r->options.progressive = progressive;
  struct packed store = r->packed;
  if (r->jpeg.jpeg_color_space == JCS_YCbCr) store = packed_without_empty_chroma(&store);
  file_start(&r->file, &store, &r->options, &r->out);
  r->stage = STAGE_WRITE;
}

// Writes the file, about `blocks` blocks at a time, each counted once for every scan. Returns whether there is more.
int EXPORT(recompressor_write)(struct recompressor *r, int progressive, uint32_t blocks) {
  if (r->stage != STAGE_WRITE) begin_write(r, progressive);
  return file_step(&r->file, blocks);
}
