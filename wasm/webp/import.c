// libwebp imports a picture as a whole, which needs all of it as RGBA beside the planes. Its averaging of chroma in
// linear light is private, so this file is compiled in place of picture_csp_enc.c and contains it.
#include "src/enc/picture_csp_enc.c"

#include "import.h"
#ifdef __wasm_simd128__
#include <wasm_simd128.h>
#endif

void import_init(void) {
  WebPInitConvertARGBToYUV();
  WebPInitAlphaProcessing();
  VP8LDspInit();
  InitGammaTables();
}

static void luma_row(const uint8_t *rgba, uint8_t *luma, int width) {
  int x = 0;
#ifdef __wasm_simd128__
  // 16839 r + 33059 g + 6420 b, with the weight of g split in two because it does not fit 16 bits.
  const v128_t red_green = wasm_i16x8_make(16839, 16675, 0, 0, 16839, 16675, 0, 0);
  const v128_t green_blue = wasm_i16x8_make(0, 16384, 6420, 0, 0, 16384, 6420, 0);
  const v128_t rounding = wasm_i32x4_splat(YUV_HALF + (16 << YUV_FIX));
  for (; x + 4 <= width; x += 4) {
    const v128_t pixels = wasm_v128_load(rgba + 4 * x);
    const v128_t low = wasm_u16x8_extend_low_u8x16(pixels);
    const v128_t high = wasm_u16x8_extend_high_u8x16(pixels);
    const v128_t a = wasm_i32x4_add(wasm_i32x4_dot_i16x8(low, red_green), wasm_i32x4_dot_i16x8(low, green_blue));
    const v128_t b = wasm_i32x4_add(wasm_i32x4_dot_i16x8(high, red_green), wasm_i32x4_dot_i16x8(high, green_blue));
    const v128_t even = wasm_i32x4_shuffle(a, b, 0, 2, 4, 6);
    const v128_t odd = wasm_i32x4_shuffle(a, b, 1, 3, 5, 7);
    const v128_t sum = wasm_i32x4_shr(wasm_i32x4_add(wasm_i32x4_add(even, odd), rounding), YUV_FIX);
    const v128_t bytes = wasm_u8x16_narrow_i16x8(wasm_i16x8_narrow_i32x4(sum, sum), sum);
    wasm_v128_store32_lane(luma + x, bytes, 0);
  }
#endif
  for (; x < width; ++x) luma[x] = VP8RGBToY(rgba[4 * x], rgba[4 * x + 1], rgba[4 * x + 2], YUV_HALF);
}

// Two rows, or one at the bottom of a picture of odd height: `stride` is 0 then, which counts the row twice.
static int import_pair(WebPPicture *picture, const uint8_t *rgba, int y, int stride, uint16_t *scratch) {
  const int width = picture->width;
  const int uv_width = (width + 1) >> 1;
  const int rows = stride == 0 ? 1 : 2;
  int translucent = 0;
  luma_row(rgba, picture->y + (ptrdiff_t)y * picture->y_stride, width);
  if (rows == 2) luma_row(rgba + stride, picture->y + (ptrdiff_t)(y + 1) * picture->y_stride, width);
  if (picture->a != NULL) {
    translucent = !WebPExtractAlpha(rgba + 3, stride, width, rows, picture->a + (ptrdiff_t)y * picture->a_stride,
                                    picture->a_stride);
  }
  if (translucent) {
    AccumulateRGBA(rgba, rgba + 1, rgba + 2, rgba + 3, stride, scratch, width);
  } else {
    AccumulateRGB(rgba, rgba + 1, rgba + 2, 4, stride, scratch, width);
  }
  WebPConvertRGBA32ToUV(scratch, picture->u + (ptrdiff_t)(y >> 1) * picture->uv_stride,
                        picture->v + (ptrdiff_t)(y >> 1) * picture->uv_stride, uv_width);
  return translucent;
}

int import_rows(WebPPicture *picture, const uint8_t *rgba, int y, int rows, uint16_t *scratch) {
  const int stride = 4 * picture->width;
  int translucent = 0;
  int i;
  if (picture->use_argb) {
    for (i = 0; i < rows; ++i, rgba += stride) {
      uint32_t *const to = picture->argb + (ptrdiff_t)(y + i) * picture->argb_stride;
      VP8LConvertBGRAToRGBA((const uint32_t *)rgba, picture->width, (uint8_t *)to);
      translucent |= WebPHasAlpha32b(rgba + 3, picture->width);
    }
    return translucent;
  }
  for (i = 0; i < rows; i += 2, rgba += 2 * stride) {
    translucent |= import_pair(picture, rgba, y + i, i + 1 < rows ? stride : 0, scratch);
  }
  return translucent;
}
