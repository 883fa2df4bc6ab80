// The choice of coarser divisors for a file that there is, and its coefficients divided by them.
#include <stdlib.h>
#include <string.h>
#define JPEG_INTERNALS
#include "jinclude.h"
#include "native.h"
#include "jerror.h"
#include "divisors.h"
#include "lib/jpegli/encode.h"
#include "requantize.h"

// A divisor grows only to at least this many halves of what it was: rounding twice by similar divisors costs more than
// it saves (up to 16 % at equal score).
enum { GROWTH_HALVES = 3 };

// Quantization as jpegli would choose it for this picture at that distance.
static void target_divisors(j_decompress_ptr from, float distance, uint16_t targets[MAX_COMPONENTS][DCTSIZE2]) {
  struct jpeg_compress_struct to;
  memset(&to, 0, sizeof to);
  to.err = from->err;
  jpegli_create_compress(&to);
  to.input_components = from->num_components;
  to.in_color_space = from->jpeg_color_space;
  jpegli_set_defaults(&to);
  jpegli_set_colorspace(&to, from->jpeg_color_space);
  for (int c = 0; c < to.num_components; c++) {
    to.comp_info[c].h_samp_factor = from->comp_info[c].h_samp_factor;
    to.comp_info[c].v_samp_factor = from->comp_info[c].v_samp_factor;
  }
  set_divisors(&to, distance);
  for (int c = 0; c < to.num_components; c++)
    memcpy(targets[c], to.quant_tbl_ptrs[to.comp_info[c].quant_tbl_no]->quantval, sizeof targets[c]);
  jpegli_destroy_compress(&to);
}

// Table of the new file that holds these divisors; one is added if there is none yet.
static int table_for(struct packed *store, const uint16_t divisors[DCTSIZE2]) {
  int table = 0;
  while (store->used_tables >> table & 1) {
    if (!memcmp(store->divisors[table], divisors, sizeof store->divisors[table])) return table;
    table++;
  }
  memcpy(store->divisors[table], divisors, sizeof store->divisors[table]);
  store->used_tables |= 1 << table;
  return table;
}

void requantizer_choose(struct requantizer *q, j_decompress_ptr jpeg, struct packed *store, int c) {
  const JQUANT_TBL *table = jpeg->comp_info[c].quant_table;
  if (!table) ERREXIT1(jpeg, JERR_NO_QUANT_TABLE, jpeg->comp_info[c].quant_tbl_no);
  uint16_t targets[MAX_COMPONENTS][DCTSIZE2], chosen[DCTSIZE2];
  memset(targets, 0, sizeof targets);
  if (q->distance > 0) target_divisors(jpeg, q->distance, targets);
  for (int i = 0; i < DCTSIZE2; i++) {
    const int old = table->quantval[i];
    if (!old) ERREXIT(jpeg, JERR_BAD_DCT_COEF);
    const int new = targets[c][i] * 2 > old * GROWTH_HALVES ? targets[c][i] : old;
    q->divisors[c][i] = (struct divisor){old, new};
    q->coarser[c] |= new != old;
    chosen[i] = new;
  }
  trellis_start(&q->trellis[c], chosen, c);
  store->component[c].table = table_for(store, chosen);
}

static int16_t saturated(int value) { return value < -INT16_MAX ? -INT16_MAX : value > INT16_MAX ? INT16_MAX : value; }

// DC is rounded to the nearest, ties toward zero: a file whose divisors double would get brighter.
static int requantized_dc(int value, struct divisor divisor) {
  const int size = (abs(value) * divisor.old + (divisor.new - 1) / 2) / divisor.new;
  return value < 0 ? -size : size;
}

void requantizer_divide(struct requantizer *q, int c, int16_t *block) {
  int16_t values[DCTSIZE2];
  for (int k = 0; k < DCTSIZE2; k++) {
    const int i = natural_position[k];
    values[k] = saturated(block[i] * q->divisors[c][i].old);
  }
  values[0] = requantized_dc(block[0], q->divisors[c][0]);
  trellis_divide(&q->trellis[c], values, 1);
  for (int k = 0; k < DCTSIZE2; k++) block[natural_position[k]] = values[k];
}
