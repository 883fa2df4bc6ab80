#include "samples.h"

#include "lib/jpegli/encode_internal.h"

float *samples_of(j_compress_ptr jpeg, int component, uint32_t row, size_t *stride) {
  jpegli::RowBuffer<float> *rows = jpeg->master->raw_data[component];
  *stride = rows->stride();
  return rows->Row(row * DCTSIZE);
}
