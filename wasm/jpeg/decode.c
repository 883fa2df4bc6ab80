// Streaming decoder: rows (RGBA, CMYK) or planes (YCbCr as stored) in bands, at a fraction of the size if asked,
// whole or a region of it.
#include <stdlib.h>
#include <string.h>
#define JPEG_INTERNALS
#include "jinclude.h"
#include "native.h"
#include "jerror.h"
#include "color.h"
#include "store.h"

enum { OUTPUT_RGBA = 0, OUTPUT_CMYK = 1, OUTPUT_PLANES = 2 };
enum { BAND_BYTES = 262144, BAND_ROWS_MAX = 64, MARKER_EXIF = JPEG_APP0 + 1 };

// Read by the binding as 32-bit integers, in this order.
struct facts {
  uint32_t width, height;  // of the output, pixels
  uint32_t band;           // address of the rows that the last read delivered
  uint32_t band_rows;      // most rows that one read delivers
  uint32_t row_bytes;
  struct { uint32_t address, stride, width, height, rows; } planes[3];  // rows: of the last read
};

struct decoder {
  struct jpeg_decompress_struct jpeg;
  struct jpeg_error_mgr errors;
  struct input input;
  struct store store;
  struct facts facts;
  int output;
  uint32_t left;        // columns that were decoded only to have exact borders
  uint32_t first, last; // rows [first, last) of the scaled picture are the region
  uint8_t *band;
  void *scratch;        // one row as libjpeg delivers it, when it cannot deliver into the band
};

EXPORT("decoder_new") struct decoder *decoder_new(int source) {
  struct decoder *d = allocate(sizeof *d);
  d->jpeg.err = error_manager(&d->errors);
  jpeg_create_decompress(&d->jpeg);
  d->jpeg.client_data = &d->store;
  input_attach(&d->jpeg, &d->input, source);
  return d;
}

EXPORT("decoder_close") void decoder_close(struct decoder *d) {
  jpeg_destroy_decompress(&d->jpeg);
  store_free(&d->store);
  free(d->band);
  free(d->scratch);
  free(d);
}

EXPORT("decoder_facts") const struct facts *decoder_facts(const struct decoder *d) { return &d->facts; }

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

static void skip_first_rows(struct decoder *d) {
  struct jpeg_decompress_struct *jpeg = &d->jpeg;
  if (jpeg->master->lossless) {
    JSAMPROW row = d->scratch ? d->scratch : d->band;
    while (jpeg->output_scanline < d->first) jpeg_read_scanlines(jpeg, &row, 1);
  } else if (jpeg->data_precision == 12) {
    jpeg12_skip_scanlines(jpeg, d->first);
  } else {
    jpeg_skip_scanlines(jpeg, d->first);
  }
}

