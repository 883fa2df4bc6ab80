#include "reader.h"
#include <wasm_simd128.h>
#include "jdhuff.h"

void reader_start(struct reader *reader, j_decompress_ptr jpeg) {
  reader->jpeg = jpeg;
  reader->last = reader->bytes + READER_BYTES;
  memset(reader->last - BLOCK_BYTES, 0, BLOCK_BYTES);
  reader->bits = (struct bits){0, 0, reader->last};
}

// Bits of the segment that were not used; negative if there were not as many.
static int bits_left(const struct reader *reader, const struct bits *bits) {
  return 8 * (int)(bits->next - reader->last) + bits->count;
}

// Where warnings are no errors, what is missing of the segment becomes zeros.
static void require_bits(const struct reader *reader, struct bits *bits) {
  if (bits_left(reader, bits) >= 0) return;
  WARNMS(reader->jpeg, JWRN_HIT_MARKER);
  reader->jpeg->entropy->insufficient_data = TRUE;
  *bits = (struct bits){0, 0, reader->last};
}

// The next byte of the segment, or -1 at its end.
static int next_byte(j_decompress_ptr jpeg) {
  struct jpeg_source_mgr *source = jpeg->src;
  for (int escaped = 0;;) {
    if (source->bytes_in_buffer == 0) source->fill_input_buffer(jpeg);
    const int byte = *source->next_input_byte++;
    source->bytes_in_buffer--;
    if (!escaped && byte != 0xFF) return byte;
    if (escaped && byte == 0) return 0xFF;
    escaped = 1;
    if (byte == 0xFF) continue;
    jpeg->unread_marker = byte;
    return -1;
  }
}

// Takes bytes of the input to below `last`, sixteen at a time, up to the first that could be a marker; returns how many.
static uint32_t take_plain(struct jpeg_source_mgr *source, uint8_t *last, uint32_t most) {
  const uint8_t *from = source->next_input_byte;
  if (most > source->bytes_in_buffer) most = source->bytes_in_buffer;
  uint32_t taken = 0;
  while (taken + 16 <= most) {
    const v128_t bytes = wasm_v128_load(from + taken);
    const uint32_t ones = wasm_i8x16_bitmask(wasm_i8x16_eq(bytes, wasm_i8x16_const_splat(-1)));
    wasm_v128_store(last - taken - 16, wasm_i8x16_shuffle(bytes, bytes, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0));
    taken += ones ? __builtin_ctz(ones) : 16;
    if (ones) break;
  }
  source->next_input_byte += taken;
  source->bytes_in_buffer -= taken;
  return taken;
}

int reader_fill(struct reader *reader, struct bits *bits) {
  j_decompress_ptr jpeg = reader->jpeg;
  struct jpeg_source_mgr *source = jpeg->src;
  require_bits(reader, bits);
  if (jpeg->entropy->insufficient_data) return 0;
  if (jpeg->unread_marker) return 1;
  const size_t unread = bits->next - reader->last;
  uint8_t *last = reader->bytes + READER_BYTES - unread;
  memmove(last, reader->last, unread);
  bits->next = reader->bytes + READER_BYTES;
  for (;;) {
    last -= take_plain(source, last, last - reader->bytes - BLOCK_BYTES);
    if (last - reader->bytes < BLOCK_BYTES + 16) break;
    // More of the file is asked for only when it is needed.
    if (source->bytes_in_buffer == 0 && bits->next - last >= BLOCK_BYTES) break;
    const int byte = next_byte(jpeg);
    if (byte < 0) {
      memset(last - BLOCK_BYTES, 0, BLOCK_BYTES);
      break;
    }
    *--last = byte;
  }
  reader->last = last;
  return 1;
}

void reader_end(struct reader *reader, struct bits bits) {
  require_bits(reader, &bits);
  reader->jpeg->marker->discarded_bytes += bits_left(reader, &bits) / 8;
}

void reader_tell_discarded(j_decompress_ptr jpeg) {
  struct jpeg_marker_reader *marker = jpeg->marker;
  if (!jpeg->unread_marker || !marker->discarded_bytes) return;
  WARNMS2(jpeg, JWRN_EXTRANEOUS_DATA, marker->discarded_bytes, jpeg->unread_marker);
  marker->discarded_bytes = 0;
}

// A file that goes on for longer without a marker has no data of a picture there.
enum { MOST_DATA_BYTES = 1 << 20 };

void reader_require_end(j_decompress_ptr jpeg) {
  unsigned *discarded = &jpeg->marker->discarded_bytes;
  while (!jpeg->unread_marker && *discarded < MOST_DATA_BYTES)
    if (next_byte(jpeg) >= 0) ++*discarded;
  reader_tell_discarded(jpeg);
}

struct bits reader_restart(struct reader *reader, struct bits bits) {
  j_decompress_ptr jpeg = reader->jpeg;
  reader_end(reader, bits);
  reader_tell_discarded(jpeg);
  jpeg->marker->read_restart_marker(jpeg);
  // Another marker than that one stays where it is: the segment is missing.
  jpeg->entropy->insufficient_data = jpeg->unread_marker != 0;
  reader_start(reader, jpeg);
  return reader->bits;
}

static uint16_t make_entry(int length, int symbol) { return symbol << 8 | (length + (symbol & 15)); }

int table_number(j_decompress_ptr jpeg, int number) {
  if (number < 0 || number >= NUM_HUFF_TBLS) ERREXIT1(jpeg, JERR_NO_HUFF_TABLE, number);
  return number;
}

void decode_table_prepare(j_decompress_ptr jpeg, int class, int number, struct decode_table **slot) {
  d_derived_tbl storage, *derived = &storage;
  jpeg_make_d_derived_tbl(jpeg, class == 0, number, &derived);  // fails for a missing or impossible table
  if (!*slot)
    *slot = jpeg->mem->alloc_small((j_common_ptr)jpeg, JPOOL_IMAGE, sizeof(struct decode_table));
  struct decode_table *table = *slot;
  const JHUFF_TBL *from = class == 0 ? jpeg->dc_huff_tbl_ptrs[number] : jpeg->ac_huff_tbl_ptrs[number];
  memset(table->look, 0, sizeof table->look);
  memcpy(table->symbols, from->huffval, sizeof table->symbols);
  for (int length = 1; length <= 16; length++) {
    table->longest[length] = derived->maxcode[length];
    table->offset[length] = derived->valoffset[length];
  }
  int code = 0, index = 0;
  for (int length = 1; length <= LOOK_BITS; length++, code <<= 1)
    for (int i = 0; i < from->bits[length]; i++, code++, index++) {
      const int spare = LOOK_BITS - length;
      for (uint32_t rest = 0; rest < 1u << spare; rest++)
        table->look[(code << spare) + rest] = make_entry(length, from->huffval[index]);
    }
}

uint32_t decode_long(const struct decode_table *table, uint64_t bits, j_decompress_ptr jpeg) {
  for (int length = LOOK_BITS + 1; length <= 16; length++) {
    const int32_t code = bits >> (64 - length);
    if (code <= table->longest[length]) return make_entry(length, table->symbols[(code + table->offset[length]) & 255]);
  }
  WARNMS(jpeg, JWRN_HUFF_BAD_CODE);
  return 16;
}
