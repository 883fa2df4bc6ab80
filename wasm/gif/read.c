// GIF frames to RGBA: LZW (appendix F of the specification), interlacing, and the canvas that frames are drawn on.
// Every code costs at most as many steps as it makes pixels, and at most one step when it makes none: time is linear in
// the file and the frame.
#include "gif.h"

enum { INPUT_BYTES = 65536 };

typedef struct {
  uint16_t prefix[CODES], length[CODES];
  uint8_t suffix[CODES], first[CODES];
  uint8_t pending[CODES];  // the part of a string that did not fit where it was asked for
  int pending_from, pending_to;
  uint32_t bits;
  int bit_count, size, min_size, clear, next, previous;
  int ended, damaged;
} Lzw;

typedef struct {
  Lzw lzw;
  int width, height;  // of the canvas
  uint32_t *canvas;   // NULL when rows are made one at a time
  uint32_t *band;
  int band_rows, band_y;
  uint32_t *saved;  // a rectangle of the canvas, to be restored
  uint32_t palette[256];
  int x, y, frame_width, frame_height;
  int interlaced, transparent;  // the transparent index, or -1
  uint8_t *row;
  int filled, rows_done, pass, pass_y;
  uint8_t input[INPUT_BYTES];
  int input_from, input_to, input_last;
} Reader;

static void lzw_clear(Lzw *z) {
  z->size = z->min_size + 1;
  z->next = z->clear + 2;
  z->previous = -1;
}

static void lzw_start(Lzw *z, int min_size) {
  z->min_size = min_size;
  z->clear = 1 << min_size;
  z->bits = 0;
  z->bit_count = z->pending_from = z->pending_to = z->ended = z->damaged = 0;
  for (int i = 0; i < z->clear; i++) z->length[i] = 1, z->first[i] = z->suffix[i] = (uint8_t)i;
  lzw_clear(z);
}

// The string of a code, backwards from its end.
static void lzw_expand(const Lzw *z, int code, uint8_t *to, int length) {
  for (int i = length - 1; i > 0; i--) {
    to[i] = z->suffix[code];
    code = z->prefix[code];
  }
  to[0] = z->suffix[code];
}

static void lzw_add(Lzw *z, int first) {
  const int next = z->next;
  if (next == CODES) return;  // a full table stays as it is until it is cleared
  z->prefix[next] = (uint16_t)z->previous;
  z->suffix[next] = (uint8_t)first;
  z->first[next] = z->first[z->previous];
  z->length[next] = (uint16_t)(z->length[z->previous] + 1);
  z->next++;
  if (z->next == 1 << z->size && z->size < MAX_BITS) z->size++;
}

// The next `count` indices, fewer where the input ends, the stream ends or is damaged.
static int lzw_read(Reader *r, uint8_t *out, int count) {
  Lzw *const z = &r->lzw;
  int made = MIN(count, z->pending_to - z->pending_from);
  memcpy(out, z->pending + z->pending_from, made);
  z->pending_from += made;
  while (made < count && !z->ended && !z->damaged) {
    while (z->bit_count < z->size) {
      if (r->input_from == r->input_to) return made;
      z->bits |= (uint32_t)r->input[r->input_from++] << z->bit_count;
      z->bit_count += 8;
    }
    const int code = (int)(z->bits & ((1u << z->size) - 1));
    z->bits >>= z->size;
    z->bit_count -= z->size;
    if (code == z->clear) {
      lzw_clear(z);
      continue;
    }
    z->ended = code == z->clear + 1;
    z->damaged = !z->ended && (z->previous < 0 ? code > z->clear : code > z->next);
    if (z->ended || z->damaged) break;
    if (z->previous >= 0) lzw_add(z, z->first[code < z->next ? code : z->previous]);
    z->previous = code;
    const int length = z->length[code];
    if (length <= count - made) {
      lzw_expand(z, code, out + made, length);
      made += length;
      continue;
    }
    lzw_expand(z, code, z->pending, length);
    memcpy(out + made, z->pending, count - made);
    z->pending_from = count - made;
    z->pending_to = length;
    made = count;
  }
  return made;
}

// ---- frames ----

void EXPORT(reader_close)(Reader *r) {
  free(r->canvas);
  free(r->band);
  free(r->saved);
  free(r->row);
  free(r);
}

// A reader of frames onto a canvas of this size, or of a single frame in bands of `band_rows` rows if that is not 0.
// 0 when memory does not suffice.
Reader *EXPORT(reader_open)(int width, int height, int band_rows) {
  const size_t pixels = (size_t)width * (band_rows ? band_rows : height);
  if (pixels > SIZE_MAX / 4) return NULL;
  Reader *const r = calloc(1, sizeof *r);
  if (!r) return NULL;
  r->width = width;
  r->height = height;
  r->band_rows = band_rows;
  uint32_t *const target = calloc(pixels, 4);
  if (band_rows) r->band = target;
  else r->canvas = target;
  r->row = malloc(65536);
  if (target && r->row) return r;
  reader_close(r);
  return NULL;
}

