// Decodes AV1 stills with dav1d, and draws decoded pictures into a band of RGBA rows.
#include <stdlib.h>

#include "../native.h"
#include "sequence.h"

typedef struct {
  int width, rows;
  int sixteen_bit;  // pixels have 16 bits a sample
  void *band;
  void *scratch;
} Canvas;

Canvas *EXPORT(canvas_open)(int width, int rows, int sixteen_bit) {
  Canvas *const canvas = calloc(1, sizeof *canvas);
  if (canvas == NULL) return NULL;
  canvas->width = width;
  canvas->rows = rows;
  canvas->sixteen_bit = sixteen_bit;
  canvas->band = malloc((size_t)width * rows * 4 * (sixteen_bit ? 2 : 1));
  canvas->scratch = malloc(planes_scratch(width));
  if (canvas->band != NULL && canvas->scratch != NULL) return canvas;
  free(canvas->band);
  free(canvas->scratch);
  free(canvas);
  return NULL;
}

void *EXPORT(canvas_band)(Canvas *canvas) { return canvas->band; }

void EXPORT(canvas_close)(Canvas *canvas) {
  free(canvas->band);
  free(canvas->scratch);
  free(canvas);
}

// Decodes the picture of `size` bytes from malloc, which are freed. It must have `width` x `height` pixels of `bits`.
// `layer` is the spatial one that is wanted; -1 for the last of the operating point. `by_rows` leaves its rows to `picture_reach`, which is to be called before they are drawn, from top to bottom. Returns
// NULL where memory does not suffice.
Picture *EXPORT(picture_decode)(uint8_t *bytes, size_t size, int width, int height, int bits, unsigned most_pixels,
                                int operating_point, int by_rows, int layer) {
  Sequence *const sequence = sequence_open(width, height, bits, most_pixels, operating_point);
  if (sequence == NULL) {
    free(bytes);
    return NULL;
  }
  if (by_rows) sequence_by_rows(sequence);
  if (layer >= 0) sequence_select(sequence, layer);
  Picture *picture;
  const int result = sequence_decode(sequence, bytes, size, &picture);
  if (by_rows && picture != NULL) {
    picture->sequence = sequence;
  } else {
    sequence_close(sequence);
  }
  if (result == SEQUENCE_DAMAGED) fail("the bitstream is damaged");
  return picture;
}

// What the container says of the samples.
void EXPORT(picture_colors)(Picture *picture, int matrix, int full_range) {
  picture->planes.matrix = matrix;
  picture->planes.full_range = full_range;
}

void EXPORT(picture_draw)(Picture *picture, Canvas *canvas, int x, int y, int width, int rows, int to_x) {
  const size_t at = (size_t)to_x * 4, stride = (size_t)canvas->width * 4;
  if (canvas->sixteen_bit) {
    planes_draw_deep(&picture->planes, x, y, width, rows, (uint16_t *)canvas->band + at, stride, canvas->scratch);
  } else {
    planes_draw(&picture->planes, x, y, width, rows, (uint8_t *)canvas->band + at, stride, canvas->scratch);
  }
}

void EXPORT(picture_draw_alpha)(Picture *picture, Canvas *canvas, int x, int y, int width, int rows, int to_x) {
  const size_t at = (size_t)to_x * 4, stride = (size_t)canvas->width * 4;
  if (canvas->sixteen_bit) {
    planes_draw_alpha_deep(&picture->planes, x, y, width, rows, (uint16_t *)canvas->band + at, stride);
  } else {
    planes_draw_alpha(&picture->planes, x, y, width, rows, (uint8_t *)canvas->band + at, stride);
  }
}

void EXPORT(canvas_unpremultiply)(Canvas *canvas, int rows) {
  planes_unpremultiply(canvas->band, (size_t)canvas->width * rows);
}
