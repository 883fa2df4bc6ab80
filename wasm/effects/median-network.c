// Sorting networks on four pixels at a time: an exchange is a minimum and a maximum of vectors.
#include "median.h"

static inline void sort(v128_t *a, v128_t *b) {
  const v128_t less = wasm_u8x16_min(*a, *b);
  *b = wasm_u8x16_max(*a, *b), *a = less;
}

static inline v128_t middle(v128_t a, v128_t b, v128_t c) {
  sort(&a, &b);
  return wasm_u8x16_max(a, wasm_u8x16_min(b, c));
}

// Each column sorted; then the median is that of the greatest of the least, the middle of the middle, and the least of
// the greatest (Smith 1996, "Implementing median filters in XC4000E FPGAs").
void median_of_nine(const uint8_t *const *rows, int width, uint8_t *result) {
  for (int x = 0; x < width; x += 4) {
    v128_t low[3], mid[3], high[3];
    for (int k = 0; k < 3; k++) {
      const ptrdiff_t at = ((ptrdiff_t)x + k - 1) * 4;
      low[k] = wasm_v128_load(rows[0] + at), mid[k] = wasm_v128_load(rows[1] + at), high[k] = wasm_v128_load(rows[2] + at);
      sort(&low[k], &mid[k]), sort(&mid[k], &high[k]), sort(&low[k], &mid[k]);
    }
    const v128_t least = wasm_u8x16_max(low[0], wasm_u8x16_max(low[1], low[2]));
    const v128_t most = wasm_u8x16_min(high[0], wasm_u8x16_min(high[1], high[2]));
    store_pixels(result + (size_t)x * 4, middle(least, middle(mid[0], mid[1], mid[2]), most), width - x);
  }
}

// Knuth 1998, "The Art of Computer Programming" 3, 5.3.4: nine exchanges.
static inline void sort_five(v128_t *v) {
  sort(v, v + 1), sort(v + 3, v + 4), sort(v + 2, v + 4), sort(v + 2, v + 3), sort(v, v + 3);
  sort(v, v + 2), sort(v + 1, v + 4), sort(v + 1, v + 3), sort(v + 1, v + 2);
}

// Moves the least of `count` to the front and the greatest to the end.
static inline __attribute__((always_inline)) void part_extremes(v128_t *v, int count) {
  for (int i = 0; i < count / 2; i++) sort(v + i, v + count - 1 - i);
  for (int i = 1; i < (count + 1) / 2; i++) sort(v, v + i);
  for (int i = count / 2; i < count - 1; i++) sort(v + i, v + count - 1);
}

// The least and the greatest of eight cannot be the median of thirteen; nor those of the other six and one more...
static inline v128_t median_of_thirteen(v128_t *v, const v128_t *rest) {
  part_extremes(v, 8), v[0] = rest[0];
  part_extremes(v, 7), v[0] = rest[1];
  part_extremes(v, 6), v[0] = rest[2];
  part_extremes(v, 5), v[0] = rest[3];
  part_extremes(v, 4), v[0] = rest[4];
  part_extremes(v, 3);
  return v[1];
}

// The columns of four pixels, each sorted.
typedef struct { v128_t rank[5]; } Columns;

static inline Columns sorted_columns(const uint8_t *const *rows, ptrdiff_t x) {
  Columns columns;
  for (int k = 0; k < 5; k++) columns.rank[k] = wasm_v128_load(rows[k] + x * 4);
  sort_five(columns.rank);
  return columns;
}

// Columns sorted, then what has the same rank in five neighboring columns: of a box sorted both ways, the element of
// row r and column c, from 1, is not below r c of them and not above (6 - r)(6 - c). Where one of these is more than 13
// it is not the median, and there are as many of them above as below, so that it is the median of the other thirteen.
void median_of_twenty_five(const uint8_t *const *rows, int width, uint8_t *result) {
  Columns before = sorted_columns(rows, -4), here = sorted_columns(rows, 0);
  for (int x = 0; x < width; x += 4) {
    const Columns after = sorted_columns(rows, x + 4);
    v128_t box[5][5];
    for (int k = 0; k < 5; k++) {
      const v128_t a = before.rank[k], b = here.rank[k], c = after.rank[k];
      box[k][0] = wasm_i32x4_shuffle(a, b, 2, 3, 4, 5), box[k][1] = wasm_i32x4_shuffle(a, b, 3, 4, 5, 6);
      box[k][2] = b;
      box[k][3] = wasm_i32x4_shuffle(b, c, 1, 2, 3, 4), box[k][4] = wasm_i32x4_shuffle(b, c, 2, 3, 4, 5);
      sort_five(box[k]);
    }
    v128_t some[8] = {box[0][3], box[0][4], box[1][2], box[1][3], box[1][4], box[2][1], box[2][2], box[2][3]};
    const v128_t rest[5] = {box[3][0], box[3][1], box[3][2], box[4][0], box[4][1]};
    store_pixels(result + (size_t)x * 4, median_of_thirteen(some, rest), width - x);
    before = here, here = after;
  }
}
