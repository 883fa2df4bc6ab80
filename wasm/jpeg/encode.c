// Streaming encoder: jpegli's front end (color conversion, downsampling, DCT) feeds the packed
// store; the entropy coder of this module writes the file. jpegli's own coder would need 4 bytes per pixel for tokens.
#include <stdlib.h>
#include <string.h>
#include "native.h"
#include "divisors.h"
#include "file.h"
#include "lib/jpegli/encode.h"
#include "overshoot.h"
#include "packed.h"
#include "samples.h"
#include "trellis.h"
#include "undivided.h"

// One row of MCUs of one component, in place of jpegli's array of the whole picture.
struct jvirt_barray_control {
  int component;
  uint32_t first_row;        // of blocks, that the band holds
  uint32_t rows;             // of blocks, that hold coefficients
  JBLOCKROW band[MAX_SAMP_FACTOR];
};

struct encoder {
  struct jpeg_compress_struct jpeg;
  struct jpeg_error_mgr errors;
  struct jpeg_destination_mgr destination;
  uint8_t ignored[4096];     // what jpegli writes by itself
  struct jvirt_barray_control bands[PACKED_COMPONENTS];
  int band_count;
  int weighs;                // bits against errors: coefficients come undivided
  struct trellis trellis[PACKED_COMPONENTS];
  struct overshoot overshoot;  // of luma
  struct packed packed;
  struct output out;
  struct file_options options;
  struct file_writer file;   // in use once all rows are there
  int finishing;
  uint8_t *profile;
  uint8_t *rows;             // rows or planes on their way in
  uint64_t color_loss;       // what halving of chroma would lose of the colors that were measured, squared, and
  uint64_t colors;           // their number
};

static void discard(j_compress_ptr jpeg) {
  struct encoder *e = (struct encoder *)jpeg;
  e->destination.next_output_byte = e->ignored;
  e->destination.free_in_buffer = sizeof e->ignored;
}

static boolean discard_full(j_compress_ptr jpeg) {
  discard(jpeg);
  return TRUE;
}

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

struct encoder *EXPORT(encoder_new)(int sink) {
  struct encoder *e = allocate(sizeof *e);
  e->out.sink = sink;
  e->jpeg.err = error_manager(&e->errors);
  jpegli_create_compress(&e->jpeg);
  e->jpeg.mem->request_virt_barray = request_band;
  e->jpeg.mem->access_virt_barray = access_band;
  e->destination.init_destination = discard;
  e->destination.empty_output_buffer = discard_full;
  e->destination.term_destination = discard;
  e->jpeg.dest = &e->destination;
  return e;
}

void EXPORT(encoder_close)(struct encoder *e) {
  jpegli_destroy_compress(&e->jpeg);
  packed_free(&e->packed);
  file_free(&e->file);
  for (int i = 0; i < e->band_count; i++) free(e->bands[i].band[0]);
  free(e->profile);
  free(e->rows);
  free(e);
}

// Space for an ICC profile of that length, to be filled before `encoder_start`.
uint8_t *EXPORT(encoder_profile)(struct encoder *e, size_t length) {
  free(e->profile);
  e->profile = allocate(length);
  e->options.profile = e->profile;
  e->options.profile_length = length;
  return e->profile;
}

static void prepare_packed(struct encoder *e) {
  const struct jpeg_compress_struct *jpeg = &e->jpeg;
  struct packed *store = &e->packed;
  store->width = jpeg->image_width;
  store->height = jpeg->image_height;
  store->components = jpeg->num_components;
  for (int c = 0; c < store->components; c++) {
    const jpeg_component_info *from = &jpeg->comp_info[c];
    struct packed_component *to = &store->component[c];
    to->id = from->component_id;
    to->h = from->h_samp_factor;
    to->v = from->v_samp_factor;
    to->table = from->quant_tbl_no;
    store->used_tables |= 1 << to->table;
    memcpy(store->divisors[to->table], jpeg->quant_tbl_ptrs[to->table]->quantval, sizeof store->divisors[0]);
  }
  packed_prepare(store);
}

enum { INPUT_RGBA = 0, INPUT_PLANES = 1 };

