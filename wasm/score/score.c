// SSIMULACRA 2.1: how alike two pictures look, 100 for identical ones.
//
// The metric is Jon Sneyers' (2022), defined by its reference implementation `tools/ssimulacra2` in libjxl:
// multi-scale SSIM without the luma denominator, plus two maps of edge differences, in the XYB color space, pooled with
// 1-norms and 4-norms and weighted by scale and channel.
//
// Three things differ from the reference, none in what is computed of a whole picture:
// - It works on rows, top to bottom, and keeps nine blurred rows per scale, so memory grows with the width only.
// - The reference blurs with a recursive filter (Charalampidis 2016, sigma 1.5, radius 5). Its impulse response is
//   finite: nine symmetric taps, sum_k beta_k cos(omega_k n). They are applied directly.
// - What is compared may be a sheet of tiles out of a larger picture. Pixels whose blur reaches over a tile's edge are not
//   counted then, at no scale: seams are edges in both pictures, hide errors beside them and would raise the score.
// Maps whose weights are all below NEGLIGIBLE_WEIGHT are not computed; together they move a score by less than 0.001.
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <wasm_simd128.h>

#include "blend.h"
#include "weights.h"
#include "xyb.h"

#define EXPORT(name) __attribute__((export_name(#name), visibility("default"), used)) name

__attribute__((import_module("env"), import_name("fail"), noreturn)) void fail(const char *message);

enum {
  SCALES = 6,
  MAPS = 4,     // blurred maps of a channel: both pictures, the sum of their squares, their product
  RADIUS = 4,   // of the blur
  RING = 16,    // rows kept, a power of two above 2 * RADIUS
  PAD = 8,      // floats of zero on both sides of a row, so that the blur needs no edges
  MIN_SIDE = 8, // pixels; a smaller picture is not halved again
};
#define NEGLIGIBLE_WEIGHT 0.0015

static const float TAPS[RADIUS + 1] = {0.2646211054881986f, 0.21292859201042227f, 0.10933537277746035f,
                                       0.03601111465836439f, 0.009414367809653733f};

typedef struct {
  int width, height;
  int stride; // floats of a padded row
  int tile_rows; // 0: one tile, whose edges are those of the picture
  int rows_in, rows_out;
  int row_counted; // pixels of a row
  double counted;  // pixels
  uint32_t *inside; // a row of masks: all bits set where pixels are counted
  int needs_ssim[CHANNELS], needs_edges[CHANNELS];
  float *linear[2];           // one linear RGB row of each picture, waiting for its partner to be halved with
  float *xyb[CHANNELS][2];    // rings of padded rows: the pictures themselves
  float *blurred[CHANNELS][MAPS]; // rings of padded rows, blurred across
  double sums[CHANNELS][6];   // SSIM, ringing, blurring, each as sum and sum of fourth powers
} Scale;

typedef struct {
  int scales;
  float to_linear[256];
  Blends blends;
  float *row[2];     // planar linear RGB of the row that is being pushed
  float *zeros;      // a row outside of the picture
  float *scratch;    // a row for each map
  Scale scale[SCALES];
} Score;

static void *allocate(size_t bytes) {
  void *memory = calloc(1, bytes);
  if (!memory) fail("out of memory");
  return memory;
}

// Floats of a row of whole vectors with PAD on both sides.
static size_t padded(int width) { return ((width + 3) & ~3) + 2 * PAD; }

static double weight_of(int channel, int scale, int norm, int map) {
  return WEIGHTS[((channel * SCALES + scale) * 2 + norm) * 3 + map];
}

static int matters(int channel, int scale, int map) {
  return weight_of(channel, scale, 0, map) >= NEGLIGIBLE_WEIGHT || weight_of(channel, scale, 1, map) >= NEGLIGIBLE_WEIGHT;
}

// Whether something at a place in a tile is further than the blur reaches from its edges.
static int is_within(int at, int tile) {
  return tile == 0 || (at % tile >= RADIUS && at % tile < tile - RADIUS);
}

