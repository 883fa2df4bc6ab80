// The space in which colors are compared: Oklab (Björn Ottosson, "A perceptual color space for image processing", 2020),
// extended by alpha such that the squared distance of two colors is the sum of the squared distances of what they look
// like on black and on white. With L, a, b premultiplied by alpha, that sum is
//   x^2 + (x - d)^2 = 2 (x - d/2)^2 + d^2 / 2     for the difference x of L and d of alpha,
// so that L alpha - alpha/2, a alpha, b alpha (all times sqrt 2) and alpha / sqrt 2 are coordinates of a Euclidean space.
#include <math.h>

#include "quantize.h"

#define ROOT2 1.41421356f
// Differences of hue and chroma count for more than those of lightness of the same length.
#define CHROMA 1.25f

static float linear[256];
static float level_edge[256];  // the linear value from which a level is nearer than the one below

static float to_linear(float v) { return v <= 0.04045f ? v / 12.92f : powf((v + 0.055f) / 1.055f, 2.4f); }

void space_init(void) {
  if (linear[255] != 0) return;
  for (int i = 0; i < 256; i++) {
    linear[i] = to_linear((float)i / 255);
    level_edge[i] = to_linear(((float)i - 0.5f) / 255);
  }
}

// Cube roots by two steps of Newton's method from an estimate of the exponent.
static v128_t cube_root(v128_t x) {
  const v128_t safe = wasm_f32x4_max(x, wasm_f32x4_const_splat(1e-9f));
  const v128_t third = wasm_f32x4_mul(wasm_f32x4_convert_i32x4(safe), wasm_f32x4_const_splat(1.0f / 3));
  v128_t y = wasm_i32x4_add(wasm_i32x4_trunc_sat_f32x4(third), wasm_i32x4_const_splat(709921077));
  for (int i = 0; i < 3; i++) {
    const v128_t quotient = wasm_f32x4_div(safe, wasm_f32x4_mul(y, y));
    y = wasm_f32x4_mul(wasm_f32x4_add(wasm_f32x4_add(y, y), quotient), wasm_f32x4_const_splat(1.0f / 3));
  }
  return y;
}

static inline v128_t mix(v128_t a, v128_t b, v128_t c, float x, float y, float z) {
  const v128_t ab = wasm_f32x4_add(wasm_f32x4_mul(a, wasm_f32x4_splat(x)), wasm_f32x4_mul(b, wasm_f32x4_splat(y)));
  return wasm_f32x4_add(ab, wasm_f32x4_mul(c, wasm_f32x4_splat(z)));
}

#define LANE(v, i) wasm_f32x4_extract_lane(v, i)

Color color_of(uint32_t pixel) {
  const float alpha = (float)(pixel >> 24) / 255;
  const v128_t lms = mix(wasm_f32x4_const(0.4122214708f, 0.2119034982f, 0.0883024619f, 0),
                         wasm_f32x4_const(0.5363325363f, 0.6806995451f, 0.2817188376f, 0),
                         wasm_f32x4_const(0.0514459929f, 0.1073969566f, 0.6299787005f, 0), linear[pixel & 255],
                         linear[pixel >> 8 & 255], linear[pixel >> 16 & 255]);
  const v128_t root = cube_root(lms);
  const v128_t lab = mix(wasm_f32x4_const(0.2104542553f, 1.9779984951f * CHROMA, 0.0259040371f * CHROMA, 0),
                         wasm_f32x4_const(0.7936177850f, -2.4285922050f * CHROMA, 0.7827717662f * CHROMA, 0),
                         wasm_f32x4_const(-0.0040720468f, 0.4505937099f * CHROMA, -0.8086757660f * CHROMA, 0),
                         LANE(root, 0), LANE(root, 1), LANE(root, 2));
  const v128_t moved = wasm_f32x4_add(lab, wasm_f32x4_const(-0.5f, 0, 0, 0.5f));
  return wasm_f32x4_mul(moved, wasm_f32x4_splat(ROOT2 * alpha));
}

