// Streaming decoder: rows (RGBA, CMYK) or planes (YCbCr as stored) in bands, at a fraction of the size if asked,
// whole or a region of it.
#include <math.h>
#include <stdlib.h>
#include <string.h>
#define JPEG_INTERNALS
#include "jinclude.h"
#include "native.h"
#include "jerror.h"
#include "color.h"
#include "store.h"

enum { OUTPUT_RGBA = 0, OUTPUT_CMYK = 1, OUTPUT_PLANES = 2 };
enum { COLOR_PAIRS = 64 };  // pairs of rows in which colors are measured
enum stage { STAGE_SCANS, STAGE_SKIP, STAGE_READY };  // what comes before the first row: scans, rows above the region
enum { BAND_BYTES = 262144, BAND_ROWS_MAX = 64, MARKER_EXIF = JPEG_APP0 + 1 };

// Read by the binding as 32-bit integers, in this order.
struct facts {
  uint32_t width, height;  // of the output, pixels
  uint32_t band;           // address of the rows that the last read delivered
  uint32_t band_rows;      // most rows that one read delivers
  uint32_t row_bytes;
  // Where the delivered part of each component lies, in its samples, and the rows of the last read.
  struct { uint32_t address, stride, x, y, width, height, rows; } planes[3];
};

struct decoder {
  struct jpeg_decompress_struct jpeg;
  struct jpeg_error_mgr errors;
  struct input input;
  struct store store;
  struct facts facts;
  enum stage stage;
  struct { uint32_t x, y, width, height; } region;
  uint32_t batch;       // rows of MCUs that are delivered at a time as planes
  int output;
  uint32_t left;        // columns that were decoded only to have exact borders
  uint32_t first, last; // rows [first, last) of the scaled picture are the region; of planes, rows of MCUs
  uint8_t *band;
  void *scratch;        // one row as libjpeg delivers it, when it cannot deliver into the band
  uint64_t color_loss;  // of the planes read so far, what averaging squares of chroma would lose, in 1/256
};

struct decoder *EXPORT(decoder_new)(int source) {
  struct decoder *d = allocate(sizeof *d);
  d->jpeg.err = error_manager(&d->errors);
  jpeg_create_decompress(&d->jpeg);
  d->jpeg.client_data = &d->store;
  input_attach(&d->jpeg, &d->input, source);
  return d;
}

void EXPORT(decoder_close)(struct decoder *d) {
  jpeg_destroy_decompress(&d->jpeg);
  store_free(&d->store);
  free(d->band);
  free(d->scratch);
  free(d);
}

const struct facts *EXPORT(decoder_facts)(const struct decoder *d) { return &d->facts; }

static void choose_colors(struct decoder *d, int output) {
  struct jpeg_decompress_struct *jpeg = &d->jpeg;
  d->output = output;
  switch (jpeg->jpeg_color_space) {
    case JCS_CMYK:
    case JCS_YCCK:
      if (output == OUTPUT_PLANES) fail("planes of a CMYK picture");
      jpeg->out_color_space = JCS_CMYK;
      return;
    case JCS_GRAYSCALE:
    case JCS_YCbCr:
      if (output == OUTPUT_PLANES) {
        if (jpeg->data_precision != 8) fail("planes of more than 8 bits");
        jpeg->raw_data_out = TRUE;
        jpeg->out_color_space = jpeg->jpeg_color_space;
        return;
      }
      break;
    case JCS_RGB:
      if (output == OUTPUT_PLANES) fail("planes of an RGB picture");
      break;
    default:
      fail("unknown color space");
  }
  if (output == OUTPUT_CMYK) fail("not a CMYK picture");
  // Lossless pictures allow no conversion inside libjpeg.
  jpeg->out_color_space = jpeg->master->lossless ? jpeg->jpeg_color_space : JCS_EXT_RGBA;
}

