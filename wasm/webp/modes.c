// How macroblocks are predicted, which is most of the work of the lossy coder. libwebp's default method codes each block
// by all modes to see which is best, without a trellis; ours codes it by those few whose prediction is nearest, with one:
// files are some 2 percent smaller at equal score, in less time. The rest of what quantizes and of what counts bits is
// compiled here, in place of quant_enc.c and cost_enc.c, so that the kernels are called directly and can be inlined.
#include "src/dsp/dsp.h"

#ifdef WEBP_USE_SSE41
// Each file of kernels also has a function that makes them the ones in use; that is done already.
#define VP8EncDspInitSSE2 use_kernels_sse2
#define VP8EncDspInitSSE41 use_kernels_sse41
#define VP8EncDspCostInitSSE2 use_cost_kernels
#include "src/dsp/cost_sse2.c"
#include "src/dsp/enc_sse2.c"
#include "src/dsp/enc_sse41.c"
#define VP8EncPredLuma4 Intra4Preds_SSE2
#define VP8EncQuantize2Blocks Quantize2Blocks_SSE41
#define VP8EncQuantizeBlock QuantizeBlock_SSE41
#define VP8FTransform FTransform_SSE2
#define VP8FTransform2 FTransform2_SSE2
#define VP8GetResidualCost GetResidualCost_SSE2
#define VP8ITransform ITransform_SSE2
#define VP8SetResidualCoeffs SetResidualCoeffs_SSE2
#define VP8SSE16x16 SSE16x16_SSE2
#define VP8SSE16x8 SSE16x8_SSE2
#define VP8SSE4x4 SSE4x4_SSE2
#define VP8TDisto16x16 Disto16x16_SSE41
#define VP8TDisto4x4 Disto4x4_SSE41
#endif

#include "src/enc/cost_enc.c"

#define VP8Decimate decimate_by_all_modes
#define VP8SetSegmentParams set_usual_params
#include "src/enc/quant_enc.c"
#undef VP8Decimate
#undef VP8SetSegmentParams
#include "trellis.h"

int VP8Decimate(VP8EncIterator *iterator, VP8ModeScore *score, VP8RDLevel level);
void VP8SetSegmentParams(VP8Encoder *encoder, float quality);

// Modes of a block of four by four that are tried, by libwebp's method.
#define QUICK_METHOD 3
#define QUICKLY_TRIED_MODES 1
#define METHOD 4
#define TRIED_MODES 3
#define THOROUGH_METHOD 5
#define THOROUGHLY_TRIED_MODES 6
static const int kTriedModes[] = {QUICKLY_TRIED_MODES, TRIED_MODES, THOROUGHLY_TRIED_MODES};
// No mode is tried whose prediction is farther than that of the nearest one by this factor: it hardly ever wins.
#define FARTHEST 2
// What is no farther than so many 256ths of a bit weigh is near: another mode wins little more than its own bits take.
#define NEAR_BITS 1024
// What the bits of a mode count when it is told how near its prediction is, as a part of what they count in the end.
#define MODE_BITS_WEIGHT(lambda) ((lambda) * 3 / 5)
// By so many steps the mean of a block is quantized more finely than the rest of it: steps between blocks are seen first.
#define FINER_MEANS 3

void VP8SetSegmentParams(VP8Encoder *const encoder, float quality) {
  // A quick encoding must look as it will: libwebp counts other distortions by its own method of that number.
  const int method = encoder->method;
  if (method == QUICK_METHOD) encoder->method = METHOD;
  set_usual_params(encoder, quality);
  encoder->method = method;
  encoder->dq_y1_dc = -FINER_MEANS;
  SetupMatrices(encoder);
}

// Distortion as the eye has it, beside that of samples.
static score_t spectral(int weight, int distortion) { return weight ? MULT_8B(weight, distortion) : 0; }

static int nearest_of(const score_t scores[], int count) {
  int best = 0;
  for (int mode = 1; mode < count; mode++) {
    if (scores[mode] < scores[best]) best = mode;
  }
  return best;
}

// Codes a macroblock as a whole by a mode, into `made`. Returns which blocks have levels, as libwebp's own does.
static int reconstruct_luma16(VP8EncIterator *const iterator, VP8ModeScore *const score, uint8_t *made, int mode) {
  const VP8Encoder *const encoder = iterator->enc;
  const VP8SegmentInfo *const segment = &encoder->dqm[iterator->mb->segment];
  const uint8_t *const prediction = iterator->yuv_p + VP8I16ModeOffsets[mode];
  const uint8_t *const source = iterator->yuv_in + Y_OFF_ENC;
  int16_t coefficients[16][16], means[16];
  for (int n = 0; n < 16; n += 2) VP8FTransform2(source + VP8Scan[n], prediction + VP8Scan[n], coefficients[n]);
  VP8FTransformWHT(coefficients[0], means);
  int any = VP8EncQuantizeBlockWHT(means, score->y_dc_levels, &segment->y2) << 24;
  VP8IteratorNzToBytes(iterator);
  for (int n = 0; n < 16; n++) {
    int *const above = &iterator->top_nz[n & 3], *const left = &iterator->left_nz[n >> 2];
    int16_t *const levels = score->y_ac_levels[n];
    *above = *left = quantize_by_trellis(encoder, TYPE_I16_AC, coefficients[n], levels, *above + *left, &segment->y1,
                                         segment->lambda_trellis_i16);
    levels[0] = 0;
    any |= *above << n;
  }
  VP8TransformWHT(means, coefficients[0]);
  for (int n = 0; n < 16; n += 2) VP8ITransform(prediction + VP8Scan[n], coefficients[n], made + VP8Scan[n], 1);
  return any;
}

