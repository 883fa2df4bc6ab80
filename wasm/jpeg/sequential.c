// Huffman decoding of sequential JPEG (T.81 annex F), in place of libjpeg's jdhuff.c: mostly two coefficients at a time.
#ifndef SCALAR
#include "reader.h"
#include "jstdhuff.c"

enum {
  PAIR_BITS = 10,
  LAST = DCTSIZE2 - 1,         // zigzag position
  BEYOND = 2 * DCTSIZE2,       // what an end of block adds to the position: more than any coefficient
};

// What the next PAIR_BITS bits mean: one coefficient, or two. Where a step holds no coefficient (sixteen zeros, end of
// block), zero is stored at a position that is zero already; where there is no second step, it repeats the first.
struct pair {
  uint8_t length;              // bits of both
  int8_t last;                 // position up to which it holds: a second coefficient must not be one of the next block
  uint8_t advance, next;       // from the position before to the first coefficient, and to the second
  int16_t value, next_value;
};

struct ac_table {
  struct decode_table *codes;
  struct pair pairs[1 << PAIR_BITS];
};

struct sequential {
  struct jpeg_entropy_decoder pub;
  struct reader reader;
  uint32_t restarts_to_go;
  uint64_t units_to_go;        // MCUs of this scan
  int last_dc[MAX_COMPS_IN_SCAN];
  struct decode_table *dc[NUM_HUFF_TBLS];
  struct ac_table *ac[NUM_HUFF_TBLS];
  uint8_t ac_needed[D_MAX_BLOCKS_IN_MCU];
};

// Places in the block; damaged data leads beyond it, to its last place.
#define LAST_16 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63
static const uint8_t place[LAST + 1 + BEYOND] = {
  0,  1,  8,  16, 9,  2,  3,  10, 17, 24, 32, 25, 18, 11, 4,  5,  12, 19, 26, 33, 40, 48, 41, 34, 27, 20, 13, 6,
  7,  14, 21, 28, 35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23, 30, 37, 44, 51, 58, 59, 52, 45, 38, 31, 39, 46,
  53, 60, 61, 54, 47, 55, 62, 63, LAST_16, LAST_16, LAST_16, LAST_16, LAST_16, LAST_16, LAST_16, LAST_16,
};

static struct sequential *decoder_of(j_decompress_ptr jpeg) { return (struct sequential *)jpeg->entropy; }

static int advance_of(uint32_t entry) {
  const int run = entry >> 12, size = entry >> 8 & 15;
  return size || run == 15 ? run + 1 : BEYOND;
}

static struct pair make_pair(const struct decode_table *codes, uint64_t bits) {
  const uint32_t first = codes->look[bits >> (64 - LOOK_BITS)];
  int length = first & 63;
  if (!first || length > PAIR_BITS) return (struct pair){.last = -1};  // longer than the look
  const int16_t value = value_of(bits, first);
  struct pair pair = {length, LAST, advance_of(first), 0, value, value};
  if (pair.advance == BEYOND) return pair;
  const uint32_t second = codes->look[bits << length >> (64 - LOOK_BITS)];
  if (!second || length + (int)(second & 63) > PAIR_BITS) return pair;
  pair.length += second & 63;
  pair.last = LAST - 1 - pair.advance;
  pair.next = advance_of(second);
  pair.next_value = value_of(bits << length, second);
  return pair;
}

static void prepare_ac(j_decompress_ptr jpeg, int number) {
  struct ac_table **slot = &decoder_of(jpeg)->ac[number];
  if (!*slot) {
    *slot = jpeg->mem->alloc_small((j_common_ptr)jpeg, JPOOL_IMAGE, sizeof **slot);
    (*slot)->codes = NULL;
  }
  decode_table_prepare(jpeg, 1, number, &(*slot)->codes);
  for (uint64_t i = 0; i < 1 << PAIR_BITS; i++) (*slot)->pairs[i] = make_pair((*slot)->codes, i << (64 - PAIR_BITS));
}

