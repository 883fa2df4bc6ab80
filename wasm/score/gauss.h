// The blur of the metric: a Gaussian of sigma 1.5 as the sum of three oscillators (Charalampidis, "Recursive
// Implementation of the Gaussian Filter Using Truncated Cosine Functions", 2016), of radius 5:
//   y_k[n] = n_k (x[n - 6] + x[n + 4]) - d_k y_k[n - 1] - y_k[n - 2],   out[n] = sum of y_k[n],   k = 1, 3, 5.
// In exact numbers its answer to a pulse has nine values. The oscillators are not damped, though: in floats each
// rounding error goes on to the end of the row or column, and the reference tool scores those errors too. They take up
// to four points off a screenshot and half a point off a photograph. So this takes the same steps, in the same order,
// and each multiplication with its addition is rounded once. Where a processor cannot do that (none that runs this
// service), scores are up to a point lower. The last oscillator has d = 0 but for the rounding of pi, which shows in no
// result.
#pragma once
#include <stddef.h>
#include <wasm_simd128.h>

enum {
  BATCH = 4,   // rows that are blurred together, one in each lane
  AHEAD = 4,   // rows or columns that the blur reaches beyond what it yields
  BEHIND = 6,  // and before it
  DELAY = 14,  // rows of a ring: those of a batch, and as many before it as AHEAD + BEHIND
  MARGIN = 12, // columns of zeros on both sides of what is blurred across
  STATE = 6,   // floats of each column that the blur downwards remembers: two of each oscillator
};

// What four steps at once take of their inputs, of the last value and of the one before it. The first step takes -1 of
// that.
typedef struct {
  float of_input[4], of_last[4], of_before[4];
} Steps;

// The factors of the oscillators: n and d of the first two, n of the last, and each with the other sign. They are read
// from memory: of numbers in the code V8 makes vectors anew each time, which takes a tenth of a comparison.
typedef struct {
  Steps steps1, steps3;
  float n1, n3, n5, d1, d3;
  float minus_n1, minus_n3, minus_n5, minus_d1, minus_d3;
} Factors;
extern const Factors FACTORS;

static inline v128_t everywhere(const float *factor) { return wasm_v128_load32_splat(factor); }

// A factor of the oscillators as a vector.
#define FACTOR(name) everywhere(&FACTORS.name)

static inline v128_t fused(v128_t a, v128_t b, v128_t sum) { return wasm_f32x4_relaxed_madd(a, b, sum); }

// Four rows or columns of four values.
typedef struct {
  v128_t of[4];
} Block;

static inline Block transposed(v128_t a, v128_t b, v128_t c, v128_t d) {
  v128_t ab_low = wasm_i32x4_shuffle(a, b, 0, 4, 1, 5), ab_high = wasm_i32x4_shuffle(a, b, 2, 6, 3, 7);
  v128_t cd_low = wasm_i32x4_shuffle(c, d, 0, 4, 1, 5), cd_high = wasm_i32x4_shuffle(c, d, 2, 6, 3, 7);
  return (Block){{wasm_i64x2_shuffle(ab_low, cd_low, 0, 2), wasm_i64x2_shuffle(ab_low, cd_low, 1, 3),
                  wasm_i64x2_shuffle(ab_high, cd_high, 0, 2), wasm_i64x2_shuffle(ab_high, cd_high, 1, 3)}};
}

// The last two values of each oscillator, for four rows.
typedef struct {
  v128_t last[3], before[3];
} Oscillators;

static inline v128_t together(v128_t value1, v128_t value3, v128_t value5) {
  return wasm_f32x4_add(value1, wasm_f32x4_add(value3, value5));
}

static inline v128_t step_across(Oscillators *state, v128_t in) {
  const v128_t values[3] = {
      fused(state->last[0], FACTOR(minus_d1), wasm_f32x4_sub(wasm_f32x4_mul(in, FACTOR(n1)), state->before[0])),
      fused(state->last[1], FACTOR(minus_d3), wasm_f32x4_sub(wasm_f32x4_mul(in, FACTOR(n3)), state->before[1])),
      wasm_f32x4_sub(wasm_f32x4_mul(in, FACTOR(n5)), state->before[2]),
  };
  for (int k = 0; k < 3; k++) state->before[k] = state->last[k], state->last[k] = values[k];
  return together(values[0], values[1], values[2]);
}

// Four steps at once, each from the inputs and the two values before all four.
static inline Block four_steps(const Block *in, v128_t last, v128_t before, const Steps *steps) {
  Block out;
  for (int step = 0; step < 4; step++) {
    v128_t sum = wasm_f32x4_mul(in->of[0], everywhere(&steps->of_input[step]));
    for (int input = 1; input <= step; input++) sum = fused(in->of[input], everywhere(&steps->of_input[step - input]), sum);
    sum = step == 0 ? wasm_f32x4_sub(sum, before) : fused(before, everywhere(&steps->of_before[step]), sum);
    out.of[step] = fused(last, everywhere(&steps->of_last[step]), sum);
  }
  return out;
}

// Four steps of the last oscillator, whose values repeat with the other sign after two steps.
static inline Block four_simple_steps(const Block *in, v128_t last, v128_t before) {
  const v128_t n = FACTOR(n5), minus_n = FACTOR(minus_n5);
  return (Block){{wasm_f32x4_sub(wasm_f32x4_mul(in->of[0], n), before), wasm_f32x4_sub(wasm_f32x4_mul(in->of[1], n), last),
                  wasm_f32x4_add(fused(in->of[2], n, wasm_f32x4_mul(in->of[0], minus_n)), before),
                  wasm_f32x4_add(fused(in->of[3], n, wasm_f32x4_mul(in->of[1], minus_n)), last)}};
}