// A macroblock as a whole, by the mode whose prediction is nearest. Filtering is not made stronger for those of which only
// means are left, as libwebp does: with a trellis many are, at edges of the picture itself, which would be blurred.
static void pick_luma16(VP8EncIterator *const iterator, VP8ModeScore *const score) {
  VP8SegmentInfo *const segment = &iterator->enc->dqm[iterator->mb->segment];
  const uint8_t *const source = iterator->yuv_in + Y_OFF_ENC;
  uint8_t *const made = iterator->yuv_out + Y_OFF_ENC;
  score_t apart[NUM_PRED_MODES];
  for (int mode = 0; mode < NUM_PRED_MODES; mode++) {
    apart[mode] = VP8SSE16x16(source, iterator->yuv_p + VP8I16ModeOffsets[mode]);
  }
  const int mode = nearest_of(apart, NUM_PRED_MODES);
  score->mode_i16 = mode;
  score->nz = reconstruct_luma16(iterator, score, made, mode);
  score->D = VP8SSE16x16(source, made);
  score->SD = spectral(segment->tlambda, VP8TDisto16x16(source, made, kWeightY));
  score->H = VP8FixedCostsI16[mode];
  score->R = VP8GetCostLuma16(iterator, score);
  // What is flat must stay so.
  if (IsFlatSource16(source) && IsFlat(score->y_ac_levels[0], 16, FLATNESS_LIMIT_I16)) {
    score->D *= 2;
    score->SD *= 2;
  }
  SetRDScore(segment->lambda_mode, score);
  VP8SetIntra16Mode(iterator, mode);
}

// The modes of a block whose predictions are nearest, the nearest first. Returns how many there are.
static int nearest_modes(const VP8EncIterator *iterator, const uint8_t *source, const uint16_t *bits, int lambda,
                         int count, int modes[]) {
  score_t apart[NUM_BMODES];
  for (int mode = 0; mode < NUM_BMODES; mode++) {
    const int distortion = VP8SSE4x4(source, iterator->yuv_p + VP8I4ModeOffsets[mode]);
    apart[mode] = (score_t)distortion * RD_DISTO_MULT + bits[mode] * MODE_BITS_WEIGHT((score_t)lambda);
  }
  score_t farthest = MAX_COST;
  for (int index = 0; index < count; index++) {
    const int mode = nearest_of(apart, NUM_BMODES);
    if (apart[mode] > farthest) return index;
    if (index == 0) farthest = apart[mode] * FARTHEST;
    modes[index] = mode;
    apart[mode] = MAX_COST;
  }
  return count;
}

// Codes the block that the iterator is at by a mode, into `made`. Returns whether a level is not 0.
static int reconstruct_luma4(const VP8EncIterator *iterator, const uint8_t *source, int mode, uint8_t *made,
                             int16_t levels[16]) {
  const VP8Encoder *const encoder = iterator->enc;
  const VP8SegmentInfo *const segment = &encoder->dqm[iterator->mb->segment];
  const uint8_t *const prediction = iterator->yuv_p + VP8I4ModeOffsets[mode];
  const int context = iterator->top_nz[iterator->i4 & 3] + iterator->left_nz[iterator->i4 >> 2];
  int16_t coefficients[16];
  VP8FTransform(source, prediction, coefficients);
  const int any = quantize_by_trellis(encoder, TYPE_I4_AC, coefficients, levels, context, &segment->y1,
                                     segment->lambda_trellis_i4);
  VP8ITransform(prediction, coefficients, made, 0);
  return any;
}

