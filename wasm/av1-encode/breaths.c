// Where libaom pauses: the linker sends these calls here (--wrap). The units of work are nanoseconds, for the search of
// what is written and the writing differ in what they take for a pixel. Filters pass over a cell in a few milliseconds.
#include "breaths.h"

#include "av1/encoder/encodeframe_utils.h"
#include "av1/encoder/encoder.h"
#include "av1/encoder/encodetxb.h"
#include "breathe.h"

// Measured: writing a pixel without loss, where nearly all that is coded are coefficients, and with.
enum { LOSSLESS_WRITE_NANOSECONDS = 170, WRITE_NANOSECONDS = 30 };

// The search time of the cell that is being encoded; set before each.
static int search_nanoseconds;

void breathe_by(int nanoseconds) { search_nanoseconds = nanoseconds; }

void __real_av1_set_cost_upd_freq(AV1_COMP *encoder, ThreadData *thread, const TileInfo *tile, int row, int column);
void __real_av1_write_intra_coeffs_mb(const AV1_COMMON *const common, MACROBLOCK *block, aom_writer *writer,
                                      BLOCK_SIZE size);

// Said before the search of each superblock.
void __wrap_av1_set_cost_upd_freq(AV1_COMP *encoder, ThreadData *thread, const TileInfo *tile, int row, int column) {
  const int side = block_size_wide[encoder->common.seq_params->sb_size];
  breathe(side * side * search_nanoseconds);
  __real_av1_set_cost_upd_freq(encoder, thread, tile, row, column);
}

// Writes the coefficients of a block.
void __wrap_av1_write_intra_coeffs_mb(const AV1_COMMON *const common, MACROBLOCK *block, aom_writer *writer,
                                      BLOCK_SIZE size) {
  const int nanoseconds = common->features.coded_lossless ? LOSSLESS_WRITE_NANOSECONDS : WRITE_NANOSECONDS;
  breathe((nanoseconds << num_pels_log2_lookup[size]));
  __real_av1_write_intra_coeffs_mb(common, block, writer, size);
}
