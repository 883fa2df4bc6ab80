// Halftone screens: a pixel is light where its tone exceeds the threshold that the screen has at its place. The
// thresholds are spread evenly over the tones (a table of the caller's), so that an area keeps its mean.
#include "effects.h"

#include <math.h>

#define STEPS 1024

enum { DOT, LINE, CIRCULAR, HATCHED, CMYK };

typedef struct {
  float mode;
  float period;               // of the screen, pixels
  float turn;                 // its angle, in full turns
  float slope;                // of the edge between dark and light, per threshold
  float thresholds[STEPS + 1]; // by the value of the screen function, 0 to 1
} Settings;

// Where a row of a turned screen begins, and how far a pixel goes: fractions of a period in 32 bits, which wrap.
typedef struct { uint32_t u, v, du, dv; } Phase;

typedef struct {
  Stream stream;
  Settings settings;
  float waves[STEPS]; // one period of a cosine, 0 to 1
} Halftone;

static uint32_t phase_of(double periods) { return (uint32_t)(int64_t)((periods - floor(periods)) * 4294967296.0); }

static Phase phase_at(const Halftone *halftone, int y, double turn) {
  const Stream *s = &halftone->stream;
  const double period = halftone->settings.period, angle = turn * 2 * M_PI;
  const double dx = cos(angle) / period, dy = sin(angle) / period;
  const double left = 0.5 - s->width / 2.0, down = y + 0.5 - s->height / 2.0;
  return (Phase){phase_of(left * dx + down * dy), phase_of(down * dx - left * dy), phase_of(dx), phase_of(-dy)};
}

// The light of four tones, each at its value of the screen function: a ramp as wide as the edge of a dot, around the
// threshold. Tones nearer to black or white than half of that ramp are moved outward by as much as keeps the mean over
// all thresholds: there, the part of the ramp that is left has the area (z + e)^2 / (4 e).
static inline v128_t screens(const Settings *set, v128_t tone, v128_t values) {
  const v128_t thresholds = entries(set->thresholds, rounded(wasm_f32x4_mul(values, wasm_f32x4_const_splat(STEPS))));
  const v128_t zero = wasm_f32x4_const_splat(0), one = wasm_f32x4_const_splat(1), two = wasm_f32x4_const_splat(2);
  const v128_t edge = wasm_f32x4_splat(0.5f / set->slope), dark = wasm_f32x4_pmax(zero, wasm_f32x4_sub(one, tone));
  const v128_t low = wasm_f32x4_sub(wasm_f32x4_mul(two, wasm_f32x4_sqrt(wasm_f32x4_mul(edge, tone))), edge);
  const v128_t high = wasm_f32x4_sub(wasm_f32x4_add(one, edge), wasm_f32x4_mul(two, wasm_f32x4_sqrt(wasm_f32x4_mul(edge, dark))));
  v128_t moved = wasm_v128_bitselect(high, tone, wasm_f32x4_gt(tone, wasm_f32x4_sub(one, edge)));
  moved = wasm_v128_bitselect(low, moved, wasm_f32x4_lt(tone, edge));
  const v128_t ramp = wasm_f32x4_mul(wasm_f32x4_sub(moved, thresholds), wasm_f32x4_splat(set->slope));
  return wasm_f32x4_pmin(one, wasm_f32x4_pmax(zero, wasm_f32x4_add(ramp, wasm_f32x4_const_splat(0.5f))));
}

// A triangle wave, 0 to 1, at four phases.
static inline v128_t triangles(v128_t phases) {
  return wasm_f32x4_mul(wasm_f32x4_abs(wasm_f32x4_convert_i32x4(phases)), wasm_f32x4_const_splat(1 / 2147483648.0f));
}

static inline v128_t dots(const Halftone *halftone, v128_t u, v128_t v) {
  const v128_t sum = wasm_f32x4_add(entries(halftone->waves, wasm_u32x4_shr(u, 22)), entries(halftone->waves, wasm_u32x4_shr(v, 22)));
  return wasm_f32x4_mul(wasm_f32x4_const_splat(0.5f), sum);
}

// How far four pixels of a row are from the last ring: 1 at a ring, 0 between two.
static inline v128_t rings(const Halftone *halftone, int x, int y) {
  const Stream *s = &halftone->stream;
  const float down = (float)y + 0.5f - (float)s->height / 2;
  const v128_t column = wasm_f32x4_add(wasm_f32x4_splat((float)x), wasm_f32x4_const(0.5f, 1.5f, 2.5f, 3.5f));
  const v128_t across = wasm_f32x4_sub(column, wasm_f32x4_splat((float)s->width / 2));
  const v128_t square = wasm_f32x4_add(wasm_f32x4_mul(across, across), wasm_f32x4_splat(down * down));
  const v128_t at = wasm_f32x4_div(wasm_f32x4_sqrt(square), wasm_f32x4_splat(halftone->settings.period));
  const v128_t part = wasm_f32x4_sub(at, wasm_f32x4_floor(at));
  return wasm_f32x4_abs(wasm_f32x4_sub(wasm_f32x4_add(part, part), wasm_f32x4_const_splat(1)));
}

