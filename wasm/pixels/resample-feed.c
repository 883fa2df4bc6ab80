// From source rows to the ring of row pairs.
#include "resample.h"

// 64 / 255 of sixteen bits: (t + t / 256) / 4, exact for t = 255 a and within 0.6 elsewhere.
static inline v128_t scale_product(v128_t t) {
  return wasm_u16x8_shr(wasm_i16x8_add(wasm_i16x8_add(t, wasm_u16x8_shr(t, 8)), wasm_i16x8_const_splat(2)), 2);
}

typedef struct { v128_t low, high; } Samples16;

// Four RGBA pixels as fixed point, color times alpha: c * a * 64 / 255; the alpha byte itself gives a * 64.
static inline Samples16 premultiply(const uint8_t *source) {
  const v128_t bytes = wasm_v128_load(source);
  const v128_t alpha = permute(bytes, wasm_i8x16_const(3, 3, 3, 3, 7, 7, 7, 7, 11, 11, 11, 11, 15, 15, 15, 15));
  const v128_t color = wasm_v128_or(bytes, wasm_i32x4_const_splat((int)0xff000000));
  return (Samples16){scale_product(wasm_u16x8_extmul_low_u8x16(color, alpha)),
                     scale_product(wasm_u16x8_extmul_high_u8x16(color, alpha))};
}

void resample_prepare(const Resampler *r, const uint8_t *source, int16_t *row) {
  const int count = r->source_width;
  if (r->linear && r->mode != GRAY) {
    for (int x = 0; x < count; x++, source += 4, row += r->mode) {
      const int alpha = r->mode == ALPHA ? source[3] : 255;
      for (int c = 0; c < 3; c++) row[c] = (int16_t)((r->to_linear[source[c]] * alpha + 127) / 255);
      if (r->mode == ALPHA) row[3] = (int16_t)(alpha << FRACTION);
    }
  } else if (r->mode == GRAY) {
    for (int x = 0; x < count; x++) row[x] = (int16_t)(source[x] << FRACTION);
  } else {
    for (int x = 0; x < count; x += 4) {
      const Samples16 s = premultiply(source + 4 * x);
      wasm_v128_store(row + 4 * x, s.low);
      wasm_v128_store(row + 4 * x + 8, s.high);
    }
  }
}

static void interleave(const int16_t *even, const int16_t *odd, int16_t *pair, size_t samples) {
  for (size_t i = 0; i < samples; i += 8) {
    const v128_t e = wasm_v128_load(even + i), o = wasm_v128_load(odd + i);
    wasm_v128_store(pair + 2 * i, wasm_i16x8_shuffle(e, o, 0, 8, 1, 9, 2, 10, 3, 11));
    wasm_v128_store(pair + 2 * i + 8, wasm_i16x8_shuffle(e, o, 4, 12, 5, 13, 6, 14, 7, 15));
  }
}

// Two opaque RGBA rows to one pair of RGB rows, still bytes.
static void interleave_opaque(const uint8_t *even, const uint8_t *odd, uint8_t *pair, int width) {
  for (int x = 0; x < width; x += 4, even += 16, odd += 16, pair += 24) {
    const v128_t e = wasm_v128_load(even), o = wasm_v128_load(odd);
    const v128_t low = wasm_i8x16_shuffle(e, o, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
    const v128_t high = wasm_i8x16_shuffle(e, o, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
    const v128_t without_alpha = wasm_i8x16_const(0, 1, 2, 3, 4, 5, 8, 9, 10, 11, 12, 13, 0, 0, 0, 0);
    wasm_v128_store(pair, permute(low, without_alpha)); // the last four bytes are overwritten by what follows
    wasm_v128_store(pair + 12, permute(high, without_alpha));
  }
}

static void interleave_gray(const uint8_t *even, const uint8_t *odd, uint8_t *pair, int width) {
  for (int x = 0; x < width; x += 8) {
    const v128_t e = wasm_v128_load64_zero(even + x), o = wasm_v128_load64_zero(odd + x);
    wasm_v128_store(pair + 2 * x, wasm_i8x16_shuffle(e, o, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23));
  }
}

static void interleave_alpha(const uint8_t *even, const uint8_t *odd, int16_t *pair, int width) {
  for (int x = 0; x < width; x += 4, even += 16, odd += 16, pair += 32) {
    const Samples16 e = premultiply(even), o = premultiply(odd);
    wasm_v128_store(pair, wasm_i16x8_shuffle(e.low, o.low, 0, 8, 1, 9, 2, 10, 3, 11));
    wasm_v128_store(pair + 8, wasm_i16x8_shuffle(e.low, o.low, 4, 12, 5, 13, 6, 14, 7, 15));
    wasm_v128_store(pair + 16, wasm_i16x8_shuffle(e.high, o.high, 0, 8, 1, 9, 2, 10, 3, 11));
    wasm_v128_store(pair + 24, wasm_i16x8_shuffle(e.high, o.high, 4, 12, 5, 13, 6, 14, 7, 15));
  }
}

uint8_t *resample_pair(const Resampler *r, int row) {
  return r->ring + (size_t)(row / 2 % r->pairs) * 2 * r->samples * (r->narrow ? 1 : sizeof(int16_t));
}

void resample_append(Resampler *r, int16_t *row) {
  const int last = r->prepared == r->height - 1;
  int16_t *pair = (int16_t *)resample_pair(r, r->prepared);
  if (r->prepared % 2) interleave(r->even, row, pair, r->samples);
  else if (last) interleave(row, row, pair, r->samples);
  else if (row != r->even) memcpy(r->even, row, r->samples * sizeof(int16_t));
  r->prepared++;
}

// Two source rows to the ring without a detour.
static void append_pair(Resampler *r, const uint8_t *even, const uint8_t *odd) {
  uint8_t *pair = resample_pair(r, r->prepared);
  if (r->mode == GRAY) interleave_gray(even, odd, pair, r->source_width);
  else if (r->mode == OPAQUE) interleave_opaque(even, odd, pair, r->source_width);
  else interleave_alpha(even, odd, (int16_t *)pair, r->source_width);
}

// Source rows to the ring, two at a time where they come so.
void resample_add_rows(Resampler *r, const uint8_t *source, int count) {
  const size_t stride = (size_t)r->source_width * (r->mode == GRAY ? 1 : 4);
  uint8_t *kept = (uint8_t *)r->even;
  while (count > 0) {
    int taken = 1;
    if (r->prepared % 2) {
      append_pair(r, kept, source);
    } else if (count >= 2) {
      append_pair(r, source, source + stride);
      taken = 2;
    } else {
      memcpy(kept, source, stride);
      if (r->prepared == r->height - 1) append_pair(r, kept, kept);
    }
    r->prepared += taken, r->rows_in += taken, count -= taken, source += taken * stride;
  }
}

void resample_add_linear_row(Resampler *r, const uint8_t *source) {
  int16_t *row = r->prepared % 2 ? r->odd : r->even;
  resample_prepare(r, source, row);
  resample_append(r, row);
  r->rows_in++;
}
