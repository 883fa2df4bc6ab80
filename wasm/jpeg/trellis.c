#include "trellis.h"
#include <math.h>
#include <string.h>
#include "huffman.h"
#include "packed.h"
#include "../simd.h"

enum { END_OF_BLOCK = 0x00, ZERO_RUN = 0xF0, LONGEST_CODE = 16, FIRST_LESSON = 64 };

// The squared error, in divisors, that is worth a bit: more where a block is busy and hides it, in proportion to the
// mean square of its AC coefficients, up to a limit. Of 18 pictures, JPEG files get 0.8 (at a score of 88), 1.6 (75)
// and 2.5 % (55) smaller at equal score of SSIMULACRA 2 than with the best fixed dead zone; half of that without the
// increase.
static const float BIT_COST = 0.04f, BUSY_SQUARE = 500, MOST_INCREASE = 2.4f;
// A bit of luma is worth more where a block is bright, where shades are told apart less: this much in black, and in white.
static const float IN_BLACK = 0.75f, IN_WHITE = 1.3f;
// And it is worth more where shades change slowly, or at one edge, than where each sample is another than its neighbors:
// fine texture is missed sooner. In proportion to the mean square of AC coefficients by that of differences between
// neighbors, with what is added to both so that plains have a measure, up to a limit. Of 17 pictures that nothing is
// measured with, files get another 1 % smaller (75).
static const float SMOOTHNESS = 0.7f, PLAIN_SQUARE = 17, PLAIN_DIFFERENCE = 14.5f, MOST_SMOOTH = 3.6f;

// 1 - cos(k pi / 8): half of the mean square of differences between neighbors along a cosine by that of its samples.
static const float STEEPNESS[8] = {0, 0.076120f, 0.292893f, 0.617317f, 1, 1.382683f, 1.707107f, 1.923880f};

// What symbols cost before any was seen: about what they cost in photographs.
static void guess_rates(struct trellis *t) {
  for (int run = 0; run < 16; run++)
    for (int size = 1; size < 16; size++) {
      const float of_run = size > 1 ? 1.17f : 0.9f;
      t->rate[run << 4 | size] = fminf(LONGEST_CODE, 1 + 1.2f * size + of_run * run) + size;
    }
  t->rate[END_OF_BLOCK] = 4;
  t->rate[ZERO_RUN] = 11;
}

static void learn_rates(struct trellis *t) {
  const float unseen = 0.02f;
  float total = 256 * unseen;
  for (int symbol = 0; symbol < 256; symbol++) total += t->counts[symbol];
  for (int symbol = 0; symbol < 256; symbol++) {
    const float bits = -log2f((t->counts[symbol] + unseen) / total);
    t->rate[symbol] = fminf(LONGEST_CODE, bits) + (symbol & 15);
  }
}

void trellis_start(struct trellis *t, const uint16_t divisors[64], int component) {
  memset(t, 0, sizeof *t);
  t->is_luma = component == 0;
  for (int k = 0; k < 64; k++) {
    t->divisor[k] = divisors[natural_position[k]];
    t->inverse[k] = 1 / t->divisor[k];
    const int x = natural_position[k] & 7, y = natural_position[k] >> 3;
    t->steepness[k] = STEEPNESS[x] + STEEPNESS[y];
  }
  guess_rates(t);
}

// A value that is not zero when it is rounded.
struct candidate {
  int place;                 // zigzag position
  int value;                 // the nearest quotient, or the one below it
  int before;                // index of the candidate that is kept before it
  float dropped;             // error if it becomes zero
  float cost;                // of the block up to here, if it is kept
};

// The first stands for the DC coefficient.
struct candidates {
  int count;
  float bit_cost;
  struct candidate list[64];
};

static inline float symbol_rate(const struct trellis *t, int run, int size) {
  return (run >> 4) * t->rate[ZERO_RUN] + t->rate[(run & 15) << 4 | size];
}

// What rounds to two or more is always kept: no bits are worth that error.
static inline int is_kept(const struct candidate *candidate) { return candidate->place == 0 || candidate->value > 1; }

// The cheapest way to the candidate `at` with a value of `size` bits; sets `before` to the one that it comes from.
static inline float cheapest(const struct trellis *t, const struct candidates *all, int at, int size, int *before) {
  float best = INFINITY, dropped = 0;
  for (int from = at - 1; from >= 0; from--) {
    const int run = all->list[at].place - all->list[from].place - 1;
    const float cost = all->list[from].cost + dropped + all->bit_cost * symbol_rate(t, run, size);
    if (cost < best) best = cost, *before = from;
    if (is_kept(&all->list[from])) break;
    dropped += all->list[from].dropped;
  }
  return best;
}

// The last candidate that is kept.
static int cheapest_end(const struct trellis *t, const struct candidates *all) {
  float best = INFINITY, dropped = 0;
  int last = 0;
  for (int from = all->count - 1; from >= 0; from--) {
    const float end = all->list[from].place < 63 ? all->bit_cost * t->rate[END_OF_BLOCK] : 0;
    const float cost = all->list[from].cost + dropped + end;
    if (cost < best) best = cost, last = from;
    if (is_kept(&all->list[from])) break;
    dropped += all->list[from].dropped;
  }
  return last;
}

