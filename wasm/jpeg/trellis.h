// Quantization of a block that weighs the bits of its symbols against its errors.
//
// Ramchandran and Vetterli, "Rate-Distortion Optimal Fast Thresholding with Complete JPEG/MPEG Decoder Compatibility",
// IEEE Transactions on Image Processing 3 (1994): dynamic programming over the places of values that are not zero.
#pragma once
#include <stdint.h>

// What is known of a component. It learns from each block what symbols cost: blocks must come in the same order to
// become the same.
struct trellis {
  int is_luma;
  float divisor[64];         // by zigzag position
  float inverse[64];         // 1 / divisor
  float steepness[64];       // mean square of differences between neighbors by that of samples
  float rate[256];           // bits of a symbol (run << 4 | size) and of the value behind it
  uint32_t counts[256];      // of symbols so far
  uint32_t blocks;
};

// Divisors are in natural order. The first component is luma.
void trellis_start(struct trellis *trellis, const uint16_t divisors[64], int component);
// Divides the AC values of a block in zigzag order, which are multiplied by `scale` first. The result takes their place;
// DC, which is divided already, is left alone.
void trellis_divide(struct trellis *trellis, int16_t *block, float scale);
