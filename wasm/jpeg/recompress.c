// A smaller file of the same picture without going through pixels: coefficients in, coefficients out, with Huffman
// codes made for them; and, if asked, divided by larger divisors, or turned. Metadata stays behind.
#include <stdlib.h>
#include <string.h>
#define JPEG_INTERNALS
#include "jinclude.h"
#include "native.h"
#include "jerror.h"
#include "divisors.h"
#include "file.h"
#include "lib/jpegli/encode.h"
#include "packed.h"
#include "store.h"
#include "streamed.h"
#include "tiles.h"
#include "trellis.h"
#include "turn.h"

struct divisor {
  int old, new;
};

// A divisor grows only to at least this many halves of what it was: rounding twice by similar divisors costs more than
// it saves (up to 16 % at equal score).
enum { GROWTH_HALVES = 3 };

// What is being done, or was done last.
enum stage { STAGE_READ, STAGE_PACK, STAGE_TURN, STAGE_WRITE };

struct recompressor {
  struct jpeg_decompress_struct jpeg;
  struct jpeg_error_mgr errors;
  struct input input;
  struct store store;
  struct packed packed;
  struct turning turning;
  struct output out;
  struct tiles tiles;
  struct file_options options;
  uint8_t *profile;
  float distance;               // 0: coefficients stay as they are
  struct divisor divisors[MAX_COMPONENTS][DCTSIZE2];
  struct trellis trellis[MAX_COMPONENTS];
  int coarser[MAX_COMPONENTS];  // whether any divisor of the component grows
  struct streamed streamed;     // in use if it has scans
  enum stage stage;
  uint32_t pass, parts;         // that is being read, and windows of coefficients
  uint32_t unit;                // rows of interleaved MCUs of the window that were packed
  struct file_writer file;
};

struct recompressor *EXPORT(recompressor_new)(int sink) {
  struct recompressor *r = allocate(sizeof *r);
  r->out.sink = sink;
  return r;
}

void EXPORT(recompressor_close)(struct recompressor *r) {
  if (r->jpeg.err) jpeg_destroy_decompress(&r->jpeg);
  store_free(&r->store);
  packed_free(&r->packed);
  turning_free(&r->turning);
  streamed_free(&r->streamed);
  tiles_free(&r->tiles);
  file_free(&r->file);
  free(r->profile);
  free(r);
}

uint8_t *EXPORT(recompressor_profile)(struct recompressor *r, size_t length) {
  free(r->profile);
  r->profile = allocate(length);
  r->options.profile = r->profile;
  r->options.profile_length = length;
  return r->profile;
}

// The result consists of tiles of the picture; returns where their places are to be written, x and y of each.
uint32_t *EXPORT(recompressor_tiles)(struct recompressor *r, uint32_t count, uint32_t across, uint32_t side) {
  return tiles_choose(&r->tiles, count, across, side);
}

static enum color_marker marker_for(j_decompress_ptr jpeg) {
  switch (jpeg->jpeg_color_space) {
    case JCS_RGB:
      return MARKER_ADOBE_RGB;
    case JCS_CMYK:
      return jpeg->saw_Adobe_marker ? MARKER_ADOBE_CMYK : MARKER_NONE;
    case JCS_YCCK:
      return MARKER_ADOBE_YCCK;
    default:
      return MARKER_JFIF;
  }
}

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

// The tables of a component are known when its first scan begins; the first row of blocks is early enough.
static void choose_divisors(struct recompressor *r, int c) {
  const JQUANT_TBL *table = r->jpeg.comp_info[c].quant_table;
  if (!table) ERREXIT1(&r->jpeg, JERR_NO_QUANT_TABLE, r->jpeg.comp_info[c].quant_tbl_no);
  uint16_t targets[MAX_COMPONENTS][DCTSIZE2], chosen[DCTSIZE2];
  memset(targets, 0, sizeof targets);
  if (r->distance > 0) target_divisors(&r->jpeg, r->distance, targets);
  for (int i = 0; i < DCTSIZE2; i++) {
    const int old = table->quantval[i];
    if (!old) ERREXIT(&r->jpeg, JERR_BAD_DCT_COEF);
    const int new = targets[c][i] * 2 > old * GROWTH_HALVES ? targets[c][i] : old;
    r->divisors[c][i] = (struct divisor){old, new};
    r->coarser[c] |= new != old;
    chosen[i] = new;
  }
  trellis_start(&r->trellis[c], chosen);
  r->packed.component[c].table = table_for(&r->packed, chosen);
}

static int16_t saturated(int value) { return value < -INT16_MAX ? -INT16_MAX : value > INT16_MAX ? INT16_MAX : value; }