// The same of four pixels, rounded alike: a lane for each instead of one for each coordinate.
void colors_of(const uint32_t pixel[4], Color to[4]) {
  v128_t light[3], cone[3], lab[4];
  for (int c = 0; c < 3; c++)
    light[c] = wasm_f32x4_make(linear[pixel[0] >> 8 * c & 255], linear[pixel[1] >> 8 * c & 255],
                               linear[pixel[2] >> 8 * c & 255], linear[pixel[3] >> 8 * c & 255]);
  cone[0] = cube_root(mix(light[0], light[1], light[2], 0.4122214708f, 0.5363325363f, 0.0514459929f));
  cone[1] = cube_root(mix(light[0], light[1], light[2], 0.2119034982f, 0.6806995451f, 0.1073969566f));
  cone[2] = cube_root(mix(light[0], light[1], light[2], 0.0883024619f, 0.2817188376f, 0.6299787005f));
  lab[0] = mix(cone[0], cone[1], cone[2], 0.2104542553f, 0.7936177850f, -0.0040720468f);
  lab[1] = mix(cone[0], cone[1], cone[2], 1.9779984951f * CHROMA, -2.4285922050f * CHROMA, 0.4505937099f * CHROMA);
  lab[2] = mix(cone[0], cone[1], cone[2], 0.0259040371f * CHROMA, 0.7827717662f * CHROMA, -0.8086757660f * CHROMA);
  const v128_t levels = wasm_f32x4_convert_u32x4(wasm_u32x4_shr(wasm_v128_load(pixel), 24));
  const v128_t scale = wasm_f32x4_mul(wasm_f32x4_const_splat(ROOT2), wasm_f32x4_div(levels, wasm_f32x4_const_splat(255)));
  lab[0] = wasm_f32x4_mul(wasm_f32x4_add(lab[0], wasm_f32x4_const_splat(-0.5f)), scale);
  lab[1] = wasm_f32x4_mul(lab[1], scale), lab[2] = wasm_f32x4_mul(lab[2], scale);
  lab[3] = wasm_f32x4_mul(wasm_f32x4_const_splat(0.5f), scale);
  const v128_t low01 = wasm_i32x4_shuffle(lab[0], lab[1], 0, 4, 1, 5), high01 = wasm_i32x4_shuffle(lab[0], lab[1], 2, 6, 3, 7);
  const v128_t low23 = wasm_i32x4_shuffle(lab[2], lab[3], 0, 4, 1, 5), high23 = wasm_i32x4_shuffle(lab[2], lab[3], 2, 6, 3, 7);
  to[0] = wasm_i64x2_shuffle(low01, low23, 0, 2), to[1] = wasm_i64x2_shuffle(low01, low23, 1, 3);
  to[2] = wasm_i64x2_shuffle(high01, high23, 0, 2), to[3] = wasm_i64x2_shuffle(high01, high23, 1, 3);
}

static uint32_t level_of(float value) {
  int low = 0, high = 255;
  while (low < high) {
    const int middle = (low + high + 1) / 2;
    if (value >= level_edge[middle]) low = middle;
    else high = middle - 1;
  }
  return (uint32_t)low;
}

uint32_t pixel_of(Color color) {
  const float alpha = LANE(color, 3) * ROOT2;
  const int level = (int)(alpha * 255 + 0.5f);
  if (level <= 0) return 0;
  const float scale = 1 / (ROOT2 * alpha);
  const float L = LANE(color, 0) * scale + 0.5f;
  const float a = LANE(color, 1) * scale / CHROMA, b = LANE(color, 2) * scale / CHROMA;
  const float l_ = L + 0.3963377774f * a + 0.2158037573f * b;
  const float m_ = L - 0.1055613458f * a - 0.0638541728f * b;
  const float s_ = L - 0.0894841775f * a - 1.2914855480f * b;
  const float l = l_ * l_ * l_, m = m_ * m_ * m_, s = s_ * s_ * s_;
  return level_of(4.0767416621f * l - 3.3077115913f * m + 0.2309699292f * s) |
         level_of(-1.2684380046f * l + 2.6097574011f * m - 0.3413193965f * s) << 8 |
         level_of(-0.0041960863f * l - 0.7034186147f * m + 1.7076147010f * s) << 16 | (uint32_t)MIN(level, 255) << 24;
}
