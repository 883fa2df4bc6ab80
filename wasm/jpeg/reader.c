#include "reader.h"
#include "jdhuff.h"

void reader_start(struct reader *reader, j_decompress_ptr jpeg) {
  memset(reader, 0, sizeof *reader);
  reader->jpeg = jpeg;
}

struct bits reader_enter(struct reader *reader) {
  const struct jpeg_source_mgr *source = reader->jpeg->src;
  reader->bits.next = source->next_input_byte;
  reader->end = source->next_input_byte + source->bytes_in_buffer;
  reader->bits.fast_end = reader->jpeg->unread_marker ? reader->bits.next : reader->end;
  return reader->bits;
}

void reader_leave(struct reader *reader, struct bits bits) {
  reader->bits = bits;
  reader->jpeg->src->next_input_byte = bits.next;
  reader->jpeg->src->bytes_in_buffer = reader->end - bits.next;
  if (bits.count < reader->missing) WARNMS(reader->jpeg, JWRN_HIT_MARKER);
}

void reader_restart(struct reader *reader) {
  // libjpeg complains of whole bytes that nobody wanted.
  reader->jpeg->marker->discarded_bytes += (reader->bits.count - reader->missing) / 8;
  reader->bits.bits = 0;
  reader->bits.count = reader->missing = 0;
  reader->jpeg->marker->read_restart_marker(reader->jpeg);
}

// The next byte of the segment; behind its end, zeros.
static int next_byte(struct reader *reader) {
  int escaped = 0;
  while (!reader->jpeg->unread_marker) {
    if (reader->bits.next == reader->end) {
      reader->jpeg->src->fill_input_buffer(reader->jpeg);
      reader_enter(reader);
    }
    const int byte = *reader->bits.next++;
    if (!escaped && byte != 0xFF) return byte;
    if (escaped && byte == 0) return 0xFF;
    escaped = 1;
    if (byte == 0xFF) continue;
    reader->jpeg->unread_marker = byte;
    reader->bits.fast_end = reader->bits.next;
  }
  reader->missing += 8;
  return 0;
}

void reader_refill_bytewise(struct reader *reader) {
  while (reader->bits.count < 32) {
    reader->bits.bits = reader->bits.bits << 8 | next_byte(reader);
    reader->bits.count += 8;
  }
}

static int32_t make_entry(int length, int symbol, uint32_t bits, int bits_left) {
  const int run = symbol >> 4, size = symbol & 15;
  if (size == 0 || size > bits_left) return length | run << 8 | size << 12;
  const int value = extend(bits >> (bits_left - size) & ((1u << size) - 1), size);
  return (length + size) | run << 8 | (int32_t)((uint32_t)value << 16);
}

void decode_table_prepare(j_decompress_ptr jpeg, int class, int number, struct decode_table **slot) {
  d_derived_tbl *derived = NULL;
  jpeg_make_d_derived_tbl(jpeg, class == 0, number, &derived);  // fails for a missing or impossible table
  if (!*slot)
    *slot = jpeg->mem->alloc_small((j_common_ptr)jpeg, JPOOL_IMAGE, sizeof(struct decode_table));
  struct decode_table *table = *slot;
  const JHUFF_TBL *from = class == 0 ? jpeg->dc_huff_tbl_ptrs[number] : jpeg->ac_huff_tbl_ptrs[number];
  memset(table->look, 0, sizeof table->look);
  memcpy(table->values, from->huffval, sizeof table->values);
  for (int length = 1; length <= 16; length++) {
    table->longest[length] = derived->maxcode[length];
    table->offset[length] = derived->valoffset[length];
  }
  int code = 0, index = 0;
  for (int length = 1; length <= LOOK_BITS; length++, code <<= 1)
    for (int i = 0; i < from->bits[length]; i++, code++, index++) {
      const int spare = LOOK_BITS - length;
      for (uint32_t rest = 0; rest < 1u << spare; rest++)
        table->look[(code << spare) + rest] = make_entry(length, from->huffval[index], rest, spare);
    }
}

int32_t decode_long(const struct decode_table *table, uint32_t bits, j_decompress_ptr jpeg) {
  for (int length = LOOK_BITS + 1; length <= 16; length++) {
    const int32_t code = bits >> (32 - length);
    if (code <= table->longest[length])
      return make_entry(length, table->values[(code + table->offset[length]) & 255], 0, 0);
  }
  WARNMS(jpeg, JWRN_HUFF_BAD_CODE);
  return 16;
}