static void open_scale(Scale *scale, int index, int width, int height, int all_maps, int tile_columns) {
  scale->width = width, scale->height = height;
  scale->inside = allocate(padded(width) * sizeof(uint32_t));
  for (int x = 0; x < width; x++) {
    scale->inside[x] = is_within(x, tile_columns) ? ~0u : 0;
    scale->row_counted += scale->inside[x] & 1;
  }
  scale->stride = padded(width);
  size_t ring_bytes = (size_t)scale->stride * RING * sizeof(float);
  for (int picture = 0; picture < 2; picture++) scale->linear[picture] = allocate((size_t)width * 3 * sizeof(float));
  for (int channel = 0; channel < CHANNELS; channel++) {
    int ssim = all_maps || matters(channel, index, 0);
    int edges = all_maps || matters(channel, index, 1) || matters(channel, index, 2);
    scale->needs_ssim[channel] = ssim, scale->needs_edges[channel] = edges;
    if (!ssim && !edges) continue;
    for (int picture = 0; picture < 2; picture++) scale->xyb[channel][picture] = allocate(ring_bytes);
    for (int map = 0; map < (ssim ? MAPS : 2); map++) scale->blurred[channel][map] = allocate(ring_bytes);
  }
}

void EXPORT(score_close)(Score *score) {
  for (int index = 0; index < score->scales; index++) {
    Scale *scale = &score->scale[index];
    for (int picture = 0; picture < 2; picture++) free(scale->linear[picture]);
    free(scale->inside);
    for (int channel = 0; channel < CHANNELS; channel++) {
      for (int picture = 0; picture < 2; picture++) free(scale->xyb[channel][picture]);
      for (int map = 0; map < MAPS; map++) free(scale->blurred[channel][map]);
    }
  }
  for (int picture = 0; picture < 2; picture++) free(score->row[picture]);
  free(score->zeros);
  free(score->scratch);
  free(score);
}

// A comparison of two pictures of this size, both at least 8 x 8. `background` (0 to 1, sRGB) lies under transparent
// pixels. Both consist of tiles of this size, multiples of 32; 0 where the picture is not cut that way.
Score *EXPORT(score_open)(int width, int height, float background, int tile_columns, int tile_rows) {
  Score *score = allocate(sizeof(Score));
  blends_open(&score->blends, background);
  for (int value = 0; value < 256; value++) score->to_linear[value] = srgb_to_linear(value / 255.0);
  for (int picture = 0; picture < 2; picture++) score->row[picture] = allocate((size_t)width * 3 * sizeof(float));
  score->zeros = allocate(padded(width) * sizeof(float));
  score->scratch = allocate(padded(width) * sizeof(float) * MAPS);
  // The reference asks for the size before it halves: the last scale may be smaller than the bound. It also counts its
  // weights on without gaps when scales are missing, so then no map is negligible.
  int w = width, h = height, count = 0;
  for (int last_w = width, last_h = height; count < SCALES && last_w >= MIN_SIDE && last_h >= MIN_SIDE; count++) {
    last_w = w, last_h = h;
    w = (w + 1) / 2, h = (h + 1) / 2;
  }
  w = width, h = height;
  for (int index = 0; index < count; index++) {
    open_scale(&score->scale[index], index, w, h, count < SCALES, tile_columns >> index);
    score->scale[index].tile_rows = tile_rows >> index;
    score->scales = index + 1;
    w = (w + 1) / 2, h = (h + 1) / 2;
  }
  return score;
}

// Nine symmetric taps across a row that has PAD zeros on both sides.
static void blur_across(const float *in, float *out, int width) {
  for (int at = 0; at < width; at += 4) {
    v128_t sum = wasm_f32x4_mul(wasm_v128_load(in + at), wasm_f32x4_splat(TAPS[0]));
    for (int tap = 1; tap <= RADIUS; tap++) {
      v128_t pair = wasm_f32x4_add(wasm_v128_load(in + at - tap), wasm_v128_load(in + at + tap));
      sum = wasm_f32x4_add(sum, wasm_f32x4_mul(pair, wasm_f32x4_splat(TAPS[tap])));
    }
    wasm_v128_store(out + at, sum);
  }
}

