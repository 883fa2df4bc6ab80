// Gaussian blur, separable, as it is defined; edges are extended. Samples and weights are fixed point for 16-bit
// multiplications, of which each rounds: two samples at the same distance are added before they are weighted, so that
// up to the largest reach a result is at most a third of a level, and on average a fiftieth, off its exact value.
#include "effects.h"

#include <math.h>

#define MAX_REACH 20
#define FRACTION 6 // bits of the samples: the sum of two stays within 16 bits
#define WHOLE 32768
#define VECTORS (LANES / 8)

typedef struct {
  Stream stream;
  int reach, channels;
  int16_t weights[MAX_REACH + 1];
  int16_t *row;   // filtered down, with `reach` pixels to both sides
  uint8_t *bytes; // filtered across, where there is no alpha
} Gaussian;

static int first_row(const Stream *s, int y) { return y - ((const Gaussian *)s)->reach; }
static int last_row(const Stream *s, int y) { return y + ((const Gaussian *)s)->reach; }

static size_t samples_of(const Gaussian *gaussian) { return padded_samples((size_t)gaussian->stream.width * gaussian->channels); }

static void take_opaque(Stream *s, const uint8_t *source, uint8_t *place, int y) {
  (void)y;
  take_samples((int16_t *)place, source, s->width, 0, FRACTION);
}

// Color times alpha.
static void take_alpha(Stream *s, const uint8_t *source, uint8_t *place, int y) {
  (void)y;
  int16_t *sample = (int16_t *)place;
  for (int x = 0; x < s->width; x++, source += 4, sample += 4) {
    const int alpha = source[3];
    for (int c = 0; c < 3; c++) sample[c] = (int16_t)(((source[c] * alpha << FRACTION) + 127) / 255);
    sample[3] = (int16_t)(alpha << FRACTION);
  }
}

// LANES sums: what lies before and after the center at each distance, and the center itself.
static inline void weigh(const Gaussian *gaussian, const int16_t *center, const int16_t *const *before,
                         const int16_t *const *after, size_t at, v128_t sum[VECTORS]) {
  const v128_t own = wasm_i16x8_splat(gaussian->weights[0]);
  for (int j = 0; j < VECTORS; j++) sum[j] = times(wasm_v128_load(center + at + j * 8), own);
  for (int k = 1; k <= gaussian->reach; k++) {
    const int16_t *a = before[k] + at, *b = after[k] + at;
    const v128_t weight = wasm_i16x8_splat(gaussian->weights[k]);
    for (int j = 0; j < VECTORS; j++) {
      const v128_t both = wasm_i16x8_add(wasm_v128_load(a + j * 8), wasm_v128_load(b + j * 8));
      sum[j] = wasm_i16x8_add(sum[j], times(both, weight));
    }
  }
}

static void filter_down(const Gaussian *gaussian, int y, int16_t *result) {
  const Stream *s = &gaussian->stream;
  const int16_t *before[MAX_REACH + 1], *after[MAX_REACH + 1], *center = (int16_t *)ring_row(s, y);
  for (int k = 1; k <= gaussian->reach; k++)
    before[k] = (int16_t *)ring_row(s, y - k), after[k] = (int16_t *)ring_row(s, y + k);
  const size_t samples = samples_of(gaussian);
  for (size_t i = 0; i < samples; i += LANES) {
    v128_t sum[VECTORS];
    weigh(gaussian, center, before, after, i, sum);
    for (int j = 0; j < VECTORS; j++) wasm_v128_store(result + i + j * 8, sum[j]);
  }
}

static void make(Stream *s, int y, uint8_t *result) {
  const Gaussian *gaussian = (const Gaussian *)s;
  const int channels = gaussian->channels, reach = gaussian->reach;
  const int16_t *center = gaussian->row + (size_t)reach * channels, *before[MAX_REACH + 1], *after[MAX_REACH + 1];
  filter_down(gaussian, y, gaussian->row + (size_t)reach * channels);
  extend_samples(gaussian->row, s->width, reach, channels);
  for (int k = 1; k <= reach; k++) before[k] = center - (size_t)k * channels, after[k] = center + (size_t)k * channels;
  const size_t samples = samples_of(gaussian);
  for (size_t i = 0; i < samples; i += LANES) {
    v128_t sum[VECTORS];
    weigh(gaussian, center, before, after, i, sum);
    if (channels == 3) {
      const v128_t half = wasm_i16x8_const_splat(1 << (FRACTION - 1));
      for (int j = 0; j < VECTORS; j++) sum[j] = wasm_i16x8_shr(wasm_i16x8_add(sum[j], half), FRACTION);
      for (int j = 0; j < VECTORS; j += 2) wasm_v128_store(gaussian->bytes + i + j * 8, wasm_u8x16_narrow_i16x8(sum[j], sum[j + 1]));
      continue;
    }
    for (size_t x = i / 4; x < MIN((size_t)s->width, (i + LANES) / 4); x++) {
      const v128_t pixel = wasm_u32x4_load16x4((const uint16_t *)sum + (x * 4 - i));
      store_mean(result + x * 4, wasm_f32x4_convert_i32x4(pixel), 1.0f / (1 << FRACTION));
    }
  }
  if (channels == 3) store_opaque(result, gaussian->bytes, s->width);
}

static void dispose(Stream *s) {
  free(((Gaussian *)s)->row);
  free(((Gaussian *)s)->bytes);
}

// Weights up to the distance at which they would be rounded to 0; together they are WHOLE, or one less at the center.
static void find_weights(Gaussian *gaussian, double sigma) {
  double exact[MAX_REACH + 1], sum = 0;
  const int most = clamp((int)ceil(3.3 * sigma) - 1, 0, MAX_REACH);
  for (int k = 0; k <= most; k++) sum += (k ? 2 : 1) * (exact[k] = exp(-k * k / (2 * sigma * sigma)));
  int rest = WHOLE;
  for (int k = 1; k <= most; k++) {
    gaussian->weights[k] = (int16_t)lrint(exact[k] / sum * WHOLE);
    rest -= 2 * gaussian->weights[k];
    if (gaussian->weights[k] > 0) gaussian->reach = k;
  }
  gaussian->weights[0] = (int16_t)MIN(rest, WHOLE - 1);
}

// A sigma of up to 6 pixels; cut where a Gaussian falls below half of what 8 bits can show.
Stream *EXPORT(gaussian_open)(int width, int height, double sigma, int opaque) {
  Gaussian *gaussian = stream_open(sizeof(Gaussian), width, height, width, height);
  if (!gaussian) return NULL;
  gaussian->stream.dispose = dispose;
  gaussian->channels = opaque ? 3 : 4;
  find_weights(gaussian, sigma);
  const size_t samples = samples_of(gaussian), sides = 2 * (size_t)gaussian->reach * (size_t)gaussian->channels;
  gaussian->row = calloc(samples + sides, sizeof(int16_t));
  gaussian->bytes = malloc(samples + 16);
  if (!gaussian->row || !gaussian->bytes) {
    stream_close(&gaussian->stream);
    return NULL;
  }
  if (!stream_ring(&gaussian->stream, 2 * gaussian->reach + WINDOW_ROWS / 2, samples * sizeof(int16_t))) return NULL;
  gaussian->stream.first = first_row, gaussian->stream.last = last_row;
  gaussian->stream.take = opaque ? take_opaque : take_alpha, gaussian->stream.make = make;
  return &gaussian->stream;
}
