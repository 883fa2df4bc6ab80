#include "effects.h"

void *stream_open(size_t bytes, int width, int height, int result_width, int result_height) {
  Stream *s = calloc(1, bytes);
  if (!s) return NULL;
  s->width = width, s->height = height;
  s->result_width = result_width, s->result_height = result_height;
  s->window = malloc((size_t)width * 4 * WINDOW_ROWS);
  s->band = malloc((size_t)result_width * 4 * WINDOW_ROWS);
  if (s->window && s->band) return s;
  stream_close(s);
  return NULL;
}

int stream_ring(Stream *s, int rows, size_t row_bytes) {
  s->ring_rows = MAX(1, MIN(rows, s->height));
  s->row_bytes = (row_bytes + 15) & ~(size_t)15;
  s->ring = malloc((size_t)s->ring_rows * s->row_bytes + 16);
  if (s->ring) return 1;
  stream_close(s);
  return 0;
}

void EXPORT(stream_close)(Stream *s) {
  if (!s) return;
  if (s->dispose) s->dispose(s);
  free(s->window), free(s->band), free(s->ring);
  free(s);
}

uint8_t *EXPORT(stream_window)(Stream *s) { return s->window; }
uint8_t *EXPORT(stream_band)(Stream *s) { return s->band; }

// Source rows that may be written to the window; 0 when result rows must be read first, or nothing more is needed.
int EXPORT(stream_room)(const Stream *s) {
  if (s->made == s->result_height) return 0;
  const int kept = MAX(0, s->first(s, s->made));
  const int room = MIN(s->height - s->taken, kept + s->ring_rows - s->taken);
  return clamp(room, 0, WINDOW_ROWS);
}

void EXPORT(stream_commit)(Stream *s, int rows) {
  for (int row = 0; row < rows; row++, s->taken++)
    s->take(s, s->window + (size_t)row * s->width * 4, ring_row(s, s->taken), s->taken);
}

// Makes the next result rows, at most `max`, as far as the source rows allow; returns how many are in the band.
int EXPORT(stream_read)(Stream *s, int max) {
  int rows = 0;
  for (; rows < MIN(max, WINDOW_ROWS) && s->made < s->result_height; rows++, s->made++) {
    if (MIN(s->last(s, s->made), s->height - 1) >= s->taken) break;
    s->make(s, s->made, s->band + (size_t)rows * s->result_width * 4);
  }
  return rows;
}

int same_row(const Stream *s, int y) {
  (void)s;
  return y;
}

void take_bytes(Stream *s, const uint8_t *source, uint8_t *place, int y) {
  (void)y;
  memcpy(place, source, (size_t)s->width * 4);
}

void *pointwise_open(size_t bytes, int width, int height, void (*make)(Stream *, int, uint8_t *)) {
  Stream *s = stream_open(bytes, width, height, width, height);
  if (!s || !stream_ring(s, WINDOW_ROWS, (size_t)width * 4)) return NULL;
  s->first = s->last = same_row;
  s->take = take_bytes;
  s->make = make;
  return s;
}

void premultiply_row(uint16_t *place, const uint8_t *source, int width, int padding) {
  uint16_t *p = place + (size_t)padding * 4;
  for (int x = 0; x < width; x++) {
    const int alpha = source[x * 4 + 3];
    for (int c = 0; c < 3; c++) p[x * 4 + c] = (uint16_t)(source[x * 4 + c] * alpha);
    p[x * 4 + 3] = (uint16_t)(alpha * 255);
  }
  const uint16_t *first = p, *last = p + (size_t)(width - 1) * 4;
  for (int x = 1; x <= padding; x++) {
    memcpy(p - (size_t)x * 4, first, 8);
    memcpy((uint16_t *)last + (size_t)x * 4, last, 8);
  }
}