static float *ring_row(const Scale *scale, float *ring, int y) {
  return ring + (size_t)(y & (RING - 1)) * scale->stride + PAD;
}

// Row y of a ring, blurred downwards; rows outside the picture are zero.
static void blur_down(const Scale *scale, float *ring, int y, const float *zeros, float *out) {
  const float *above[RADIUS + 1], *below[RADIUS + 1];
  for (int tap = 0; tap <= RADIUS; tap++) {
    above[tap] = y - tap >= 0 ? ring_row(scale, ring, y - tap) : zeros + PAD;
    below[tap] = y + tap < scale->height ? ring_row(scale, ring, y + tap) : zeros + PAD;
  }
  for (int at = 0; at < scale->width; at += 4) {
    v128_t sum = wasm_f32x4_mul(wasm_v128_load(above[0] + at), wasm_f32x4_splat(TAPS[0]));
    for (int tap = 1; tap <= RADIUS; tap++) {
      v128_t pair = wasm_f32x4_add(wasm_v128_load(above[tap] + at), wasm_v128_load(below[tap] + at));
      sum = wasm_f32x4_add(sum, wasm_f32x4_mul(pair, wasm_f32x4_splat(TAPS[tap])));
    }
    wasm_v128_store(out + at, sum);
  }
}

typedef struct {
  v128_t sum, fourth;
} Norms;

static void add_norms(Norms *norms, v128_t value) {
  v128_t square = wasm_f32x4_mul(value, value);
  norms->sum = wasm_f32x4_add(norms->sum, value);
  norms->fourth = wasm_f32x4_add(norms->fourth, wasm_f32x4_mul(square, square));
}

static double lanes(v128_t value) {
  return (double)wasm_f32x4_extract_lane(value, 0) + wasm_f32x4_extract_lane(value, 1) +
         wasm_f32x4_extract_lane(value, 2) + wasm_f32x4_extract_lane(value, 3);
}

// 1 - SSIM', from the blurred maps of four pixels: the variances appear only as their sum.
static v128_t structure_error(v128_t mu1, v128_t mu2, v128_t squares, v128_t product) {
  const v128_t c2 = wasm_f32x4_splat(0.0009f), one = wasm_f32x4_splat(1);
  v128_t difference = wasm_f32x4_sub(mu1, mu2);
  v128_t luma = wasm_f32x4_sub(one, wasm_f32x4_mul(difference, difference));
  v128_t covariance = wasm_f32x4_sub(product, wasm_f32x4_mul(mu1, mu2));
  v128_t up = wasm_f32x4_add(wasm_f32x4_add(covariance, covariance), c2);
  // In this order equal pictures have equal rounding errors, and exactly 100.
  v128_t variances = wasm_f32x4_sub(squares, wasm_f32x4_add(wasm_f32x4_mul(mu1, mu1), wasm_f32x4_mul(mu2, mu2)));
  v128_t ssim = wasm_f32x4_div(wasm_f32x4_mul(luma, up), wasm_f32x4_add(variances, c2));
  return wasm_f32x4_pmax(wasm_f32x4_splat(0), wasm_f32x4_sub(one, ssim));
}

static float *scratch_row(const Score *score, int map) {
  return score->scratch + map * padded(score->scale[0].width) + PAD;
}