// Coefficients may take at most `limit` bytes. `distance` is butteraugli's; `h` and `v` are luma's sampling factors
// against chroma's of 1. Returns the address at which up to `rows` rows, or the planes of one row of MCUs one behind
// the other, are to be put for each write.
uint8_t *EXPORT(encoder_start)(struct encoder *e, uint32_t width, uint32_t height, float distance, int h, int v,
                               int progressive, int gray, int weighs, int input, uint32_t rows, size_t limit) {
  struct jpeg_compress_struct *jpeg = &e->jpeg;
  jpeg->image_width = width;
  jpeg->image_height = height;
  jpeg->raw_data_in = input == INPUT_PLANES;
  // Pixels are converted as they are read (input.cc): jpegli has nothing to do with their colors.
  jpeg->input_components = gray ? 1 : 3;
  jpeg->in_color_space = gray ? JCS_GRAYSCALE : JCS_YCbCr;
  jpegli_set_defaults(jpeg);
  jpeg->raw_data_in = input == INPUT_PLANES;
  jpegli_set_colorspace(jpeg, gray ? JCS_GRAYSCALE : JCS_YCbCr);
  // The choice of tables depends on the sampling: it comes first.
  jpeg->comp_info[0].h_samp_factor = gray ? 1 : h;
  jpeg->comp_info[0].v_samp_factor = gray ? 1 : v;
  set_divisors(jpeg, distance);
  // It serves another measure: at equal score of SSIMULACRA 2 photographs get 2 % (at 65), 4 % (75) and 5 % (90)
  // smaller without it, drawings up to 3 %; and it takes up to a seventh of the time.
  jpegli_enable_adaptive_quantization(jpeg, FALSE);
  // With several scans jpegli keeps coefficients, which is what the packed store takes.
  jpegli_set_progressive_level(jpeg, 2);
  jpegli_start_compress(jpeg, TRUE);
  prepare_packed(e);
  e->weighs = weighs;
  if (weighs) leave_undivided(jpeg);
  for (int c = 0; c < e->packed.components; c++)
    trellis_start(&e->trellis[c], e->packed.divisors[e->packed.component[c].table]);
  overshoot_start(&e->overshoot, e->packed.divisors[e->packed.component[0].table]);
  e->packed.limit = limit;
  e->options.progressive = progressive;
  e->options.marker = MARKER_JFIF;
  size_t bytes = (size_t)width * 4 * rows;
  if (input == INPUT_PLANES) {
    bytes = 0;
    for (int c = 0; c < e->packed.components; c++) {
      const struct packed_component *component = &e->packed.component[c];
      bytes += (size_t)component->width * 8 * component->v * 8;
    }
  }
  return e->rows = allocate(bytes);
}

// How far the colors of the pixels of a square lie from their mean: R - G and B - G stand for chroma.
static void measure_colors(struct encoder *e, const uint8_t *top, const uint8_t *bottom) {
  for (uint32_t x = 0; x + 1 < e->jpeg.image_width; x += 2, top += 8, bottom += 8) {
    const uint8_t *pixels[4] = {top, top + 4, bottom, bottom + 4};
    int sum[2] = {0}, squares = 0;
    for (int i = 0; i < 4; i++)
      for (int c = 0; c < 2; c++) {
        const int difference = pixels[i][2 * c] - pixels[i][1];
        sum[c] += difference;
        squares += difference * difference;
      }
    e->color_loss += squares - (sum[0] * sum[0] + sum[1] * sum[1]) / 4;
    e->colors += 4;
  }
}

// The mean square of what the pixels written so far lose of their color when chroma is halved both ways, of a sample of
// them.
double EXPORT(encoder_color_loss)(const struct encoder *e) {
  return e->colors ? (double)e->color_loss / e->colors : 0;
}

void EXPORT(encoder_write)(struct encoder *e, uint32_t count) {
  if (count > 1) measure_colors(e, e->rows, e->rows + (size_t)e->jpeg.image_width * 4);
  for (uint32_t i = 0; i < count; i++) {
    JSAMPROW row = e->rows + (size_t)i * e->jpeg.image_width * 4;
    jpegli_write_scanlines(&e->jpeg, &row, 1);
  }
}

// Takes one row of MCUs; each plane is 8 v rows of its width in blocks times 8 samples, edges already repeated.
void EXPORT(encoder_write_planes)(struct encoder *e) {
  JSAMPROW rows[PACKED_COMPONENTS][MAX_SAMP_FACTOR * DCTSIZE];
  JSAMPARRAY planes[PACKED_COMPONENTS];
  uint8_t *next = e->rows;
  for (int c = 0; c < e->packed.components; c++) {
    const struct packed_component *component = &e->packed.component[c];
    planes[c] = rows[c];
    for (int i = 0; i < component->v * 8; i++, next += component->width * 8) rows[c][i] = next;
  }
  jpegli_write_raw_data(&e->jpeg, planes, e->packed.max_v * DCTSIZE);
}

static void begin_finish(struct encoder *e) {
  if (e->jpeg.next_scanline < e->jpeg.image_height) fail("rows are missing");
  for (int i = 0; i < e->band_count; i++) pack_band(e, &e->bands[i]);
  const struct packed store = packed_without_empty_chroma(&e->packed);
  file_start(&e->file, &store, &e->options, &e->out);
  e->finishing = 1;
}

// Writes the file, about `blocks` blocks at a time, each counted once for every scan. Returns whether there is more.
int EXPORT(encoder_finish)(struct encoder *e, uint32_t blocks) {
  if (!e->finishing) begin_finish(e);
  return file_step(&e->file, blocks);
}
