// What kvazaar takes from Intel's headers, by SIMDe, and the few bit instructions that SIMDe leaves out.
#ifndef AVX_H
#define AVX_H
#include <stdint.h>

#include "simde/x86/avx2.h"
#include "simde/x86/sse4.2.h"

#define _andn_u32(first, second) (~(uint32_t)(first) & (uint32_t)(second))
#define _bzhi_u32(value, bits) ((bits) > 31 ? (uint32_t)(value) : (uint32_t)(value) & (((uint32_t)1 << (bits)) - 1))
#define _lzcnt_u32(value) ((value) ? (uint32_t)__builtin_clz(value) : 32u)
#define _mm_popcnt_u32(value) ((uint32_t)__builtin_popcount(value))
#define _tzcnt_u32(value) ((value) ? (uint32_t)__builtin_ctz(value) : 32u)

#endif
