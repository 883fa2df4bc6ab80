// Red pupils, as a flash paints them, made dark: inside given circles, what is red becomes the mean of green and blue.
#include "effects.h"

#include <math.h>

typedef struct { float x, y, radius; } Eye;

typedef struct {
  Stream stream;
  int count;
  Eye *eyes;
} Eyes;

static inline float ramp(float value) { return MIN(1, MAX(0, value)); }

static void make(Stream *s, int y, uint8_t *result) {
  const Eyes *eyes = (const Eyes *)s;
  memcpy(result, ring_row(s, y), (size_t)s->width * 4);
  for (const Eye *eye = eyes->eyes; eye < eyes->eyes + eyes->count; eye++) {
    const float reach = 1.5f * eye->radius, down = (float)y + 0.5f - eye->y;
    if (fabsf(down) >= reach) continue;
    const int end = MIN(s->width, (int)ceilf(eye->x + reach));
    for (int x = MAX(0, (int)(eye->x - reach)); x < end; x++) {
      const float across = (float)x + 0.5f - eye->x;
      uint8_t *p = result + x * 4;
      const float distance = sqrtf(across * across + down * down) / eye->radius;
      // How much redder than skin, which has its place beside the pupil: more so further out. Glints stay.
      const float redness = (float)(p[0] + 1) / (float)(MAX(p[1], p[2]) + 1);
      const float least = 1.25f + 1.2f * MAX(0, distance - 1);
      const float share = ramp(3 * (1.5f - distance)) * ramp((redness - least) / 0.3f);
      const float gray = (float)(p[1] + p[2]) / 2;
      for (int c = 0; c < 3; c++) p[c] = byte_of(p[c] + share * (gray - p[c]));
    }
  }
}

static void dispose(Stream *s) { free(((Eyes *)s)->eyes); }

// `values` holds x, y and radius of each eye, in pixels.
Stream *EXPORT(eyes_open)(int width, int height, const Eye *values, int count) {
  Eyes *eyes = pointwise_open(sizeof(Eyes), width, height, make);
  if (!eyes) return NULL;
  eyes->stream.dispose = dispose;
  eyes->count = count;
  eyes->eyes = malloc((size_t)count * sizeof(Eye));
  if (eyes->eyes) {
    memcpy(eyes->eyes, values, (size_t)count * sizeof(Eye));
    return &eyes->stream;
  }
  stream_close(&eyes->stream);
  return NULL;
}
