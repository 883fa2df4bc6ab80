// The coefficients of a file that is made smaller: read, divided anew, and packed or written at once.
#include <string.h>
#include "recompress.h"
#include "jerror.h"

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

static void take_row(void *taker, int c, uint32_t row, int16_t *blocks) {
  struct recompressor *r = taker;
  const struct packed_component *component = &r->packed.component[c];
  // The tables of a component are known when its first scan begins; the first row of blocks is early enough.
  if (row == 0) requantizer_choose(&r->requantizer, &r->jpeg, &r->packed, c);
  if (r->tiles.count) return tiles_take(&r->tiles, &r->packed, c, row, blocks);
  if (r->requantizer.coarser[c])
    for (uint32_t x = 0; x < component->width; x++)
      requantizer_divide(&r->requantizer, c, blocks + (size_t)x * DCTSIZE2);
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
    r->requantizer.distance = distance;
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
    r->requantizer.distance = distance;
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
    require_components(&r->jpeg);
    r->stage = STAGE_PACK;
    r->unit = 0;
    if (several) return 1;
  } else if (pack_window(r, blocks)) {
    return 2;
  }
  end_pass(r);
  return 0;
}