static void crop(struct decoder *d, uint32_t *x, uint32_t *width) {
  struct jpeg_decompress_struct *jpeg = &d->jpeg;
  if (jpeg->data_precision == 12) jpeg12_crop_scanline(jpeg, x, width);
  else jpeg_crop_scanline(jpeg, x, width);
}

// Blocks in a row of interleaved MCUs.
static uint32_t unit_blocks(const struct decoder *d) {
  uint32_t blocks = 0;
  for (int c = 0; c < d->jpeg.num_components; c++)
    blocks += d->jpeg.comp_info[c].width_in_blocks * d->jpeg.comp_info[c].v_samp_factor;
  return blocks;
}

// Decodes the next `count` rows for nobody.
static void read_past(struct decoder *d, uint32_t count) {
  struct jpeg_decompress_struct *jpeg = &d->jpeg;
  void *row = d->scratch ? d->scratch : d->band;
  for (const uint32_t end = jpeg->output_scanline + count; jpeg->output_scanline < end;) {
    if (jpeg->data_precision > 8) jpeg12_read_scanlines(jpeg, (J12SAMPARRAY)&row, 1);
    else jpeg_read_scanlines(jpeg, (JSAMPARRAY)&row, 1);
  }
}

// libjpeg skips wrongly from the midst of a row of MCUs into which it was skipped before: the rest of such a row is
// read.
static void skip_rows(struct decoder *d, uint32_t count) {
  struct jpeg_decompress_struct *jpeg = &d->jpeg;
  if (jpeg->master->lossless) {
    read_past(d, count);
    return;
  }
  const uint32_t unit = jpeg->max_v_samp_factor * jpeg->min_DCT_scaled_size, rest = jpeg->output_scanline % unit;
  const uint32_t ahead = rest && unit - rest < count ? unit - rest : rest ? count : 0;
  read_past(d, ahead);
  count -= ahead;
  if (!count) return;
  if (jpeg->data_precision == 12) jpeg12_skip_scanlines(jpeg, count);
  else jpeg_skip_scanlines(jpeg, count);
}

// Goes past rows above the region, of about so many blocks.
static void skip_first_rows(struct decoder *d, uint32_t blocks) {
  const struct jpeg_decompress_struct *jpeg = &d->jpeg;
  const uint32_t unit = jpeg->max_v_samp_factor * jpeg->min_DCT_scaled_size;
  const uint32_t rows = unit * (1 + blocks / unit_blocks(d)), left = d->first - jpeg->output_scanline;
  if (left) skip_rows(d, rows < left ? rows : left);
}

static void check_region(uint32_t x, uint32_t y, uint32_t width, uint32_t height, uint32_t full_width,
                         uint32_t full_height) {
  if (!width || !height || x >= full_width || width > full_width - x || y >= full_height || height > full_height - y)
    fail("region outside of the picture");
}

// A component that no scan of a file of several is about has no tables.
static void require_components(j_decompress_ptr jpeg) {
  if (jpeg->master->lossless) return;
  for (int c = 0; c < jpeg->num_components; c++)
    if (!jpeg->comp_info[c].quant_table) fail("a component is missing");
}

static void prepare_decompress(struct decoder *d, int numerator) {
  struct jpeg_decompress_struct *jpeg = &d->jpeg;
  jpeg->scale_num = numerator;
  jpeg->scale_denom = 8;
  jpeg->dct_method = JDCT_ISLOW;
  jpeg->do_fancy_upsampling = TRUE;
  jpeg->do_block_smoothing = FALSE;
}

// Reads about so many blocks of the scans of a file of several; returns whether it has them all.
static int read_scans(struct decoder *d, uint32_t blocks) {
  struct jpeg_decompress_struct *jpeg = &d->jpeg;
  d->store.blocks_left = blocks;
  if (!jpeg_start_decompress(jpeg)) return 0;
  if (!jpeg->inputctl->has_multiple_scans) return 1;
  input_require_complete(jpeg, &d->input);
  require_components(jpeg);
  return 1;
}

