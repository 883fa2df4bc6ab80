// Rows of RGBA into tiles: planes of BT.601 with halved chroma, and one of alpha.
#include "tiles.h"

// Rows that the band holds.
#define BAND_ROWS 16
// The side of the blocks that are coded.
#define BLOCK 8
#define POINT 15

static int coded(int size) { return (size + BLOCK - 1) / BLOCK * BLOCK; }

void EXPORT(tiles_close)(Tiles *tiles) {
  if (tiles == NULL) return;
  const kvz_api *const api = kvz_api_get(8);
  for (int column = 0; column < tiles->columns; column++) {
    if (tiles->color != NULL) api->picture_free(tiles->color[column]);
    if (tiles->alpha != NULL) api->picture_free(tiles->alpha[column]);
  }
  api->chunk_free(tiles->chunks);
  free(tiles->color);
  free(tiles->alpha);
  free(tiles->translucent);
  free(tiles->band);
  free(tiles);
}

// Tiles of `width` x `height` pixels, both even, side by side for rows of `picture_width`. Returns NULL where memory
// does not suffice.
Tiles *EXPORT(tiles_open)(int picture_width, int width, int height, int opaque) {
  const kvz_api *const api = kvz_api_get(8);
  Tiles *const tiles = (Tiles *)calloc(1, sizeof(*tiles));
  if (tiles == NULL) return NULL;
  tiles->width = width;
  tiles->height = height;
  tiles->coded_width = coded(width);
  tiles->coded_height = coded(height);
  tiles->columns = (picture_width + width - 1) / width;
  tiles->picture_width = picture_width;
  tiles->band = (uint8_t *)malloc((size_t)picture_width * 4 * BAND_ROWS);
  tiles->translucent = (uint8_t *)calloc((size_t)tiles->columns, 1);
  tiles->color = (kvz_picture **)calloc((size_t)tiles->columns, sizeof(kvz_picture *));
  tiles->alpha = opaque ? NULL : (kvz_picture **)calloc((size_t)tiles->columns, sizeof(kvz_picture *));
  int complete = tiles->band != NULL && tiles->translucent != NULL && tiles->color != NULL &&
                 (opaque || tiles->alpha != NULL);
  for (int column = 0; complete && column < tiles->columns; column++) {
    tiles->color[column] = api->picture_alloc_csp(KVZ_CSP_420, tiles->coded_width, tiles->coded_height);
    complete = tiles->color[column] != NULL;
    if (complete && !opaque) {
      tiles->alpha[column] = api->picture_alloc_csp(KVZ_CSP_400, tiles->coded_width, tiles->coded_height);
      complete = tiles->alpha[column] != NULL;
    }
  }
  if (complete) return tiles;
  tiles_close(tiles);
  return NULL;
}

uint8_t *EXPORT(tiles_band)(Tiles *tiles) { return tiles->band; }
int EXPORT(tiles_columns)(Tiles *tiles) { return tiles->columns; }
int EXPORT(tiles_translucent)(Tiles *tiles, int column) { return tiles->translucent[column]; }

static int fixed(double value) { return (int)(value * (1 << POINT) + (value < 0 ? -0.5 : 0.5)); }

// BT.601 at full range (ISO/IEC 23091-2, matrix 5 or 6).
static void luma_row(const uint8_t *rgba, int width, uint8_t *to) {
  const int red = fixed(0.299), green = fixed(0.587), blue = (1 << POINT) - red - green;
  for (int x = 0; x < width; x++, rgba += 4) {
    to[x] = (uint8_t)((rgba[0] * red + rgba[1] * green + rgba[2] * blue + (1 << (POINT - 1))) >> POINT);
  }
}

