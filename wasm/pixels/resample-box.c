// The box: blocks of samples averaged, before a strong reduction is filtered. Sums and averages are those of plain integers.
#include "resample.h"

// Sums of the channels of `count` pixels of RGBA, at most 256 of them: half as many fit in sixteen bits.
static inline v128_t sum_bytes(const uint8_t *pixel, int count) {
  v128_t sum = wasm_i16x8_const_splat(0);
  for (; count >= 2; count -= 2, pixel += 8) sum = wasm_i16x8_add(sum, wasm_u16x8_load8x8(pixel));
  if (count) sum = wasm_i16x8_add(sum, wasm_u16x8_extend_low_u8x16(wasm_v128_load32_zero(pixel)));
  return wasm_i32x4_add(wasm_u32x4_extend_low_u16x8(sum), wasm_u32x4_extend_high_u16x8(sum));
}

// Sums of the channels of `count` pixels in fixed point. Of three channels the fourth sum means nothing.
static inline v128_t sum_samples(const int16_t *sample, int count, int channels) {
  v128_t sum = wasm_i32x4_const_splat(0);
  for (; count > 0; count--, sample += channels) sum = wasm_i32x4_add(sum, wasm_u32x4_load16x4(sample));
  return sum;
}

static inline void add_to(uint32_t *sums, v128_t more) {
  wasm_v128_store(sums, wasm_i32x4_add(wasm_v128_load(sums), more));
}

static void add_opaque(Resampler *r, const uint8_t *source) {
  uint32_t *sums = r->sums;
  for (int x = 0; x < r->source_width; x += r->box_x, sums += LANES_OF_PIXEL) {
    const int count = MIN(r->box_x, r->source_width - x);
    add_to(sums, wasm_i32x4_shl(sum_bytes(source + 4 * x, count), FRACTION));
  }
}

static void add_fixed(Resampler *r, const int16_t *row, int channels) {
  uint32_t *sums = r->sums;
  for (int x = 0; x < r->source_width; x += r->box_x, sums += LANES_OF_PIXEL)
    add_to(sums, sum_samples(row + channels * x, MIN(r->box_x, r->source_width - x), channels));
}

static void add_gray(Resampler *r, const uint8_t *source) {
  uint32_t *sums = r->sums;
  for (int x = 0; x < r->source_width;) {
    const int end = MIN(x + r->box_x, r->source_width);
    uint32_t sum = 0;
    for (; x < end; x++) sum += source[x];
    *sums++ += sum << FRACTION;
  }
}

// Division of what is below 2^30 by up to 2^16, as a multiplication (T. Granlund, P. Montgomery, "Division by invariant
// integers using multiplication", 1994): the factor is 2^shift / divisor, too large by less than 2^-30 of it.
typedef struct {
  v128_t half, factor;
  uint32_t shift;
} Divider;

static Divider divider_of(uint32_t divisor) {
  const uint32_t shift = 30 + (divisor > 1 ? 32 - (uint32_t)__builtin_clz(divisor - 1) : 0);
  const uint32_t factor = (uint32_t)(((uint64_t)1 << shift) / divisor) + 1;
  return (Divider){wasm_u32x4_splat(divisor / 2), wasm_u32x4_splat(factor), shift};
}

// Rounded to nearest.
static inline v128_t divide(v128_t sums, const Divider *by) {
  const v128_t value = wasm_i32x4_add(sums, by->half);
  const v128_t low = wasm_u64x2_shr(wasm_u64x2_extmul_low_u32x4(value, by->factor), by->shift);
  const v128_t high = wasm_u64x2_shr(wasm_u64x2_extmul_high_u32x4(value, by->factor), by->shift);
  return wasm_i32x4_shuffle(low, high, 0, 2, 4, 6);
}

// The averages of the open box row. The last column may be narrower; it is written last, for of three channels each
// pixel writes one sample into the next.
static void average(const Resampler *r, int16_t *row) {
  const int lanes = r->mode == GRAY ? 1 : LANES_OF_PIXEL, step = r->mode == OPAQUE ? 3 : 4, last = r->width - 1;
  const Divider area = divider_of((uint32_t)(r->box_rows * r->box_x));
  int16_t *to = row;
  for (int i = 0; i < last * lanes; i += 4, to += step) {
    const v128_t levels = divide(wasm_v128_load(r->sums + i), &area);
    wasm_v128_store64_lane(to, wasm_i16x8_narrow_i32x4(levels, levels), 0);
  }
  const uint32_t rest = (uint32_t)(r->box_rows * (r->source_width - last * r->box_x));
  for (int c = 0; c < (int)r->mode; c++)
    row[last * r->mode + c] = (int16_t)((r->sums[last * lanes + c] + rest / 2) / rest);
}

void resample_add_to_box(Resampler *r, const uint8_t *source) {
  if (r->mode == GRAY) {
    add_gray(r, source);
  } else if (r->mode == OPAQUE && !r->linear) {
    add_opaque(r, source);
  } else {
    resample_prepare(r, source, r->row);
    if (r->mode == OPAQUE) add_fixed(r, r->row, 3);
    else add_fixed(r, r->row, 4);
  }
  r->box_rows++;
  if (r->box_rows < r->box_y && r->rows_in + 1 < r->source_height) return;
  average(r, r->odd);
  memset(r->sums, 0, (size_t)r->width * (r->mode == GRAY ? 1 : LANES_OF_PIXEL) * sizeof(uint32_t));
  r->box_rows = 0;
  resample_append(r, r->odd);
}
