// Shared by the pixel kernels: what every file needs of the language and of SIMD128.
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <wasm_simd128.h>

#include "../native.h"

static inline int clamp(int value, int low, int high) { return value < low ? low : value > high ? high : value; }

// Rearranges bytes: byte i of the result is byte order[i] of v; indices are below 16. The relaxed form, because V8
// compiles it to one instruction and keeps `order` in a register, where a shuffle builds its mask on every use.
static inline v128_t permute(v128_t v, v128_t order) { return wasm_i8x16_relaxed_swizzle(v, order); }

// v / 255 rounded to nearest, exact for 0 <= v <= 65025.
static inline int divide255(int v) { return (v + 128 + ((v + 128) >> 8)) >> 8; }

// The next multiple of a power of two.
static inline size_t round_up(size_t value, size_t multiple) { return (value + multiple - 1) & ~(multiple - 1); }