static inline Block blurred_across(Oscillators *state, const v128_t *in) {
  Block sum, out;
  for (int x = 0; x < 4; x++) sum.of[x] = wasm_f32x4_add(in[x - BEHIND], in[x + AHEAD]);
  const Block values1 = four_steps(&sum, state->last[0], state->before[0], &FACTORS.steps1);
  const Block values3 = four_steps(&sum, state->last[1], state->before[1], &FACTORS.steps3);
  const Block values5 = four_simple_steps(&sum, state->last[2], state->before[2]);
  state->before[0] = values1.of[2], state->before[1] = values3.of[2], state->before[2] = values5.of[2];
  state->last[0] = values1.of[3], state->last[1] = values3.of[3], state->last[2] = values5.of[3];
  for (int x = 0; x < 4; x++) out.of[x] = together(values1.of[x], values3.of[x], values5.of[x]);
  return out;
}

static inline void store_column(float *const rows[BATCH], int x, v128_t column) {
  wasm_v128_store32_lane(rows[0] + x, column, 0);
  wasm_v128_store32_lane(rows[1] + x, column, 1);
  wasm_v128_store32_lane(rows[2] + x, column, 2);
  wasm_v128_store32_lane(rows[3] + x, column, 3);
}

// Blurs four rows, given as columns with a MARGIN of zeros. The first eight columns and the last ones are single steps,
// as in the reference tool.
static void blur_across(const v128_t *columns, int width, float *const rows[BATCH]) {
  Oscillators state = {0};
  int x = -AHEAD;
  for (; x < 8 && x < width; x++) {
    v128_t column = step_across(&state, wasm_f32x4_add(columns[x - BEHIND], columns[x + AHEAD]));
    if (x >= 0) store_column(rows, x, column);
  }
  for (; x < width - 7; x += 4) {
    const Block out = blurred_across(&state, columns + x);
    const Block turned = transposed(out.of[0], out.of[1], out.of[2], out.of[3]);
    for (int row = 0; row < BATCH; row++) wasm_v128_store(rows[row] + x, turned.of[row]);
  }
  for (; x < width; x++) {
    store_column(rows, x, step_across(&state, wasm_f32x4_add(columns[x - BEHIND], columns[x + AHEAD])));
  }
}

// The products of four rows with four others, or the rows themselves, as columns.
static inline void to_columns(const float *const rows[BATCH], const float *const others[BATCH], int width, v128_t *columns) {
  for (int x = 0; x < width; x += 4) {
    v128_t value[BATCH];
    for (int row = 0; row < BATCH; row++) {
      value[row] = wasm_v128_load(rows[row] + x);
      if (others) value[row] = wasm_f32x4_mul(value[row], wasm_v128_load(others[row] + x));
    }
    const Block turned = transposed(value[0], value[1], value[2], value[3]);
    for (int column = 0; column < 4; column++) columns[x + column] = turned.of[column];
  }
  for (int x = width; x < width + MARGIN; x++) columns[x] = wasm_f32x4_splat(0);
}

// The rows that four steps downwards add up, and the state of the columns.
typedef struct {
  const float *behind[BATCH], *ahead[BATCH];
  float *state;
} Input;

// Four columns, four steps down. Signs are turned with every second step, so that no step takes a subtraction.
static inline Block blurred_down(const Input *input, int at) {
  float *state = input->state + (size_t)at * STATE;
  v128_t before1 = wasm_v128_load(state), before3 = wasm_v128_load(state + 4), before5 = wasm_v128_load(state + 8);
  v128_t last1 = wasm_v128_load(state + 12), last3 = wasm_v128_load(state + 16), last5 = wasm_v128_load(state + 20);
  Block out;
  for (int step = 0; step < BATCH; step++) {
    const int is_turned = step >= 2;
    const v128_t d1 = step % 2 ? FACTOR(minus_d1) : FACTOR(d1), d3 = step % 2 ? FACTOR(minus_d3) : FACTOR(d3);
    v128_t sum = wasm_f32x4_add(wasm_v128_load(input->behind[step] + at), wasm_v128_load(input->ahead[step] + at));
    v128_t value1 = fused(sum, is_turned ? FACTOR(minus_n1) : FACTOR(n1), fused(last1, d1, before1));
    v128_t value3 = fused(sum, is_turned ? FACTOR(minus_n3) : FACTOR(n3), fused(last3, d3, before3));
    v128_t value5 = fused(sum, is_turned ? FACTOR(minus_n5) : FACTOR(n5), before5);
    before1 = last1, before3 = last3, before5 = last5;
    last1 = value1, last3 = value3, last5 = value5;
    v128_t value = together(value1, value3, value5);
    out.of[step] = is_turned ? wasm_f32x4_neg(value) : value;
  }
  wasm_v128_store(state, before1), wasm_v128_store(state + 4, before3), wasm_v128_store(state + 8, before5);
  wasm_v128_store(state + 12, last1), wasm_v128_store(state + 16, last3), wasm_v128_store(state + 20, last5);
  return out;
}

// A map on its way through the blur.
typedef struct {
  float *rows;  // a ring of DELAY rows, blurred across
  float *state; // of the columns
} Blur;
