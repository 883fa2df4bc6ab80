// The nearest color of a palette. By the triangle inequality no color can be nearer to a point than a known one that
// is twice as far from the known one as the point is (Elkan, "Using the triangle inequality to accelerate k-means",
// 2003).
#include "quantize.h"

// Places that no color is near to.
#define NOWHERE 1e9f

void palette_group(Palette *p) {
  const float alpha = wasm_f32x4_extract_lane(p->color[0], 3);
  p->axes = 3;
  for (int k = 0; k < FEW_COLORS; k++) {
    const Color color = k < p->count ? p->color[k] : wasm_f32x4_const_splat(NOWHERE);
    if (k < p->count && wasm_f32x4_extract_lane(color, 3) != alpha) p->axes = 4;
    for (int axis = 0; axis < 4; axis++) {
      const v128_t at = wasm_i8x16_swizzle(color, wasm_i32x4_splat(0x03020100 + 0x04040404 * axis));
      const v128_t lane = wasm_i32x4_eq(wasm_i32x4_const(0, 1, 2, 3), wasm_i32x4_splat(k % 4));
      p->few[k / 4][axis] = wasm_v128_bitselect(at, p->few[k / 4][axis], lane);
    }
  }
}

// Sorts every color's neighbors by distance (D. Shell, "A high-speed sorting procedure", 1959); in a single pass where
// they are sorted nearly already.
void palette_index(Palette *p) {
  static const int gaps[] = {57, 23, 10, 4, 1};
  for (int i = 0; i < p->count; i++) {
    float *const apart = p->apart[i];
    uint8_t *const order = p->order[i];
    for (int k = 0; k < p->count; k++) {
      if (!p->sorted) order[k] = (uint8_t)k;
      apart[k] = order[k] == i ? -1 : distance(p->color[i], p->color[order[k]]);
    }
    for (int step = p->sorted ? 4 : 0; step < 5; step++) {
      const int gap = gaps[step];
      for (int k = gap; k < p->count; k++) {
        const float d = apart[k];
        const uint8_t other = order[k];
        int at = k;
        for (; at >= gap && apart[at - gap] > d; at -= gap)
          apart[at] = apart[at - gap], order[at] = order[at - gap];
        apart[at] = d;
        order[at] = other;
      }
    }
  }
  p->sorted = 1;
}

// Bits of a squared distance that give way to the index of the color: among positive numbers the least is then found as an
// integer, and with it the color. What is lost is a hundred thousandth of the distance.
#define INDEX_BITS 63
_Static_assert(FEW_COLORS <= INDEX_BITS + 1, "an index has room beside a distance");

static inline v128_t axis_of(Color color, int axis) {
  switch (axis) {
    case 0: return wasm_i32x4_shuffle(color, color, 0, 0, 0, 0);
    case 1: return wasm_i32x4_shuffle(color, color, 1, 1, 1, 1);
    case 2: return wasm_i32x4_shuffle(color, color, 2, 2, 2, 2);
    default: return wasm_i32x4_shuffle(color, color, 3, 3, 3, 3);
  }
}

static inline v128_t squared_along(v128_t place, v128_t of_four) {
  const v128_t apart = wasm_f32x4_sub(place, of_four);
  return wasm_f32x4_mul(apart, apart);
}

// Four colors at a time.
static inline int nearest_along(const Palette *p, Color color, int axes) {
  const v128_t x = axis_of(color, 0), y = axis_of(color, 1), z = axis_of(color, 2), w = axis_of(color, 3);
  v128_t best = wasm_i32x4_const_splat(INT32_MAX), at = wasm_i32x4_const(0, 1, 2, 3);
  for (int k = 0; k * 4 < p->count; k++, at = wasm_i32x4_add(at, wasm_i32x4_const_splat(4))) {
    const v128_t *const few = p->few[k];
    v128_t sum = wasm_f32x4_add(squared_along(x, few[0]), squared_along(y, few[1]));
    const v128_t rest = squared_along(z, few[2]);
    sum = wasm_f32x4_add(sum, axes == 4 ? wasm_f32x4_add(rest, squared_along(w, few[3])) : rest);
    best = wasm_i32x4_min(best, wasm_v128_or(wasm_v128_andnot(sum, wasm_i32x4_const_splat(INDEX_BITS)), at));
  }
  best = wasm_i32x4_min(best, wasm_i32x4_shuffle(best, best, 2, 3, 0, 1));
  best = wasm_i32x4_min(best, wasm_i32x4_shuffle(best, best, 1, 0, 3, 2));
  return wasm_i32x4_extract_lane(best, 0) & INDEX_BITS;
}

int palette_nearest_of_few(const Palette *p, Color color) {
  // Where all have the same alpha, none is nearer by it.
  return p->axes == 3 ? nearest_along(p, color, 3) : nearest_along(p, color, 4);
}

int palette_nearest(const Palette *p, Color color, int guess, float *squared) {
  float best = distance(color, p->color[guess]);
  int from = guess, found = guess;
  for (;;) {
    const float limit = best * 4;
    const float *const apart = p->apart[from];
    const uint8_t *const order = p->order[from];
    for (int k = 1; k < p->count && apart[k] < limit; k++) {
      const float d = distance(color, p->color[order[k]]);
      if (d >= best) continue;
      best = d;
      found = order[k];
      // much nearer: its own neighbors are a shorter list
      if (d * 16 < limit) break;
    }
    if (found == from || best * 16 >= limit) break;
    from = found;
  }
  *squared = best;
  return found;
}
