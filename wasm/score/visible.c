// What is seen of the differences between two pictures in their worst places: an opinion beside that of the metric.
//
// The metric looks at six scales and takes means over the whole picture. This looks at cells of 4 x 4 pixels at full size and
// takes the mean of the worst 2 % of them, or of the worst 64, which one damaged place of 32 x 32 pixels has, as far as that is
// more than photographs have as well. In a cell count
// - the error of its mean luma, and less so what else differs of its luma: both are hidden by what is busy around the cell, as
//   masking has it (A. B. Watson, "DCT quantization matrices visually optimized for individual images", 1993), and by light;
//   In an even slope without any grain, as shadows and glows are drawn, neither hides anything: there steps become rings;
// - the error of its mean chroma, which nothing hides: letters in saturated colors are as busy as it gets.
// Levels are those of sRGB, which are about as far apart for the eye everywhere. What can be seen through is looked at on white,
// black and blue, and a cell counts as it looks on the worst of them.
//
// The constants were fitted to marks of 362 pairs that were looked at (test/bench/look-marks.tsv).
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <wasm_simd128.h>

#include "../native.h"

enum {
  CELL = 4,
  PLANES = 3,     // backgrounds
  LINES = 3,      // rows of cells that are kept: a cell is hidden by those around it
  BINS_BITS = 18, // of a float that are left out: 32 bins for each power of two
  BINS = 512,
};
#define WORST_PART 0.02
#define WORST_CELLS 64
#define WORST_TO_PART 1.7     // the error of the worst cells that weighs as much as one of the worst part
#define LEAST_ERROR 0.015625f // where the bins begin
#define HIDDEN_IN_SLOPE 0.8f  // levels of luma that are hidden where nothing bends
#define HIDDEN 1.4f           // the same in black without any detail
#define HIDDEN_IN_LIGHT 1.0f  // and in white besides
#define HIDDEN_BY_DETAIL 0.17f
#define LEAST_GRAIN 0.5f      // levels, as `grain` below, up to which nothing bends
#define FULL_GRAIN 1.0f
#define OWN_DETAIL 0.25f      // the part of a cell's own detail; the rest is that of the cells around it
#define FINE_PART 0.65f
#define CHROMA_LEVELS 12.5f
#define RED_PART 0.65f
#define BLUE_PART 0.6f

static const uint32_t BACKGROUND[PLANES] = {0xffffffffu, 0xff000000u, 0xffdc3c00u}; // ABGR: white, black, blue

// What is known of a cell on one background.
typedef struct {
  float detail; // mean step from pixel to pixel of the original
  float grain;  // the mean by which such steps change
  float light;  // mean luma of the original, 0 to 1
  float luma;   // squared error, in levels
  float chroma; // the same, in units of what is seen
} Cell;

typedef struct {
  int width, across, planes; // pixels, cells, backgrounds
  int rows;                  // rows of pixels that wait
  int lines;                 // rows of cells that came
  uint8_t *first, *second;   // rows of pixels that wait, whole cells
  Cell *line[LINES];
  uint32_t count[BINS], cells;
  double sum[BINS];
} Visible;

void EXPORT(visible_close)(Visible *v) {
  if (!v) return;
  free(v->first), free(v->second);
  for (int line = 0; line < LINES; line++) free(v->line[line]);
  free(v);
}

// A comparison of two pictures of this width; 0 when memory does not suffice.
Visible *EXPORT(visible_open)(int width, int is_opaque) {
  Visible *v = calloc(1, sizeof *v);
  if (!v) return 0;
  v->width = width, v->across = (width + CELL - 1) / CELL, v->planes = is_opaque ? 1 : PLANES;
  const size_t bytes = (size_t)v->across * CELL * CELL * 4;
  v->first = malloc(bytes), v->second = malloc(bytes);
  int is_whole = v->first && v->second;
  for (int line = 0; line < LINES; line++) {
    v->line[line] = malloc(sizeof(Cell) * v->across * v->planes);
    is_whole = is_whole && v->line[line];
  }
  if (is_whole) return v;
  visible_close(v);
  return 0;
}