// Upsampling looks one chroma sample over the border: decode a margin of one MCU on both sides and drop it.
static void begin_region(struct decoder *d, uint32_t x, uint32_t y, uint32_t width, uint32_t height) {
  struct jpeg_decompress_struct *jpeg = &d->jpeg;
  check_region(x, y, width, height, jpeg->output_width, jpeg->output_height);
  const uint32_t full = jpeg->output_width;
  d->first = y;
  d->last = y + height;
  d->left = x;
  if (jpeg->data_precision <= 12 && !jpeg->master->lossless && width < full) {
    const uint32_t margin = jpeg->max_h_samp_factor * jpeg->min_DCT_scaled_size;
    uint32_t from = x > margin ? x - margin : 0;
    uint32_t to = full - x - width > margin ? x + width + margin : full;
    uint32_t columns = to - from;
    if (columns < full) {
      crop(d, &from, &columns);
      d->left = x - from;
    }
  }
}

static void allocate_band(struct decoder *d) {
  const struct jpeg_decompress_struct *jpeg = &d->jpeg;
  struct facts *f = &d->facts;
  f->row_bytes = f->width * 4;
  uint32_t rows = BAND_BYTES / f->row_bytes;
  if (rows < 8) rows = 8;
  f->band_rows = rows > BAND_ROWS_MAX ? BAND_ROWS_MAX : rows;
  d->band = allocate((size_t)f->band_rows * f->row_bytes);
  f->band = (uint32_t)d->band;
  if (jpeg->output_width != f->width || jpeg->data_precision > 8 || jpeg->output_components != 4)
    d->scratch = allocate((size_t)jpeg->output_width * jpeg->output_components * (jpeg->data_precision > 8 ? 2 : 1));
}

// Rows of MCUs from `first` to `last`, and in them the columns of MCUs that the region touches.
static void begin_planes(struct decoder *d, uint32_t x, uint32_t y) {
  struct jpeg_decompress_struct *jpeg = &d->jpeg;
  struct facts *f = &d->facts;
  // A scan of one component has MCUs of one block.
  const int alone = jpeg->num_components == 1;
  const uint32_t unit_width = DCTSIZE * (alone ? 1 : jpeg->max_h_samp_factor);
  const uint32_t unit_height = DCTSIZE * jpeg->max_v_samp_factor;
  struct jpeg_decomp_master *master = jpeg->master;
  master->first_iMCU_col = x / unit_width;
  master->last_iMCU_col = (x + f->width - 1) / unit_width;
  d->first = y / unit_height;
  d->last = (y + f->height - 1) / unit_height + 1;
  for (int c = 0; c < jpeg->num_components; c++) {
    const jpeg_component_info *component = &jpeg->comp_info[c];
    const uint32_t size = component->DCT_scaled_size, blocks = alone ? 1 : component->h_samp_factor;
    const uint32_t end = (master->last_iMCU_col + 1) * blocks;
    master->first_MCU_col[c] = master->first_iMCU_col * blocks;
    master->last_MCU_col[c] = (end < component->width_in_blocks ? end : component->width_in_blocks) - 1;
    const uint32_t right = (master->last_MCU_col[c] + 1) * size, bottom = d->last * component->v_samp_factor * size;
    f->planes[c].x = master->first_MCU_col[c] * size;
    f->planes[c].y = d->first * component->v_samp_factor * size;
    f->planes[c].stride = right - f->planes[c].x;
    f->planes[c].width = (right < component->downsampled_width ? right : component->downsampled_width) - f->planes[c].x;
    f->planes[c].height =
      (bottom < component->downsampled_height ? bottom : component->downsampled_height) - f->planes[c].y;
  }
}

