// Where libaom pauses: the linker sends these calls here (--wrap). The units of work are nanoseconds, for the search of
// what is written and the writing differ in what they take for a pixel. Filters pass over a cell in a few milliseconds.
#include "breaths.h"

#include "av1/encoder/encodeframe_utils.h"
#include "av1/encoder/encoder.h"
#include "av1/encoder/encodetxb.h"
#include "breathe.h"
#include "stills.h"

// Measured: writing a pixel without loss, where nearly all that is coded are coefficients, and with.
enum { LOSSLESS_WRITE_NANOSECONDS = 170, WRITE_NANOSECONDS = 30 };
// One search for where a block moved to. Frames are searched before they are coded, too: to filter them, and to know what later
// ones take of them.
enum { MOTION_NANOSECONDS = 4000 };

// The search time of the cell that is being encoded; set before each.
static int search_nanoseconds;

void breathe_by(int nanoseconds) { search_nanoseconds = nanoseconds; }

void __real_av1_set_cost_upd_freq(AV1_COMP *encoder, ThreadData *thread, const TileInfo *tile, int row, int column);
void __real_av1_write_intra_coeffs_mb(const AV1_COMMON *const common, MACROBLOCK *block, aom_writer *writer,
                                      BLOCK_SIZE size);
void __real_av1_write_coeffs_txb(const AV1_COMMON *const common, MACROBLOCK *const block, aom_writer *writer, int row,
                                 int column, int plane, int index, TX_SIZE size);
void __real_av1_make_default_fullpel_ms_params(FULLPEL_MOTION_SEARCH_PARAMS *parameters, const AV1_COMP *encoder,
                                               MACROBLOCK *block, BLOCK_SIZE size, const MV *reference, FULLPEL_MV start,
                                               const search_site_config sites[NUM_DISTINCT_SEARCH_METHODS],
                                               SEARCH_METHODS method, int fine);

// Said before the search of each superblock.
void __wrap_av1_set_cost_upd_freq(AV1_COMP *encoder, ThreadData *thread, const TileInfo *tile, int row, int column) {
  const int side = block_size_wide[encoder->common.seq_params->sb_size];
  breathe(side * side * search_nanoseconds);
  // Tiles share a header: each says quantizers and sizes of transforms of its blocks, even if those have nothing to say.
  if (is_tile(encoder)) {
    thread->deltaq_used = 1;
    thread->mb.txfm_search_info.txb_split_count++;
  }
  __real_av1_set_cost_upd_freq(encoder, thread, tile, row, column);
}

static int write_nanoseconds(const AV1_COMMON *common) {
  return common->features.coded_lossless ? LOSSLESS_WRITE_NANOSECONDS : WRITE_NANOSECONDS;
}

// Writes the coefficients of a block that is predicted from its own picture.
void __wrap_av1_write_intra_coeffs_mb(const AV1_COMMON *const common, MACROBLOCK *block, aom_writer *writer,
                                      BLOCK_SIZE size) {
  breathe(write_nanoseconds(common) << num_pels_log2_lookup[size]);
  __real_av1_write_intra_coeffs_mb(common, block, writer, size);
}

// Writes coefficients of a block that is predicted from others.
void __wrap_av1_write_coeffs_txb(const AV1_COMMON *const common, MACROBLOCK *const block, aom_writer *writer, int row,
                                 int column, int plane, int index, TX_SIZE size) {
  breathe(write_nanoseconds(common) * tx_size_2d[size]);
  __real_av1_write_coeffs_txb(common, block, writer, row, column, plane, index, size);
}

// Said before every search for where a block moved to.
void __wrap_av1_make_default_fullpel_ms_params(FULLPEL_MOTION_SEARCH_PARAMS *parameters, const AV1_COMP *encoder,
                                               MACROBLOCK *block, BLOCK_SIZE size, const MV *reference, FULLPEL_MV start,
                                               const search_site_config sites[NUM_DISTINCT_SEARCH_METHODS],
                                               SEARCH_METHODS method, int fine) {
  breathe(MOTION_NANOSECONDS);
  __real_av1_make_default_fullpel_ms_params(parameters, encoder, block, size, reference, start, sites, method, fine);
}