// Luma eightfold, red against green, and twice blue against yellow, of four pixels.
typedef struct {
  v128_t y, x, b;
} Colors;

static inline Colors colors_of(v128_t pixels) {
  const v128_t byte = wasm_i32x4_const_splat(255);
  const v128_t red = wasm_v128_and(pixels, byte);
  const v128_t green = wasm_v128_and(wasm_u32x4_shr(pixels, 8), byte);
  const v128_t blue = wasm_v128_and(wasm_u32x4_shr(pixels, 16), byte);
  const v128_t green5 = wasm_i32x4_add(wasm_i32x4_shl(green, 2), green);
  return (Colors){
      .y = wasm_i32x4_add(wasm_i32x4_add(wasm_i32x4_shl(red, 1), green5), blue),
      .x = wasm_i32x4_sub(red, green),
      .b = wasm_i32x4_sub(wasm_i32x4_shl(blue, 1), wasm_i32x4_add(red, green)),
  };
}

static inline int sum_of(v128_t lanes) {
  return wasm_i32x4_extract_lane(lanes, 0) + wasm_i32x4_extract_lane(lanes, 1) + wasm_i32x4_extract_lane(lanes, 2) +
         wasm_i32x4_extract_lane(lanes, 3);
}

// How far values are apart.
static inline v128_t step_of(v128_t one, v128_t other) { return wasm_i32x4_abs(wasm_i32x4_sub(one, other)); }

// Four pixels on a background, rounded.
static v128_t laid_on(v128_t pixels, uint32_t background) {
  uint32_t of[4];
  wasm_v128_store(of, pixels);
  for (int at = 0; at < 4; at++) {
    const uint32_t alpha = of[at] >> 24;
    if (alpha == 255) continue;
    uint32_t laid = 0xff000000u;
    for (int shift = 0; shift < 24; shift += 8) {
      const uint32_t level = (of[at] >> shift & 255) * alpha + (background >> shift & 255) * (255 - alpha);
      laid |= (level + 127) / 255 << shift;
    }
    of[at] = laid;
  }
  return wasm_v128_load(of);
}

static Cell cell_of(const v128_t first[CELL], const v128_t second[CELL], int is_same) {
  const v128_t zero = wasm_i32x4_const_splat(0);
  Colors one[CELL];
  const v128_t inner = wasm_i32x4_const(-1, -1, 0, 0);
  v128_t steps = zero, bends = zero, light = zero, last = zero;
  for (int row = 0; row < CELL; row++) {
    one[row] = colors_of(first[row]);
    light = wasm_i32x4_add(light, one[row].y);
    const v128_t across = wasm_i32x4_sub(wasm_i32x4_shuffle(one[row].y, one[row].y, 1, 2, 3, 3), one[row].y);
    steps = wasm_i32x4_add(steps, wasm_i32x4_abs(across));
    bends = wasm_i32x4_add(bends, wasm_v128_and(inner, step_of(across, wasm_i32x4_shuffle(across, across, 1, 2, 3, 3))));
    if (row == 0) continue;
    const v128_t down = wasm_i32x4_sub(one[row].y, one[row - 1].y);
    steps = wasm_i32x4_add(steps, wasm_i32x4_abs(down));
    if (row > 1) bends = wasm_i32x4_add(bends, step_of(down, last));
    last = down;
  }
  Cell cell = {
      .detail = (float)sum_of(steps) / (12 * 8),
      .grain = (float)sum_of(bends) / (16 * 8),
      .light = (float)sum_of(light) / (16 * 8 * 255),
  };
  if (is_same) return cell;
  v128_t y = zero, x = zero, b = zero, squares = zero;
  for (int row = 0; row < CELL; row++) {
    const Colors other = colors_of(second[row]);
    const v128_t apart = wasm_i32x4_sub(other.y, one[row].y);
    y = wasm_i32x4_add(y, apart);
    squares = wasm_i32x4_add(squares, wasm_i32x4_mul(apart, apart));
    x = wasm_i32x4_add(x, wasm_i32x4_sub(other.x, one[row].x));
    b = wasm_i32x4_add(b, wasm_i32x4_sub(other.b, one[row].b));
  }
  const float mean = (float)sum_of(y) / (16 * 8), all = (float)sum_of(squares) / (16 * 64);
  const float red = (float)sum_of(x) / 16, blue = (float)sum_of(b) / 32;
  cell.luma = mean * mean + FINE_PART * fmaxf(0, all - mean * mean);
  cell.chroma = (RED_PART * red * red + BLUE_PART * blue * blue) / (CHROMA_LEVELS * CHROMA_LEVELS);
  return cell;
}