static void measure_row(const Score *score, Scale *scale, int channel, int y) {
  const v128_t one = wasm_f32x4_splat(1), zero = wasm_f32x4_splat(0);
  Norms ssim = {zero, zero}, ringing = {zero, zero}, blurring = {zero, zero};
  float *maps[MAPS];
  for (int map = 0; map < MAPS && scale->blurred[channel][map]; map++) {
    maps[map] = scratch_row(score, map);
    blur_down(scale, scale->blurred[channel][map], y, score->zeros, maps[map]);
  }
  const float *first = ring_row(scale, scale->xyb[channel][0], y), *second = ring_row(scale, scale->xyb[channel][1], y);
  for (int at = 0; at < scale->width; at += 4) {
    v128_t inside = wasm_v128_load(scale->inside + at);
    v128_t mu1 = wasm_v128_load(maps[0] + at), mu2 = wasm_v128_load(maps[1] + at);
    if (scale->needs_ssim[channel]) {
      v128_t error = structure_error(mu1, mu2, wasm_v128_load(maps[2] + at), wasm_v128_load(maps[3] + at));
      add_norms(&ssim, wasm_v128_and(error, inside));
    }
    if (scale->needs_edges[channel]) {
      v128_t edge1 = wasm_f32x4_add(one, wasm_f32x4_abs(wasm_f32x4_sub(wasm_v128_load(first + at), mu1)));
      v128_t edge2 = wasm_f32x4_add(one, wasm_f32x4_abs(wasm_f32x4_sub(wasm_v128_load(second + at), mu2)));
      v128_t more = wasm_v128_and(wasm_f32x4_sub(wasm_f32x4_div(edge2, edge1), one), inside);
      add_norms(&ringing, wasm_f32x4_pmax(zero, more));
      add_norms(&blurring, wasm_f32x4_pmax(zero, wasm_f32x4_neg(more)));
    }
  }
  const Norms all[3] = {ssim, ringing, blurring};
  for (int map = 0; map < 3; map++) {
    scale->sums[channel][map * 2] += lanes(all[map].sum);
    scale->sums[channel][map * 2 + 1] += lanes(all[map].fourth);
  }
}

static void measure_ready_rows(const Score *score, Scale *scale) {
  int ready = scale->rows_in == scale->height ? scale->height : scale->rows_in - RADIUS;
  for (; scale->rows_out < ready; scale->rows_out++) {
    if (!is_within(scale->rows_out, scale->tile_rows)) continue;
    scale->counted += scale->row_counted;
    for (int channel = 0; channel < CHANNELS; channel++) {
      if (scale->blurred[channel][0]) measure_row(score, scale, channel, scale->rows_out);
    }
  }
}

static void products(const float *a, const float *b, float *squares, float *product, int width) {
  for (int at = 0; at < width; at += 4) {
    v128_t one = wasm_v128_load(a + at), other = wasm_v128_load(b + at);
    wasm_v128_store(squares + at, wasm_f32x4_add(wasm_f32x4_mul(one, one), wasm_f32x4_mul(other, other)));
    wasm_v128_store(product + at, wasm_f32x4_mul(one, other));
  }
}

// The mean of two rows and of neighbours in them; a missing neighbour is the pixel itself.
static void halve(const float *upper, const float *lower, int width, float *out) {
  const v128_t quarter = wasm_f32x4_splat(0.25f);
  int at = 0;
  for (; at * 2 + 8 <= width; at += 4) {
    v128_t near = wasm_f32x4_add(wasm_v128_load(upper + at * 2), wasm_v128_load(lower + at * 2));
    v128_t far = wasm_f32x4_add(wasm_v128_load(upper + at * 2 + 4), wasm_v128_load(lower + at * 2 + 4));
    v128_t even = wasm_i32x4_shuffle(near, far, 0, 2, 4, 6), odd = wasm_i32x4_shuffle(near, far, 1, 3, 5, 7);
    wasm_v128_store(out + at, wasm_f32x4_mul(wasm_f32x4_add(even, odd), quarter));
  }
  for (; at < (width + 1) / 2; at++) {
    int left = at * 2, right = left + 1 < width ? left + 1 : left;
    out[at] = 0.25f * (upper[left] + upper[right] + lower[left] + lower[right]);
  }
}

