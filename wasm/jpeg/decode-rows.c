// Rows of the region of a picture that is decoded, as RGBA or CMYK, in bands.
#include "color.h"
#include "decoder.h"

enum { BAND_BYTES = 262144, BAND_ROWS_MAX = 64 };

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

void decode_rows_skip_first(struct decoder *d, uint32_t blocks) {
  const struct jpeg_decompress_struct *jpeg = &d->jpeg;
  const uint32_t unit = jpeg->max_v_samp_factor * jpeg->min_DCT_scaled_size;
  const uint32_t rows = unit * (1 + blocks / unit_blocks(d)), left = d->first - jpeg->output_scanline;
  if (left) skip_rows(d, rows < left ? rows : left);
}

static void crop(struct decoder *d, uint32_t *x, uint32_t *width) {
  struct jpeg_decompress_struct *jpeg = &d->jpeg;
  if (jpeg->data_precision == 12) jpeg12_crop_scanline(jpeg, x, width);
  else jpeg_crop_scanline(jpeg, x, width);
}

// Upsampling looks one chroma sample over the border: decode a margin of one MCU on both sides and drop it.
static void begin_columns(struct decoder *d, uint32_t x, uint32_t width) {
  struct jpeg_decompress_struct *jpeg = &d->jpeg;
  const uint32_t full = jpeg->output_width;
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

void decode_rows_begin(struct decoder *d) {
  d->first = d->region.y;
  d->last = d->region.y + d->facts.height;
  begin_columns(d, d->region.x, d->facts.width);
  allocate_band(d);
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
    cmyk_to_rgba(d->band, f->width * count);
}

// Decodes the next rows into the band, at most `most`; returns their number, 0 at the end.
uint32_t EXPORT(decoder_read)(struct decoder *d, uint32_t most) {
  struct jpeg_decompress_struct *jpeg = &d->jpeg;
  const uint32_t left = d->last > jpeg->output_scanline ? d->last - jpeg->output_scanline : 0;
  uint32_t count = most < left ? most : left;
  if (count > d->facts.band_rows) count = d->facts.band_rows;
  if (count) read_rows(d, count);
  require_complete(d);
  return count;
}

// Goes past the next rows, at most `count`, for less than what decoding them takes.
void EXPORT(decoder_skip)(struct decoder *d, uint32_t count) {
  const struct jpeg_decompress_struct *jpeg = &d->jpeg;
  const uint32_t left = d->last > jpeg->output_scanline ? d->last - jpeg->output_scanline : 0;
  skip_rows(d, count < left ? count : left);
  require_complete(d);
}