// The row of cells whose pixels wait.
static void take_cells(Visible *v) {
  Cell *to = v->line[v->lines++ % LINES];
  const size_t stride = (size_t)v->across * CELL * 4;
  for (int at = 0; at < v->across; at++) {
    v128_t first[CELL], second[CELL], all = wasm_i32x4_const_splat(-1), apart = wasm_i32x4_const_splat(0);
    for (int row = 0; row < CELL; row++) {
      first[row] = wasm_v128_load(v->first + stride * row + at * CELL * 4);
      second[row] = wasm_v128_load(v->second + stride * row + at * CELL * 4);
      all = wasm_v128_and(all, wasm_v128_and(first[row], second[row]));
      apart = wasm_v128_or(apart, wasm_v128_xor(first[row], second[row]));
    }
    const int is_same = !wasm_v128_any_true(apart);
    const int is_opaque = v->planes == 1 || wasm_i32x4_all_true(wasm_i32x4_eq(wasm_u32x4_shr(all, 24), wasm_i32x4_const_splat(255)));
    Cell cell = {0};
    for (int plane = 0; plane < v->planes; plane++) {
      if (is_opaque && plane == 0) cell = cell_of(first, second, is_same);
      if (!is_opaque) {
        v128_t one[CELL], other[CELL];
        for (int row = 0; row < CELL; row++) {
          one[row] = laid_on(first[row], BACKGROUND[plane]);
          other[row] = is_same ? one[row] : laid_on(second[row], BACKGROUND[plane]);
        }
        cell = cell_of(one, other, is_same);
      }
      to[at * v->planes + plane] = cell;
    }
  }
}

static void count_error(Visible *v, float error) {
  v->cells++;
  if (error <= 0) return;
  uint32_t bits, least;
  const float from = LEAST_ERROR;
  memcpy(&bits, &error, sizeof bits), memcpy(&least, &from, sizeof least);
  int bin = bits <= least ? 0 : (int)((bits - least) >> BINS_BITS);
  if (bin >= BINS) bin = BINS - 1;
  v->count[bin]++;
  v->sum[bin] += error;
}

// What a cell, the one above and the one below have together.
typedef struct {
  float detail, grain;
} Column;

static inline Column column_of(const Cell *above, const Cell *here, const Cell *below) {
  return (Column){above->detail + here->detail + below->detail, fmaxf(fmaxf(above->grain, here->grain), below->grain)};
}

// The squared error of a cell between two columns beside its own.
static inline float error_of(const Cell *cell, Column left, Column own, Column right) {
  const float around = left.detail + own.detail + right.detail;
  const float grain = fmaxf(fmaxf(left.grain, own.grain), right.grain);
  const float detail = OWN_DETAIL * cell->detail + (1 - OWN_DETAIL) / 9 * around;
  const float bent = fminf(1, fmaxf(0, (grain - LEAST_GRAIN) / (FULL_GRAIN - LEAST_GRAIN)));
  const float more = HIDDEN - HIDDEN_IN_SLOPE + HIDDEN_BY_DETAIL * detail + HIDDEN_IN_LIGHT * cell->light;
  const float hidden = HIDDEN_IN_SLOPE + bent * more;
  return cell->luma / (hidden * hidden) + cell->chroma;
}

