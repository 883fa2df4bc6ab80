// What libaom is told of all that is encoded here, stills and frames.
#include "codec.h"

#include "aom/aomcx.h"

struct coded coded_as(enum chroma chroma, int alpha) {
  return (struct coded){
      .alpha = alpha,
      .half = alpha || chroma == CHROMA_HALF,
      .rgb = !alpha && chroma == CHROMA_RGB,
      .primaries = AOM_CICP_CP_BT_709,
      .transfer = AOM_CICP_TC_SRGB,
  };
}

void configure(aom_codec_enc_cfg_t *config, const struct coded *coded, int width, int height, int quantizer) {
  config->g_w = width;
  config->g_h = height;
  config->g_profile = coded->half ? 0 : 1;
  config->g_threads = 1;
  if (coded->deep) {
    config->g_bit_depth = AOM_BITS_10;
    config->g_input_bit_depth = 10;
  }
  config->monochrome = coded->alpha;
  config->rc_end_usage = AOM_Q;
  config->rc_min_quantizer = quantizer == 0 ? 0 : 1;
  config->rc_max_quantizer = quantizer == 0 ? 0 : 63;
}

void control(aom_codec_ctx_t *codec, const struct coded *coded, int quantizer) {
  aom_codec_control(codec, AOME_SET_CQ_LEVEL, quantizer);
  if (quantizer == 0) aom_codec_control(codec, AV1E_SET_LOSSLESS, 1);
  // Copies within a picture win 1 percent on screenshots and take 20 bytes per pixel.
  aom_codec_control(codec, AV1E_SET_ENABLE_INTRABC, 0);
  aom_codec_control(codec, AV1E_SET_COLOR_RANGE, coded->limited ? AOM_CR_STUDIO_RANGE : AOM_CR_FULL_RANGE);
  if (coded->alpha) return;
  aom_codec_control(codec, AV1E_SET_COLOR_PRIMARIES, coded->primaries);
  aom_codec_control(codec, AV1E_SET_TRANSFER_CHARACTERISTICS, coded->transfer);
  const int matrix = coded->wide ? AOM_CICP_MC_BT_2020_NCL : AOM_CICP_MC_BT_601;
  aom_codec_control(codec, AV1E_SET_MATRIX_COEFFICIENTS, coded->rgb ? AOM_CICP_MC_IDENTITY : matrix);
}

void cell_image(const struct cell_row *cells, int alpha, uint8_t *gray, size_t x, int width, aom_image_t *image) {
  const int half = coded_as(cells->chroma, alpha).half;
  const size_t bytes = sample_bytes(cells);
  *image = (aom_image_t){
      .fmt = (half ? AOM_IMG_FMT_I420 : AOM_IMG_FMT_I444) | (cells->bits > 8 ? AOM_IMG_FMT_HIGHBITDEPTH : 0),
      .range = cells->limited && !alpha ? AOM_CR_STUDIO_RANGE : AOM_CR_FULL_RANGE,
      .monochrome = alpha,
      .w = width,
      .h = cells->height,
      .bit_depth = cells->bits,
      .d_w = width,
      .d_h = cells->height,
      .x_chroma_shift = half,
      .y_chroma_shift = half,
      .bps = (half ? 12 : 24) * (int)bytes,
  };
  if (alpha) {
    image->planes[0] = cells->planes[3] + x * bytes;
    image->stride[0] = (int)cells->strides[3];
    image->planes[1] = image->planes[2] = gray;
    return;
  }
  for (int p = 0; p < 3; p++) {
    image->planes[p] = cells->planes[p] + (p > 0 && half ? x / 2 : x) * bytes;
    image->stride[p] = (int)cells->strides[p];
  }
}
