// Pixels to palette indices, with error diffusion (R. Floyd and L. Steinberg, "An adaptive algorithm for spatial
// grayscale", 1976; rows run to and fro). How much of the error is passed on depends on the place: all of it on gentle
// slopes, where steps between colors would show; less where the picture is busy, where they do not; none where a flat
// area has its own color, so that it stays flat. A pixel may take the color of a neighbor that is nearly the nearest, as
// encoders do that weigh distortion against rate (P. Chou, T. Lookabaugh and R. Gray, "Entropy-constrained vector
// quantization", 1989): indices that repeat are compressed better.
#include <float.h>

#include "quantize.h"

enum { WINDOW_ROWS = 16, SLACK = 4, GUESS_BITS = 5, GUESSES = 1 << 3 * GUESS_BITS, KNOWN_BITS = 11, KNOWN = 1 << KNOWN_BITS };

typedef struct {
  Palette palette;
  int width, transparent, sharp;
  float strength;
  float share[256];  // how much of the error is passed on, by contrast
  float slack[256];  // how much farther a neighbor's color may be, by contrast, as a part of `spacing`
  float spacing[MOST_COLORS];  // the squared distance from each color to the one that is nearest to it
  uint32_t *window, *above;
  uint32_t *row, *contrast;  // a row between copies of its ends, and how far its pixels are from their neighbors
  Color *color;  // of the pixels of a row
  uint8_t found[GUESSES];  // what was nearest last to some color of a small cube
  uint8_t *indices, *above_indices;
  v128_t *error, *next_error;  // of this row and the next, with a margin of one pixel
  int backwards;
  // what a frame before showed, where frames follow each other
  uint32_t *before;
  uint8_t *before_indices;
  int has_before, y, height;
} Remapper;

// Errors beyond this come from colors that the palette lacks: passed on, they would smear.
#define MOST_ERROR 0.08f

// The contrast at which a neighbor's color may be half as far as it may where contrast is greatest.
#define HALF_SLACK 2.0f

void EXPORT(remapper_close)(Remapper *r) {
  if (!r) return;
  free(r->window);
  free(r->above);
  free(r->row);
  free(r->contrast);
  free(r->color);
  free(r->indices);
  free(r->above_indices);
  free(r->error);
  free(r->next_error);
  free(r->before);
  free(r->before_indices);
  free(r);
}

// `strength`: 0 (no dithering) to 1. `coherence`: 0 (always the nearest color) to 1. `sharp`: alpha is all or nothing.
// `height`: of the frames, if what does not change from one to the next shall keep its indices; 0 for a still picture. 0
// when memory does not suffice.
Remapper *EXPORT(remapper_open)(int width, int height, int sharp, float strength, float coherence) {
  space_init();
  Remapper *const r = calloc(1, sizeof *r);
  if (!r) return NULL;
  r->width = width;
  r->height = height;
  r->sharp = sharp;
  r->strength = strength;
  for (int busy = 0; busy < 256; busy++) {
    r->share[busy] = strength / (1 + (float)MAX(0, busy - 8) * (1.0f / 32));
    r->slack[busy] = coherence * (float)busy / ((float)busy + HALF_SLACK);
  }
  r->window = malloc((size_t)width * 4 * WINDOW_ROWS);
  r->indices = malloc((size_t)width * WINDOW_ROWS);
  r->above_indices = calloc((size_t)width, 1);
  r->above = calloc((size_t)width + SLACK, 4);
  r->row = calloc((size_t)width + 2 + SLACK, 4);
  r->contrast = malloc(((size_t)width + SLACK) * 4);
  r->color = malloc((size_t)width * sizeof(Color));
  r->error = calloc((size_t)width + 2, sizeof(v128_t));
  r->next_error = calloc((size_t)width + 2, sizeof(v128_t));
  int whole = r->window && r->indices && r->above_indices && r->above && r->row && r->contrast && r->color &&
              r->error && r->next_error;
  if (height) {
    r->before = malloc((size_t)width * height * 4);
    r->before_indices = malloc((size_t)width * height);
    whole = whole && r->before && r->before_indices;
  }
  if (whole) return r;
  remapper_close(r);
  return NULL;
}

uint32_t *EXPORT(remapper_window)(Remapper *r) { return r->window; }
uint8_t *EXPORT(remapper_indices)(Remapper *r) { return r->indices; }
uint32_t *EXPORT(remapper_palette)(Remapper *r) { return r->palette.pixel; }