static void allocate_planes(struct decoder *d) {
  const struct jpeg_decompress_struct *jpeg = &d->jpeg;
  struct facts *f = &d->facts;
  size_t offset[4] = {0};
  for (int c = 0; c < jpeg->num_components; c++) {
    const jpeg_component_info *component = &jpeg->comp_info[c];
    const size_t unit_bytes = (size_t)f->planes[c].stride * component->v_samp_factor * component->DCT_scaled_size;
    offset[c + 1] = offset[c] + unit_bytes * d->batch;
  }
  d->band = allocate(offset[jpeg->num_components]);
  f->band = (uint32_t)d->band;
  for (int c = 0; c < jpeg->num_components; c++) f->planes[c].address = (uint32_t)(d->band + offset[c]);
}

// One row of MCUs, as the one at place `index` of what is delivered together.
static void read_unit(struct decoder *d, uint32_t index) {
  struct jpeg_decompress_struct *jpeg = &d->jpeg;
  JSAMPROW rows[3][MAX_SAMP_FACTOR * DCTSIZE];
  JSAMPARRAY planes[3] = {rows[0], rows[1], rows[2]};
  for (int c = 0; c < jpeg->num_components; c++) {
    const jpeg_component_info *component = &jpeg->comp_info[c];
    const uint32_t count = component->v_samp_factor * component->DCT_scaled_size;
    for (uint32_t i = 0; i < count; i++)
      rows[c][i] = (uint8_t *)d->facts.planes[c].address + (size_t)(index * count + i) * d->facts.planes[c].stride;
  }
  jpeg_read_raw_data(jpeg, planes, jpeg->max_v_samp_factor * jpeg->min_DCT_scaled_size);
  input_require_complete(jpeg, &d->input);
}

// Goes past rows of MCUs above the region, of about so many blocks. What is not needed is not transformed.
static void skip_first_units(struct decoder *d, uint32_t blocks) {
  struct jpeg_decompress_struct *jpeg = &d->jpeg;
  const uint32_t end = jpeg->output_iMCU_row + 1 + blocks / unit_blocks(d);
  for (int c = 0; c < jpeg->num_components; c++) jpeg->comp_info[c].component_needed = FALSE;
  while (jpeg->output_iMCU_row < d->first && jpeg->output_iMCU_row < end) read_unit(d, 0);
  for (int c = 0; c < jpeg->num_components; c++) jpeg->comp_info[c].component_needed = TRUE;
}

// Reads the header. `numerator` eighths of the size; the region counts pixels of that size, and a region of width 0
// means all of it. `decoder_prepare` has to be called before anything else.
void EXPORT(decoder_start)(struct decoder *d, int output, int numerator, uint32_t x, uint32_t y, uint32_t width,
                           uint32_t height) {
  jpeg_read_header(&d->jpeg, TRUE);
  choose_colors(d, output);
  prepare_decompress(d, numerator);
  d->region.x = x, d->region.y = y, d->region.width = width, d->region.height = height;
}

// Reads the header for planes, each at `sizes` eighths of the size at which it is stored. The region counts pixels as
// stored; of it, whole MCUs are delivered. A width of 0 means all of the picture. `decoder_prepare` as above.
void EXPORT(decoder_start_planes)(struct decoder *d, int size0, int size1, int size2, uint32_t x, uint32_t y,
                                  uint32_t width, uint32_t height) {
  const int sizes[3] = {size0, size1, size2};
  jpeg_read_header(&d->jpeg, TRUE);
  choose_colors(d, OUTPUT_PLANES);
  for (int c = 0; c < d->jpeg.num_components && c < 3; c++) d->store.scaled_size[c] = sizes[c];
  prepare_decompress(d, size0);
  d->batch = DCTSIZE / size0;
  d->region.x = x, d->region.y = y, d->region.width = width, d->region.height = height;
}

static void get_ready(struct decoder *d) {
  const struct jpeg_decompress_struct *jpeg = &d->jpeg;
  const int planes = d->output == OUTPUT_PLANES;
  d->facts.width = d->region.width ? d->region.width : planes ? jpeg->image_width : jpeg->output_width;
  d->facts.height = d->region.width ? d->region.height : planes ? jpeg->image_height : jpeg->output_height;
  if (planes) {
    check_region(d->region.x, d->region.y, d->facts.width, d->facts.height, jpeg->image_width, jpeg->image_height);
    begin_planes(d, d->region.x, d->region.y);
    allocate_planes(d);
  } else {
    begin_region(d, d->region.x, d->region.y, d->facts.width, d->facts.height);
    allocate_band(d);
  }
}