// Counts the errors of a row of cells, given those above and below it.
static void count_cells(Visible *v, const Cell *above, const Cell *here, const Cell *below) {
  const int planes = v->planes;
  Column left[PLANES], own[PLANES];
  for (int plane = 0; plane < planes; plane++) left[plane] = own[plane] = column_of(above + plane, here + plane, below + plane);
  for (int at = 0; at < v->across; at++) {
    const int next = (at + 1 < v->across ? at + 1 : at) * planes;
    float worst = 0;
    for (int plane = 0; plane < planes; plane++) {
      const Column right = column_of(above + next + plane, here + next + plane, below + next + plane);
      const Cell *cell = here + at * planes + plane;
      if (cell->luma > 0 || cell->chroma > 0) worst = fmaxf(worst, error_of(cell, left[plane], own[plane], right));
      left[plane] = own[plane], own[plane] = right;
    }
    count_error(v, sqrtf(worst));
  }
}

// A row of cells is whole: the one before it has all its neighbors.
static void step(Visible *v) {
  take_cells(v);
  v->rows = 0;
  const int last = v->lines - 1;
  if (last < 1) return;
  const int above = last > 1 ? last - 2 : 0;
  count_cells(v, v->line[above % LINES], v->line[(last - 1) % LINES], v->line[last % LINES]);
}

// Takes a row into those that wait, its last pixel repeated to whole cells.
static void wait_row(const Visible *v, uint8_t *to, const uint8_t *row) {
  to += (size_t)v->across * CELL * 4 * v->rows;
  memcpy(to, row, (size_t)v->width * 4);
  for (int at = v->width; at < v->across * CELL; at++) memcpy(to + at * 4, row + (v->width - 1) * 4, 4);
}

// Takes the next rows of both pictures: RGBA8, straight alpha, sRGB.
void EXPORT(visible_push)(Visible *v, const uint8_t *first, const uint8_t *second, int rows) {
  const size_t stride = (size_t)v->width * 4;
  for (int row = 0; row < rows; row++) {
    wait_row(v, v->first, first + row * stride);
    wait_row(v, v->second, second + row * stride);
    if (++v->rows == CELL) step(v);
  }
}

// The mean error of so many cells that have most of it.
static double worst_of(const Visible *v, double cells) {
  double sum = 0, left = cells;
  for (int bin = BINS - 1; bin >= 0 && left > 0; bin--) {
    if (v->count[bin] == 0) continue;
    const double taken = v->count[bin] < left ? v->count[bin] : left;
    sum += v->sum[bin] / v->count[bin] * taken;
    left -= taken;
  }
  return sum / cells;
}

// The mean error of the worst cells once all rows are in: 0 for identical pictures, 1 is hardly to be seen. Ends it.
double EXPORT(visible_result)(Visible *v) {
  const size_t stride = (size_t)v->across * CELL * 4;
  while (v->rows > 0) {
    memcpy(v->first + stride * v->rows, v->first + stride * (v->rows - 1), stride);
    memcpy(v->second + stride * v->rows, v->second + stride * (v->rows - 1), stride);
    if (++v->rows == CELL) step(v);
  }
  const int last = v->lines - 1;
  if (last < 0) return 0;
  const int above = last > 0 ? last - 1 : 0;
  count_cells(v, v->line[above % LINES], v->line[last % LINES], v->line[last % LINES]);
  const double part = floor(v->cells * WORST_PART + 0.5);
  return fmax(worst_of(v, fmax(1, part)), worst_of(v, WORST_CELLS) / WORST_TO_PART);
}
