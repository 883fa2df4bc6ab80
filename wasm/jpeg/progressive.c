// Huffman decoding of progressive JPEG (T.81 annex G) into the compact store, in place of libjpeg's jdphuff.c.
#include "reader.h"
#include "packed.h"
#include "store.h"

struct progressive {
  struct jpeg_entropy_decoder pub;
  struct reader reader;
  uint32_t restarts_to_go;
  uint32_t end_run;            // blocks that hold nothing (new) in this band
  int last_dc[MAX_COMPS_IN_SCAN];
  struct decode_table *dc[NUM_HUFF_TBLS], *ac[NUM_HUFF_TBLS];
};

static struct progressive *decoder_of(j_decompress_ptr jpeg) { return (struct progressive *)jpeg->entropy; }

// Keeps libjpeg's record of how precisely each coefficient is known, and refuses what the standard rules out. A scan
// that repeats one would allow a small file to cost any amount of work.
static void record_precision(j_decompress_ptr jpeg, int component) {
  int *known = jpeg->coef_bits[component];
  if (jpeg->Ss > 0 && known[0] < 0) WARNMS2(jpeg, JWRN_BOGUS_PROGRESSION, component, 0);
  for (int k = jpeg->Ss; k <= jpeg->Se; k++) {
    if (known[k] >= 0 && jpeg->Al >= known[k])
      ERREXIT4(jpeg, JERR_BAD_PROGRESSION, jpeg->Ss, jpeg->Se, jpeg->Ah, jpeg->Al);
    if (jpeg->Ah != (known[k] < 0 ? 0 : known[k])) WARNMS2(jpeg, JWRN_BOGUS_PROGRESSION, component, k);
    known[k] = jpeg->Al;
  }
}

static void start(j_decompress_ptr jpeg) {
  struct progressive *p = decoder_of(jpeg);
  const int dc = jpeg->Ss == 0;
  if (jpeg->Se >= DCTSIZE2 || jpeg->Ss > jpeg->Se || (dc && jpeg->Se != 0) || (!dc && jpeg->comps_in_scan != 1) ||
      (jpeg->Ah != 0 && jpeg->Al != jpeg->Ah - 1) || jpeg->Al > 13)
    ERREXIT4(jpeg, JERR_BAD_PROGRESSION, jpeg->Ss, jpeg->Se, jpeg->Ah, jpeg->Al);
  for (int i = 0; i < jpeg->comps_in_scan; i++) {
    const jpeg_component_info *component = jpeg->cur_comp_info[i];
    record_precision(jpeg, component->component_index);
    if (!dc) {
      const int number = table_number(jpeg, component->ac_tbl_no);
      decode_table_prepare(jpeg, 1, number, &p->ac[number]);
    } else if (jpeg->Ah == 0) {
      const int number = table_number(jpeg, component->dc_tbl_no);
      decode_table_prepare(jpeg, 0, number, &p->dc[number]);
    }
    p->last_dc[i] = 0;
  }
  reader_start(&p->reader, jpeg);
  p->end_run = 0;
  p->restarts_to_go = jpeg->restart_interval;
  p->pub.insufficient_data = FALSE;
}

// A run of blocks that hold nothing ends where the data does. Where it leads further, something is missing.
static void require_run_end(j_decompress_ptr jpeg) {
  if (decoder_of(jpeg)->end_run) WARNMS(jpeg, JWRN_HUFF_BAD_CODE);
}

// Called before `units` MCUs are decoded; returns how many of them come before the next restart marker.
HOT uint32_t before_restart(j_decompress_ptr jpeg, struct bits *bits, uint32_t units) {
  struct progressive *p = decoder_of(jpeg);
  if (!jpeg->restart_interval) return units;
  if (p->restarts_to_go == 0) {
    *bits = reader_restart(&p->reader, *bits);
    memset(p->last_dc, 0, sizeof p->last_dc);
    require_run_end(jpeg);
    p->end_run = 0;
    p->restarts_to_go = jpeg->restart_interval;
  }
  const uint32_t now = units < p->restarts_to_go ? units : p->restarts_to_go;
  p->restarts_to_go -= now;
  return now;
}

