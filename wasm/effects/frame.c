// What goes around a picture: everything outside a shape becomes one color, and what is inside it but outside a
// second, smaller shape is painted over with another. Shapes are rectangles with elliptic corners; an ellipse is one
// whose corners meet. Edges are antialiased by area, exact across and by 16 lines a pixel down.
#include "effects.h"

#include <math.h>

#define LINES 16
// Parts of a pixel: ends lie on multiples of one, so that floats add up exactly and opposite edges come out alike.
#define PARTS 256

typedef struct { float left, top, right, bottom, radius_x, radius_y; } Shape;
typedef struct { float red, green, blue, alpha; } Color; // 0 to 255, straight alpha

typedef struct {
  Shape outer, inner;
  Color background, paint;
  float has_inner;
} Settings;

typedef struct {
  Stream stream;
  Settings settings;
  float *coverage;
} Framing;

// The left and right end of a shape at height y; false where there is none.
static int extent(const Shape *shape, float y, float *left, float *right) {
  if (y <= shape->top || y >= shape->bottom || shape->left >= shape->right) return 0;
  const float into = MIN(y - shape->top, shape->bottom - y);
  float inset = 0;
  if (into < shape->radius_y) {
    const float d = 1 - into / shape->radius_y;
    inset = shape->radius_x * (1 - sqrtf(MAX(0, 1 - d * d)));
    inset = floorf(inset * PARTS + 0.5f) / PARTS;
  }
  *left = shape->left + inset, *right = shape->right - inset;
  return *left < *right;
}

// Adds `weight` times what the pixels from `from` to `to` have in common with the span.
static void add_span(float *coverage, int from, int to, float left, float right, float weight) {
  for (int x = from; x < to; x++) {
    const float common = MIN(right, (float)(x + 1)) - MAX(left, (float)x);
    if (common > 0) coverage[x] += common * weight;
  }
}

// How much of each pixel of row y lies in a shape, 0 to 1.
static void cover_row(const Shape *shape, int y, int width, float *coverage) {
  float lefts[LINES], rights[LINES];
  int lines = 0;
  float inner_left = 0, inner_right = (float)width;
  for (int line = 0; line < LINES; line++) {
    if (!extent(shape, (float)y + ((float)line + 0.5f) / LINES, lefts + lines, rights + lines)) continue;
    inner_left = MAX(inner_left, lefts[lines]), inner_right = MIN(inner_right, rights[lines]);
    lines++;
  }
  memset(coverage, 0, (size_t)width * sizeof(float));
  int solid = (int)ceilf(inner_left), end = (int)floorf(inner_right);
  if (solid >= end) solid = end = clamp((int)((inner_left + inner_right) / 2), 0, width);
  for (int x = solid; x < end; x++) coverage[x] = (float)lines / LINES;
  for (int line = 0; line < lines; line++) {
    add_span(coverage, MAX(0, (int)lefts[line]), solid, lefts[line], rights[line], 1.0f / LINES);
    add_span(coverage, end, MIN(width, (int)ceilf(rights[line])), lefts[line], rights[line], 1.0f / LINES);
  }
}

// A mix of two colors, each with its alpha times its share.
static void mix(uint8_t *p, const Color *a, float share_a, const Color *b, float share_b) {
  const float weight_a = a->alpha * share_a, weight_b = b->alpha * share_b, alpha = weight_a + weight_b;
  if (alpha < 0.5f) {
    memset(p, 0, 4);
    return;
  }
  const float of_a = weight_a / alpha, of_b = weight_b / alpha;
  p[0] = byte_of(a->red * of_a + b->red * of_b);
  p[1] = byte_of(a->green * of_a + b->green * of_b);
  p[2] = byte_of(a->blue * of_a + b->blue * of_b);
  p[3] = byte_of(alpha);
}

static void make(Stream *s, int y, uint8_t *result) {
  Framing *frame = (Framing *)s;
  const Settings *set = &frame->settings;
  memcpy(result, ring_row(s, y), (size_t)s->width * 4);
  if (set->has_inner != 0) {
    cover_row(&set->inner, y, s->width, frame->coverage);
    for (int x = 0; x < s->width; x++) {
      const float share = (1 - frame->coverage[x]) * (set->paint.alpha / 255);
      uint8_t *p = result + x * 4;
      if (share <= 0) continue;
      const Color color = {p[0], p[1], p[2], p[3]};
      const Color paint = {set->paint.red, set->paint.green, set->paint.blue, 255};
      mix(p, &paint, share, &color, 1 - share);
    }
  }
  cover_row(&set->outer, y, s->width, frame->coverage);
  for (int x = 0; x < s->width; x++) {
    const float share = frame->coverage[x];
    uint8_t *p = result + x * 4;
    if (share >= 1) continue;
    const Color color = {p[0], p[1], p[2], p[3]};
    mix(p, &color, share, &set->background, 1 - share);
  }
}

static void dispose(Stream *s) { free(((Framing *)s)->coverage); }

Stream *EXPORT(frame_open)(int width, int height, const Settings *settings) {
  Framing *frame = pointwise_open(sizeof(Framing), width, height, make);
  if (!frame) return NULL;
  frame->settings = *settings;
  frame->coverage = malloc((size_t)width * sizeof(float));
  frame->stream.dispose = dispose;
  if (frame->coverage) return &frame->stream;
  stream_close(&frame->stream);
  return NULL;
}