static void find_spacing(Remapper *r) {
  for (int i = 0; i < r->palette.count; i++) {
    float least = FLT_MAX;
    for (int k = 0; k < r->palette.count; k++)
      if (k != i) least = MIN(least, distance(r->palette.color[i], r->palette.color[k]));
    r->spacing[i] = least;
  }
}

// Takes over the first `count` colors of the palette.
void EXPORT(remapper_set)(Remapper *r, int count) {
  r->palette.count = count;
  r->palette.sorted = 0;
  r->transparent = -1;
  for (int i = 0; i < count; i++) {
    r->palette.color[i] = color_of(r->palette.pixel[i]);
    if (r->palette.pixel[i] >> 24 == 0) r->transparent = i;
  }
  if (count <= FEW_COLORS) palette_group(&r->palette);
  else palette_index(&r->palette);
  memset(r->found, 0, sizeof r->found);
  if (r->slack[255] > 0) find_spacing(r);
}

// Begins the next frame.
void EXPORT(remapper_restart)(Remapper *r) {
  r->has_before = r->y > 0;
  r->y = r->backwards = 0;
  memset(r->error, 0, sizeof(v128_t) * ((size_t)r->width + 2));
  memset(r->next_error, 0, sizeof(v128_t) * ((size_t)r->width + 2));
}

static v128_t apart(v128_t a, v128_t b) { return wasm_v128_or(wasm_u8x16_sub_sat(a, b), wasm_u8x16_sub_sat(b, a)); }

// How far every pixel of a row is from its neighbors to the left, to the right and above: the most of all channels.
static void find_contrast(Remapper *r, const uint32_t *pixel) {
  uint32_t *const row = r->row + 1;
  memcpy(row, pixel, (size_t)r->width * 4);
  row[-1] = row[0];
  row[r->width] = row[r->width - 1];
  for (int x = 0; x < r->width; x += 4) {
    const v128_t here = wasm_v128_load(row + x);
    v128_t most = wasm_u8x16_max(apart(here, wasm_v128_load(row + x - 1)), apart(here, wasm_v128_load(row + x + 1)));
    most = wasm_u8x16_max(most, apart(here, wasm_v128_load(r->above + x)));
    most = wasm_u8x16_max(most, wasm_u32x4_shr(most, 16));
    most = wasm_u8x16_max(most, wasm_u32x4_shr(most, 8));
    wasm_v128_store(r->contrast + x, wasm_v128_and(most, wasm_i32x4_const_splat(255)));
  }
}

static v128_t limited(v128_t error) {
  const float size = sum4(wasm_f32x4_mul(error, error));
  if (size <= MOST_ERROR * MOST_ERROR) return error;
  return wasm_f32x4_mul(error, wasm_f32x4_splat(MOST_ERROR / __builtin_sqrtf(size)));
}

static inline int is_all(v128_t mask) { return wasm_i32x4_all_true(mask); }

// The latest of the colors that were found, by a hash of their pixels. Drawings come back to the same ones, row after row and
// in one rendition after the other. At first that of 0 alone is known, which is 0.
static uint32_t known_pixel[KNOWN];
static Color known_color[KNOWN];

static inline uint32_t known_at(uint32_t pixel) { return pixel * 2654435761u >> (32 - KNOWN_BITS); }

// Finds the colors of up to four pixels of a row.
static void find_four(Color *color, const uint32_t pixel[4], const int at[4], int count) {
  Color found[4];
  colors_of(pixel, found);
  for (int k = 0; k < count; k++) {
    const uint32_t known = known_at(pixel[k]);
    color[at[k]] = known_color[known] = found[k];
    known_pixel[known] = pixel[k];
  }
}

// What colors a row has: those of the row above where the pixels are the same, or those that are known. Others are found four
// at a time.
static void find_colors(Remapper *r, const uint32_t *pixel) {
  Color *const color = r->color;
  uint32_t others[4] = {0};
  int at[4], count = 0, runs = 0;
  for (int x = 0; x < r->width; x++) {
    const int is_vector = x + 4 <= r->width;
    if (r->y > 0) {
      if (is_vector && is_all(wasm_i32x4_eq(wasm_v128_load(pixel + x), wasm_v128_load(r->above + x)))) {
        x += 3;
        continue;
      }
      if (pixel[x] == r->above[x]) continue;
    }
    if (x > 0 && pixel[x] == pixel[x - 1]) {
      runs = 1;
      continue;
    }
    const uint32_t known = known_at(pixel[x]);
    if (known_pixel[known] == pixel[x]) {
      color[x] = known_color[known];
      continue;
    }
    at[count] = x, others[count++] = pixel[x];
    if (count == 4) find_four(color, others, at, count), count = 0;
  }
  find_four(color, others, at, count);
  for (int x = 1; runs && x < r->width; x++)
    if (pixel[x] == pixel[x - 1]) color[x] = color[x - 1];
}

