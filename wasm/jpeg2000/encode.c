// A codestream from rows of pixels, one row of tiles at a time.
#include "codec.h"
#include <math.h>

enum { BAND_ROWS = 32, STREAM_BYTES = 1 << 16, MAX_LEVELS = 5, LUMA = 0, CHROMA = 1 };

struct writer {
  uint32_t width, height, components;
  uint32_t tile_width, tile_height;
  uint32_t row, tile;   // rows taken; next tile
  int sink;
  uint64_t position;
  opj_stream_t *stream;
  opj_j2k_t *codec;
  opj_image_t *image;
  uint8_t *tiles;       // a row of tiles, each as planes
  uint8_t *band;
};

static OPJ_SIZE_T write_bytes(void *from, OPJ_SIZE_T length, void *data) {
  struct writer *writer = data;
  writer->position += length;
  write_piece(writer->sink, from, (uint32_t)length);
  return length;
}

static uint32_t least(uint32_t one, uint32_t other) { return one < other ? one : other; }

static uint32_t levels_for(uint32_t width, uint32_t height) {
  uint32_t levels = 0;
  while (levels < MAX_LEVELS && (least(width, height) >> levels) > 16) levels++;
  return levels;
}

static opj_image_t *new_image(const struct writer *writer) {
  opj_image_cmptparm_t components[MAX_CHANNELS];
  memset(components, 0, sizeof components);
  for (uint32_t c = 0; c < writer->components; c++) {
    components[c] = (opj_image_cmptparm_t){.dx = 1, .dy = 1, .w = writer->width, .h = writer->height, .prec = 8};
  }
  opj_image_t *image = opj_image_tile_create(writer->components, components, OPJ_CLRSPC_SRGB);
  if (!image) fail("out of memory");
  image->x1 = writer->width;
  image->y1 = writer->height;
  return image;
}

// A step as exponent and mantissa (ITU-T T.800, E-3), of samples with `bits` bits.
static opj_stepsize_t step_of(double step, int bits) {
  int exponent;
  const double fraction = frexp(step, &exponent) * 2 - 1;
  opj_stepsize_t result = {.expn = bits - (exponent - 1), .mant = (OPJ_INT32)(fraction * 2048)};
  if (result.expn > 31) result.expn = 31;
  if (result.expn < 0) result = (opj_stepsize_t){.expn = 0, .mant = 2047};
  return result;
}

// `steps` has a step for every band, from the lowest on, of luma and then of chroma.
static void set_steps(opj_tccp_t *component, const float *steps) {
  for (uint32_t band = 0; band < 3 * component->numresolutions - 2; band++) component->stepsizes[band] = step_of(steps[band], 8);
}

// Alpha is kept exactly beside colors that are not.
static void set_exact(opj_tccp_t *component) {
  component->qmfbid = 1;
  component->qntsty = J2K_CCP_QNTSTY_NOQNT;
  opj_dwt_calc_explicit_stepsizes(component, 8);
}

static void set_up(struct writer *writer, int lossless, int by_position, const float *steps) {
  opj_cparameters_t parameters;
  memset(&parameters, 0, sizeof parameters);
  parameters.tile_size_on = OPJ_TRUE;
  parameters.cp_tdx = (int)writer->tile_width;
  parameters.cp_tdy = (int)writer->tile_height;
  parameters.numresolution = (int)levels_for(writer->tile_width, writer->tile_height) + 1;
  parameters.cblockw_init = parameters.cblockh_init = 64;
  parameters.prog_order = by_position ? OPJ_PCRL : OPJ_RLCP;
  parameters.roi_compno = -1;
  parameters.subsampling_dx = parameters.subsampling_dy = 1;
  parameters.irreversible = !lossless;
  parameters.tcp_mct = writer->components >= 3;
  parameters.tcp_numlayers = 1;
  parameters.cp_disto_alloc = 1;
  parameters.cp_comment = "";
  if (!opj_j2k_setup_encoder(writer->codec, &parameters, writer->image, &events)) fail("not supported");
  opj_cp_t *coding = &writer->codec->m_cp;
  // An empty comment would still be written.
  opj_free(coding->comment);
  coding->comment = NULL;
  if (lossless) return;
  for (uint32_t tile = 0; tile < coding->tw * coding->th; tile++) {
    opj_tccp_t *components = coding->tcps[tile].tccps;
    const uint32_t bands = 3 * components->numresolutions - 2, colors = writer->components >= 3 ? 3 : 1;
    for (uint32_t c = 0; c < writer->components; c++) {
      if (c < colors) set_steps(&components[c], steps + (c == 0 ? LUMA : CHROMA) * bands);
      else set_exact(&components[c]);
    }
  }
}