// The best of a few modes of the block that the iterator is at. Its samples are left at `made`. Where the nearest mode needs
// no levels and is near, the others could win little more than their names take, and are not tried unless all are wanted.
static int pick_luma4(VP8EncIterator *const iterator, const uint16_t *bits, int count, uint8_t *made,
                      VP8ModeScore *const best, int16_t levels[16]) {
  const VP8SegmentInfo *const segment = &iterator->enc->dqm[iterator->mb->segment];
  const uint8_t *const source = iterator->yuv_in + Y_OFF_ENC + VP8Scan[iterator->i4];
  uint8_t *const place = made;
  uint8_t *other = iterator->yuv_p + I4TMP;
  int modes[NUM_BMODES];
  int best_mode = -1;
  const int tried_modes = nearest_modes(iterator, source, bits, segment->lambda_i4, count, modes);
  InitScore(best);
  for (int index = 0; index < tried_modes; index++) {
    const int mode = modes[index];
    VP8ModeScore tried;
    int16_t tried_levels[16];
    tried.nz = reconstruct_luma4(iterator, source, mode, other, tried_levels) << iterator->i4;
    tried.D = VP8SSE4x4(source, other);
    tried.SD = spectral(segment->tlambda, VP8TDisto4x4(source, other, kWeightY));
    tried.H = bits[mode];
    tried.R = mode > 0 && IsFlat(tried_levels, 1, FLATNESS_LIMIT_I4) ? FLATNESS_PENALTY : 0;
    SetRDScore(segment->lambda_i4, &tried);
    // What is worse without its levels is worse with them.
    if (best_mode >= 0 && tried.score >= best->score) continue;
    tried.R += VP8GetCostLuma4(iterator, tried_levels);
    SetRDScore(segment->lambda_i4, &tried);
    if (best_mode >= 0 && tried.score >= best->score) continue;
    CopyScore(best, &tried);
    best_mode = mode;
    memcpy(levels, tried_levels, sizeof(tried_levels));
    SwapPtr(&made, &other);
    const score_t apart = (score_t)(tried.D + tried.SD) * RD_DISTO_MULT;
    if (index == 0 && !tried.nz && count == TRIED_MODES && apart <= NEAR_BITS * (score_t)segment->lambda_i4) break;
  }
  if (made != place) VP8Copy4x4(made, place);
  return best_mode;
}

// A macroblock in blocks of four by four, where that is better than what is known.
static void pick_blocks(VP8EncIterator *const iterator, VP8ModeScore *const score, int count) {
  const VP8Encoder *const encoder = iterator->enc;
  const int lambda = encoder->dqm[iterator->mb->segment].lambda_mode;
  uint8_t *const made = iterator->yuv_out2 + Y_OFF_ENC;
  VP8ModeScore all;
  int header_bits = 0;
  if (encoder->max_i4_header_bits == 0) return;
  InitScore(&all);
  all.H = VP8BitCost(0, 145);
  SetRDScore(lambda, &all);
  VP8IteratorStartI4(iterator);
  do {
    const int block = iterator->i4;
    const uint16_t *const bits = GetCostModeI4(iterator, score->modes_i4);
    VP8ModeScore best;
    MakeIntra4Preds(iterator);
    const int mode = pick_luma4(iterator, bits, count, made + VP8Scan[block], &best, all.y_ac_levels[block]);
    SetRDScore(lambda, &best);
    AddScore(&all, &best);
    header_bits += (int)best.H;
    if (all.score >= score->score || header_bits > encoder->max_i4_header_bits) return;
    score->modes_i4[block] = mode;
    iterator->top_nz[block & 3] = iterator->left_nz[block >> 2] = best.nz ? 1 : 0;
  } while (VP8IteratorRotateI4(iterator, made));
  CopyScore(score, &all);
  memcpy(score->y_ac_levels, all.y_ac_levels, sizeof(score->y_ac_levels));
  VP8SetIntra4Mode(iterator, score->modes_i4);
  SwapOut(iterator);
}

// Chroma, by the mode whose prediction is nearest.
static void pick_chroma(VP8EncIterator *const iterator, VP8ModeScore *const score) {
  const uint8_t *const source = iterator->yuv_in + U_OFF_ENC;
  uint8_t *const made = iterator->yuv_out + U_OFF_ENC;
  score_t apart[NUM_PRED_MODES];
  for (int mode = 0; mode < NUM_PRED_MODES; mode++) {
    apart[mode] = VP8SSE16x8(source, iterator->yuv_p + VP8UVModeOffsets[mode]);
  }
  const int mode = nearest_of(apart, NUM_PRED_MODES);
  score->mode_uv = mode;
  score->nz |= ReconstructUV(iterator, score, made, mode);
  score->D += VP8SSE16x8(source, made);
  score->H += VP8FixedCostsUV[mode];
  VP8SetIntraUVMode(iterator, mode);
  if (iterator->top_derr != NULL) StoreDiffusionErrors(iterator, score);
}

int VP8Decimate(VP8EncIterator *const iterator, VP8ModeScore *const score, VP8RDLevel level) {
  const int method = iterator->enc->method;
  if (method < QUICK_METHOD || method > THOROUGH_METHOD) return decimate_by_all_modes(iterator, score, level);
  InitScore(score);
  VP8MakeLuma16Preds(iterator);
  VP8MakeChroma8Preds(iterator);
  iterator->do_trellis = 1;
  pick_luma16(iterator, score);
  // Where the whole macroblock needs no levels, blocks would pay for their modes alone.
  if (score->nz != 0 || method == THOROUGH_METHOD) pick_blocks(iterator, score, kTriedModes[method - QUICK_METHOD]);
  pick_chroma(iterator, score);
  VP8SetSkip(iterator, score->nz == 0);
  return score->nz == 0;
}