// DC is rounded to the nearest, ties toward zero: a file whose divisors double would get brighter.
static int requantized_dc(int value, struct divisor divisor) {
  const int size = (abs(value) * divisor.old + (divisor.new - 1) / 2) / divisor.new;
  return value < 0 ? -size : size;
}

static void requantize(struct recompressor *r, int c, int16_t *block) {
  int16_t values[DCTSIZE2];
  for (int k = 0; k < DCTSIZE2; k++) {
    const int i = natural_position[k];
    values[k] = saturated(block[i] * r->divisors[c][i].old);
  }
  trellis_divide(&r->trellis[c], values, 1);
  block[0] = requantized_dc(block[0], r->divisors[c][0]);
  for (int k = 1; k < DCTSIZE2; k++) block[natural_position[k]] = values[k];
}

static void take_row(void *taker, int c, uint32_t row, int16_t *blocks) {
  struct recompressor *r = taker;
  const struct packed_component *component = &r->packed.component[c];
  if (row == 0) choose_divisors(r, c);
  if (r->tiles.count) return tiles_take(&r->tiles, &r->packed, c, row, blocks);
  if (r->coarser[c])
    for (uint32_t x = 0; x < component->width; x++) requantize(r, c, blocks + (size_t)x * DCTSIZE2);
  packed_add_row(&r->packed, c, row, blocks, ORDER_NATURAL);
}

static void end_unit(void *taker, uint32_t unit) {
  struct recompressor *r = taker;
  if (r->streamed.script.count) streamed_take(&r->streamed, &r->packed, unit);
}

static void prepare_packed(struct recompressor *r) {
  static const int rgb[] = {'R', 'G', 'B'};
  const struct jpeg_decompress_struct *jpeg = &r->jpeg;
  struct packed *store = &r->packed;
  store->width = jpeg->image_width;
  store->height = jpeg->image_height;
  if (r->tiles.count) {
    store->width = r->tiles.across * r->tiles.side;
    store->height = r->tiles.count / r->tiles.across * r->tiles.side;
  }
  store->components = jpeg->num_components;
  for (int c = 0; c < store->components; c++) {
    const int alone = store->components == 1;
    store->component[c].id = jpeg->jpeg_color_space == JCS_RGB ? rgb[c] : c + 1;
    store->component[c].h = alone ? 1 : jpeg->comp_info[c].h_samp_factor;
    store->component[c].v = alone ? 1 : jpeg->comp_info[c].v_samp_factor;
  }
  packed_prepare(store);
  r->options.marker = marker_for(&r->jpeg);
}

static void open_source(struct recompressor *r, int source) {
  struct jpeg_decompress_struct *jpeg = &r->jpeg;
  if (jpeg->err) jpeg_destroy_decompress(jpeg);
  memset(&r->input, 0, sizeof r->input);
  jpeg->err = error_manager(&r->errors);
  jpeg_create_decompress(jpeg);
  jpeg->client_data = &r->store;
  input_attach(jpeg, &r->input, source);
  jpeg_read_header(jpeg, TRUE);
  if (jpeg->data_precision != 8 || jpeg->jpeg_color_space == JCS_UNKNOWN) ERREXIT(jpeg, JERR_NOTIMPL);
}

// How often the file is read so that no more than `most` bytes of coefficients are held at a time.
static uint32_t passes_for(j_decompress_ptr jpeg, size_t most) {
  return jpeg->inputctl->has_multiple_scans ? store_full_bytes(jpeg) / most + 1 : 1;
}

// Packs one row of interleaved MCUs of the window and frees it.
static void pack_unit(struct recompressor *r, uint32_t unit) {
  int taken = 0;
  for (int c = 0; c < r->packed.components; c++) {
    struct store_component *from = &r->store.component[c];
    const uint32_t v = r->jpeg.comp_info[c].v_samp_factor;
    for (uint32_t row = unit * v; row < (unit + 1) * v; row++) {
      if (!from->values[row]) continue;
      if (r->tiles.count || row < r->packed.component[c].height) take_row(r, c, row, from->values[row]);
      store_free_row(from, row);
      taken = 1;
    }
  }
  if (taken) end_unit(r, unit);
}

// Packs about so many blocks of the window; returns whether there are more.
static int pack_window(struct recompressor *r, uint32_t blocks) {
  uint32_t unit_blocks = 0;
  for (int c = 0; c < r->packed.components; c++)
    unit_blocks += r->jpeg.comp_info[c].width_in_blocks * r->jpeg.comp_info[c].v_samp_factor;
  const uint32_t most = 1 + blocks / unit_blocks, left = r->jpeg.total_iMCU_rows - r->unit;
  for (const uint32_t end = r->unit + (most < left ? most : left); r->unit < end; r->unit++) pack_unit(r, r->unit);
  if (r->unit < r->jpeg.total_iMCU_rows) return 1;
  store_free(&r->store);
  return 0;
}

