// The picture, its halves, and bilinear samples of them.
#include "faces.h"

#include <math.h>

// Where alpha is below 255, a mid gray shines through: no edge that could be taken for one of a face.
#define BEHIND 128

static inline uint8_t behind(int value, int alpha) {
  return (uint8_t)(alpha == 255 ? value : (value * alpha + BEHIND * (255 - alpha) + 127) / 255);
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
    uint8_t *pixels = malloc((size_t)width * height * COLORS);
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
    const uint8_t *upper = from->pixels + (size_t)2 * y * from->width * COLORS, *lower = upper + from->width * COLORS;
    uint8_t *row = to->pixels + (size_t)y * to->width * COLORS;
    for (int x = 0; x < to->width; x++, upper += 2 * COLORS, lower += 2 * COLORS)
      for (int c = 0; c < COLORS; c++) *row++ = (upper[c] + upper[c + COLORS] + lower[c] + lower[c + COLORS] + 2) >> 2;
  }
}

// Takes rows out of the window; with the last one, the halves are made.
void EXPORT(picture_commit)(Picture *picture, int rows) {
  const size_t pixels = (size_t)rows * picture->width;
  uint8_t *place = picture->level[0].pixels + (size_t)picture->taken * picture->width * COLORS;
  const uint8_t *p = picture->window;
  for (size_t at = 0; at < pixels; at++, p += 4)
    for (int c = 0; c < COLORS; c++) *place++ = behind(p[c], p[3]);
  picture->taken += rows;
  if (picture->taken < picture->height) return;
  for (int index = 1; index < picture->levels; index++) halve(&picture->level[index - 1], &picture->level[index]);
}

// The pixel before a sample, and the share of the one after it.
static inline int neighbor(float position, int length, float *share) {
  const float clamped = MIN(MAX(position, 0), (float)(length - 1));
  const int before = MIN((int)clamped, MAX(0, length - 2));
  *share = clamped - (float)before;
  return before;
}

void sample_row(const Picture *picture, const Part *part, int y, float *row) {
  memset(row, 0, (size_t)part->width * COLORS * sizeof(float));
  const float vertical = part->y + ((float)y + 0.5f) * part->down;
  if (vertical < 0 || vertical >= (float)picture->height) return;
  const int index = MIN((int)log2f(MAX(1, MIN(fabsf(part->across), part->down))), picture->levels - 1);
  const Level *level = &picture->level[index];
  const float size = (float)(1 << index);
  float lower_share, right_share;
  const int top = neighbor(vertical / size - 0.5f, level->height, &lower_share);
  const uint8_t *upper = level->pixels + (size_t)top * level->width * COLORS;
  const uint8_t *lower = level->height > 1 ? upper + level->width * COLORS : upper;
  const int next = level->width > 1 ? COLORS : 0;
  for (int x = 0; x < part->width; x++, row += COLORS) {
    const float horizontal = part->x + ((float)x + 0.5f) * part->across;
    if (horizontal < 0 || horizontal >= (float)picture->width) continue;
    const int left = COLORS * neighbor(horizontal / size - 0.5f, level->width, &right_share);
    for (int c = 0; c < COLORS; c++) {
      const uint8_t *a = upper + left + c, *b = lower + left + c;
      const float above = (float)a[0] + (float)(a[next] - a[0]) * right_share;
      const float below = (float)b[0] + (float)(b[next] - b[0]) * right_share;
      row[c] = (above + (below - above) * lower_share) * (1 / 127.5f) - 1;
    }
  }
}
