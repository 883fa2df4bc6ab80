// The canvases of an animation that is being written: RGBA words that are opaque or 0.
#include "gif.h"

enum { OPAQUE = 0xff000000u, TABLE_SLOTS = 1024, MOST = 256 };

uint32_t *EXPORT(canvas_open)(int width, int height) {
  if ((size_t)height > SIZE_MAX / 4 / (size_t)width) return NULL;
  return calloc((size_t)width * height, 4);
}

// Makes every pixel opaque or nothing.
void EXPORT(canvas_sharpen)(uint32_t *pixels, int count) {
  for (int i = 0; i < count; i++) pixels[i] = pixels[i] >> 31 ? pixels[i] | OPAQUE : 0;
}

// Whether two pixels look the same, near enough: squares of channel differences, weighted as the eye does.
static int same(uint32_t a, uint32_t b, int tolerance) {
  if (a == b) return 1;
  if (tolerance == 0 || (a & OPAQUE) != (b & OPAQUE)) return 0;
  const int red = (int)(a & 255) - (int)(b & 255);
  const int green = (int)(a >> 8 & 255) - (int)(b >> 8 & 255);
  const int blue = (int)(a >> 16 & 255) - (int)(b >> 16 & 255);
  return 2 * red * red + 4 * green * green + blue * blue <= tolerance;
}

typedef struct {
  int left, top, right, bottom;
} Bounds;

static void include(Bounds *bounds, int x, int y) {
  if (x < bounds->left) bounds->left = x;
  if (x > bounds->right) bounds->right = x;
  if (y < bounds->top) bounds->top = y;
  if (y > bounds->bottom) bounds->bottom = y;
}

static void put_box(int *out, const Bounds *bounds) {
  const int some = bounds->right >= bounds->left;
  out[0] = some ? bounds->left : 0;
  out[1] = some ? bounds->top : 0;
  out[2] = some ? bounds->right - bounds->left + 1 : 0;
  out[3] = some ? bounds->bottom - bounds->top + 1 : 0;
}

// Compares a canvas with what is to come after it. Writes the number of pixels that change, the box of those pixels
// (x, y, width, height) and the box of those that would have to become transparent, which drawing cannot do.
void EXPORT(canvas_compare)(const uint32_t *before, const uint32_t *after, int width, int height, int tolerance,
                            int *out) {
  Bounds changed = {width, height, -1, -1}, lost = {width, height, -1, -1};
  int count = 0;
  for (int y = 0; y < height; y++) {
    const uint32_t *a = before + (size_t)y * width, *b = after + (size_t)y * width;
    if (memcmp(a, b, (size_t)width * 4) == 0) continue;
    for (int x = 0; x < width; x++) {
      if (same(a[x], b[x], tolerance)) continue;
      count++;
      include(&changed, x, y);
      if (b[x] == 0) include(&lost, x, y);
    }
  }
  out[0] = count;
  put_box(out + 1, &changed);
  put_box(out + 5, &lost);
}

// Keeps what is there where what is to come looks the same.
void EXPORT(canvas_settle)(const uint32_t *before, uint32_t *after, int count, int tolerance) {
  for (int i = 0; i < count; i++)
    if (same(before[i], after[i], tolerance)) after[i] = before[i];
}

void EXPORT(canvas_clear)(uint32_t *canvas, int width, int x, int y, int box_width, int box_height) {
  for (int row = y; row < y + box_height; row++) memset(canvas + (size_t)row * width + x, 0, (size_t)box_width * 4);
}

// ---- colors ----

typedef struct {
  uint32_t color[TABLE_SLOTS];
  int16_t index[TABLE_SLOTS];
} Table;

static uint32_t place(const Table *table, uint32_t color) {
  uint32_t at = color * 2654435761u >> 22;
  while (table->index[at] >= 0 && table->color[at] != color) at = (at + 1) % TABLE_SLOTS;
  return at;
}

static int index_of(const Table *table, uint32_t color) { return table->index[place(table, color)]; }

static void put(Table *table, uint32_t color, int index) {
  const uint32_t at = place(table, color);
  if (table->index[at] >= 0) return;
  table->color[at] = color;
  table->index[at] = (int16_t)index;
}

// Writes the distinct colors of the pixels of a box that change, of all if `before` is 0, at most 256, and returns how
// many there are; 257 if there are more. `unchanged` becomes 1 when some pixel of the box does not change.
int EXPORT(canvas_colors)(const uint32_t *before, const uint32_t *after, int width, int x, int y, int box_width,
                          int box_height, uint32_t *colors, int *unchanged) {
  static Table table;
  memset(table.index, -1, sizeof table.index);
  int count = 0;
  *unchanged = 0;
  for (int row = y; row < y + box_height; row++) {
    const uint32_t *a = before ? before + (size_t)row * width + x : NULL, *b = after + (size_t)row * width + x;
    uint32_t last = 0;
    for (int i = 0; i < box_width; i++) {
      if (a && a[i] == b[i]) {
        *unchanged = 1;
        continue;
      }
      if (b[i] == last && count > 0) continue;
      last = b[i];
      if (index_of(&table, last) >= 0) continue;
      if (count == MOST) return MOST + 1;
      put(&table, last, count);
      colors[count++] = last;
    }
  }
  return count;
}

// Cuts a box out as palette indices. What does not change is transparent, and `others` says what it is otherwise; for
// all other pixels that is their index, too. With `solid` the two change places where both are possible. Returns 1 +
// the highest index, or 0 when a color is missing.
int EXPORT(canvas_cut)(const uint32_t *before, const uint32_t *after, int width, int x, int y, int box_width,
                       int box_height, const uint32_t *palette, int colors, int transparent, int solid,
                       uint8_t *indices, uint8_t *others) {
  static Table table;
  memset(table.index, -1, sizeof table.index);
  for (int i = 0; i < colors; i++)
    if (i != transparent) put(&table, palette[i], i);
  int most = 0;
  for (int row = y; row < y + box_height; row++, indices += box_width, others += box_width) {
    const uint32_t *a = before + (size_t)row * width + x, *b = after + (size_t)row * width + x;
    uint32_t last = 0;
    int index = -1;
    for (int i = 0; i < box_width; i++) {
      if (b[i] != last) index = index_of(&table, b[i]);
      if (b[i] == 0) index = -1;
      last = b[i];
      const int hole = transparent >= 0 && a[i] == b[i];
      if (index < 0 && !hole) return 0;
      const int shown = index >= 0 ? index : transparent, drawn = hole ? transparent : index;
      indices[i] = (uint8_t)(solid ? shown : drawn);
      others[i] = (uint8_t)(solid ? drawn : shown);
      if (shown > most) most = shown;
      if (drawn > most) most = drawn;
    }
  }
  return most + 1;
}
