/*
 * Tone and color, one pixel at a time, in one pass and with one rounding at its end:
 * levels of each channel -> gain by luma -> vibrance -> matrix.
 */
#include "effects.h"

#define GAIN_STEPS 1024

typedef struct {
  float levels[3 * 256];        /* what each sample becomes, 0 to 255 */
  float gains[GAIN_STEPS + 1];  /* factor by luma; all 1 for none */
  float matrix[12];             /* three rows of four: factors of red, green, blue, and an offset in levels */
  float vibrance;               /* -1 to 1 */
  float has_gains;
} Settings;

typedef struct {
  Stream stream;
  Settings settings;
} Tone;

static inline v128_t tone_pixel(const Settings *set, const uint8_t *p) {
  float red = set->levels[p[0]], green = set->levels[256 + p[1]], blue = set->levels[512 + p[2]];
  if (set->has_gains != 0) {
    const float luma = LUMA_RED * red + LUMA_GREEN * green + LUMA_BLUE * blue;
    const float most = MAX(red, MAX(green, blue));
    float gain = set->gains[(int)(luma * (GAIN_STEPS / 255.0f) + 0.5f)];
    /* A color is not lifted past its brightest channel, which would change its hue. */
    if (gain > 1 && gain * most > 255) gain = most >= 255 ? 1 : 255 / most;
    red *= gain, green *= gain, blue *= gain;
  }
  if (set->vibrance != 0) {
    const float luma = LUMA_RED * red + LUMA_GREEN * green + LUMA_BLUE * blue;
    const float chroma = MAX(red, MAX(green, blue)) - MIN(red, MIN(green, blue));
    const float factor = 1 + set->vibrance * (1 - chroma * (1 / 255.0f));
    red = luma + (red - luma) * factor, green = luma + (green - luma) * factor, blue = luma + (blue - luma) * factor;
  }
  const float *m = set->matrix;
  v128_t sum = wasm_f32x4_make(m[3], m[7], m[11], p[3]);
  sum = wasm_f32x4_add(sum, wasm_f32x4_mul(wasm_f32x4_make(m[0], m[4], m[8], 0), wasm_f32x4_splat(red)));
  sum = wasm_f32x4_add(sum, wasm_f32x4_mul(wasm_f32x4_make(m[1], m[5], m[9], 0), wasm_f32x4_splat(green)));
  return wasm_f32x4_add(sum, wasm_f32x4_mul(wasm_f32x4_make(m[2], m[6], m[10], 0), wasm_f32x4_splat(blue)));
}

static void make(Stream *s, int y, uint8_t *result) {
  const Settings *set = &((const Tone *)s)->settings;
  const uint8_t *source = ring_row(s, y);
  for (int x = 0; x < s->width; x++) store_bytes(result + x * 4, tone_pixel(set, source + x * 4));
}

Stream *EXPORT(tone_open)(int width, int height, const Settings *settings) {
  Tone *tone = pointwise_open(sizeof(Tone), width, height, make);
  if (tone) tone->settings = *settings;
  return (Stream *)tone;
}
