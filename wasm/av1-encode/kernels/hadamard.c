// The Hadamard transform of 8 x 8 differences of samples of 10 bits, in place of libaom's function, which takes them one by one.
// Rows and columns of coefficients are exchanged: what is asked of them is the sum of their sizes.
#include "config/aom_dsp_rtcd.h"
#include "../../simd.h"

enum { SIDE = 8 };
// Where libaom puts sums and differences of a column.
static const int PLACES[SIDE] = {0, 7, 3, 4, 2, 6, 1, 5};

#define COLUMNS(add, subtract)                                                                                         \
  v128_t b[SIDE], c[SIDE];                                                                                             \
  for (int i = 0; i < SIDE; i += 2) {                                                                                  \
    b[i] = add(in[i], in[i + 1]);                                                                                      \
    b[i + 1] = subtract(in[i], in[i + 1]);                                                                             \
  }                                                                                                                    \
  for (int i = 0; i < SIDE; i += 4) {                                                                                  \
    for (int j = i; j < i + 2; j++) {                                                                                  \
      c[j] = add(b[j], b[j + 2]);                                                                                      \
      c[j + 2] = subtract(b[j], b[j + 2]);                                                                             \
    }                                                                                                                  \
  }                                                                                                                    \
  for (int i = 0; i < SIDE / 2; i++) {                                                                                 \
    out[PLACES[i]] = add(c[i], c[i + 4]);                                                                              \
    out[PLACES[i + 4]] = subtract(c[i], c[i + 4]);                                                                     \
  }

INLINE_KERNEL void columns_16(const v128_t *in, v128_t *out) { COLUMNS(wasm_i16x8_add, wasm_i16x8_sub) }
INLINE_KERNEL void columns_32(const v128_t *in, v128_t *out) { COLUMNS(wasm_i32x4_add, wasm_i32x4_sub) }

INLINE_KERNEL void transpose(v128_t *rows) {
  v128_t a[SIDE], b[SIDE];
  for (int i = 0; i < SIDE; i += 2) {
    a[i] = low16(rows[i], rows[i + 1]);
    a[i + 1] = high16(rows[i], rows[i + 1]);
  }
  for (int i = 0; i < SIDE; i += 4) {
    b[i] = low32(a[i], a[i + 2]);
    b[i + 1] = high32(a[i], a[i + 2]);
    b[i + 2] = low32(a[i + 1], a[i + 3]);
    b[i + 3] = high32(a[i + 1], a[i + 3]);
  }
  for (int i = 0; i < SIDE / 2; i++) {
    rows[2 * i] = low64(b[i], b[i + 4]);
    rows[2 * i + 1] = high64(b[i], b[i + 4]);
  }
}

void aom_highbd_hadamard_8x8_c(const int16_t *differences, ptrdiff_t stride, tran_low_t *coefficients) {
  v128_t rows[SIDE], halves[SIDE], wide[SIDE];
  for (int i = 0; i < SIDE; i++) rows[i] = wasm_v128_load(differences + i * stride);
  columns_16(rows, halves);
  transpose(halves);
  // The second sums need more than 16 bits.
  for (int half = 0; half < 2; half++) {
    for (int i = 0; i < SIDE; i++) wide[i] = half ? wasm_i32x4_extend_high_i16x8(halves[i]) : wasm_i32x4_extend_low_i16x8(halves[i]);
    columns_32(wide, rows);
    for (int i = 0; i < SIDE; i++) wasm_v128_store(coefficients + i * SIDE + half * 4, rows[i]);
  }
}
