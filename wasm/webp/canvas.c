// The canvas of an animation: straight RGBA, every frame is laid onto what the frames before it left behind.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../native.h"

// A transparent canvas, or NULL when memory does not suffice.
uint32_t *EXPORT(canvas_open)(int width, int height) {
  if (width <= 0 || height <= 0 || (size_t)height > SIZE_MAX / sizeof(uint32_t) / (size_t)width) return NULL;
  return (uint32_t *)calloc((size_t)width * height, sizeof(uint32_t));
}

void EXPORT(canvas_close)(uint32_t *canvas) { free(canvas); }

static uint32_t blend_channel(uint32_t above, uint32_t above_alpha, uint32_t below, uint32_t below_alpha,
                              uint32_t scale) {
  return (((above & 255) * above_alpha + (below & 255) * below_alpha) * scale) >> 24;
}

// "Over" for straight alpha, as the WebP container specification defines it, in the integers that libwebp uses.
static uint32_t blend_pixel(uint32_t above, uint32_t below) {
  const uint32_t alpha = above >> 24;
  const uint32_t below_alpha = ((below >> 24) * (256 - alpha)) >> 8;
  const uint32_t sum = alpha + below_alpha;
  const uint32_t scale = (1u << 24) / sum;
  return blend_channel(above, alpha, below, below_alpha, scale) |
         (blend_channel(above >> 8, alpha, below >> 8, below_alpha, scale) << 8) |
         (blend_channel(above >> 16, alpha, below >> 16, below_alpha, scale) << 16) | (sum << 24);
}

// Lays `rows` rows of `width` pixels at (x, y); with `blend` over what is there, otherwise in its place.
void EXPORT(canvas_draw)(uint32_t *canvas, int canvas_width, int x, int y, int width, int rows, const uint32_t *from,
                         int blend) {
  for (int row = 0; row < rows; ++row, from += width) {
    uint32_t *const to = canvas + (size_t)(y + row) * canvas_width + x;
    if (!blend) {
      memcpy(to, from, (size_t)width * sizeof(*to));
      continue;
    }
    for (int i = 0; i < width; ++i) {
      const uint32_t alpha = from[i] >> 24;
      if (alpha == 255) to[i] = from[i];
      else if (alpha != 0) to[i] = blend_pixel(from[i], to[i]);
    }
  }
}

void EXPORT(canvas_clear)(uint32_t *canvas, int canvas_width, int x, int y, int width, int height) {
  for (int row = 0; row < height; ++row) {
    memset(canvas + (size_t)(y + row) * canvas_width + x, 0, (size_t)width * sizeof(*canvas));
  }
}

// Two pixels that look the same: fully transparent ones do, whatever their color.
static int differ(uint32_t a, uint32_t b) { return a != b && ((a | b) >> 24) != 0; }

// Writes to `box` the smallest rectangle x, y, width, height that holds all pixels of `after` that differ from
// `before`; x and y are even. Width and height are 0 when nothing differs.
void EXPORT(canvas_difference)(const uint32_t *before, const uint32_t *after, int width, int height, int *box) {
  int left = width, right = -1, top = height, bottom = -1;
  for (int y = 0; y < height; ++y) {
    const uint32_t *const a = before + (size_t)y * width;
    const uint32_t *const b = after + (size_t)y * width;
    int first = 0, last = width - 1;
    if (memcmp(a, b, (size_t)width * sizeof(*a)) == 0) continue;
    while (first < width && !differ(a[first], b[first])) ++first;
    if (first == width) continue;
    while (!differ(a[last], b[last])) --last;
    if (first < left) left = first;
    if (last > right) right = last;
    if (top == height) top = y;
    bottom = y;
  }
  left &= ~1;
  top &= ~1;
  box[0] = left;
  box[1] = top;
  box[2] = right < 0 ? 0 : right + 1 - left;
  box[3] = right < 0 ? 0 : bottom + 1 - top;
}

// Whether the rectangle can be drawn by blending: every pixel that differs is opaque in `after`.
int EXPORT(canvas_blendable)(const uint32_t *before, const uint32_t *after, int width, int x, int y, int box_width,
                             int box_height) {
  for (int row = y; row < y + box_height; ++row) {
    const uint32_t *const a = before + (size_t)row * width + x;
    const uint32_t *const b = after + (size_t)row * width + x;
    for (int i = 0; i < box_width; ++i) {
      if (differ(a[i], b[i]) && (b[i] >> 24) != 255) return 0;
    }
  }
  return 1;
}

// Copies rows of the rectangle out of `after`; with `before`, pixels that do not differ become transparent.
void EXPORT(canvas_copy)(const uint32_t *before, const uint32_t *after, int width, int x, int y, int box_width,
                         int rows, uint32_t *to) {
  for (int row = y; row < y + rows; ++row, to += box_width) {
    const uint32_t *const b = after + (size_t)row * width + x;
    memcpy(to, b, (size_t)box_width * sizeof(*to));
    if (before == NULL) continue;
    const uint32_t *const a = before + (size_t)row * width + x;
    for (int i = 0; i < box_width; ++i) {
      if (!differ(a[i], b[i])) to[i] = 0;
    }
  }
}
