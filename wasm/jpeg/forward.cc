#include "forward.h"

#include <cmath>
#define HWY_COMPILE_ONLY_STATIC
#include <hwy/highway.h>

#include "lib/jpegli/encode_internal.h"

#include "lib/jpegli/dct-inl.h"
#include "packed.h"
#include "undivided.h"
#include "../simd.h"

// jpegli's transform yields an eighth of the coefficients of T.81.
void transform_block(const uint8_t *samples, size_t stride, int16_t block[64]) {
  constexpr float kScale = 8.0f * UNDIVIDED_SCALE, kCenter = 128.0f;
  alignas(16) float pixels[DCTSIZE2], coefficients[DCTSIZE2], scratch[DCTSIZE2];
  alignas(16) int32_t rounded[DCTSIZE2];
  for (int y = 0; y < DCTSIZE; y++, samples += stride) {
    const v128_t row = wasm_u16x8_extend_low_u8x16(wasm_v128_load64_zero(samples));
    wasm_v128_store(pixels + 8 * y, wasm_f32x4_convert_i32x4(wasm_u32x4_extend_low_u16x8(row)));
    wasm_v128_store(pixels + 8 * y + 4, wasm_f32x4_convert_i32x4(wasm_u32x4_extend_high_u16x8(row)));
  }
  jpegli::HWY_NAMESPACE::TransformFromPixels(pixels, DCTSIZE, coefficients, scratch);
  for (int k = 0; k < DCTSIZE2; k += 4) {
    const v128_t scaled = wasm_f32x4_mul(wasm_v128_load(coefficients + k), wasm_f32x4_splat(kScale));
    wasm_v128_store(rounded + k, wasm_i32x4_trunc_sat_f32x4(wasm_f32x4_nearest(scaled)));
  }
  rounded[0] = std::round((coefficients[0] - kCenter) * kScale);
  for (int k = 0; k < DCTSIZE2; k++) block[k] = rounded[natural_position[k]];
}
