// Samples, and pixels in their colors for the file, into jpegli's rows of floats, in place of its input.cc.
#include <string.h>
#include <wasm_simd128.h>

#include "lib/jpegli/input.h"

#include "lib/jpegli/encode_internal.h"

namespace jpegli {
namespace {

constexpr size_t kStep = 4;

void ReadSamples(const uint8_t *in, size_t length, float *out[kMaxComponents]) {
  size_t x = 0;
  for (; x + kStep <= length; x += kStep) {
    const v128_t samples = wasm_u32x4_extend_low_u16x8(wasm_u16x8_extend_low_u8x16(wasm_v128_load32_zero(in + x)));
    wasm_v128_store(out[0] + x, wasm_f32x4_convert_i32x4(samples));
  }
  for (; x < length; x++) out[0][x] = in[x];
}

struct YCbCr {
  v128_t y, cb, cr;
};

// Four pixels to the full range of T.871 (JFIF), with the operations of jpegli's color_transform.cc in their order.
inline YCbCr Convert(v128_t pixels) {
  const v128_t byte = wasm_i32x4_const_splat(0xFF);
  const v128_t r = wasm_f32x4_convert_i32x4(wasm_v128_and(pixels, byte));
  const v128_t g = wasm_f32x4_convert_i32x4(wasm_v128_and(wasm_u32x4_shr(pixels, 8), byte));
  const v128_t b = wasm_f32x4_convert_i32x4(wasm_v128_and(wasm_u32x4_shr(pixels, 16), byte));
  constexpr float kRed = 0.299f, kGreen = 0.587f, kBlue = 0.114f, kAmplitudeB = 0.886f, kAmplitudeR = 0.701f;
  const auto times = [](v128_t v, float factor) { return wasm_f32x4_mul(v, wasm_f32x4_splat(factor)); };
  const v128_t y = wasm_f32x4_add(times(r, kRed), wasm_f32x4_add(times(g, kGreen), times(b, kBlue)));
  const v128_t b_minus_y = wasm_f32x4_sub(times(b, kAmplitudeB + kBlue), y);
  const v128_t r_minus_y = wasm_f32x4_sub(times(r, kAmplitudeR + kRed), y);
  const v128_t center = wasm_f32x4_const_splat(128);
  return {y, wasm_f32x4_add(times(b_minus_y, 1.0f / (kRed + (kGreen + kAmplitudeB))), center),
          wasm_f32x4_add(times(r_minus_y, 1.0f / (kAmplitudeR + (kGreen + kBlue))), center)};
}

// Rows of floats have room for whole vectors; of RGBA the last pixels may be the last there are.
template <bool kColor>
void ReadRgba(const uint8_t *in, size_t length, float *out[kMaxComponents]) {
  for (size_t x = 0; x < length; x += kStep) {
    uint32_t last[kStep] = {};
    const uint8_t *from = in + 4 * x;
    if (length - x < kStep) from = static_cast<uint8_t *>(memcpy(last, from, 4 * (length - x)));
    const YCbCr converted = Convert(wasm_v128_load(from));
    wasm_v128_store(out[0] + x, converted.y);
    if (!kColor) continue;
    wasm_v128_store(out[1] + x, converted.cb);
    wasm_v128_store(out[2] + x, converted.cr);
  }
}

}  // namespace

// Rows are RGBA, whatever they become; planes are what they are.
void ChooseInputMethod(j_compress_ptr cinfo) {
  const auto read_rgba = cinfo->input_components == 1 ? ReadRgba<false> : ReadRgba<true>;
  cinfo->master->input_method = cinfo->raw_data_in ? ReadSamples : read_rgba;
}

}  // namespace jpegli