HOT void decode_dc_unit(j_decompress_ptr jpeg, struct bits *bits, uint32_t column, uint32_t row_in_unit) {
  struct progressive *p = decoder_of(jpeg);
  for (int i = 0; i < jpeg->comps_in_scan; i++) {
    const jpeg_component_info *info = jpeg->cur_comp_info[i];
    const struct store_component *component = &store_of(jpeg)->component[info->component_index];
    const int size = component->kept * component->kept;
    for (int v = 0; v < info->MCU_height; v++) {
      const uint32_t row = jpeg->input_iMCU_row * info->v_samp_factor + row_in_unit + v;
      int16_t ignored[MAX_SAMP_FACTOR];
      const int stored = component->values[row] != NULL;
      int16_t *value = stored ? component->values[row] + (size_t)column * info->MCU_width * size : ignored;
      for (int h = 0; h < info->MCU_width; h++, value += stored ? size : 1) {
        if (!reserve(&p->reader, bits)) return;
        refill(bits);
        if (jpeg->Ah) {
          if (take(bits, 1)) *value |= 1 << jpeg->Al;
        } else {
          p->last_dc[i] += decode(&p->reader, bits, p->dc[info->dc_tbl_no]).value;
          *value = (uint32_t)p->last_dc[i] << jpeg->Al;
        }
      }
    }
  }
}

// Coefficients of one block: those that are kept, and where.
struct kept {
  const int8_t *slots;
  int16_t *values;
};

HOT void put(struct kept kept, int k, int value) {
  const int slot = kept.slots[k];
  if (slot >= 0) kept.values[slot] = value;
}

// The first bits of a band of one block.
HOT void decode_first(struct bits *bits, struct progressive *p, const struct decode_table *table, struct kept kept,
                      uint64_t *map, int first, int last, int low) {
  uint64_t found = *map;
  if (!reserve(&p->reader, bits)) return;
  for (int k = first; k <= last; k++) {
    refill(bits);
    const struct symbol symbol = decode(&p->reader, bits, table);
    if (!symbol.value && symbol.run < 15) {
      p->end_run = (1u << symbol.run) - 1;
      if (symbol.run) p->end_run += take(bits, symbol.run);
      break;
    }
    k += symbol.run;
    if (!symbol.value) continue;
    if (k > last) {
      WARNMS(p->reader.jpeg, JWRN_HUFF_BAD_CODE);
      break;
    }
    found |= 1ull << k;
    put(kept, k, (int)((uint32_t)symbol.value << low));
  }
  *map = found;
}

// One more bit of a coefficient that is known not to be zero.
HOT void correct(struct bits *bits, struct kept kept, int k, int bit) {
  if (bits->count == 0) refill(bits);
  if (!take(bits, 1)) return;
  const int slot = kept.slots[k];
  if (slot < 0 || kept.values[slot] & bit) return;
  kept.values[slot] += kept.values[slot] >= 0 ? bit : -bit;
}

// Passes `run` zeros from position k on; what is not zero on the way gets its correction bit. Returns the position of
// the zero behind the run, or one behind the band.
HOT int pass_zeros(struct bits *bits, struct kept kept, uint64_t band, int k, int last, int run,
                   int bit) {
  while (k <= last) {
    const uint64_t left = band & (~0ull << k);
    const int next = left ? __builtin_ctzll(left) : last + 1;
    if (run < next - k) return k + run;
    run -= next - k;
    k = next;
    if (k <= last) correct(bits, kept, k++, bit);
  }
  return k;
}

