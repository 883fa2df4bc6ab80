// The weights of the second network: whole numbers of 8 bits, or of 4 where a layer has many, and for each output what the
// largest stands for. Floats are made of them layer by layer.
#include "far.h"

const UnitShape far_unit[FAR_UNITS] = {
  {32, 8, 32, 0},    {32, 8, 32, 0},    {32, 12, 48, 1},   {48, 12, 48, 0},   {48, 16, 64, 0},
  {64, 24, 96, 1},   {96, 32, 128, 0},  {128, 32, 128, 0}, {128, 36, 144, 1}, {144, 48, 192, 0},
  {192, 64, 256, 0}, {256, 96, 384, 1}, {384, 96, 384, 0}, {384, 96, 384, 0}, {384, 96, 384, 0},
};

const int far_kept[FAR_KEPT] = {10, 7, 4};

const RiseShape far_rise[FAR_KEPT] = {{96, 2}, {64, 2}, {48, 1}};

#define MANY 10000
#define MOST_OF_MANY 7
#define MOST 63

static float read_half(const uint8_t **at) {
  const uint16_t half = (uint16_t)((*at)[0] | (*at)[1] << 8);
  *at += 2;
  return of_half(half);
}

static void read_steps(const uint8_t **at, int outputs, int most, float *steps, float *constants) {
  for (int output = 0; output < outputs; output++) steps[output] = read_half(at) / (float)most;
  for (int output = 0; output < outputs; output++) constants[output] = read_half(at);
}

static inline v128_t floats_of(v128_t bytes, v128_t step) {
  const v128_t numbers = wasm_i32x4_extend_low_i16x8(wasm_i16x8_extend_low_i8x16(bytes));
  return wasm_f32x4_mul(wasm_f32x4_convert_i32x4(numbers), step);
}

// `count` times four whole numbers, times the same four steps; results go on by `next`.
static void scale(const uint8_t **at, const float *steps, int count, float *result, int next) {
  const v128_t step = wasm_v128_load(steps);
  for (int i = 0; i < count; i++, *at += LANES, result += next) {
    wasm_v128_store(result, floats_of(wasm_v128_load32_zero(*at), step));
  }
}

// The same of 4 bits: of every byte the lower half, then the upper one.
static void scale_halves(const uint8_t **at, const float *steps, int count, float *result) {
  const v128_t step = wasm_v128_load(steps);
  for (int i = 0; i < count; i += 2, *at += LANES, result += 2 * LANES) {
    const v128_t bytes = wasm_v128_load32_zero(*at);
    wasm_v128_store(result, floats_of(wasm_i8x16_shr(wasm_i8x16_shl(bytes, 4), 4), step));
    wasm_v128_store(result + LANES, floats_of(wasm_i8x16_shr(bytes, 4), step));
  }
}

Sums far_sums(const uint8_t **at, int inputs, int outputs, FarFloats *room) {
  float steps[FAR_MOST_CHANNELS];
  const int many = inputs * outputs >= MANY, groups = outputs / LANES;
  read_steps(at, outputs, many ? MOST_OF_MANY : MOST, steps, room->constants);
  for (int group = 0; group < groups; group++) {
    float *weights = room->weights + (size_t)group * inputs * LANES;
    if (many) scale_halves(at, steps + group * LANES, inputs, weights);
    else scale(at, steps + group * LANES, inputs, weights, LANES);
  }
  return (Sums){inputs, outputs, groups, room->weights, room->constants};
}

Block far_block(const uint8_t **at, int from, int to, FarFloats *room) {
  float steps[FAR_MOST_CHANNELS];
  read_steps(at, from, MOST, steps, room->filter_constants);
  for (int group = 0; group < from / LANES; group++)
    scale(at, steps + group * LANES, FILTER * FILTER, room->filter + group * LANES, from);
  return (Block){room->filter, room->filter_constants, far_sums(at, from, to, room)};
}
