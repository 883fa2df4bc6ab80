// Pictures of AV1 whose rows are decoded as they are wanted: of their samples, a window is all that is held.
#pragma once
#include "planes.h"
#include "src/internal.h"

// Between the decoder and one picture whose rows it decodes later.
typedef struct {
  // The caller takes rows; without that, pictures are decoded whole.
  int asked;
  // The picture that was allocated last has a window.
  int windowed;
  // What has begun and has not ended.
  Dav1dFrameContext *frame;
  // Where the window begins, plane by plane.
  uint8_t *window[3];
  // The row of luma that the window begins with, and the first one below those that are as they will be shown.
  int top, end;
  // The row of superblocks that is next, and the row of tiles that the last one was in.
  int next, tile_row;
} Rows;

// How dav1d gets memory for samples.
Dav1dPicAllocator rows_allocator(Rows *rows);

// dav1d is about to decode a frame (dav1d.patch). Whether it leaves that to `rows_reach`.
int rows_begin(Dav1dFrameContext *frame);

// Decodes the rows of luma from `y` to `y + count` and gives `planes` those samples; what lies above is gone. Returns
// whether the bitstream is whole.
int rows_reach(Rows *rows, Planes *planes, int y, int count);

// Ends what has begun, if anything has.
void rows_end(Rows *rows);

// What decode.c does with a frame, in parts (dav1d.patch).
void dav1d_decode_frame_begin(Dav1dFrameContext *frame);
int dav1d_decode_frame_sbrow(Dav1dFrameContext *frame, int tile_row, int row);
