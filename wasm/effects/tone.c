// Tone and color, in one pass and with one rounding at its end:
// levels of each channel -> gain by luma -> vibrance -> matrix.
#include "effects.h"

#define GAIN_STEPS 1024

typedef struct {
  float levels[3 * 256];        // what each sample becomes, 0 to 255
  float gains[GAIN_STEPS + 1];  // factor by luma; all 1 for none
  float matrix[12];             // three rows of four: factors of red, green, blue, and an offset in levels
  float vibrance;               // -1 to 1
  float has_gains;
} Settings;

typedef struct {
  Stream stream;
  Settings settings;
} Tone;

// What each of four samples of a channel becomes.
static inline v128_t levels_of(const Settings *set, v128_t pixels, int channel) {
  const v128_t index = wasm_v128_and(wasm_u32x4_shr(pixels, (uint32_t)channel * 8), wasm_i32x4_const_splat(255));
  return entries(set->levels + channel * 256, index);
}

static inline v128_t tone_pixels(const Settings *set, v128_t pixels) {
  const v128_t one = wasm_f32x4_const_splat(1), white = wasm_f32x4_const_splat(255);
  v128_t red = levels_of(set, pixels, 0), green = levels_of(set, pixels, 1), blue = levels_of(set, pixels, 2);
  if (set->has_gains != 0) {
    const v128_t luma = luma_of_four(red, green, blue), most = wasm_f32x4_pmax(red, wasm_f32x4_pmax(green, blue));
    v128_t gain = entries(set->gains, rounded(wasm_f32x4_mul(luma, wasm_f32x4_const_splat(GAIN_STEPS / 255.0f))));
    // A color is not lifted past its brightest channel, which would change its hue.
    gain = wasm_f32x4_pmin(gain, wasm_f32x4_pmax(one, wasm_f32x4_div(white, most)));
    red = wasm_f32x4_mul(red, gain), green = wasm_f32x4_mul(green, gain), blue = wasm_f32x4_mul(blue, gain);
  }
  if (set->vibrance != 0) {
    const v128_t luma = luma_of_four(red, green, blue);
    const v128_t chroma = wasm_f32x4_sub(wasm_f32x4_pmax(red, wasm_f32x4_pmax(green, blue)), wasm_f32x4_pmin(red, wasm_f32x4_pmin(green, blue)));
    const v128_t dull = wasm_f32x4_sub(one, wasm_f32x4_mul(chroma, wasm_f32x4_const_splat(1 / 255.0f)));
    const v128_t factor = wasm_f32x4_add(one, wasm_f32x4_mul(wasm_f32x4_splat(set->vibrance), dull));
    red = wasm_f32x4_add(luma, wasm_f32x4_mul(wasm_f32x4_sub(red, luma), factor));
    green = wasm_f32x4_add(luma, wasm_f32x4_mul(wasm_f32x4_sub(green, luma), factor));
    blue = wasm_f32x4_add(luma, wasm_f32x4_mul(wasm_f32x4_sub(blue, luma), factor));
  }
  v128_t color[3];
  for (int c = 0; c < 3; c++) {
    const float *m = set->matrix + c * 4;
    color[c] = wasm_f32x4_add(wasm_f32x4_splat(m[3]), wasm_f32x4_mul(wasm_f32x4_splat(m[0]), red));
    color[c] = wasm_f32x4_add(color[c], wasm_f32x4_mul(wasm_f32x4_splat(m[1]), green));
    color[c] = wasm_f32x4_add(color[c], wasm_f32x4_mul(wasm_f32x4_splat(m[2]), blue));
  }
  return bytes_of(color[0], color[1], color[2], pixels);
}

static void make(Stream *s, int y, uint8_t *result) {
  const Settings *set = &((const Tone *)s)->settings;
  const uint8_t *source = ring_row(s, y);
  for (int x = 0; x < s->width; x += 4)
    store_pixels(result + x * 4, tone_pixels(set, wasm_v128_load(source + x * 4)), s->width - x);
}

Stream *EXPORT(tone_open)(int width, int height, const Settings *settings) {
  Tone *tone = pointwise_open(sizeof(Tone), width, height, make);
  if (tone) tone->settings = *settings;
  return (Stream *)tone;
}