static void start(j_decompress_ptr jpeg) {
  struct sequential *s = decoder_of(jpeg);
  if (jpeg->Ss != 0 || jpeg->Se != DCTSIZE2 - 1 || jpeg->Ah != 0 || jpeg->Al != 0) WARNMS(jpeg, JWRN_NOT_SEQUENTIAL);
  for (int i = 0; i < jpeg->comps_in_scan; i++) {
    const jpeg_component_info *component = jpeg->cur_comp_info[i];
    const int dc = table_number(jpeg, component->dc_tbl_no);
    decode_table_prepare(jpeg, 0, dc, &s->dc[dc]);
    prepare_ac(jpeg, table_number(jpeg, component->ac_tbl_no));
    s->last_dc[i] = 0;
  }
  for (int i = 0; i < jpeg->blocks_in_MCU; i++) {
    const jpeg_component_info *component = jpeg->cur_comp_info[jpeg->MCU_membership[i]];
    s->ac_needed[i] = component->component_needed && component->DCT_scaled_size > 1;
  }
  reader_start(&s->reader, jpeg);
  s->restarts_to_go = jpeg->restart_interval;
  s->units_to_go = (uint64_t)jpeg->MCUs_per_row * jpeg->MCU_rows_in_scan;
  s->pub.insufficient_data = FALSE;
}

HOT void put(JCOEF *block, int k, int value) {
  if (block) block[place[k]] = value;
}

// One step of any length from position k; returns the position.
HOT int decode_step(const struct reader *reader, struct bits *bits, const struct decode_table *codes, JCOEF *block,
                    int k) {
  refill(bits);
  const uint32_t entry = look_up(reader, bits, codes);
  k += advance_of(entry);
  put(block, k, value_of(bits->bits, entry));
  drop(bits, entry & 63);
  return k;
}

// The AC coefficients of one block, or null to pass over them; returns the position that they lead to. At least PAIR_BITS
// bits must be available.
HOT int decode_ac(const struct reader *reader, struct bits *bits, const struct ac_table *table, JCOEF *block) {
  int k = 0;
  while (k < LAST) {
    const struct pair *pair = &table->pairs[bits->bits >> (64 - PAIR_BITS)];
    // After the look at the bits, so that the next look need not wait for it.
    refill(bits);
    if (__builtin_expect(k > pair->last, 0)) {
      k = decode_step(reader, bits, table->codes, block, k);
      continue;
    }
    k += pair->advance;
    put(block, k, pair->value);
    k += pair->next;
    put(block, k, pair->next_value);
    drop(bits, pair->length);
  }
  return k;
}

// Nothing but data of which a part is missing has coefficients after the last one of a block. Zeros there are harmless.
static void require_inside(j_decompress_ptr jpeg, const JCOEF *block) {
  if (block[LAST]) WARNMS(jpeg, JWRN_HUFF_BAD_CODE);
}

// The blocks must be zero; without them the MCU is passed over.
static boolean decode_unit(j_decompress_ptr jpeg, JBLOCKROW *blocks) {
  struct sequential *s = decoder_of(jpeg);
  struct bits bits = s->reader.bits;
  if (jpeg->restart_interval && s->restarts_to_go-- == 0) {
    bits = reader_restart(&s->reader, bits);
    memset(s->last_dc, 0, sizeof s->last_dc);
    s->restarts_to_go = jpeg->restart_interval - 1;
  }
  for (int i = 0; i < jpeg->blocks_in_MCU; i++) {
    const int member = jpeg->MCU_membership[i];
    const jpeg_component_info *component = jpeg->cur_comp_info[member];
    if (!reserve(&s->reader, &bits)) break;
    refill(&bits);
    s->last_dc[member] += decode(&s->reader, &bits, s->dc[component->dc_tbl_no]).value;
    if (blocks) (*blocks[i])[0] = s->last_dc[member];
    const struct ac_table *table = s->ac[component->ac_tbl_no];
    JCOEF *block = blocks && s->ac_needed[i] ? *blocks[i] : NULL;
    const int end = decode_ac(&s->reader, &bits, table, block);
    if (__builtin_expect(end > LAST && end < BEYOND, 0) && block) require_inside(jpeg, block);
  }
  s->reader.bits = bits;
  if (--s->units_to_go == 0) {
    reader_end(&s->reader, bits);
    // Of several scans, libjpeg looks for what follows.
    if (!jpeg->inputctl->has_multiple_scans) reader_require_end(jpeg);
  }
  return TRUE;
}

void jinit_huff_decoder(j_decompress_ptr jpeg) {
  std_huff_tables((j_common_ptr)jpeg);  // for files without tables, such as frames of Motion JPEG
  struct sequential *s = jpeg->mem->alloc_small((j_common_ptr)jpeg, JPOOL_IMAGE, sizeof *s);
  memset(s, 0, sizeof *s);
  s->pub.start_pass = start;
  s->pub.decode_mcu = decode_unit;
  jpeg->entropy = &s->pub;
}
#endif
