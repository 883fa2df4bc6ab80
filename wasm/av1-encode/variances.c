// By how much samples of 10 bits differ: libaom's own functions for them come with those of motion, which stills do without.
#include "av1/encoder/encoder.h"
#include "config/aom_dsp_rtcd.h"

AV1_PRIMARY *__real_av1_create_primary_compressor(struct aom_codec_pkt_list *packets, int lags,
                                                  const AV1EncoderConfig *config);

#define VARIANCE(WIDTH, HEIGHT) primary->fn_ptr[BLOCK_##WIDTH##X##HEIGHT].vf = aom_highbd_10_variance##WIDTH##x##HEIGHT

AV1_PRIMARY *__wrap_av1_create_primary_compressor(struct aom_codec_pkt_list *packets, int lags,
                                                  const AV1EncoderConfig *config) {
  AV1_PRIMARY *const primary = __real_av1_create_primary_compressor(packets, lags, config);
  if (primary == NULL || !config->use_highbitdepth) return primary;
  VARIANCE(4, 4);
  VARIANCE(4, 8);
  VARIANCE(8, 4);
  VARIANCE(8, 8);
  VARIANCE(8, 16);
  VARIANCE(16, 8);
  VARIANCE(16, 16);
  VARIANCE(16, 32);
  VARIANCE(32, 16);
  VARIANCE(32, 32);
  VARIANCE(32, 64);
  VARIANCE(64, 32);
  VARIANCE(64, 64);
  VARIANCE(64, 128);
  VARIANCE(128, 64);
  VARIANCE(128, 128);
  VARIANCE(4, 16);
  VARIANCE(16, 4);
  VARIANCE(8, 32);
  VARIANCE(32, 8);
  VARIANCE(16, 64);
  VARIANCE(64, 16);
  return primary;
}
