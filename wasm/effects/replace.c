/*
 * One color for another: pixels within a distance of `from` in CIELAB (D65, difference by CIE 1976) become `to`;
 * from half that distance on, the change fades out.
 */
#include "effects.h"

#include <math.h>

typedef struct {
  float from[3];     /* L, a, b */
  float to[4];       /* sRGB, alpha; 0 to 255 */
  float tolerance;   /* in units of CIELAB */
  float linear[256]; /* sRGB levels as linear light, 0 to 1 */
} Settings;

typedef struct {
  Stream stream;
  Settings settings;
} Replace;

/* CIE 15:2004, 8.2.1. */
static float lightness(float t) { return t > 216.0f / 24389 ? cbrtf(t) : (24389.0f / 27 * t + 16) / 116; }

static float distance(const Settings *set, const uint8_t *p) {
  const float r = set->linear[p[0]], g = set->linear[p[1]], b = set->linear[p[2]];
  const float fx = lightness((0.4124564f * r + 0.3575761f * g + 0.1804375f * b) / 0.95047f);
  const float fy = lightness(0.2126729f * r + 0.7151522f * g + 0.0721750f * b);
  const float fz = lightness((0.0193339f * r + 0.1191920f * g + 0.9503041f * b) / 1.08883f);
  const float dl = 116 * fy - 16 - set->from[0], da = 500 * (fx - fy) - set->from[1], db = 200 * (fy - fz) - set->from[2];
  return sqrtf(dl * dl + da * da + db * db);
}

static void replaced(const Settings *set, const uint8_t *p, uint8_t *q) {
  const float far = set->tolerance - distance(set, p);
  /* A hundredth of a unit is far below one level, and above the error of the arithmetic. */
  const float share = far < -0.01f ? 0 : set->tolerance <= 0.02f ? 1 : MIN(1, MAX(0, far) / (set->tolerance / 2));
  memcpy(q, p, 4);
  if (share <= 0) return;
  const float stays = p[3] * (1 - share), comes = p[3] * share * set->to[3] / 255, alpha = stays + comes;
  q[3] = byte_of(alpha);
  if (q[3] == 0) memset(q, 0, 4);
  else for (int c = 0; c < 3; c++) q[c] = byte_of((p[c] * stays + set->to[c] * comes) / alpha);
}

static void make(Stream *s, int y, uint8_t *result) {
  const Settings *set = &((const Replace *)s)->settings;
  const uint8_t *source = ring_row(s, y);
  uint32_t before = 0, known = 0, after = 0;
  for (int x = 0; x < s->width; x++) {
    uint32_t pixel;
    memcpy(&pixel, source + x * 4, 4);
    /* Flat areas are what this is used on. */
    if (!known || pixel != before) replaced(set, source + x * 4, (uint8_t *)&after);
    known = 1, before = pixel;
    memcpy(result + x * 4, &after, 4);
  }
}

Stream *EXPORT(replace_open)(int width, int height, const Settings *settings) {
  Replace *replace = pointwise_open(sizeof(Replace), width, height, make);
  if (replace) replace->settings = *settings;
  return (Stream *)replace;
}
