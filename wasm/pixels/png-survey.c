/* Looks over a picture for the smallest way in which PNG can hold it exactly. */
#include "png.h"

#define SLOTS 1024 /* of the hash table, for at most 257 colours */
#define MOST_COLORS 256
#define WINDOW_ROWS 16

typedef struct {
  int width;
  int opaque;               /* it is known that no pixel is translucent */
  int colored, translucent; /* a pixel that is not gray; a pixel with alpha below 255 */
  int gray_depth;           /* bits that hold every red sample exactly, as a gray level */
  int colors;               /* distinct pixels; MOST_COLORS + 1 stands for more */
  uint32_t color[MOST_COLORS + 1];
  uint16_t slot[SLOTS]; /* index into `color` plus one */
  uint8_t *window;
} Survey;

void EXPORT(survey_close)(Survey *s) {
  free(s->window);
  free(s);
}

Survey *EXPORT(survey_open)(int width, int opaque) {
  Survey *s = calloc(1, sizeof *s);
  if (!s) return 0;
  s->width = width, s->opaque = opaque, s->gray_depth = 1;
  s->window = malloc((size_t)width * 4 * WINDOW_ROWS);
  if (s->window) return s;
  survey_close(s);
  return 0;
}

uint8_t *EXPORT(survey_window)(const Survey *s) { return s->window; }

static void count_colors(Survey *s, const uint32_t *pixel, size_t count) {
  uint32_t last = ~pixel[0];
  for (size_t i = 0; i < count && s->colors <= MOST_COLORS; i++) {
    if (pixel[i] == last) continue;
    last = pixel[i];
    uint32_t at = last * 2654435761u >> 22;
    while (s->slot[at] && s->color[s->slot[at] - 1] != last) at = (at + 1) % SLOTS;
    if (s->slot[at]) continue;
    s->color[s->colors++] = last;
    s->slot[at] = (uint16_t)s->colors;
  }
}

/* Levels of 1, 2 and 4 bits are the multiples of 255, 85 and 17. */
static int depth_of(uint8_t level) { return level % 17 ? 8 : level % 85 ? 4 : level % 255 ? 2 : 1; }

/* Takes the first `rows` rows of the window; returns 1 while there is something left to learn. */
int EXPORT(survey_commit)(Survey *s, int rows) {
  const size_t count = (size_t)rows * s->width;
  const uint32_t *pixel = (uint32_t *)s->window;
  uint32_t different = 0, alpha = 0xffffffff;
  for (size_t i = 0; i < count; i++) {
    const uint32_t p = pixel[i];
    different |= (p ^ p >> 8) & 0xffff; /* red against green, green against blue */
    alpha &= p;
  }
  s->colored |= different != 0;
  s->translucent |= alpha >> 24 != 255;
  if (!s->colored && s->gray_depth < 8)
    for (size_t i = 0; i < count; i++) s->gray_depth = MAX(s->gray_depth, depth_of((uint8_t)pixel[i]));
  if (s->colors <= MOST_COLORS) count_colors(s, pixel, count);
  return !(s->colored && (s->translucent || s->opaque) && s->colors > MOST_COLORS);
}

int EXPORT(survey_colored)(const Survey *s) { return s->colored; }
int EXPORT(survey_translucent)(const Survey *s) { return s->translucent; }
int EXPORT(survey_gray_depth)(const Survey *s) { return s->gray_depth; }
int EXPORT(survey_colors)(const Survey *s) { return s->colors; }
uint32_t *EXPORT(survey_palette)(Survey *s) { return s->color; }
