// Rows of superblocks decoded one after the other into a window, which goes down the picture with them.
#include "rows.h"

#include <string.h>

#include "../native.h"
#include "src/mem.h"
#include "src/thread_task.h"

enum {
  // Filters change so many rows above a row of superblocks at most, and look at some more.
  FILTERED_ROWS = 16,
  // Chroma of a row is interpolated from that of its neighbors.
  NEAR_ROWS = 2,
  // Rows that are read at a time, at most.
  MOST_ROWS = 16,
  // What stays above a row of superblocks that is decoded: those that filters want, and those that are not read yet.
  KEPT_ROWS = 2 * FILTERED_ROWS + MOST_ROWS,
};

// A shown still of one layer without scaling, grain, and blocks that are copied from anywhere above.
static int fits_window(const Dav1dPicture *picture) {
  const Dav1dFrameHeader *const header = picture->frame_hdr;
  const Dav1dSequenceHeader *const sequence = picture->seq_hdr;
  return header->frame_type == DAV1D_FRAME_TYPE_KEY && header->show_frame && !header->allow_intrabc &&
         !header->super_res.enabled && !sequence->film_grain_present && sequence->num_operating_points == 1 &&
         sequence->operating_points[0].idc == 0;
}

// Strides that are multiples of a kilobyte put the rows of a block at the same places of a cache.
static ptrdiff_t stride_of(ptrdiff_t bytes) { return bytes & 1023 ? bytes : bytes + DAV1D_PICTURE_ALIGNMENT; }

static int allocate(Dav1dPicture *picture, void *cookie) {
  Rows *const rows = cookie;
  const Dav1dPictureParameters *const shape = &picture->p;
  const int large = shape->bpc > 8, gray = shape->layout == DAV1D_PIXEL_LAYOUT_I400;
  const int halved = shape->layout == DAV1D_PIXEL_LAYOUT_I420, narrow = shape->layout != DAV1D_PIXEL_LAYOUT_I444;
  const ptrdiff_t width = (shape->w + 127) & ~127;
  const int window = KEPT_ROWS + (picture->seq_hdr->sb128 ? 128 : 64), whole = (shape->h + 127) & ~127;
  rows->windowed = rows->asked && rows->frame == NULL && window < whole && fits_window(picture);
  const int height = rows->windowed ? window : whole;
  picture->stride[0] = stride_of(width << large);
  picture->stride[1] = gray ? 0 : stride_of((width << large) >> narrow);
  const size_t luma = (size_t)picture->stride[0] * height, chroma = (size_t)picture->stride[1] * (height >> halved);
  const size_t size = luma + 2 * chroma + DAV1D_PICTURE_ALIGNMENT;
  uint8_t *const bytes = dav1d_alloc_aligned(ALLOC_PIC, size, DAV1D_PICTURE_ALIGNMENT);
  if (bytes == NULL) return DAV1D_ERR(ENOMEM);
  picture->allocator_data = bytes;
  picture->data[0] = bytes;
  picture->data[1] = gray ? NULL : bytes + luma;
  picture->data[2] = gray ? NULL : bytes + luma + chroma;
  return 0;
}

static void release(Dav1dPicture *picture, void *cookie) {
  (void)cookie;
  dav1d_free_aligned(picture->allocator_data);
}

Dav1dPicAllocator rows_allocator(Rows *rows) {
  return (Dav1dPicAllocator){.cookie = rows, .alloc_picture_callback = allocate, .release_picture_callback = release};
}

int rows_begin(Dav1dFrameContext *frame) {
  Rows *const rows = frame->c->allocator.cookie;
  if (!rows->windowed) return 0;
  rows->frame = frame;
  for (int p = 0; p < 3; p++) rows->window[p] = frame->cur.data[p];
  rows->top = rows->end = rows->next = rows->tile_row = 0;
  dav1d_decode_frame_begin(frame);
  return 1;
}

// Where row 0 of a plane would lie: rows are found by its address, whether there is memory or not.
static uint8_t *origin_of(const Rows *rows, int plane) {
  const Dav1dPicture *const picture = &rows->frame->cur;
  if (rows->window[plane] == NULL) return NULL;
  const int halved = plane > 0 && picture->p.layout == DAV1D_PIXEL_LAYOUT_I420;
  const uintptr_t above = (uintptr_t)picture->stride[plane > 0] * (uintptr_t)(rows->top >> halved);
  return (uint8_t *)((uintptr_t)rows->window[plane] - above);
}

static void set_origins(Dav1dFrameContext *frame, uint8_t *const origin[3]) {
  for (int p = 0; p < 3; p++) {
    uint8_t *const plane = origin[p] == NULL ? origin[0] : origin[p];
    frame->cur.data[p] = frame->sr_cur.p.data[p] = origin[p];
    frame->lf.p[p] = frame->lf.sr_p[p] = (void *)plane;
  }
}

// From now on the window begins with the row `top`.
static void slide(Rows *rows, int top, int end) {
  Dav1dFrameContext *const frame = rows->frame;
  const Dav1dPicture *const picture = &frame->cur;
  uint8_t *origin[3];
  const int kept = end - (top > rows->top ? top : rows->top);
  for (int p = 0; p < 3; p++) {
    if (rows->window[p] == NULL || kept <= 0 || top == rows->top) continue;
    const int halved = p > 0 && picture->p.layout == DAV1D_PIXEL_LAYOUT_I420;
    const size_t stride = (size_t)picture->stride[p > 0];
    const size_t gone = (size_t)((top - rows->top) >> halved);
    memmove(rows->window[p], rows->window[p] + gone * stride, (size_t)(kept >> halved) * stride);
  }
  rows->top = top;
  for (int p = 0; p < 3; p++) origin[p] = origin_of(rows, p);
  set_origins(frame, origin);
}

static int larger(int one, int other) { return one > other ? one : other; }

// Decodes the next row of superblocks, and keeps what lies above from the row `wanted` on.
static int decode_next(Rows *rows, int wanted) {
  Dav1dFrameContext *const frame = rows->frame;
  const int side = frame->sb_step * 4, start = rows->next * side;
  const int filtered = start - 2 * FILTERED_ROWS;
  slide(rows, larger(rows->top, larger(0, wanted < filtered ? wanted & ~1 : filtered)), start);
  if (start - rows->top > KEPT_ROWS) return 0;
  while (rows->next >= frame->frame_hdr->tiling.row_start_sb[rows->tile_row + 1]) rows->tile_row++;
  if (dav1d_decode_frame_sbrow(frame, rows->tile_row, rows->next)) return 0;
  rows->next++;
  rows->end = rows->next < frame->sbh ? rows->next * side - FILTERED_ROWS : frame->cur.p.h;
  return 1;
}

int rows_reach(Rows *rows, Planes *planes, int y, int count) {
  if (rows->frame == NULL) return 1;
  const int below = y + count + NEAR_ROWS, last = below < planes->height ? below : planes->height;
  while (rows->end < last) {
    if (!decode_next(rows, y - NEAR_ROWS)) return 0;
  }
  for (int p = 0; p < 3; p++) planes->plane[p] = origin_of(rows, p);
  return 1;
}

void rows_end(Rows *rows) {
  Dav1dFrameContext *const frame = rows->frame;
  if (frame == NULL) return;
  set_origins(frame, rows->window);
  dav1d_decode_frame_exit(frame, 0);
  frame->n_tile_data = 0;
  rows->frame = NULL;
}