// Takes the next row of both pictures, linear RGB, and hands every second one on to the next scale.
static void push_linear(Score *score, int index, float *const rows[2]) {
  Scale *scale = &score->scale[index];
  int width = scale->width, y = scale->rows_in++;
  float *xyb[CHANNELS][2];
  for (int channel = 0; channel < CHANNELS; channel++) {
    for (int picture = 0; picture < 2; picture++) {
      float *ring = scale->xyb[channel][picture];
      xyb[channel][picture] = ring ? ring_row(scale, ring, y) : 0;
    }
  }
  for (int picture = 0; picture < 2; picture++) {
    to_xyb(rows[picture], width, xyb[0][picture], xyb[1][picture], xyb[2][picture]);
  }
  float *squares = scratch_row(score, 0), *product = scratch_row(score, 1);
  // A wider scale may have left something to the right of the row; nothing is ever written to the left of it.
  memset(squares + width, 0, PAD * sizeof(float));
  memset(product + width, 0, PAD * sizeof(float));
  for (int channel = 0; channel < CHANNELS; channel++) {
    float **blurred = scale->blurred[channel], *a = xyb[channel][0], *b = xyb[channel][1];
    if (!blurred[0]) continue;
    blur_across(a, ring_row(scale, blurred[0], y), width);
    blur_across(b, ring_row(scale, blurred[1], y), width);
    if (!blurred[2]) continue;
    products(a, b, squares, product, width);
    blur_across(squares, ring_row(scale, blurred[2], y), width);
    blur_across(product, ring_row(scale, blurred[3], y), width);
  }
  measure_ready_rows(score, scale);
  if (index + 1 >= score->scales) return;
  int last = y + 1 == scale->height;
  if (y % 2 == 0 && !last) {
    for (int picture = 0; picture < 2; picture++) {
      if (rows[picture] != scale->linear[picture]) memcpy(scale->linear[picture], rows[picture], (size_t)width * 3 * sizeof(float));
    }
    return;
  }
  int half = (width + 1) / 2;
  float *halved[2];
  for (int picture = 0; picture < 2; picture++) {
    const float *upper = y % 2 ? scale->linear[picture] : rows[picture], *lower = rows[picture];
    // Written over the row that came in first: its left half is read before it is overwritten.
    halved[picture] = y % 2 ? scale->linear[picture] : rows[picture];
    for (int plane = 0; plane < 3; plane++) halve(upper + plane * width, lower + plane * width, width, halved[picture] + plane * half);
  }
  push_linear(score, index + 1, halved);
}

static void to_planes(Score *score, const uint8_t *rgba, int width, float *planes) {
  const float *linear = score->to_linear;
  for (int at = 0; at < width; at++) {
    uint32_t pixel;
    memcpy(&pixel, rgba + at * 4, 4);
    if (pixel >> 24 == 255) {
      planes[at] = linear[pixel & 255];
      planes[width + at] = linear[pixel >> 8 & 255];
      planes[2 * width + at] = linear[pixel >> 16 & 255];
    } else {
      const Blend *blend = blend_of(&score->blends, pixel);
      for (int plane = 0; plane < 3; plane++) planes[plane * width + at] = blend->linear[plane];
    }
  }
}

// Takes the next rows of both pictures: RGBA8, straight alpha, sRGB.
void EXPORT(score_push)(Score *score, const uint8_t *first, const uint8_t *second, int rows) {
  Scale *scale = &score->scale[0];
  int width = scale->width;
  for (int row = 0; row < rows && scale->rows_in < scale->height; row++) {
    size_t from = (size_t)row * width * 4;
    float **planes = scale->rows_in % 2 ? score->row : scale->linear;
    to_planes(score, first + from, width, planes[0]);
    to_planes(score, second + from, width, planes[1]);
    push_linear(score, 0, planes);
  }
}

// The score once all rows are in.
double EXPORT(score_result)(const Score *score) {
  double sum = 0;
  int weight = 0;
  for (int channel = 0; channel < CHANNELS; channel++) {
    for (int index = 0; index < score->scales; index++) {
      const Scale *scale = &score->scale[index];
      double pixels = scale->counted > 0 ? scale->counted : 1;
      for (int norm = 0; norm < 2; norm++) {
        for (int map = 0; map < 3; map++) {
          double mean = scale->sums[channel][map * 2 + norm] / pixels;
          sum += WEIGHTS[weight++] * (norm ? sqrt(sqrt(mean)) : mean);
        }
      }
    }
  }
  sum *= 0.9562382616834844;
  sum = 2.326765642916932 * sum - 0.020884521182843837 * sum * sum + 6.248496625763138e-05 * sum * sum * sum;
  return sum > 0 ? 100 - 10 * pow(sum, 0.6276336467831387) : 100;
}
