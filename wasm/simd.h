// Shorthand for the shuffles of wasm_simd128 that the kernels use.
#pragma once
#include <wasm_simd128.h>

#define INLINE_KERNEL static inline __attribute__((always_inline))

// Interleave the low or the high halves of two vectors, by lanes of 8, 16, 32 or 64 bits.
#define low8(a, b) wasm_i8x16_shuffle(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23)
#define high8(a, b) wasm_i8x16_shuffle(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31)
#define low16(a, b) wasm_i16x8_shuffle(a, b, 0, 8, 1, 9, 2, 10, 3, 11)
#define high16(a, b) wasm_i16x8_shuffle(a, b, 4, 12, 5, 13, 6, 14, 7, 15)
#define low32(a, b) wasm_i32x4_shuffle(a, b, 0, 4, 1, 5)
#define high32(a, b) wasm_i32x4_shuffle(a, b, 2, 6, 3, 7)
#define low64(a, b) wasm_i64x2_shuffle(a, b, 0, 2)
#define high64(a, b) wasm_i64x2_shuffle(a, b, 1, 3)

// Products of 16-bit lane pairs with the constants (x, y), summed per pair to 32 bits.
#define dot_pairs(pairs, x, y) wasm_i32x4_dot_i16x8(pairs, wasm_i16x8_const(x, y, x, y, x, y, x, y))
