// Where dav1d pauses: the linker sends these calls here (--wrap), for 8 bits and for more. Work is counted in quarters
// of what a pixel takes.
#include "breathe.h"
#include "config.h"
#include "src/fg_apply.h"
#include "src/internal.h"
#include "src/tables.h"

// Quarters of the work on a pixel: what it takes to read and predict it, to filter it, and to put film grain on it.
enum { BLOCK_QUARTERS = 3, FILTER_QUARTERS = 1, GRAIN_QUARTERS = 1 };

// Said before each block.
static void breathe_block(enum BlockSize size) {
  breathe(dav1d_block_dimensions[size][0] * dav1d_block_dimensions[size][1] * 16 * BLOCK_QUARTERS);
}

// Said before each row of superblocks is filtered.
static void breathe_row(const Dav1dFrameContext *frame, int row) {
  const int rows = frame->sb_step * 4, left = frame->cur.p.h - row * rows;
  breathe(frame->cur.p.w * (left < rows ? left : rows) * FILTER_QUARTERS);
}

// Film grain, which dav1d would put on a whole picture at once, comes by rows of blocks. Entries of its tables have 8
// or 16 bits.
#define FOR_BITS(bits, entry, levels)                                                                                  \
  void __real_dav1d_recon_b_intra_##bits##bpc(Dav1dTaskContext *, enum BlockSize, enum EdgeFlags, const Av1Block *);   \
  void __wrap_dav1d_recon_b_intra_##bits##bpc(Dav1dTaskContext *task, enum BlockSize size, enum EdgeFlags edges,       \
                                              const Av1Block *block) {                                                 \
    breathe_block(size);                                                                                               \
    __real_dav1d_recon_b_intra_##bits##bpc(task, size, edges, block);                                                  \
  }                                                                                                                    \
                                                                                                                       \
  int __real_dav1d_recon_b_inter_##bits##bpc(Dav1dTaskContext *, enum BlockSize, const Av1Block *);                    \
  int __wrap_dav1d_recon_b_inter_##bits##bpc(Dav1dTaskContext *task, enum BlockSize size, const Av1Block *block) {     \
    breathe_block(size);                                                                                               \
    return __real_dav1d_recon_b_inter_##bits##bpc(task, size, block);                                                  \
  }                                                                                                                    \
                                                                                                                       \
  void __real_dav1d_filter_sbrow_##bits##bpc(Dav1dFrameContext *frame, int row);                                       \
  void __wrap_dav1d_filter_sbrow_##bits##bpc(Dav1dFrameContext *frame, int row) {                                      \
    breathe_row(frame, row);                                                                                           \
    __real_dav1d_filter_sbrow_##bits##bpc(frame, row);                                                                 \
  }                                                                                                                    \
                                                                                                                       \
  void __wrap_dav1d_apply_grain_##bits##bpc(const Dav1dFilmGrainDSPContext *dsp, Dav1dPicture *out,                    \
                                            const Dav1dPicture *in) {                                                  \
    entry grain[3][GRAIN_HEIGHT + 1][GRAIN_WIDTH];                                                                     \
    uint8_t scaling[3][levels];                                                                                        \
    dav1d_prep_grain_##bits##bpc(dsp, out, in, scaling, grain);                                                        \
    for (int row = 0; row * FG_BLOCK_SIZE < out->p.h; row++) {                                                         \
      breathe(out->p.w * FG_BLOCK_SIZE * GRAIN_QUARTERS);                                                              \
      dav1d_apply_grain_row_##bits##bpc(dsp, out, in, scaling, grain, row);                                            \
    }                                                                                                                  \
  }

FOR_BITS(8, int8_t, 256)
FOR_BITS(16, int16_t, 4096)
