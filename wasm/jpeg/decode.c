// Streaming decoder: rows (RGBA, CMYK) or planes (YCbCr as stored) in bands, at a fraction of the size if asked,
// whole or a region of it.
#include "decoder.h"

struct decoder *EXPORT(decoder_new)(int source) {
  struct decoder *d = allocate(sizeof *d);
  d->jpeg.err = error_manager(&d->errors);
  jpeg_create_decompress(&d->jpeg);
  d->jpeg.client_data = &d->store;
  input_attach(&d->jpeg, &d->input, source);
  return d;
}

// To be called first: scans that are damaged or cut short are decoded all the same, as libjpeg shows them.
void EXPORT(decoder_show_damage)(struct decoder *d) {
  show_damage(&d->errors);
  d->store.shows_missing = 1;
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

static void check_region(uint32_t x, uint32_t y, uint32_t width, uint32_t height, uint32_t full_width,
                         uint32_t full_height) {
  if (!width || !height || x >= full_width || width > full_width - x || y >= full_height || height > full_height - y)
    fail("region outside of the picture");
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
  require_complete(d);
  if (!d->store.shows_missing) require_components(jpeg);
  return 1;
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
    decode_planes_begin(d);
  } else {
    check_region(d->region.x, d->region.y, d->facts.width, d->facts.height, jpeg->output_width, jpeg->output_height);
    decode_rows_begin(d);
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
    if (planes) decode_planes_skip_first(d, blocks);
    else decode_rows_skip_first(d, blocks);
  }
  if ((planes ? d->jpeg.output_iMCU_row : d->jpeg.output_scanline) >= d->first) d->stage = STAGE_READY;
  return d->stage != STAGE_READY;
}
