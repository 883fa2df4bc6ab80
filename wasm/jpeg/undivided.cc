#include "undivided.h"

#include "lib/jpegli/encode_internal.h"

// jpegli's transform yields an eighth of the coefficients of T.81.
void leave_undivided(j_compress_ptr jpeg) {
  for (int c = 0; c < jpeg->num_components; c++)
    for (int k = 0; k < DCTSIZE2; k++) {
      jpeg->master->quant_mul[c][k] = 8.0f * UNDIVIDED_SCALE;
      jpeg->master->zero_bias_offset[c][k] = 0;
    }
}
