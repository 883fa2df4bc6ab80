// Pixels into jpegli's rows of floats, in place of its input.cc: of what it can take, the two kinds that this module gives.
#include <wasm_simd128.h>

#include "lib/jpegli/input.h"

#include "lib/jpegli/encode_internal.h"
#include "lib/jpegli/error.h"

namespace jpegli {
namespace {

constexpr size_t kStep = 4;

void ReadSamples(const uint8_t* in, size_t length, float* out[kMaxComponents]) {
  size_t x = 0;
  for (; x + kStep <= length; x += kStep) {
    const v128_t samples = wasm_u32x4_extend_low_u16x8(wasm_u16x8_extend_low_u8x16(wasm_v128_load32_zero(in + x)));
    wasm_v128_store(out[0] + x, wasm_f32x4_convert_i32x4(samples));
  }
  for (; x < length; x++) out[0][x] = in[x];
}

// Nobody reads a row of alpha.
void ReadRgba(const uint8_t* in, size_t length, float* out[kMaxComponents]) {
  const v128_t byte = wasm_i32x4_const_splat(0xFF);
  size_t x = 0;
  for (; x + kStep <= length; x += kStep) {
    const v128_t pixels = wasm_v128_load(in + 4 * x);
    wasm_v128_store(out[0] + x, wasm_f32x4_convert_i32x4(wasm_v128_and(pixels, byte)));
    wasm_v128_store(out[1] + x, wasm_f32x4_convert_i32x4(wasm_v128_and(wasm_u32x4_shr(pixels, 8), byte)));
    wasm_v128_store(out[2] + x, wasm_f32x4_convert_i32x4(wasm_v128_and(wasm_u32x4_shr(pixels, 16), byte)));
  }
  for (; x < length; x++)
    for (size_t c = 0; c < 3; c++) out[c][x] = in[4 * x + c];
}

}  // namespace

void ChooseInputMethod(j_compress_ptr cinfo) {
  const bool planes = cinfo->raw_data_in || cinfo->input_components == 1;
  if (!planes && cinfo->input_components != 4) JPEGLI_ERROR("Pixels of %d components", cinfo->input_components);
  cinfo->master->input_method = planes ? ReadSamples : ReadRgba;
}

}  // namespace jpegli