// Does about `blocks` blocks of what comes before the first row. Returns whether there is more of that.
int EXPORT(decoder_prepare)(struct decoder *d, uint32_t blocks) {
  const int planes = d->output == OUTPUT_PLANES;
  if (d->stage == STAGE_SCANS) {
    if (!read_scans(d, blocks)) return 1;
    get_ready(d);
    d->stage = STAGE_SKIP;
  } else if (d->stage == STAGE_SKIP) {
    if (planes) skip_first_units(d, blocks);
    else skip_first_rows(d, blocks);
  }
  if ((planes ? d->jpeg.output_iMCU_row : d->jpeg.output_scanline) >= d->first) d->stage = STAGE_READY;
  return d->stage != STAGE_READY;
}

static uint32_t read_scanlines(struct decoder *d, void *rows, uint32_t count) {
  struct jpeg_decompress_struct *jpeg = &d->jpeg;
  return jpeg->data_precision > 8 ? jpeg12_read_scanlines(jpeg, rows, count) : jpeg_read_scanlines(jpeg, rows, count);
}

static void convert_scratch(const struct decoder *d, uint8_t *to) {
  const struct jpeg_decompress_struct *jpeg = &d->jpeg;
  const int components = jpeg->output_components;
  if (jpeg->data_precision > 8)
    narrow_row(d->scratch, d->left * components, d->facts.width * components, jpeg->data_precision);
  const uint8_t *from = (uint8_t *)d->scratch + (jpeg->data_precision > 8 ? 0 : d->left * components);
  if (components == 4) memcpy(to, from, d->facts.row_bytes);
  else if (components == 3) rgb_to_rgba(from, to, d->facts.width);
  else gray_to_rgba(from, to, d->facts.width);
}

static void read_rows(struct decoder *d, uint32_t count) {
  const struct facts *f = &d->facts;
  JSAMPROW rows[BAND_ROWS_MAX];
  uint32_t done = 0;
  while (done < count) {
    uint32_t read;
    if (d->scratch) {
      rows[0] = d->scratch;
      read = read_scanlines(d, rows, 1);
      if (read) convert_scratch(d, d->band + (size_t)done * f->row_bytes);
    } else {
      for (uint32_t i = done; i < count; i++) rows[i - done] = d->band + (size_t)i * f->row_bytes;
      read = read_scanlines(d, rows, count - done);
    }
    if (!read) fail("no more rows");
    done += read;
  }
  if (d->jpeg.out_color_space == JCS_CMYK && d->output == OUTPUT_RGBA)
    cmyk_to_rgba(d->band, f->width * count, d->jpeg.saw_Adobe_marker);
}

// Decodes the next rows into the band, at most `most`; returns their number, 0 at the end.
uint32_t EXPORT(decoder_read)(struct decoder *d, uint32_t most) {
  struct jpeg_decompress_struct *jpeg = &d->jpeg;
  const uint32_t left = d->last > jpeg->output_scanline ? d->last - jpeg->output_scanline : 0;
  uint32_t count = most < left ? most : left;
  if (count > d->facts.band_rows) count = d->facts.band_rows;
  if (count) read_rows(d, count);
  input_require_complete(jpeg, &d->input);
  return count;
}

// Goes past the next rows, at most `count`, for less than what decoding them takes.
void EXPORT(decoder_skip)(struct decoder *d, uint32_t count) {
  const struct jpeg_decompress_struct *jpeg = &d->jpeg;
  const uint32_t left = d->last > jpeg->output_scanline ? d->last - jpeg->output_scanline : 0;
  skip_rows(d, count < left ? count : left);
  input_require_complete(&d->jpeg, &d->input);
}

