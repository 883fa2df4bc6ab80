// Factors that the blur and the colors read from memory; see gauss.h for why.
#include "xyb.h"

// n and d of the first two oscillators, n of the last.
#define N1 0.0552952364f
#define N3 -0.0588366874f
#define N5 0.0129558193f
#define D1 -1.90211308f
#define D3 -1.17557049f

// What four steps take of the inputs is n carried on by zero to three steps.
const Factors FACTORS = {
    .steps1 = {.of_input = {N1, 0.10517779f, 0.144764811f, 0.17018123f},
               .of_last = {-D1, 2.61803389f, 3.07768345f, 3.23606801f},
               .of_before = {-1, D1, -2.61803389f, -3.07768345f}},
    .steps3 = {.of_input = {N3, -0.0691666752f, -0.0224736147f, 0.042747356f},
               .of_last = {-D3, 0.381966025f, -0.726542532f, -1.23606801f},
               .of_before = {-1, D3, -0.381966025f, 0.726542532f}},
    .n1 = N1, .n3 = N3, .n5 = N5, .d1 = D1, .d3 = D3,
    .minus_n1 = -N1, .minus_n3 = -N3, .minus_n5 = -N5, .minus_d1 = -D1, .minus_d3 = -D3,
};

const Colors COLORS = {
    .cones = {{0.30f, 1.0f - 0.078f - 0.30f, 0.078f},
              {0.23f, 1.0f - 0.078f - 0.23f, 0.078f},
              {0.24342268924547819f, 0.20476744424496821f, 1.0f - 0.24342268924547819f - 0.20476744424496821f}},
    .bias = 0.0037930732552754493f,
    .minus_root = -0.155954202f,
    .third = 1.0f / 3,
    .four_thirds = 4.0f / 3,
    .half = 0.5f,
    .x_factor = 14,
    .x_moved = 0.42f,
    .y_moved = 0.01f,
    .b_moved = 0.55f,
};