// Four phases, each further than the one before.
static inline v128_t phases_from(uint32_t phase, uint32_t step) {
  return wasm_u32x4_make(phase, phase + step, phase + 2 * step, phase + 3 * step);
}

static inline __attribute__((always_inline)) void make_gray(const Halftone *halftone, int y, uint8_t *result, int mode) {
  const Stream *s = &halftone->stream;
  const uint8_t *p = ring_row(s, y);
  const Phase at = phase_at(halftone, y, halftone->settings.turn);
  v128_t u = phases_from(at.u, at.du), v = phases_from(at.v, at.dv);
  for (int x = 0; x < s->width; x += 4) {
    const v128_t pixels = wasm_v128_load(p + x * 4);
    const v128_t luma = luma_of_four(channel_of(pixels, 0), channel_of(pixels, 1), channel_of(pixels, 2));
    const v128_t values = mode == LINE       ? triangles(v)
                          : mode == HATCHED  ? wasm_f32x4_pmax(triangles(u), triangles(v))
                          : mode == CIRCULAR ? rings(halftone, x, y)
                                             : dots(halftone, u, v);
    const v128_t lights = screens(&halftone->settings, wasm_f32x4_mul(luma, wasm_f32x4_const_splat(1 / 255.0f)), values);
    const v128_t gray = wasm_f32x4_mul(wasm_f32x4_const_splat(255), lights);
    store_pixels(result + x * 4, bytes_of(gray, gray, gray, pixels), s->width - x);
    u = wasm_i32x4_add(u, wasm_u32x4_splat(4 * at.du)), v = wasm_i32x4_add(v, wasm_u32x4_splat(4 * at.dv));
  }
}

static void make_dots(Stream *s, int y, uint8_t *result) { make_gray((const Halftone *)s, y, result, DOT); }
static void make_lines(Stream *s, int y, uint8_t *result) { make_gray((const Halftone *)s, y, result, LINE); }
static void make_rings(Stream *s, int y, uint8_t *result) { make_gray((const Halftone *)s, y, result, CIRCULAR); }
static void make_hatching(Stream *s, int y, uint8_t *result) { make_gray((const Halftone *)s, y, result, HATCHED); }

// Four screens at the customary angles: cyan 15, magenta 75, yellow 0, black 45 degrees; black takes all gray.
static void make_cmyk(Stream *s, int y, uint8_t *result) {
  static const double TURNS[4] = {15 / 360.0, 75 / 360.0, 0, 45 / 360.0};
  const Halftone *halftone = (const Halftone *)s;
  const uint8_t *p = ring_row(s, y);
  Phase at[4];
  for (int ink = 0; ink < 4; ink++) at[ink] = phase_at(halftone, y, halftone->settings.turn + TURNS[ink]);
  v128_t u = wasm_u32x4_make(at[0].u, at[1].u, at[2].u, at[3].u), v = wasm_u32x4_make(at[0].v, at[1].v, at[2].v, at[3].v);
  const v128_t du = wasm_u32x4_make(at[0].du, at[1].du, at[2].du, at[3].du);
  const v128_t dv = wasm_u32x4_make(at[0].dv, at[1].dv, at[2].dv, at[3].dv);
  for (int x = 0; x < s->width; x++, p += 4, result += 4) {
    const float most = (float)MAX(p[0], MAX(p[1], p[2])), share = most > 0 ? 1 / most : 0;
    v128_t tones = wasm_f32x4_mul(wasm_f32x4_make(p[0], p[1], p[2], most), wasm_f32x4_make(share, share, share, 1 / 255.0f));
    if (most == 0) tones = wasm_f32x4_const(1, 1, 1, 0);
    const v128_t lights = screens(&halftone->settings, tones, dots(halftone, u, v));
    const v128_t black = wasm_f32x4_splat(255 * wasm_f32x4_extract_lane(lights, 3));
    store_bytes(result, wasm_f32x4_mul(black, lights));
    result[3] = p[3];
    u = wasm_i32x4_add(u, du), v = wasm_i32x4_add(v, dv);
  }
}

Stream *EXPORT(halftone_open)(int width, int height, const Settings *settings) {
  static void (*const MAKE[])(Stream *, int, uint8_t *) = {
      [DOT] = make_dots, [LINE] = make_lines, [CIRCULAR] = make_rings, [HATCHED] = make_hatching, [CMYK] = make_cmyk};
  Halftone *halftone = pointwise_open(sizeof(Halftone), width, height, MAKE[(int)settings->mode]);
  if (!halftone) return NULL;
  halftone->settings = *settings;
  for (int i = 0; i < STEPS; i++) halftone->waves[i] = (float)(0.5 + 0.5 * cos(i * 2 * M_PI / STEPS));
  return &halftone->stream;
}
