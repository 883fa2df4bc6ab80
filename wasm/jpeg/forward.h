// jpegli's forward transform, for blocks that it is not handed.
#pragma once
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Coefficients of the block at `samples`, in zigzag order, multiplied by UNDIVIDED_SCALE as jpegli's are.
void transform_block(const uint8_t *samples, size_t stride, int16_t block[64]);

#ifdef __cplusplus
}
#endif
