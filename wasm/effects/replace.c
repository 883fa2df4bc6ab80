// One color for another: pixels within a distance of `from` in CIELAB (D65, difference by CIE 1976) become `to`;
// from half that distance on, the change fades out.
#include "effects.h"

typedef struct {
  float from[3];     // L, a, b
  float to[4];       // sRGB, alpha; 0 to 255
  float tolerance;   // in units of CIELAB
  float linear[256]; // sRGB levels as linear light, 0 to 1
} Settings;

typedef struct {
  Stream stream;
  Settings settings;
} Replace;

// Cube roots of four numbers above 0: an estimate from the exponent, and two steps by Halley's method.
static inline v128_t cube_root(v128_t v) {
  const v128_t third = wasm_f32x4_mul(wasm_f32x4_convert_i32x4(v), wasm_f32x4_const_splat(1.0f / 3));
  v128_t root = wasm_i32x4_add(wasm_i32x4_relaxed_trunc_f32x4(third), wasm_i32x4_const_splat(0x2a512ce3));
  for (int step = 0; step < 2; step++) {
    const v128_t cube = wasm_f32x4_mul(root, wasm_f32x4_mul(root, root));
    const v128_t over = wasm_f32x4_add(cube, wasm_f32x4_add(v, v)), under = wasm_f32x4_add(wasm_f32x4_add(cube, cube), v);
    root = wasm_f32x4_mul(root, wasm_f32x4_div(over, under));
  }
  return root;
}

// CIE 15:2004, 8.2.1.
static inline v128_t lightness(v128_t t) {
  const v128_t bound = wasm_f32x4_const_splat(216.0f / 24389);
  const v128_t dark = wasm_f32x4_add(wasm_f32x4_mul(t, wasm_f32x4_const_splat(24389.0f / 27 / 116)), wasm_f32x4_const_splat(16.0f / 116));
  return wasm_v128_bitselect(cube_root(wasm_f32x4_pmax(t, bound)), dark, wasm_f32x4_gt(t, bound));
}

// Four sums of red, green and blue.
static inline v128_t mixed(const v128_t rgb[3], float red, float green, float blue) {
  const v128_t sum = wasm_f32x4_add(wasm_f32x4_mul(rgb[0], wasm_f32x4_splat(red)), wasm_f32x4_mul(rgb[1], wasm_f32x4_splat(green)));
  return wasm_f32x4_add(sum, wasm_f32x4_mul(rgb[2], wasm_f32x4_splat(blue)));
}

// `a` times the difference of two values, without `b`, squared.
static inline v128_t squared(v128_t x, v128_t y, float a, float b) {
  const v128_t d = wasm_f32x4_sub(wasm_f32x4_mul(wasm_f32x4_sub(x, y), wasm_f32x4_splat(a)), wasm_f32x4_splat(b));
  return wasm_f32x4_mul(d, d);
}

// How far four pixels are from the color.
static inline v128_t distances(const Settings *set, v128_t pixels) {
  v128_t rgb[3];
  for (int c = 0; c < 3; c++)
    rgb[c] = entries(set->linear, wasm_v128_and(wasm_u32x4_shr(pixels, (uint32_t)c * 8), wasm_i32x4_const_splat(255)));
  const v128_t fx = lightness(mixed(rgb, 0.4124564f / 0.95047f, 0.3575761f / 0.95047f, 0.1804375f / 0.95047f));
  const v128_t fy = lightness(mixed(rgb, 0.2126729f, 0.7151522f, 0.0721750f));
  const v128_t fz = lightness(mixed(rgb, 0.0193339f / 1.08883f, 0.1191920f / 1.08883f, 0.9503041f / 1.08883f));
  const v128_t light = squared(fy, wasm_f32x4_const_splat(0), 116, 16 + set->from[0]);
  const v128_t chroma = wasm_f32x4_add(squared(fx, fy, 500, set->from[1]), squared(fy, fz, 200, set->from[2]));
  return wasm_f32x4_sqrt(wasm_f32x4_add(light, chroma));
}

static void replaced(const Settings *set, const uint8_t *p, float distance, uint8_t *q) {
  const float far = set->tolerance - distance;
  // A hundredth of a unit is far below one level, and above the error of the arithmetic.
  const float share = far < -0.01f ? 0 : set->tolerance <= 0.02f ? 1 : MIN(1, MAX(0, far) / (set->tolerance / 2));
  memcpy(q, p, 4);
  if (share <= 0) return;
  const float stays = p[3] * (1 - share), comes = p[3] * share * set->to[3] / 255, alpha = stays + comes;
  q[3] = byte_of(alpha);
  if (q[3] == 0) memset(q, 0, 4);
  else for (int c = 0; c < 3; c++) q[c] = byte_of((p[c] * stays + set->to[c] * comes) / alpha);
}

static v128_t replaced_pixels(const Settings *set, v128_t pixels) {
  const v128_t distance = distances(set, pixels);
  if (!wasm_v128_any_true(wasm_f32x4_le(distance, wasm_f32x4_splat(set->tolerance + 0.02f)))) return pixels;
  uint8_t before[16], after[16];
  float distance_of[4];
  wasm_v128_store(before, pixels), wasm_v128_store(distance_of, distance);
  for (int i = 0; i < 4; i++) replaced(set, before + i * 4, distance_of[i], after + i * 4);
  return wasm_v128_load(after);
}

static void make(Stream *s, int y, uint8_t *result) {
  const Settings *set = &((const Replace *)s)->settings;
  const uint8_t *source = ring_row(s, y);
  v128_t before = wasm_i32x4_const_splat(0), after = replaced_pixels(set, before);
  for (int x = 0; x < s->width; x += 4) {
    const v128_t pixels = wasm_v128_load(source + x * 4);
    // Flat areas are what this is used on.
    if (!wasm_i32x4_all_true(wasm_i32x4_eq(pixels, before))) after = replaced_pixels(set, pixels);
    before = pixels;
    store_pixels(result + x * 4, after, s->width - x);
  }
}

Stream *EXPORT(replace_open)(int width, int height, const Settings *settings) {
  Replace *replace = pointwise_open(sizeof(Replace), width, height, make);
  if (replace) replace->settings = *settings;
  return (Stream *)replace;
}
