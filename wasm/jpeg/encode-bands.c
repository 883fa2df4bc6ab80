// Coefficients as jpegli makes them: a row of MCUs at a time, in place of its arrays of the whole picture, divided if that
// was left to us, and packed.
#include "encode.h"
#include "forward.h"
#include "idct.h"
#include "samples.h"
#include "undivided.h"

static void quantize_row(struct trellis *trellis, JBLOCKROW blocks, uint32_t width) {
  const int divisor = trellis->divisor[0] * UNDIVIDED_SCALE;
  for (uint32_t x = 0; x < width; x++) {
    int16_t *block = blocks[x];
    const int half = block[0] < 0 ? -(divisor / 2) : divisor / 2;
    block[0] = (block[0] + half) / divisor;
    trellis_divide(trellis, block, 1.0f / UNDIVIDED_SCALE);
  }
}

static void pack_band(struct encoder *e, struct jvirt_barray_control *band) {
  if (e->weighs)
    for (uint32_t i = 0; i < band->rows; i++)
      quantize_row(&e->trellis[band->component], band->band[i], e->packed.component[band->component].width);
  for (uint32_t i = 0; i < band->rows; i++)
    packed_add_row(&e->packed, band->component, band->first_row + i, band->band[i][0], ORDER_ZIGZAG);
  band->rows = 0;
}

// jpegli asks for the arrays of its components in their order.
static jvirt_barray_ptr request_band(j_common_ptr jpeg, int pool, boolean zeroed, JDIMENSION width, JDIMENSION height,
                                     JDIMENSION rows) {
  (void)pool, (void)zeroed, (void)height;
  struct encoder *e = (struct encoder *)jpeg;
  if (e->band_count == PACKED_COMPONENTS || rows > MAX_SAMP_FACTOR) fail("too many components");
  struct jvirt_barray_control *band = &e->bands[e->band_count];
  band->component = e->band_count++;
  JBLOCKROW blocks = allocate((size_t)width * rows * sizeof(JBLOCK));
  for (JDIMENSION i = 0; i < rows; i++) band->band[i] = blocks + (size_t)i * width;
  return band;
}

// Luma alone is counted: hardly any chroma lies at the ends of the range.
static void overshoot_rows(struct encoder *e, uint32_t row, uint32_t rows) {
  size_t stride;
  float *samples = samples_of(&e->jpeg, 0, row, &stride);
  for (uint32_t i = 0; i < rows; i++, samples += 8 * stride)
    overshoot_row(&e->overshoot, samples, stride, e->packed.component[0].width);
}

// jpegli asks for rows of blocks right before it transforms their samples.
static JBLOCKARRAY access_band(j_common_ptr jpeg, jvirt_barray_ptr band, JDIMENSION row, JDIMENSION rows,
                               boolean writing) {
  (void)writing;
  struct encoder *e = (struct encoder *)jpeg;
  pack_band(e, band);
  if (band->component == 0) overshoot_rows(e, row, rows);
  band->first_row = row;
  band->rows = rows;
  return band->band;
}

void bands_attach(struct encoder *e) {
  e->jpeg.mem->request_virt_barray = request_band;
  e->jpeg.mem->access_virt_barray = access_band;
}

void bands_finish(struct encoder *e) {
  for (int i = 0; i < e->band_count; i++) pack_band(e, &e->bands[i]);
}

void bands_free(struct encoder *e) {
  for (int i = 0; i < e->band_count; i++) free(e->bands[i].band[0]);
}

// Samples of a row of blocks, as libjpeg's decoder makes them.
static void restore_row(const struct packed_component *component, const int16_t *divisors, const int16_t *blocks,
                        uint8_t *samples) {
  JSAMPROW rows[DCTSIZE];
  const size_t stride = (size_t)component->width * DCTSIZE;
  for (int y = 0; y < DCTSIZE; y++) rows[y] = samples + y * stride;
  for (uint32_t x = 0; x < component->width; x++, blocks += DCTSIZE2) {
    _Alignas(16) JCOEF block[DCTSIZE2];
    for (int k = 0; k < DCTSIZE2; k++) block[natural_position[k]] = blocks[k];
    restore_block(divisors, block, rows, x * DCTSIZE);
  }
}

void code_chroma(void *encoder, uint32_t row, uint8_t *planes[2]) {
  struct encoder *e = encoder;
  for (int c = 1; c < 3; c++) {
    const struct packed_component *component = &e->packed.component[c];
    const size_t stride = (size_t)component->width * DCTSIZE;
    for (uint32_t x = 0; x < component->width; x++)
      transform_block(planes[c - 1] + x * DCTSIZE, stride, e->blocks + (size_t)x * DCTSIZE2);
    JBLOCKROW blocks = (JBLOCKROW)e->blocks;
    quantize_row(&e->trellis[c], blocks, component->width);
    packed_add_row(&e->packed, c, row, e->blocks, ORDER_ZIGZAG);
    restore_row(component, (const int16_t *)e->packed.divisors[component->table], e->blocks, planes[c - 1]);
  }
}
