// Samples of jpegli before they are transformed.
#pragma once
#include "native.h"

#ifdef __cplusplus
extern "C" {
#endif

// The first sample of a row of blocks; `stride` floats lie between one row of samples and the next.
float *samples_of(struct jpeg_compress_struct *jpeg, int component, uint32_t row, size_t *stride);

#ifdef __cplusplus
}
#endif