// The mean of two by two pixels. An odd last column stands for the one beside it.
static void chroma_row(const uint8_t *above, const uint8_t *below, int width, uint8_t *first, uint8_t *second) {
  const int middle = (128 << (POINT + 2)) + (1 << (POINT + 1)) - 1;
  const int red_u = fixed(-0.168736), green_u = fixed(-0.331264), blue_u = -red_u - green_u;
  const int green_v = fixed(-0.418688), blue_v = fixed(-0.081312), red_v = -green_v - blue_v;
  for (int x = 0; x < width; x += 2) {
    const int a = x * 4, b = x + 1 < width ? a + 4 : a;
    const int red = above[a] + above[b] + below[a] + below[b];
    const int green = above[a + 1] + above[b + 1] + below[a + 1] + below[b + 1];
    const int blue = above[a + 2] + above[b + 2] + below[a + 2] + below[b + 2];
    first[x >> 1] = (uint8_t)((red * red_u + green * green_u + blue * blue_u + middle) >> (POINT + 2));
    second[x >> 1] = (uint8_t)((red * red_v + green * green_v + blue * blue_v + middle) >> (POINT + 2));
  }
}

// Returns whether a pixel is not opaque.
static int alpha_row(const uint8_t *rgba, int width, uint8_t *to) {
  int least = 255;
  for (int x = 0; x < width; x++) {
    to[x] = rgba[x * 4 + 3];
    least = to[x] < least ? to[x] : least;
  }
  return least < 255;
}

// The last sample, as far as the coded row goes.
static void extend(uint8_t *row, int from, int to) {
  if (from < to) memset(row + from, row[from - 1], (size_t)(to - from));
}

static void pair_of_rows(Tiles *tiles, int column, const uint8_t *above, const uint8_t *below) {
  const int left = column * tiles->width;
  const int rest = tiles->picture_width - left;
  const int width = rest < tiles->width ? rest : tiles->width;
  kvz_picture *const color = tiles->color[column];
  const uint8_t *const rows[] = {above + (size_t)left * 4, below + (size_t)left * 4};
  for (int i = 0; i < 2; i++) {
    uint8_t *const luma = color->y + (size_t)(tiles->rows + i) * color->stride;
    luma_row(rows[i], width, luma);
    extend(luma, width, tiles->coded_width);
    if (tiles->alpha == NULL) continue;
    uint8_t *const alpha = tiles->alpha[column]->y + (size_t)(tiles->rows + i) * color->stride;
    tiles->translucent[column] |= alpha_row(rows[i], width, alpha);
    extend(alpha, width, tiles->coded_width);
  }
  const size_t at = (size_t)(tiles->rows >> 1) * (color->stride >> 1);
  chroma_row(rows[0], rows[1], width, color->u + at, color->v + at);
  extend(color->u + at, (width + 1) >> 1, tiles->coded_width >> 1);
  extend(color->v + at, (width + 1) >> 1, tiles->coded_width >> 1);
}

// Takes the first `count` rows of the band; an odd last row stands for the one below it.
void EXPORT(tiles_rows)(Tiles *tiles, int count) {
  const size_t stride = (size_t)tiles->picture_width * 4;
  for (int row = 0; row < count; row += 2, tiles->rows += 2) {
    if (tiles->rows >= tiles->height) fail("too many rows");
    const uint8_t *const above = tiles->band + stride * (size_t)row;
    const uint8_t *const below = row + 1 < count ? above + stride : above;
    for (int column = 0; column < tiles->columns; column++) pair_of_rows(tiles, column, above, below);
  }
}

// Repeats the last row as far as tiles are coded.
static void fill_below(kvz_picture *picture, int rows) {
  for (int plane = 0; plane < 3; plane++) {
    if (picture->data[plane] == NULL) continue;
    const int down = plane == 0 ? 0 : 1;
    const size_t stride = (size_t)(picture->stride >> down);
    const kvz_pixel *const last = picture->data[plane] + stride * (size_t)((rows >> down) - 1);
    for (int row = rows >> down; row < picture->height >> down; row++) {
      memcpy(picture->data[plane] + stride * (size_t)row, last, stride);
    }
  }
}

// No more rows follow in these tiles; they can be encoded.
void EXPORT(tiles_complete)(Tiles *tiles) {
  for (int column = 0; column < tiles->columns; column++) {
    fill_below(tiles->color[column], tiles->rows);
    if (tiles->alpha != NULL) fill_below(tiles->alpha[column], tiles->rows);
  }
}

// The next row of tiles begins.
void EXPORT(tiles_next)(Tiles *tiles) {
  tiles->rows = 0;
  memset(tiles->translucent, 0, (size_t)tiles->columns);
}
