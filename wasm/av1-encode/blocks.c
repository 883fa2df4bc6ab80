// The sizes of blocks that an encoding of a picture chose, for another one of the same picture at a quality nearby: to choose them
// is most of the work, and they hardly differ. libaom takes them where it would search for them (--wrap).
#include "blocks.h"

#include <limits.h>
#include <math.h>

#include "av1/encoder/encodeframe_utils.h"
#include "av1/encoder/encoder.h"
#include "av1/encoder/intra_mode_search_utils.h"
#include "av1/encoder/partition_search.h"
#include "stills.h"

static uint8_t *sizes;
static int known;

void blocks_in(uint8_t *chosen, int are_known) {
  sizes = chosen;
  known = are_known;
}

int has_blocks(void) { return sizes != NULL && known; }

void keep_blocks(const struct AV1_COMP *encoder) {
  if (sizes == NULL || known) return;
  const CommonModeInfoParams *const all = &encoder->common.mi_params;
  uint8_t *size = sizes;
  for (int row = 0; row < all->mi_rows; row++) {
    for (int column = 0; column < all->mi_cols; column++) {
      *size++ = all->mi_grid_base[get_mi_grid_idx(all, row, column)]->bsize;
    }
  }
}

// The least and the greatest variance of what lies in a superblock, as logarithms.
typedef struct {
  double least, most;
} Variances;

static Variances variances_in(const AV1_COMP *encoder, const MACROBLOCK *block) {
  const MACROBLOCKD *const place = &block->e_mbd;
  const struct buf_2d *const luma = &block->plane[0].src;
  const int side = block_size_wide[encoder->common.seq_params->sb_size];
  const int width = side + AOMMIN(place->mb_to_right_edge, 0) / 8, height = side + AOMMIN(place->mb_to_bottom_edge, 0) / 8;
  int least = INT_MAX, most = 0;
  for (int y = 0; y < height; y += MI_SIZE) {
    for (int x = 0; x < width; x += MI_SIZE) {
      const int variance = av1_calc_normalized_variance(encoder->ppi->fn_ptr[BLOCK_4X4].vf, luma->buf + y * luma->stride + x,
                                                        luma->stride, is_cur_buf_hbd(place));
      least = AOMMIN(least, variance);
      most = AOMMAX(most, variance);
    }
  }
  return (Variances){log1p(least / 16.0), log1p(most / 16.0)};
}

// How much bits count in a superblock, in 128ths: less where there is something beside what is smooth, as in libaom's search for
// sizes.
static int weight_of_bits(const AV1_COMP *encoder, const MACROBLOCK *block) {
  const Variances variances = variances_in(encoder, block);
  const double range = variances.most - variances.least;
  if (variances.least >= 2 || variances.most <= 4) return 128;
  return 128 - (range > 8 ? 48 : (int)(range * 6));
}

// Each place of a superblock stands for the block that it is in, which begins at a multiple of its sides.
static void place_blocks(AV1_COMP *encoder, int row, int column) {
  const CommonModeInfoParams *const all = &encoder->common.mi_params;
  const int side = mi_size_wide[encoder->common.seq_params->sb_size];
  const int end_row = AOMMIN(row + side, all->mi_rows), end_column = AOMMIN(column + side, all->mi_cols);
  for (int r = row; r < end_row; r++) {
    for (int c = column; c < end_column; c++) {
      const BLOCK_SIZE size = sizes[r * all->mi_cols + c];
      const int top = r & -mi_size_high[size], left = c & -mi_size_wide[size];
      MB_MODE_INFO *const whole = &all->mi_alloc[get_alloc_mi_idx(all, top, left)];
      all->mi_grid_base[get_mi_grid_idx(all, r, c)] = whole;
      whole->bsize = size;
    }
  }
}

bool __real_av1_rd_pick_partition(AV1_COMP *encoder, ThreadData *thread, TileDataEnc *tile, TokenExtra **tokens, int row,
                                  int column, BLOCK_SIZE size, RD_STATS *cost, RD_STATS best, PC_TREE *tree,
                                  SIMPLE_MOTION_DATA_TREE *motion, int64_t *whole_cost, SB_MULTI_PASS_MODE pass,
                                  RD_RECT_PART_WIN_INFO *won);

// Said of each superblock.
bool __wrap_av1_rd_pick_partition(AV1_COMP *encoder, ThreadData *thread, TileDataEnc *tile, TokenExtra **tokens, int row,
                                  int column, BLOCK_SIZE size, RD_STATS *cost, RD_STATS best, PC_TREE *tree,
                                  SIMPLE_MOTION_DATA_TREE *motion, int64_t *whole_cost, SB_MULTI_PASS_MODE pass,
                                  RD_RECT_PART_WIN_INFO *won) {
  if (!has_blocks() || !is_ours(encoder, encoder->speed)) {
    return __real_av1_rd_pick_partition(encoder, thread, tile, tokens, row, column, size, cost, best, tree, motion,
                                        whole_cost, pass, won);
  }
  const CommonModeInfoParams *const all = &encoder->common.mi_params;
  MACROBLOCK *const block = &thread->mb;
  av1_set_offsets(encoder, &tile->tile_info, block, row, column, size);
  block->intra_sb_rdmult_modifier = weight_of_bits(encoder, block);
  place_blocks(encoder, row, column);
  int rate;
  int64_t distortion;
  av1_rd_use_partition(encoder, thread, tile, all->mi_grid_base + get_mi_grid_idx(all, row, column), tokens, row, column,
                       size, &rate, &distortion, 1, tree);
  av1_free_pc_tree_recursive(tree, av1_num_planes(&encoder->common), 0, 0, SEARCH_PARTITION);
  thread->pc_root = NULL;
  return true;
}