// Upsampling looks one chroma sample over the border: decode a margin of one MCU on both sides and drop it.
static void begin_region(struct decoder *d, uint32_t x, uint32_t y, uint32_t width, uint32_t height) {
  struct jpeg_decompress_struct *jpeg = &d->jpeg;
  if (!width || !height || x >= jpeg->output_width || width > jpeg->output_width - x || y >= jpeg->output_height ||
      height > jpeg->output_height - y)
    fail("region outside of the picture");
  const uint32_t full = jpeg->output_width;
  d->first = y;
  d->last = y + height;
  d->left = x;
  if (d->output != OUTPUT_PLANES && jpeg->data_precision <= 12 && !jpeg->master->lossless && width < full) {
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

static void allocate_planes(struct decoder *d) {
  const struct jpeg_decompress_struct *jpeg = &d->jpeg;
  struct facts *f = &d->facts;
  f->band_rows = jpeg->max_v_samp_factor * jpeg->min_DCT_scaled_size;
  size_t offset[4] = {0};
  for (int c = 0; c < jpeg->num_components; c++) {
    const jpeg_component_info *component = &jpeg->comp_info[c];
    f->planes[c].stride = component->width_in_blocks * component->DCT_scaled_size;
    f->planes[c].width = component->downsampled_width;
    f->planes[c].height = component->downsampled_height;
    offset[c + 1] = offset[c] + (size_t)f->planes[c].stride * component->v_samp_factor * component->DCT_scaled_size;
  }
  d->band = allocate(offset[jpeg->num_components]);
  f->band = (uint32_t)d->band;
  for (int c = 0; c < jpeg->num_components; c++) f->planes[c].address = (uint32_t)(d->band + offset[c]);
}

// Reads the header and gets ready. `numerator` eighths of the size; the region counts pixels of that size, and a
// region of width 0 means all of it.
EXPORT("decoder_start")
void decoder_start(struct decoder *d, int output, int numerator, uint32_t x, uint32_t y, uint32_t width,
                   uint32_t height) {
  struct jpeg_decompress_struct *jpeg = &d->jpeg;
  jpeg_read_header(jpeg, TRUE);
  choose_colors(d, output);
  jpeg->scale_num = numerator;
  jpeg->scale_denom = 8;
  jpeg->dct_method = JDCT_ISLOW;
  jpeg->do_fancy_upsampling = TRUE;
  jpeg->do_block_smoothing = FALSE;
  jpeg_start_decompress(jpeg);
  if (jpeg->inputctl->has_multiple_scans) input_require_complete(jpeg, &d->input);
  if (width == 0) {
    width = jpeg->output_width;
    height = jpeg->output_height;
  }
  d->facts.width = width;
  d->facts.height = height;
  begin_region(d, x, y, width, height);
  if (d->output == OUTPUT_PLANES) {
    if (width != jpeg->output_width || height != jpeg->output_height) fail("planes of a region");
    allocate_planes(d);
  } else {
    allocate_band(d);
    if (d->first) skip_first_rows(d);
  }
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
EXPORT("decoder_read") uint32_t decoder_read(struct decoder *d, uint32_t most) {
  struct jpeg_decompress_struct *jpeg = &d->jpeg;
  const uint32_t left = d->last > jpeg->output_scanline ? d->last - jpeg->output_scanline : 0;
  uint32_t count = most < left ? most : left;
  if (count > d->facts.band_rows) count = d->facts.band_rows;
  if (count) read_rows(d, count);
  input_require_complete(jpeg, &d->input);
  return count;
}

// Goes past the next rows, at most `count`, for less than what decoding them takes.
EXPORT("decoder_skip") void decoder_skip(struct decoder *d, uint32_t count) {
  struct jpeg_decompress_struct *jpeg = &d->jpeg;
  const uint32_t left = d->last > jpeg->output_scanline ? d->last - jpeg->output_scanline : 0;
  if (count > left) count = left;
  if (jpeg->master->lossless) {
    while (count > 0) count -= decoder_read(d, count);
  } else if (jpeg->data_precision == 12) {
    jpeg12_skip_scanlines(jpeg, count);
  } else {
    jpeg_skip_scanlines(jpeg, count);
  }
  input_require_complete(jpeg, &d->input);
}

// Decodes the next row of MCUs into the planes; returns the number of full-resolution rows in it, 0 at the end.
EXPORT("decoder_read_planes") uint32_t decoder_read_planes(struct decoder *d) {
  struct jpeg_decompress_struct *jpeg = &d->jpeg;
  const uint32_t before = jpeg->output_scanline;
  if (before >= jpeg->output_height) return 0;
  JSAMPROW rows[3][MAX_SAMP_FACTOR * DCTSIZE];
  JSAMPARRAY planes[3] = {rows[0], rows[1], rows[2]};
  for (int c = 0; c < jpeg->num_components; c++) {
    const jpeg_component_info *component = &jpeg->comp_info[c];
    const uint32_t available = component->v_samp_factor * component->DCT_scaled_size;
    const uint32_t done = before / d->facts.band_rows * available;
    const uint32_t left = d->facts.planes[c].height - done;
    d->facts.planes[c].rows = left < available ? left : available;
    for (uint32_t i = 0; i < available; i++)
      rows[c][i] = (uint8_t *)d->facts.planes[c].address + (size_t)i * d->facts.planes[c].stride;
  }
  jpeg_read_raw_data(jpeg, planes, d->facts.band_rows);
  input_require_complete(jpeg, &d->input);
  return jpeg->output_scanline < jpeg->output_height ? jpeg->output_scanline - before : jpeg->output_height - before;
}