struct writer *EXPORT(writer_new)(int sink, uint32_t width, uint32_t height, uint32_t components, uint32_t tile_width,
                                  uint32_t tile_height) {
  struct writer *writer = calloc(1, sizeof *writer);
  if (!writer) return NULL;
  writer->sink = sink;
  writer->width = width;
  writer->height = height;
  writer->components = components;
  writer->tile_width = tile_width;
  writer->tile_height = tile_height;
  return writer;
}

// How often the wavelet transform is applied: there are three bands for each time and one more.
uint32_t EXPORT(writer_levels)(const struct writer *writer) {
  return levels_for(writer->tile_width, writer->tile_height);
}

void EXPORT(writer_start)(struct writer *writer, int lossless, int by_position, const float *steps) {
  writer->image = new_image(writer);
  writer->stream = opj_stream_create(STREAM_BYTES, OPJ_FALSE);
  writer->codec = opj_j2k_create_compress();
  const uint32_t rows = least(writer->tile_height, writer->height);
  writer->tiles = malloc((size_t)writer->components * writer->width * rows);
  writer->band = malloc((size_t)writer->width * 4 * BAND_ROWS);
  if (!writer->stream || !writer->codec || !writer->tiles || !writer->band) fail("out of memory");
  opj_stream_set_write_function(writer->stream, write_bytes);
  opj_stream_set_user_data(writer->stream, writer, NULL);
  set_up(writer, lossless, by_position, steps);
  if (!opj_j2k_start_compress(writer->codec, (opj_stream_private_t *)writer->stream, writer->image, &events))
    fail("out of memory");
}

uint8_t *EXPORT(writer_band)(const struct writer *writer) { return writer->band; }

static void split(const uint8_t *from, uint32_t count, uint32_t channel, uint8_t *to) {
  for (uint32_t x = 0; x < count; x++) to[x] = from[x * 4 + channel];
}

// Puts one row of pixels where it belongs in the row of tiles.
static void place_row(struct writer *writer, const uint8_t *pixels) {
  const uint32_t top = writer->row - writer->row % writer->tile_height;
  const uint32_t rows = least(writer->tile_height, writer->height - top), y = writer->row - top;
  for (uint32_t left = 0; left < writer->width; left += writer->tile_width) {
    const uint32_t columns = least(writer->tile_width, writer->width - left);
    uint8_t *tile = writer->tiles + (size_t)writer->components * rows * left;
    for (uint32_t c = 0; c < writer->components; c++) {
      const uint32_t channel = writer->components == 2 && c == 1 ? 3 : c;
      split(pixels + (size_t)left * 4, columns, channel, tile + ((size_t)c * rows + y) * columns);
    }
  }
}

static void encode_tiles(struct writer *writer) {
  const uint32_t top = (writer->row - 1) - (writer->row - 1) % writer->tile_height;
  const uint32_t rows = least(writer->tile_height, writer->height - top);
  for (uint32_t left = 0; left < writer->width; left += writer->tile_width) {
    const uint32_t columns = least(writer->tile_width, writer->width - left);
    uint8_t *tile = writer->tiles + (size_t)writer->components * rows * left;
    if (!opj_j2k_write_tile(writer->codec, writer->tile++, tile, writer->components * rows * columns,
                            (opj_stream_private_t *)writer->stream, &events))
      fail("out of memory");
  }
}

// Takes `count` rows from the band. Pauses while tiles are encoded.
void EXPORT(writer_rows)(struct writer *writer, uint32_t count) {
  for (uint32_t row = 0; row < count; row++) {
    place_row(writer, writer->band + (size_t)row * writer->width * 4);
    writer->row++;
    if (writer->row == writer->height || writer->row % writer->tile_height == 0) encode_tiles(writer);
  }
}

void EXPORT(writer_finish)(struct writer *writer) {
  if (writer->row != writer->height) fail("the picture is not complete");
  if (!opj_j2k_end_compress(writer->codec, (opj_stream_private_t *)writer->stream, &events)) fail("out of memory");
}

void EXPORT(writer_close)(struct writer *writer) {
  if (writer->codec) opj_j2k_destroy(writer->codec);
  if (writer->image) opj_image_destroy(writer->image);
  if (writer->stream) opj_stream_destroy(writer->stream);
  free(writer->tiles);
  free(writer->band);
  free(writer);
}
