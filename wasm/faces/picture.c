// The picture in gray, its halves, and bilinear samples of them.
#include "faces.h"

#include <math.h>

// Where alpha is below 255, a mid gray shines through: no edge that a feature could take for one of a face.
#define BEHIND 128

// Rec. 601 luma of encoded values, with which the cascades were trained, in 65,536ths.
static inline int gray_of(const uint8_t *p) {
  const int luma = (19595 * p[0] + 38470 * p[1] + 7471 * p[2] + 32768) >> 16;
  return p[3] == 255 ? luma : (luma * p[3] + BEHIND * (255 - p[3]) + 127) / 255;
}

void EXPORT(picture_close)(Picture *picture) {
  if (!picture) return;
  for (int index = 0; index < picture->levels; index++) free(picture->level[index].pixels);
  free(picture->window);
  free(picture);
}

Picture *EXPORT(picture_open)(int width, int height) {
  Picture *picture = calloc(1, sizeof(Picture));
  if (!picture) return NULL;
  picture->width = width, picture->height = height;
  picture->window = malloc((size_t)width * 4 * WINDOW_ROWS);
  int failed = !picture->window;
  for (; picture->levels < MAX_LEVELS && width > 0 && height > 0 && !failed; width /= 2, height /= 2) {
    uint8_t *pixels = malloc((size_t)width * height);
    failed = !pixels;
    picture->level[picture->levels++] = (Level){width, height, pixels};
  }
  if (!failed) return picture;
  picture_close(picture);
  return NULL;
}

uint8_t *EXPORT(picture_window)(Picture *picture) { return picture->window; }

static void halve(const Level *from, const Level *to) {
  for (int y = 0; y < to->height; y++) {
    const uint8_t *upper = from->pixels + (size_t)2 * y * from->width, *lower = upper + from->width;
    uint8_t *row = to->pixels + (size_t)y * to->width;
    for (int x = 0; x < to->width; x++)
      row[x] = (upper[2 * x] + upper[2 * x + 1] + lower[2 * x] + lower[2 * x + 1] + 2) >> 2;
  }
}

// Takes rows out of the window; with the last one, the halves are made.
void EXPORT(picture_commit)(Picture *picture, int rows) {
  const size_t pixels = (size_t)rows * picture->width;
  uint8_t *place = picture->level[0].pixels + (size_t)picture->taken * picture->width;
  for (size_t at = 0; at < pixels; at++) place[at] = gray_of(picture->window + at * 4);
  picture->taken += rows;
  if (picture->taken < picture->height) return;
  for (int index = 1; index < picture->levels; index++) halve(&picture->level[index - 1], &picture->level[index]);
}

// The pixel before a sample, and the share of the one after it in 256ths.
static inline int neighbor(double position, int length, int *share) {
  const double clamped = MIN(MAX(position, 0), length - 1);
  const int before = MIN((int)clamped, MAX(0, length - 2));
  *share = (int)((clamped - before) * 256 + 0.5);
  return before;
}

void sample_row(const Sampling *s, int y, uint8_t *row) {
  const Picture *picture = s->picture;
  const int index = MIN((int)log2(MAX(1, s->scale)), picture->levels - 1);
  const Level *level = &picture->level[index];
  const double size = 1 << index;
  int down;
  const int top = neighbor((s->y + (y + 0.5) * s->scale) / size - 0.5, level->height, &down);
  const uint8_t *upper = level->pixels + (size_t)top * level->width;
  const uint8_t *lower = level->height > 1 ? upper + level->width : upper;
  for (int x = 0; x < s->width; x++) {
    const int column = s->mirrored ? s->width - 1 - x : x;
    int right;
    const int left = neighbor((s->x + (column + 0.5) * s->scale) / size - 0.5, level->width, &right);
    const int next = left + (level->width > 1);
    const int above = upper[left] * (256 - right) + upper[next] * right;
    const int below = lower[left] * (256 - right) + lower[next] * right;
    row[x] = (above * (256 - down) + below * down + 32768) >> 16;
  }
}