// R - G and B - G by T.871, in sixteenths, stand for chroma; how far they lie from their mean in squares of four
// samples.
static void measure_pair(struct decoder *d, uint32_t row) {
  const struct facts *f = &d->facts;
  const uint8_t *cb = (const uint8_t *)f->planes[1].address + (size_t)row * f->planes[1].stride;
  const uint8_t *cr = (const uint8_t *)f->planes[2].address + (size_t)row * f->planes[2].stride;
  for (uint32_t x = 0; x + 1 < f->planes[1].width; x += 2) {
    int sum[2] = {0}, squares = 0;
    for (int i = 0; i < 4; i++) {
      const int b = cb[x + (i & 1) + (i >> 1) * f->planes[1].stride] - CENTERJSAMPLE;
      const int r = cr[x + (i & 1) + (i >> 1) * f->planes[2].stride] - CENTERJSAMPLE;
      const int difference[2] = {34 * r + 6 * b, 11 * r + 34 * b};
      for (int c = 0; c < 2; c++) {
        sum[c] += difference[c];
        squares += difference[c] * difference[c];
      }
    }
    d->color_loss += squares - (sum[0] / 2) * (sum[0] / 2) - (sum[1] / 2) * (sum[1] / 2);
  }
}

// Pairs of rows of chroma in a row of MCUs; none where the planes of chroma differ.
static uint32_t unit_pairs(const struct decoder *d) {
  const jpeg_component_info *cb = &d->jpeg.comp_info[1], *cr = &d->jpeg.comp_info[2];
  if (d->jpeg.num_components < 3 || d->facts.planes[1].width != d->facts.planes[2].width) return 0;
  const int rows = cb->v_samp_factor * cb->DCT_scaled_size;
  return rows == cr->v_samp_factor * cr->DCT_scaled_size ? rows / 2 : 0;
}

// One of so many pairs is measured.
static uint32_t pair_step(const struct decoder *d) { return 1 + (d->last - d->first) * unit_pairs(d) / COLOR_PAIRS; }

// Measures what was delivered, whose first row of MCUs is `unit`.
static void measure_colors(struct decoder *d, uint32_t unit) {
  const uint32_t step = pair_step(d), before = unit * unit_pairs(d);
  for (uint32_t i = 0; unit_pairs(d) && 2 * i + 1 < d->facts.planes[1].rows; i++)
    if ((before + i) % step == 0) measure_pair(d, 2 * i);
}

// The part that the rows of chroma read so far have in the mean square of what all of the region would lose of its
// colors if chroma were halved both ways, of a sample of it.
double EXPORT(decoder_color_loss)(const struct decoder *d) {
  const double pairs = ceil((double)(d->last - d->first) * unit_pairs(d) / pair_step(d));
  const uint32_t squares = d->facts.planes[1].width / 2;
  return pairs && squares ? d->color_loss / (256.0 * 4 * squares * pairs) : 0;
}

// Decodes the next rows of MCUs into the planes: as many as give the rows of the first that one gives at full size.
// Returns 0 at the end.
int EXPORT(decoder_read_planes)(struct decoder *d) {
  const struct jpeg_decompress_struct *jpeg = &d->jpeg;
  const uint32_t unit = jpeg->output_iMCU_row;
  if (unit >= d->last) return 0;
  const uint32_t units = d->last - unit < d->batch ? d->last - unit : d->batch;
  for (int c = 0; c < jpeg->num_components; c++) {
    const jpeg_component_info *component = &jpeg->comp_info[c];
    const uint32_t count = component->v_samp_factor * component->DCT_scaled_size;
    const uint32_t left = d->facts.planes[c].height - (unit - d->first) * count;
    d->facts.planes[c].rows = left < units * count ? left : units * count;
  }
  for (uint32_t i = 0; i < units; i++) read_unit(d, i);
  measure_colors(d, unit - d->first);
  return 1;
}
