// Streaming encoder: jpegli's front end (color conversion, downsampling, DCT) feeds the packed
// store; the entropy coder of this module writes the file. jpegli's own coder would need 4 bytes per pixel for tokens.
#include "encode.h"
#include "divisors.h"
#include "undivided.h"

static void discard(j_compress_ptr jpeg) {
  struct encoder *e = (struct encoder *)jpeg;
  e->destination.next_output_byte = e->ignored;
  e->destination.free_in_buffer = sizeof e->ignored;
}

static boolean discard_full(j_compress_ptr jpeg) {
  discard(jpeg);
  return TRUE;
}

struct encoder *EXPORT(encoder_new)(int sink) {
  struct encoder *e = allocate(sizeof *e);
  e->out.sink = sink;
  e->jpeg.err = error_manager(&e->errors);
  jpegli_create_compress(&e->jpeg);
  bands_attach(e);
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
  bands_free(e);
  coded_free(&e->coded);
  free(e->blocks);
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

// Colors and sampling. Pixels are converted as they are read (input.cc): jpegli has nothing to do with their colors.
static void set_colors(struct jpeg_compress_struct *jpeg, int h, int v, int gray) {
  const J_COLOR_SPACE colors = gray ? JCS_GRAYSCALE : JCS_YCbCr;
  jpeg->input_components = gray ? 1 : 3;
  jpeg->in_color_space = colors;
  jpegli_set_defaults(jpeg);
  jpegli_set_colorspace(jpeg, colors);
  jpeg->comp_info[0].h_samp_factor = h;
  jpeg->comp_info[0].v_samp_factor = v;
}

// What is all that jpegli does: it transforms.
static void transform_only(struct jpeg_compress_struct *jpeg, int planes) {
  jpeg->raw_data_in = planes;
  // It serves another measure: at equal score of SSIMULACRA 2 photographs get 2 % (at 65), 4 % (75) and 5 % (90)
  // smaller without it, drawings up to 3 %; and it takes up to a seventh of the time.
  jpegli_enable_adaptive_quantization(jpeg, FALSE);
  // With several scans jpegli keeps coefficients, which is what the packed store takes.
  jpegli_set_progressive_level(jpeg, 2);
}

// Bytes that are put in for a write: rows of RGBA, or the planes of a row of MCUs.
static size_t input_bytes(const struct encoder *e, int input, uint32_t rows) {
  if (input != INPUT_PLANES) return (size_t)e->jpeg.image_width * 4 * rows;
  size_t bytes = 0;
  for (int c = 0; c < e->packed.components; c++) {
    const struct packed_component *component = &e->packed.component[c];
    bytes += (size_t)component->width * 8 * component->v * 8;
  }
  return bytes;
}

// Coefficients may take at most `limit` bytes. `distance` is butteraugli's; `h` and `v` are luma's sampling factors
// against chroma's of 1. Returns the address at which up to `rows` rows, or the planes of one row of MCUs one behind
// the other, are to be put for each write.
uint8_t *EXPORT(encoder_start)(struct encoder *e, uint32_t width, uint32_t height, float distance, int h, int v,
                               int progressive, int gray, int weighs, int input, uint32_t rows, size_t limit) {
  e->halves = weighs && input == INPUT_RGBA && !gray && h == 2 && v == 2;
  e->jpeg.image_width = width;
  e->jpeg.image_height = height;
  set_colors(&e->jpeg, gray ? 1 : h, gray ? 1 : v, gray);
  // The choice of tables depends on the sampling.
  set_divisors(&e->jpeg, distance);
  prepare_packed(e);
  // Halved chroma is coded apart: jpegli transforms luma alone.
  if (e->halves) set_colors(&e->jpeg, 1, 1, 1);
  transform_only(&e->jpeg, input == INPUT_PLANES || e->halves);
  jpegli_start_compress(&e->jpeg, TRUE);
  e->weighs = weighs;
  if (weighs) leave_undivided(&e->jpeg);
  for (int c = 0; c < e->packed.components; c++)
    trellis_start(&e->trellis[c], e->packed.divisors[e->packed.component[c].table], c);
  overshoot_start(&e->overshoot, e->packed.divisors[e->packed.component[0].table]);
  e->packed.limit = limit;
  e->options.progressive = progressive;
  e->options.marker = MARKER_JFIF;
  if (e->halves) {
    coded_start(&e->coded, width, height);
    e->blocks = allocate((size_t)e->packed.component[1].width * sizeof(JBLOCK));
  }
  return e->rows = allocate(input_bytes(e, input, rows));
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

// Takes one row of MCUs; each plane is 8 v rows, one behind the other, edges already repeated.
static void write_planes(struct encoder *e, uint8_t *next) {
  JSAMPROW rows[PACKED_COMPONENTS][MAX_SAMP_FACTOR * DCTSIZE];
  JSAMPARRAY planes[PACKED_COMPONENTS];
  for (int c = 0; c < e->packed.components; c++) {
    const size_t stride = (size_t)e->packed.component[c].width * 8;
    planes[c] = rows[c];
    for (int i = 0; i < e->packed.component[c].v * 8; i++, next += stride) rows[c][i] = next;
  }
  jpegli_write_raw_data(&e->jpeg, planes, e->packed.max_v * DCTSIZE);
}

// Takes luma of one row of MCUs, of which chroma is halved.
static void write_luma(void *encoder, uint8_t *luma) {
  struct encoder *e = encoder;
  for (int half = 0; half < 2 && e->jpeg.next_scanline < e->jpeg.image_height; half++) {
    JSAMPROW rows[DCTSIZE];
    JSAMPARRAY plane = rows;
    for (int i = 0; i < DCTSIZE; i++, luma += e->coded.at.columns) rows[i] = luma;
    jpegli_write_raw_data(&e->jpeg, &plane, DCTSIZE);
  }
}

void EXPORT(encoder_write)(struct encoder *e, uint32_t count) {
  const struct coding by = {code_chroma, write_luma, e};
  if (count > 1) measure_colors(e, e->rows, e->rows + (size_t)e->jpeg.image_width * 4);
  for (uint32_t i = 0; i < count; i++) {
    JSAMPROW row = e->rows + (size_t)i * e->jpeg.image_width * 4;
    if (e->halves) coded_take(&e->coded, row, &by);
    else jpegli_write_scanlines(&e->jpeg, &row, 1);
  }
}

void EXPORT(encoder_write_planes)(struct encoder *e) { write_planes(e, e->rows); }

static void begin_finish(struct encoder *e) {
  if (e->jpeg.next_scanline < e->jpeg.image_height) fail("rows are missing");
  bands_finish(e);
  const struct packed store = packed_without_empty_chroma(&e->packed);
  file_start(&e->file, &store, &e->options, &e->out);
  e->finishing = 1;
}

// Writes the file, about `blocks` blocks at a time, each counted once for every scan. Returns whether there is more.
int EXPORT(encoder_finish)(struct encoder *e, uint32_t blocks) {
  if (!e->finishing) begin_finish(e);
  return file_step(&e->file, blocks);
}