// Where a color's guess is kept.
static int cube_of(Color color) {
  const v128_t scaled = wasm_f32x4_mul(color, wasm_f32x4_const(24, 40, 40, 0));
  const v128_t at = wasm_i32x4_trunc_sat_f32x4(wasm_f32x4_floor(scaled));
  const int mask = (1 << GUESS_BITS) - 1;
  return (wasm_i32x4_extract_lane(at, 0) & mask) | (wasm_i32x4_extract_lane(at, 1) & mask) << GUESS_BITS |
         (wasm_i32x4_extract_lane(at, 2) & mask) << 2 * GUESS_BITS;
}

// The nearest color: of few by looking at all, of many from what was nearest to a color like this one.
static int nearest(Remapper *r, Color color) {
  if (r->palette.count <= FEW_COLORS) return palette_nearest_of_few(&r->palette, color);
  uint8_t *const found = &r->found[cube_of(color)];
  float squared;
  return *found = (uint8_t)palette_nearest(&r->palette, color, *found, &squared);
}

// The color of the neighbor `last` or `above` that is nearest, where it is hardly farther than the nearest of all: indices that
// repeat take fewer bytes, and what is busy hides it. A pixel that has a color of the palette keeps it.
static int coherent(const Remapper *r, Color color, int found, int last, int above, float slack) {
  if (last == found && above == found) return found;
  const Color *const known = r->palette.color;
  float most = distance(color, known[found]) + slack * r->spacing[found];
  int best = found;
  if (last != found) {
    const float at = distance(color, known[last]);
    if (at < most) most = at, best = last;
  }
  if (above != found && above != last && distance(color, known[above]) < most) best = above;
  return best;
}

// What pixels pass on, on its way: the error of the last one, of which the next one takes a part, and to the next row what this
// pixel and the one before it have there so far. `pixels` is how many of those two have something.
typedef struct {
  v128_t error, below, below_last;
  int pixels;
} Passed;

// Takes the error of a pixel, whose place in the next row is `below`.
static inline void pass_on(Passed *passed, v128_t *below, int step, v128_t error) {
  const v128_t behind = wasm_f32x4_mul(error, wasm_f32x4_const_splat(3.0f / 16));
  const v128_t under = wasm_f32x4_mul(error, wasm_f32x4_const_splat(5.0f / 16));
  below[-step] = wasm_f32x4_add(passed->below_last, behind);
  passed->below_last = wasm_f32x4_add(passed->below, under);
  passed->below = wasm_f32x4_mul(error, wasm_f32x4_const_splat(1.0f / 16));
  passed->error = error;
  passed->pixels = 2;
}

// The same for a pixel without an error.
static inline void pass_nothing(Passed *passed, v128_t *below, int step) {
  if (passed->pixels == 0) return;
  below[-step] = passed->below_last;
  passed->below_last = passed->below;
  passed->below = passed->error = wasm_f32x4_const_splat(0);
  passed->pixels--;
}

// How many pixels after this one are like it and have no contrast, in steps of four: at most `most`.
static int plain_run(const Remapper *r, const uint32_t *pixel, int x, int most, int step) {
  const v128_t alike = wasm_i32x4_splat((int32_t)pixel[x]);
  int run = 0;
  for (; run + 4 <= most; run += 4) {
    const int from = step > 0 ? x + run + 1 : x - run - 4;
    if (!is_all(wasm_i32x4_eq(wasm_v128_load(pixel + from), alike))) break;
    if (r->strength > 0 && wasm_v128_any_true(wasm_v128_load(r->contrast + from))) break;
  }
  return run;
}

static void fill(uint8_t *index, int x, int count, int step) {
  if (count > 0) memset(step > 0 ? index + x + 1 : index + x - count, index[x], (size_t)count);
}

