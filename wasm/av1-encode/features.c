// What libaom tries of a still at its speed 6, and what tiles of one picture have in common: the linker sends these calls here
// (--wrap). Measured over photographs at a score of 75.
#include "av1/encoder/bitstream.h"
#include "av1/encoder/encoder.h"
#include "av1/encoder/speed_features.h"
#include "blocks.h"
#include "stills.h"

void __real_av1_set_speed_features_framesize_independent(AV1_COMP *encoder, int speed);
void __real_av1_set_speed_features_framesize_dependent(AV1_COMP *encoder, int speed);
int __real_av1_pack_bitstream(AV1_COMP *encoder, uint8_t *bytes, size_t most, size_t *size, int *largest_tile);

static void set_features(AV1_COMP *encoder) {
  // With the rectangles below these save 3 percent of the bytes, in smooth pictures 6.
  encoder->sf.part_sf.default_max_partition_size = BLOCK_64X64;
  encoder->sf.intra_sf.prune_filter_intra_level = 1;
  encoder->sf.winner_mode_sf.prune_winner_mode_eval_level = 0;
  // These take less time for as many bytes. Coefficients of modes that are only compared are weighed against their bits where
  // they are small, and kinds of transforms are given up sooner that come to more than what is known.
  encoder->winner_mode_params.coeff_opt_thresholds[MODE_EVAL][1] = 10;
  encoder->sf.tx_sf.adaptive_txb_search_level = 3;
  // Of the mode that is taken all kinds of transforms are tried again, for 0.7 percent of the bytes. Of modes one less is looked at
  // closely where many are alike, in nearly all of the time that this takes.
  encoder->sf.tx_sf.tx_type_search.fast_intra_tx_type_search = 1;
  encoder->sf.intra_sf.top_intra_model_count_allowed = has_blocks() ? 3 : 1;
  // How strong the filter against ringing is, which only alpha has, follows from the quantizer as well as from trying, but for
  // screens. libaom learns what is one only after it has allocated: the least size of blocks must not depend on it.
  if (encoder->common.features.allow_screen_content_tools) return;
  encoder->sf.lpf_sf.cdef_pick_method = CDEF_PICK_FROM_Q;
}

void __wrap_av1_set_speed_features_framesize_independent(AV1_COMP *encoder, int speed) {
  __real_av1_set_speed_features_framesize_independent(encoder, speed);
  if (is_ours(encoder, speed)) set_features(encoder);
  if (!is_tile(encoder)) return;
  // Filters run over the whole picture: what they are told follows from the quantizer, which all tiles have in common.
  encoder->sf.lpf_sf.cdef_pick_method = CDEF_PICK_FROM_Q;
  encoder->sf.lpf_sf.lpf_pick = LPF_PICK_FROM_Q;
}

void __wrap_av1_set_speed_features_framesize_dependent(AV1_COMP *encoder, int speed) {
  __real_av1_set_speed_features_framesize_dependent(encoder, speed);
  if (is_ours(encoder, speed)) encoder->sf.part_sf.use_square_partition_only_threshold = BLOCK_32X32;
}

// Some tiles may be of a screen, which is known of each as it comes: all of them say that blocks may have palettes. One that
// has none spends a few bits.
int __wrap_av1_pack_bitstream(AV1_COMP *encoder, uint8_t *bytes, size_t most, size_t *size, int *largest_tile) {
  keep_blocks(encoder);
  if (is_tile(encoder)) {
    FeatureFlags *const flags = &encoder->common.features;
    flags->allow_screen_content_tools = 1;
    flags->cur_frame_force_integer_mv = 0;
  }
  return __real_av1_pack_bitstream(encoder, bytes, most, size, largest_tile);
}
