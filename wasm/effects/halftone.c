/*
 * Halftone screens: a pixel is light where its tone exceeds the threshold that the screen has at its place. The
 * thresholds are spread evenly over the tones (a table of the caller's), so that an area keeps its mean.
 */
#include "effects.h"

#include <math.h>

#define STEPS 1024

enum { DOT, LINE, CIRCULAR, HATCHED, CMYK };

typedef struct {
  float mode;
  float period;               /* of the screen, pixels */
  float turn;                 /* its angle, in full turns */
  float slope;                /* of the edge between dark and light, per threshold */
  float thresholds[STEPS + 1]; /* by the value of the screen function, 0 to 1 */
} Settings;

/* Where a row of a turned screen begins, and how far a pixel goes: fractions of a period in 32 bits, which wrap. */
typedef struct { uint32_t u, v, du, dv; } Phase;

typedef struct {
  Stream stream;
  Settings settings;
  float waves[STEPS]; /* one period of a cosine, 0 to 1 */
} Halftone;

static uint32_t phase_of(double periods) { return (uint32_t)(int64_t)((periods - floor(periods)) * 4294967296.0); }

static Phase phase_at(const Halftone *halftone, int y, double turn) {
  const Stream *s = &halftone->stream;
  const double period = halftone->settings.period, angle = turn * 2 * M_PI;
  const double dx = cos(angle) / period, dy = sin(angle) / period;
  const double left = 0.5 - s->width / 2.0, down = y + 0.5 - s->height / 2.0;
  return (Phase){phase_of(left * dx + down * dy), phase_of(down * dx - left * dy), phase_of(dx), phase_of(-dy)};
}

/* A triangle wave, 0 to 1. */
static inline float triangle(uint32_t phase) { return fabsf((float)(int32_t)phase) * (1 / 2147483648.0f); }

/*
 * The light of four tones, each at its value of the screen function: a ramp as wide as the edge of a dot, around the
 * threshold. Tones nearer to black or white than half of that ramp are moved outward by as much as keeps the mean over
 * all thresholds: there, the part of the ramp that is left has the area (z + e)^2 / (4 e).
 */
static inline v128_t screens(const Settings *set, v128_t tone, const float values[4]) {
  float thresholds[4];
  for (int i = 0; i < 4; i++) thresholds[i] = set->thresholds[(int)(values[i] * STEPS + 0.5f)];
  const v128_t zero = wasm_f32x4_const_splat(0), one = wasm_f32x4_const_splat(1), two = wasm_f32x4_const_splat(2);
  const v128_t edge = wasm_f32x4_splat(0.5f / set->slope), dark = wasm_f32x4_max(zero, wasm_f32x4_sub(one, tone));
  const v128_t low = wasm_f32x4_sub(wasm_f32x4_mul(two, wasm_f32x4_sqrt(wasm_f32x4_mul(edge, tone))), edge);
  const v128_t high = wasm_f32x4_sub(wasm_f32x4_add(one, edge), wasm_f32x4_mul(two, wasm_f32x4_sqrt(wasm_f32x4_mul(edge, dark))));
  v128_t moved = wasm_v128_bitselect(high, tone, wasm_f32x4_gt(tone, wasm_f32x4_sub(one, edge)));
  moved = wasm_v128_bitselect(low, moved, wasm_f32x4_lt(tone, edge));
  const v128_t ramp = wasm_f32x4_mul(wasm_f32x4_sub(moved, wasm_v128_load(thresholds)), wasm_f32x4_splat(set->slope));
  return wasm_f32x4_min(one, wasm_f32x4_max(zero, wasm_f32x4_add(ramp, wasm_f32x4_const_splat(0.5f))));
}

static inline float dots(const Halftone *halftone, const Phase *at) {
  return 0.5f * (halftone->waves[at->u >> 22] + halftone->waves[at->v >> 22]);
}

static float value_at(const Halftone *halftone, const Phase *at, int x, int y) {
  const Stream *s = &halftone->stream;
  switch ((int)halftone->settings.mode) {
    case LINE: return triangle(at->v);
    case HATCHED: return MAX(triangle(at->u), triangle(at->v));
    case CIRCULAR: {
      const float dx = (float)x + 0.5f - (float)s->width / 2, dy = (float)y + 0.5f - (float)s->height / 2;
      const float rings = sqrtf(dx * dx + dy * dy) / halftone->settings.period;
      return fabsf(2 * (rings - floorf(rings)) - 1);
    }
    default: return dots(halftone, at);
  }
}

static void make_gray(Stream *s, int y, uint8_t *result) {
  const Halftone *halftone = (const Halftone *)s;
  const uint8_t *p = ring_row(s, y);
  Phase at = phase_at(halftone, y, halftone->settings.turn);
  float tones[4] = {0}, values[4] = {0}, lights[4];
  for (int x = 0; x < s->width; x += 4) {
    const int count = MIN(4, s->width - x);
    for (int i = 0; i < count; i++, p += 4) {
      tones[i] = (LUMA_RED * p[0] + LUMA_GREEN * p[1] + LUMA_BLUE * p[2]) * (1 / 255.0f);
      values[i] = value_at(halftone, &at, x + i, y);
      at.u += at.du, at.v += at.dv;
    }
    wasm_v128_store(lights, screens(&halftone->settings, wasm_v128_load(tones), values));
    p -= count * 4;
    for (int i = 0; i < count; i++, p += 4, result += 4) {
      result[0] = result[1] = result[2] = byte_of(255 * lights[i]);
      result[3] = p[3];
    }
  }
}

/* Four screens at the customary angles: cyan 15, magenta 75, yellow 0, black 45 degrees; black takes all gray. */
static void make_cmyk(Stream *s, int y, uint8_t *result) {
  static const double TURNS[4] = {15 / 360.0, 75 / 360.0, 0, 45 / 360.0};
  const Halftone *halftone = (const Halftone *)s;
  const uint8_t *p = ring_row(s, y);
  Phase at[4];
  for (int ink = 0; ink < 4; ink++) at[ink] = phase_at(halftone, y, halftone->settings.turn + TURNS[ink]);
  for (int x = 0; x < s->width; x++, p += 4, result += 4) {
    const float most = (float)MAX(p[0], MAX(p[1], p[2])), share = most > 0 ? 1 / most : 0;
    float values[4];
    for (int ink = 0; ink < 4; ink++) values[ink] = dots(halftone, &at[ink]);
    v128_t tones = wasm_f32x4_mul(wasm_f32x4_make(p[0], p[1], p[2], most), wasm_f32x4_make(share, share, share, 1 / 255.0f));
    if (most == 0) tones = wasm_f32x4_const(1, 1, 1, 0);
    const v128_t lights = screens(&halftone->settings, tones, values);
    const v128_t black = wasm_f32x4_splat(255 * wasm_f32x4_extract_lane(lights, 3));
    store_bytes(result, wasm_f32x4_mul(black, lights));
    result[3] = p[3];
    for (int ink = 0; ink < 4; ink++) at[ink].u += at[ink].du, at[ink].v += at[ink].dv;
  }
}

Stream *EXPORT(halftone_open)(int width, int height, const Settings *settings) {
  const int cmyk = (int)settings->mode == CMYK;
  Halftone *halftone = pointwise_open(sizeof(Halftone), width, height, cmyk ? make_cmyk : make_gray);
  if (!halftone) return NULL;
  halftone->settings = *settings;
  for (int i = 0; i < STEPS; i++) halftone->waves[i] = (float)(0.5 + 0.5 * cos(i * 2 * M_PI / STEPS));
  return &halftone->stream;
}