// One more bit of a band of one block.
HOT void refine(struct bits *bits, struct progressive *p, const struct decode_table *table, struct kept kept,
                uint64_t *map, int first, int last, int bit) {
  const uint64_t band = *map & ~0ull >> (63 - last);
  uint64_t found = 0;
  int k = first;
  if (!reserve(&p->reader, bits)) return;
  while (!p->end_run && k <= last) {
    refill(bits);
    const struct symbol symbol = decode(&p->reader, bits, table);
    if (!symbol.value && symbol.run < 15) {
      p->end_run = 1u << symbol.run;
      if (symbol.run) p->end_run += take(bits, symbol.run);
      break;
    }
    if (symbol.value > 1 || symbol.value < -1) WARNMS(p->reader.jpeg, JWRN_HUFF_BAD_CODE);
    k = pass_zeros(bits, kept, band, k, last, symbol.run, bit);
    if (symbol.value && k > last) {
      WARNMS(p->reader.jpeg, JWRN_HUFF_BAD_CODE);
      break;
    }
    if (symbol.value) {
      found |= 1ull << k;
      put(kept, k, symbol.value * bit);
    }
    k++;
  }
  if (p->end_run) {
    if (k <= last)
      for (uint64_t left = band & (~0ull << k); left; left &= left - 1)
        correct(bits, kept, __builtin_ctzll(left), bit);
    p->end_run--;
  }
  *map |= found;
}

HOT void decode_ac_row(j_decompress_ptr jpeg, struct bits *bits, uint32_t row) {
  struct progressive *p = decoder_of(jpeg);
  const jpeg_component_info *info = jpeg->cur_comp_info[0];
  const struct store_component *component = &store_of(jpeg)->component[info->component_index];
  const struct decode_table *table = p->ac[info->ac_tbl_no];
  const int first = jpeg->Ss, last = jpeg->Se, low = jpeg->Al;
  const int size = component->values[row] ? component->kept * component->kept : 0;
  uint64_t *map = component->maps[row];
  struct kept kept = {store_slots(component, row), NULL};
  for (uint32_t x = 0; x < jpeg->MCUs_per_row;) {
    const uint32_t end = x + before_restart(jpeg, bits, jpeg->MCUs_per_row - x);
    while (x < end) {
      kept.values = component->values[row] + (size_t)x * size;
      if (jpeg->Ah) {
        refine(bits, p, table, kept, &map[x], first, last, 1 << low);
        x++;
      } else if (p->end_run) {
        const uint32_t skip = p->end_run < end - x ? p->end_run : end - x;
        p->end_run -= skip;
        x += skip;
      } else {
        decode_first(bits, p, table, kept, &map[x], first, last, low);
        x++;
      }
    }
  }
}

void progressive_decode_row(j_decompress_ptr jpeg, uint32_t unit_rows) {
  struct reader *reader = &decoder_of(jpeg)->reader;
  struct bits bits = reader->bits;
  for (uint32_t row = 0; row < unit_rows; row++) {
    if (jpeg->Ss > 0) {
      decode_ac_row(jpeg, &bits, jpeg->input_iMCU_row * jpeg->cur_comp_info[0]->v_samp_factor + row);
    } else {
      for (uint32_t x = 0; x < jpeg->MCUs_per_row;) {
        const uint32_t end = x + before_restart(jpeg, &bits, jpeg->MCUs_per_row - x);
        for (; x < end; x++) decode_dc_unit(jpeg, &bits, x, row);
      }
    }
  }
  reader->bits = bits;
  if (jpeg->input_iMCU_row + 1 < jpeg->total_iMCU_rows) return;
  require_run_end(jpeg);
  reader_end(reader, bits);
}

void jinit_phuff_decoder(j_decompress_ptr jpeg) {
  struct progressive *p = jpeg->mem->alloc_small((j_common_ptr)jpeg, JPOOL_IMAGE, sizeof *p);
  memset(p, 0, sizeof *p);
  p->pub.start_pass = start;
  jpeg->entropy = &p->pub;
  const size_t precision = jpeg->num_components * 2 * DCTSIZE2 * sizeof(int);
  jpeg->coef_bits = jpeg->mem->alloc_small((j_common_ptr)jpeg, JPOOL_IMAGE, precision);
  for (int c = 0; c < jpeg->num_components; c++)
    for (int k = 0; k < DCTSIZE2; k++) jpeg->coef_bits[c][k] = -1;
}
