// Planes of a picture that is decoded, as they are stored, in rows of MCUs; and what its chroma would lose by halving.
#include <math.h>
#include "decoder.h"

enum { COLOR_PAIRS = 64 };  // pairs of rows in which colors are measured

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

void decode_planes_begin(struct decoder *d) {
  begin_planes(d, d->region.x, d->region.y);
  allocate_planes(d);
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
  require_complete(d);
}

// What is not needed is not transformed.
void decode_planes_skip_first(struct decoder *d, uint32_t blocks) {
  struct jpeg_decompress_struct *jpeg = &d->jpeg;
  const uint32_t end = jpeg->output_iMCU_row + 1 + blocks / unit_blocks(d);
  for (int c = 0; c < jpeg->num_components; c++) jpeg->comp_info[c].component_needed = FALSE;
  while (jpeg->output_iMCU_row < d->first && jpeg->output_iMCU_row < end) read_unit(d, 0);
  for (int c = 0; c < jpeg->num_components; c++) jpeg->comp_info[c].component_needed = TRUE;
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
