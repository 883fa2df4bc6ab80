// Looks over a picture for the smallest way in which PNG can hold it exactly.
#include "png.h"

#define SLOTS 1024 // of the hash table, for at most 257 colors
#define MOST_COLORS 256
#define WINDOW_ROWS 16
#define RGB_COLORS (1 << 24)
#define SHELVES 256 // of opaque colors, by blue
#define SHELF_COLORS (RGB_COLORS / SHELVES)

typedef struct {
  int width;
  int opaque;               // it is known that no pixel is translucent
  int colored, translucent; // a pixel that is not gray; a pixel with alpha below 255
  int gray_depth;           // bits that hold every red sample exactly, as a gray level
  int colors;               // distinct pixels; MOST_COLORS + 1 stands for more
  uint32_t color[MOST_COLORS + 1];
  uint16_t slot[SLOTS]; // index into `color` plus one
  int halves;               // a pixel that is neither opaque nor transparent
  int hidden;               // color of all transparent pixels, NONE or SEVERAL
  int keyed;                // a color is wanted that can stand for transparency
  uint8_t *used[SHELVES];   // then a bit for each opaque color; shelves without any are left out
  uint8_t *window;
} Survey;

enum { NONE = -1, SEVERAL = -2 };

void EXPORT(survey_close)(Survey *s) {
  for (int shelf = 0; shelf < SHELVES; shelf++) free(s->used[shelf]);
  free(s->window);
  free(s);
}

// keyed: a color is wanted that can stand for transparency (up to 2 MiB of memory). Returns 0 when memory ran out.
Survey *EXPORT(survey_open)(int width, int opaque, int keyed) {
  Survey *s = calloc(1, sizeof *s);
  if (!s) return 0;
  s->width = width, s->opaque = opaque, s->keyed = keyed, s->gray_depth = 1, s->hidden = NONE;
  s->window = malloc((size_t)width * 4 * WINDOW_ROWS);
  if (s->window) return s;
  survey_close(s);
  return 0;
}

uint8_t *EXPORT(survey_window)(const Survey *s) { return s->window; }

static void count_colors(Survey *s, const uint32_t *pixel, size_t count) {
  uint32_t last = ~pixel[0];
  for (size_t i = 0; i < count && s->colors <= MOST_COLORS; i++) {
    if (pixel[i] == last) {
      while (i + 4 < count && is_plain(pixel + i + 1, last)) i += 4;
      continue;
    }
    last = pixel[i];
    uint32_t at = last * 2654435761u >> 22;
    while (s->slot[at] && s->color[s->slot[at] - 1] != last) at = (at + 1) % SLOTS;
    if (s->slot[at]) continue;
    s->color[s->colors++] = last;
    s->slot[at] = (uint16_t)s->colors;
  }
}

// Levels of 1, 2 and 4 bits are the multiples of 255, 85 and 17.
static int depth_of(uint8_t level) { return level % 17 ? 8 : level % 85 ? 4 : level % 255 ? 2 : 1; }

// 0 when memory ran out.
static int note_color(Survey *s, int color) {
  uint8_t **const shelf = &s->used[color / SHELF_COLORS];
  if (!*shelf && !(*shelf = calloc(SHELF_COLORS / 8, 1))) return 0;
  (*shelf)[color % SHELF_COLORS >> 3] |= 1 << (color & 7);
  return 1;
}

static int note_colors(Survey *s, const uint32_t *pixel, size_t count) {
  for (size_t i = 0; i < count; i++) {
    if (i > 0 && pixel[i] == pixel[i - 1]) continue;
    const int alpha = pixel[i] >> 24, color = pixel[i] & (RGB_COLORS - 1);
    if (alpha == 255) {
      if (!note_color(s, color)) return 0;
    } else if (alpha) {
      s->halves = 1;
    } else if (s->hidden != color) {
      s->hidden = s->hidden == NONE ? color : SEVERAL;
    }
  }
  return 1;
}

static int is_used(const Survey *s, int color) {
  const uint8_t *const shelf = s->used[color / SHELF_COLORS];
  return shelf && shelf[color % SHELF_COLORS >> 3] >> (color & 7) & 1;
}

// Takes the first `rows` rows of the window; returns 1 while there is something left to learn, -1 when memory ran out.
int EXPORT(survey_commit)(Survey *s, int rows) {
  const size_t count = (size_t)rows * s->width;
  const uint32_t *pixel = (uint32_t *)s->window;
  uint32_t different = 0, alpha = 0xffffffff;
  for (size_t i = 0; i < count; i++) {
    const uint32_t p = pixel[i];
    different |= (p ^ p >> 8) & 0xffff; // red against green, green against blue
    alpha &= p;
  }
  s->colored |= different != 0;
  s->translucent |= alpha >> 24 != 255;
  if (!s->colored && s->gray_depth < 8)
    for (size_t i = 0; i < count; i++) s->gray_depth = MAX(s->gray_depth, depth_of((uint8_t)pixel[i]));
  if (s->colors <= MOST_COLORS) count_colors(s, pixel, count);
  if (s->keyed && !s->halves && !note_colors(s, pixel, count)) return -1;
  const int alpha_is_known = s->keyed ? s->halves : s->translucent || s->opaque;
  return !(s->colored && alpha_is_known && s->colors > MOST_COLORS);
}

int EXPORT(survey_colored)(const Survey *s) { return s->colored; }
int EXPORT(survey_translucent)(const Survey *s) { return s->translucent; }
int EXPORT(survey_gray_depth)(const Survey *s) { return s->gray_depth; }
int EXPORT(survey_colors)(const Survey *s) { return s->colors; }
uint32_t *EXPORT(survey_palette)(Survey *s) { return s->color; }

// A color that no opaque pixel has, so that it can stand for transparent ones: a gray level if `gray`; the color that
// they have if `exact`. -1 if there is none, or some pixel is half transparent.
int EXPORT(survey_key)(const Survey *s, int gray, int exact) {
  if (!s->keyed || s->halves || (exact && s->hidden == SEVERAL)) return -1;
  if (exact && s->hidden >= 0) return is_used(s, s->hidden) ? -1 : s->hidden;
  for (int i = 0; i < (gray ? 256 : RGB_COLORS); i++) {
    const int color = gray ? i * 0x010101 : i;
    if (!is_used(s, color)) return color;
  }
  return -1;
}