// Mean squares: of AC values, and of the differences that they make between neighbors.
struct texture {
  float square, difference;
};

static inline float mean_of(v128_t sums) {
  return (wasm_f32x4_extract_lane(sums, 0) + wasm_f32x4_extract_lane(sums, 1) + wasm_f32x4_extract_lane(sums, 2) +
          wasm_f32x4_extract_lane(sums, 3)) / 63;
}

// Quotients before and after rounding, of values without their signs. Returns the mask of those that are not zero.
static uint64_t divide(const struct trellis *t, const int16_t *block, float scale, float exact[64],
                       int32_t nearest[64], struct texture *texture) {
  v128_t squares = wasm_f32x4_const_splat(0), differences = squares;
  uint64_t mask = 0;
  for (int k = 0; k < 64; k += 4) {
    const v128_t size = wasm_f32x4_convert_i32x4(wasm_i32x4_abs(wasm_i32x4_load16x4(block + k)));
    const v128_t value = wasm_f32x4_mul(size, wasm_f32x4_splat(scale));
    const v128_t quotient = wasm_f32x4_mul(value, wasm_v128_load(t->inverse + k));
    const v128_t rounded = wasm_i32x4_trunc_sat_f32x4(wasm_f32x4_add(quotient, wasm_f32x4_const_splat(0.5f)));
    const v128_t ac = k > 0 ? value : wasm_f32x4_replace_lane(value, 0, 0);
    const v128_t square = wasm_f32x4_mul(ac, ac);
    squares = wasm_f32x4_add(squares, square);
    differences = wasm_f32x4_add(differences, wasm_f32x4_mul(square, wasm_v128_load(t->steepness + k)));
    wasm_v128_store(exact + k, quotient);
    wasm_v128_store(nearest + k, rounded);
    mask |= (uint64_t)wasm_i32x4_bitmask(wasm_i32x4_gt(rounded, wasm_i32x4_const_splat(0))) << k;
  }
  *texture = (struct texture){mean_of(squares), mean_of(differences)};
  return mask & ~1ull;
}

static void add_candidate(const struct trellis *t, struct candidates *all, int place, float exact, int nearest) {
  const int at = all->count++, size = bit_length(nearest);
  struct candidate *this = &all->list[at];
  *this = (struct candidate){.place = place, .value = nearest, .dropped = exact * exact};
  const float error = exact - nearest;
  this->cost = error * error + cheapest(t, all, at, size, &this->before);
  if (nearest == 1 || (nearest & (nearest - 1))) return;
  // The quotient below takes a bit less.
  int before = 0;
  const float larger = error + 1;
  const float cost = larger * larger + cheapest(t, all, at, size - 1, &before);
  if (cost < this->cost) this->cost = cost, this->before = before, this->value = nearest - 1;
}

static float bit_cost(const struct trellis *t, const struct texture *texture, int divided_dc) {
  const float cost = BIT_COST * fminf(MOST_INCREASE, 1 + texture->square / BUSY_SQUARE);
  if (!t->is_luma) return cost;
  const float mean = (divided_dc * t->divisor[0] / 8 + 128) / 255;
  const float of_brightness = IN_BLACK + (IN_WHITE - IN_BLACK) * fminf(1, fmaxf(0, mean));
  const float smooth = (texture->square + PLAIN_SQUARE) / (texture->difference + PLAIN_DIFFERENCE);
  return cost * of_brightness * fminf(MOST_SMOOTH, SMOOTHNESS * smooth);
}

void trellis_divide(struct trellis *t, int16_t *block, float scale) {
  float exact[64];
  struct texture texture;
  int32_t nearest[64];
  int16_t signs[64];
  struct candidates all;
  all.count = 1;
  all.list[0] = (struct candidate){0};
  uint64_t left = divide(t, block, scale, exact, nearest, &texture);
  all.bit_cost = bit_cost(t, &texture, block[0]);
  for (; left; left &= left - 1) {
    const int k = __builtin_ctzll(left);
    add_candidate(t, &all, k, exact[k], nearest[k]);
  }
  const int last = cheapest_end(t, &all);
  memcpy(signs, block, sizeof signs);
  memset(block + 1, 0, 63 * sizeof *block);
  if (all.list[last].place < 63) t->counts[END_OF_BLOCK]++;
  for (int at = last; at > 0; at = all.list[at].before) {
    const struct candidate *this = &all.list[at];
    const int run = this->place - all.list[this->before].place - 1;
    block[this->place] = signs[this->place] < 0 ? -this->value : this->value;
    t->counts[ZERO_RUN] += run >> 4;
    t->counts[(run & 15) << 4 | bit_length(this->value)]++;
  }
  if (++t->blocks >= FIRST_LESSON && !(t->blocks & (t->blocks - 1))) learn_rates(t);
}
