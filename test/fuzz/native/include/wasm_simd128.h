// Stands for the compiler's header of this name where a module is built for this machine: SIMDe, and the names that its
// release lacks.
#pragma once

// SIMDe includes this; functions of it have names that modules use for their own.
#define y0 bessel_y0
#define y1 bessel_y1
#include <math.h>
#undef y0
#undef y1

#define SIMDE_ENABLE_NATIVE_ALIASES
#include <simde/wasm/simd128.h>

#define wasm_i8x16_const simde_wasm_i8x16_make
#define wasm_i16x8_const simde_wasm_i16x8_make
#define wasm_i32x4_const simde_wasm_i32x4_make
#define wasm_f32x4_const simde_wasm_f32x4_make
#define wasm_i8x16_const_splat simde_wasm_i8x16_splat
#define wasm_i16x8_const_splat simde_wasm_i16x8_splat
#define wasm_i32x4_const_splat simde_wasm_i32x4_splat
#define wasm_u32x4_const_splat(value) simde_wasm_i32x4_splat((int32_t)(value))
#define wasm_f32x4_const_splat simde_wasm_f32x4_splat
#define wasm_i16x8_make simde_wasm_i16x8_make
#define wasm_u32x4_make(a, b, c, d) simde_wasm_i32x4_make((int32_t)(a), (int32_t)(b), (int32_t)(c), (int32_t)(d))
#define wasm_u32x4_splat(value) simde_wasm_i32x4_splat((int32_t)(value))
#define wasm_u32x4_extract_lane(v, lane) ((uint32_t)simde_wasm_i32x4_extract_lane(v, lane))

#define SHUFFLED(type, a, b, ...) ((v128_t)__builtin_shufflevector((type)(a), (type)(b), __VA_ARGS__))
typedef int8_t bytes_of_v128 __attribute__((vector_size(16)));
typedef int16_t halves_of_v128 __attribute__((vector_size(16)));
typedef int32_t words_of_v128 __attribute__((vector_size(16)));
typedef int64_t doubles_of_v128 __attribute__((vector_size(16)));
#define wasm_i8x16_shuffle(a, b, ...) SHUFFLED(bytes_of_v128, a, b, __VA_ARGS__)
#define wasm_i16x8_shuffle(a, b, ...) SHUFFLED(halves_of_v128, a, b, __VA_ARGS__)
#define wasm_i32x4_shuffle(a, b, ...) SHUFFLED(words_of_v128, a, b, __VA_ARGS__)
#define wasm_i64x2_shuffle(a, b, ...) SHUFFLED(doubles_of_v128, a, b, __VA_ARGS__)

#define wasm_i8x16_relaxed_swizzle simde_wasm_i8x16_swizzle
#define wasm_i16x8_relaxed_q15mulr simde_wasm_i16x8_q15mulr_sat
#define wasm_i32x4_relaxed_trunc_f32x4 simde_wasm_i32x4_trunc_sat_f32x4
#define wasm_f32x4_relaxed_madd(a, b, sum) simde_wasm_f32x4_add(simde_wasm_f32x4_mul(a, b), sum)
#define wasm_f32x4_relaxed_nmadd(a, b, sum) simde_wasm_f32x4_sub(sum, simde_wasm_f32x4_mul(a, b))