uint32_t *EXPORT(reader_palette)(Reader *r) { return r->palette; }
uint8_t *EXPORT(reader_input)(Reader *r) { return r->input; }
int EXPORT(reader_input_bytes)(void) { return INPUT_BYTES; }
// The canvas, or the band.
uint32_t *EXPORT(reader_pixels)(Reader *r) { return r->canvas ? r->canvas : r->band; }

// The first `bytes` bytes of the input are there to be read; `last`: no more will follow.
void EXPORT(reader_feed)(Reader *r, int bytes, int last) {
  r->input_from = 0;
  r->input_to = bytes;
  r->input_last = last;
}

// Begins a frame. Width and height are at most 65535, min_size is from 1 to 11, transparent an index or -1.
void EXPORT(reader_start)(Reader *r, int x, int y, int width, int height, int interlaced, int transparent,
                          int min_size) {
  r->x = x;
  r->y = y;
  r->frame_width = width;
  r->frame_height = height;
  r->interlaced = interlaced;
  r->transparent = transparent;
  r->filled = r->rows_done = r->pass = r->pass_y = 0;
  r->input_from = r->input_to = r->input_last = 0;
  lzw_start(&r->lzw, min_size);
}

// Where the next row of the frame belongs (appendix E).
static int next_y(Reader *r) {
  static const int first[] = {0, 4, 2, 1}, step[] = {8, 8, 4, 2};
  if (!r->interlaced) return r->rows_done;
  while (r->pass_y >= r->frame_height && r->pass < 3) r->pass_y = first[++r->pass];
  const int y = r->pass_y;
  r->pass_y += step[r->pass];
  return y;
}

static void draw_row(const Reader *r, uint32_t *to) {
  const int count = MIN(r->frame_width, r->width - r->x);
  for (int i = 0; i < count; i++)
    if (r->row[i] != r->transparent) to[r->x + i] = r->palette[r->row[i]];
}

enum { HUNGRY = 0, DONE = 1, PAUSED = 2, DAMAGED = -1 };

// Decodes one row of indices.
static int read_row(Reader *r) {
  r->filled += lzw_read(r, r->row + r->filled, r->frame_width - r->filled);
  if (r->filled == r->frame_width) {
    r->filled = 0;
    return DONE;
  }
  return r->lzw.ended || r->lzw.damaged || r->input_last ? DAMAGED : HUNGRY;
}

// Draws at most `rows` more rows of the frame onto the canvas: 1 when it is whole, 2 when there are more rows, 0 when
// it needs input, -1 when it is damaged or cut short.
int EXPORT(reader_draw)(Reader *r, int rows) {
  const int stop = MIN(r->frame_height, r->rows_done + rows);
  while (r->rows_done < stop) {
    const int state = read_row(r);
    if (state != DONE) return state;
    const int y = r->y + next_y(r);
    r->rows_done++;
    if (y < r->height && r->x < r->width) draw_row(r, r->canvas + (size_t)y * r->width);
  }
  return r->rows_done < r->frame_height ? PAUSED : DONE;
}

// Rows of the frame that were drawn so far.
int EXPORT(reader_drawn)(const Reader *r) { return r->rows_done; }

// Makes at most `max` rows of the picture in the band. Returns how many, 0 when it needs input, -1 as above.
int EXPORT(reader_rows)(Reader *r, int max) {
  const int count = MIN(MIN(max, r->band_rows), r->height - r->band_y);
  int made = 0;
  for (; made < count; made++) {
    uint32_t *const to = r->band + (size_t)made * r->width;
    const int y = r->band_y + made;
    const int inside = y >= r->y && y < r->y + r->frame_height;
    const int state = inside ? read_row(r) : DONE;
    if (state == DAMAGED) return DAMAGED;
    if (state == HUNGRY) break;
    memset(to, 0, (size_t)r->width * 4);
    if (inside && r->x < r->width) draw_row(r, to);
  }
  r->band_y += made;
  return made;
}

// ---- disposal; rectangles lie within the canvas ----

void EXPORT(reader_clear)(Reader *r, int x, int y, int width, int height) {
  for (int row = y; row < y + height; row++) memset(r->canvas + (size_t)row * r->width + x, 0, (size_t)width * 4);
}

// Remembers a rectangle; 0 when memory does not suffice.
int EXPORT(reader_save)(Reader *r, int x, int y, int width, int height) {
  free(r->saved);
  r->saved = malloc((size_t)width * height * 4 + 1);
  if (!r->saved) return 0;
  for (int row = 0; row < height; row++)
    memcpy(r->saved + (size_t)row * width, r->canvas + (size_t)(y + row) * r->width + x, (size_t)width * 4);
  return 1;
}

// Puts back the rectangle that was remembered.
void EXPORT(reader_restore)(Reader *r, int x, int y, int width, int height) {
  for (int row = 0; row < height; row++)
    memcpy(r->canvas + (size_t)(y + row) * r->width + x, r->saved + (size_t)row * width, (size_t)width * 4);
}
