// Coefficients of jpegli before quantization.
#pragma once
#include "native.h"

#ifdef __cplusplus
extern "C" {
#endif

// Coefficients come multiplied by this in place of divided by their divisors: as large as 16 bits allow.
enum { UNDIVIDED_SCALE = 16 };
// To be called once compression has started.
void leave_undivided(struct jpeg_compress_struct *jpeg);

#ifdef __cplusplus
}
#endif