// Chooses every `step`th row of interleaved MCUs from `first` up to `end`, whose coefficients are to be read.
static void choose_window(struct recompressor *r, uint32_t first, uint32_t end, uint32_t step) {
  r->store.window_first = first;
  r->store.window_end = end;
  r->store.window_step = step;
  r->store.take_row = take_row;
  r->store.end_unit = end_unit;
  r->store.taker = r;
  r->stage = STAGE_READ;
}

// Chooses the part number `part`.
static void choose_part(struct recompressor *r, uint32_t part) {
  const uint32_t units = (r->jpeg.total_iMCU_rows + r->parts - 1) / r->parts;
  choose_window(r, part * units, (part + 1) * units, 1);
}

// Begins to read the file, from `source`, for what pass number `pass` is about. Returns the number of passes that the
// whole takes: more than one if the file comes in several scans and its coefficients exceed `most` bytes.
uint32_t EXPORT(recompressor_read)(struct recompressor *r, int source, uint32_t pass, float distance, size_t most) {
  open_source(r, source);
  r->parts = passes_for(&r->jpeg, most);
  r->pass = pass;
  if (pass == 0) {
    r->distance = distance;
    prepare_packed(r);
  }
  choose_part(r, pass);
  return r->parts;
}

// Does what `recompressor_read` and `recompressor_write` do without holding more than a window of coefficients: the
// first pass counts, a part of the picture if there are to be several others; those write, to this sink and the
// `SCANS_MOST` behind it.
uint32_t EXPORT(recompressor_stream)(struct recompressor *r, int source, uint32_t pass, float distance, size_t most,
                                     int progressive) {
  open_source(r, source);
  r->parts = passes_for(&r->jpeg, most);
  r->pass = pass;
  if (pass == 0) {
    r->distance = distance;
    r->options.progressive = progressive;
    prepare_packed(r);
    streamed_count(&r->streamed, &r->packed, progressive);
    choose_window(r, 0, r->jpeg.total_iMCU_rows, r->parts);
  } else {
    choose_part(r, pass - 1);
  }
  return r->parts + 1;
}

static void end_pass(struct recompressor *r) {
  if (!r->streamed.script.count) return;
  if (r->pass == 0) {
    file_begin(&r->packed, &r->options, &r->out);
    output_flush(&r->out);
    streamed_write(&r->streamed, &r->packed, r->parts > 1, r->out.sink);
  } else if (r->pass == r->parts) {
    streamed_end(&r->streamed);
  }
}

// Does about `blocks` blocks of the pass that was begun. Returns 0 when it is done; or else what was done: 1 where
// scans of several were read, 2 where blocks were packed.
int EXPORT(recompressor_step)(struct recompressor *r, uint32_t blocks) {
  if (r->stage == STAGE_READ) {
    r->store.blocks_left = blocks;
    jpeg_read_coefficients(&r->jpeg);
    const int several = r->jpeg.inputctl->has_multiple_scans;
    if (r->jpeg.global_state != DSTATE_STOPPING) return several ? 1 : 2;
    input_require_complete(&r->jpeg, &r->input);
    r->stage = STAGE_PACK;
    r->unit = 0;
    if (several) return 1;
  } else if (pack_window(r, blocks)) {
    return 2;
  }
  end_pass(r);
  return 0;
}

// Turns what was read, about `blocks` blocks at a time: transposed, then mirrored left to right and top to bottom,
// where partial MCUs allow it. Returns whether there is more.
int EXPORT(recompressor_turn)(struct recompressor *r, int transpose, int flip_x, int flip_y, uint32_t blocks) {
  if (r->stage != STAGE_TURN) turning_start(&r->packed, &r->turning, (struct turn){transpose, flip_x, flip_y});
  r->stage = STAGE_TURN;
  if (turning_step(&r->packed, &r->turning, blocks)) return 1;
  r->packed = r->turning.result;
  memset(&r->turning.result, 0, sizeof r->turning.result);
  return 0;
}

static void begin_write(struct recompressor *r, int progressive) {
  if (r->tiles.count) tiles_pack(&r->tiles, &r->packed);
  r->options.progressive = progressive;
  struct packed store = r->packed;
  if (r->jpeg.jpeg_color_space == JCS_YCbCr) store = packed_without_empty_chroma(&store);
  file_start(&r->file, &store, &r->options, &r->out);
  r->stage = STAGE_WRITE;
}

// Writes the file, about `blocks` blocks at a time, each counted once for every scan. Returns whether there is more.
int EXPORT(recompressor_write)(struct recompressor *r, int progressive, uint32_t blocks) {
  if (r->stage != STAGE_WRITE) begin_write(r, progressive);
  return file_step(&r->file, blocks);
}