static void map_row(Remapper *r, const uint32_t *pixel, uint8_t *index, const uint32_t *before, const uint8_t *kept) {
  const int width = r->width, step = r->backwards ? -1 : 1;
  v128_t *here = r->error + 1, *next = r->next_error + 1;
  memset(r->next_error, 0, sizeof(v128_t) * ((size_t)width + 2));
  const v128_t zero = wasm_f32x4_const_splat(0);
  Passed passed = {zero, zero, zero, 0};
  uint32_t last = 0;
  int last_index = -1, x = r->backwards ? width - 1 : 0;
  for (int i = 0; i < width; i++, x += step) {
    const uint32_t p = pixel[x];
    if (before && before[x] == p) {
      index[x] = kept[x];
      last_index = -1;
      pass_nothing(&passed, next + x, step);
      continue;
    }
    if (p >> 24 == 0 && r->transparent >= 0) {
      index[x] = (uint8_t)r->transparent;
      last_index = -1;
      pass_nothing(&passed, next + x, step);
      if (passed.pixels == 0 && !before) {
        const int more = plain_run(r, pixel, x, width - 1 - i, step);
        fill(index, x, more, step);
        i += more, x += more * step;
      }
      continue;
    }
    const int busy = r->strength > 0 ? (int)r->contrast[x] : 0;
    if (busy == 0) {
      // a flat place: nothing to hide if it has its own color
      if (p != last || last_index < 0) {
        last = p;
        last_index = nearest(r, r->color[x]);
      }
      if (r->strength == 0 || r->palette.pixel[last_index] == p) {
        index[x] = (uint8_t)last_index;
        pass_nothing(&passed, next + x, step);
        if (passed.pixels == 0 && !before) {
          const int more = plain_run(r, pixel, x, width - 1 - i, step);
          fill(index, x, more, step);
          i += more, x += more * step;
        }
        continue;
      }
    }
    // Parts of errors within the limit add up to no more than that.
    const float share = r->share[busy];
    const v128_t from_above = wasm_f32x4_mul(here[x], wasm_f32x4_splat(share));
    const v128_t from_last = wasm_f32x4_mul(passed.error, wasm_f32x4_splat(share * (7.0f / 16)));
    const v128_t wanted = wasm_f32x4_add(wasm_f32x4_add(r->color[x], from_above), from_last);
    int found = nearest(r, wanted);
    if (r->slack[busy] > 0 && r->y > 0 && i > 0)
      found = coherent(r, wanted, found, index[x - step], r->above_indices[x], r->slack[busy]);
    index[x] = (uint8_t)found;
    pass_on(&passed, next + x, step, limited(wasm_f32x4_sub(wanted, r->palette.color[found])));
  }
  pass_nothing(&passed, next + x, step);
  v128_t *const swap = r->error;
  r->error = r->next_error;
  r->next_error = swap;
  r->backwards = !r->backwards;
}

// Maps the first rows of the window; their indices are at remapper_indices.
void EXPORT(remapper_map)(Remapper *r, int rows) {
  for (int i = 0; i < rows; i++, r->y++) {
    uint32_t *const pixel = r->window + (size_t)i * r->width;
    uint8_t *const index = r->indices + (size_t)i * r->width;
    if (r->sharp)
      for (int x = 0; x < r->width; x++) pixel[x] = pixel[x] >> 31 ? pixel[x] | 0xff000000u : 0;
    if (r->y == 0) memcpy(r->above, pixel, (size_t)r->width * 4);
    uint32_t *const before = r->height ? r->before + (size_t)r->y * r->width : NULL;
    uint8_t *const kept = r->height ? r->before_indices + (size_t)r->y * r->width : NULL;
    find_colors(r, pixel);
    if (r->strength > 0) find_contrast(r, pixel);
    map_row(r, pixel, index, r->has_before ? before : NULL, kept);
    if (before) {
      memcpy(before, pixel, (size_t)r->width * 4);
      memcpy(kept, index, r->width);
    }
    memcpy(r->above, pixel, (size_t)r->width * 4);
    memcpy(r->above_indices, index, (size_t)r->width);
  }
}

// Replaces the first rows of the window by the colors of their indices.
void EXPORT(remapper_paint)(Remapper *r, int rows) {
  const size_t count = (size_t)rows * r->width;
  for (size_t i = 0; i < count; i++) r->window[i] = r->palette.pixel[r->indices[i]];
}

// The first three coordinates of `count` pixels: what distances of opaque colors depend on.
void EXPORT(coordinates)(const uint32_t *pixels, int count, float *to) {
  space_init();
  for (int i = 0; i < count; i++, to += 3) {
    const Color color = color_of(pixels[i]);
    to[0] = wasm_f32x4_extract_lane(color, 0);
    to[1] = wasm_f32x4_extract_lane(color, 1);
    to[2] = wasm_f32x4_extract_lane(color, 2);
  }
}
