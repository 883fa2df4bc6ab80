// The order of work is that of ComputeJPEGTranscodingData in libjxl's enc_frame.cc, which holds all coefficients twice.
#include "jpeg.h"

#include <algorithm>
#include <cmath>

#include "lib/jxl/enc_quant_weights.h"
#include "lib/jxl/image_ops.h"

using namespace jxl;

// Averages of blocks are from -1024 to 1023.
static constexpr int kAverages = 2048;
static constexpr int kMiddle = kAverages / 2;
// In how many parts averages of luma and of either chroma are split at most, to tell contexts apart.
static constexpr int kMostThresholds = 2;

Status JpegFrame::write() {
  JXL_RETURN_IF_ERROR(VarDctFrame::open(jpeg_));
  order_ = JpegOrder(header_.color_transform, jpeg_->components.size() == 1);
  JXL_RETURN_IF_ERROR(set_tables());
  const bool gray = jpeg_->components.size() == 1;
  const bool whole = header_.chroma_subsampling.Is444();
  for (const size_t channel : {0, 2}) {
    if (!gray && whole) relate_chroma(channel);
  }
  // Luma comes last: chroma is related to it. Where it is not, the components may be freed as they go.
  for (const size_t channel : {0, 2, 1}) {
    averages_[channel].assign(kAverages, 0);
    if (gray && channel != 1) continue;
    keep_channel(channel);
    std::vector<int16_t>().swap(jpeg_->components[order_[channel]].coeffs);
  }
  set_contexts();
  return VarDctFrame::write(true);
}

// Makes the tables of the file those of the frame, at a scale of one.
Status JpegFrame::set_tables() {
  PassesSharedState &shared = frame_.shared;
  JXL_ASSIGN_OR_RETURN(shared.cmap, ColorCorrelationMap::Create(&file_->manager, shared.frame_dim.xsize_padded,
                                                                shared.frame_dim.ysize_padded, false));
  shared.ac_strategy.FillDCT8();
  FillImage(static_cast<uint8_t>(0), &shared.epf_sharpness);
  std::vector<int> all(3 * 64);
  float averages[3];
  for (size_t channel = 0; channel < 3; channel++) {
    const auto &table = jpeg_->quant[component(channel).quant_idx].values;
    averages[channel] = 255 * 8.0f / table[0];
    for (size_t y = 0; y < 8; y++) {
      for (size_t x = 0; x < 8; x++) all[channel * 64 + 8 * x + y] = tables_[channel][8 * x + y] = table[8 * y + x];
    }
  }
  JXL_RETURN_IF_ERROR(DequantMatricesSetCustomDC(&file_->manager, &shared.matrices, averages));
  static constexpr size_t kTable = static_cast<size_t>(AcStrategyType::DCT);
  std::vector<QuantEncoding> encodings(kNumQuantTables, QuantEncoding::Library<0>());
  encodings[kTable] = QuantEncoding::RAW(std::move(all));
  JXL_RETURN_IF_ERROR(modular_->AddQuantTable(kBlockDim, kBlockDim, encodings[kTable], kTable));
  shared.matrices.SetEncodings(encodings);
  shared.quantizer = Quantizer(shared.matrices, 1, kGlobalScaleDenom);
  shared.quantizer.RecomputeFromGlobalScale();
  FillImage(static_cast<int32_t>(shared.quantizer.InvGlobalScale()), &shared.raw_quant_field);
  return true;
}

const int16_t *JpegFrame::block(size_t channel, size_t column, size_t row) const {
  const jpeg::JPEGComponent &from = component(channel);
  return from.coeffs.data() + (row * from.width_in_blocks + column) * kDCTBlockSize;
}

// Finds out for each tile how much of luma is in chroma.
void JpegFrame::relate_chroma(size_t channel) {
  const FrameDimensions &size = frame_.shared.frame_dim;
  ImageSB &map = channel == 0 ? frame_.shared.cmap.ytox_map : frame_.shared.cmap.ytob_map;
  for (size_t y = 0; y < map.ysize(); y++) {
    for (size_t x = 0; x < map.xsize(); x++) {
      const size_t tile = kColorTileDimInBlocks;
      map.Row(y)[x] = chroma_factor(channel, Rect(x * tile, y * tile, tile, tile, size.xsize_blocks, size.ysize_blocks));
    }
  }
}

// The part of luma, in libjxl's steps, without which the most coefficients of chroma are zero; 0 where that hardly helps.
int8_t JpegFrame::chroma_factor(size_t channel, const Rect &blocks) const {
  static constexpr int kFactors = 256, kOffset = 127;
  const float scale = kDefaultColorFactor, nothing = scale * kZeroBiasDefault[channel] * 0.9999f;
  // How many coefficients more are zero from a factor on.
  int32_t gains[kFactors + 1] = {};
  for (size_t y = 0; y < blocks.ysize(); y++) {
    for (size_t x = 0; x < blocks.xsize(); x++) {
      const int16_t *const luma = block(1, blocks.x0() + x, blocks.y0() + y);
      const int16_t *const chroma = block(channel, blocks.x0() + x, blocks.y0() + y);
      for (size_t i = 1; i < kDCTBlockSize; i++) {
        const size_t turned = (i & 7) * 8 + i / 8;
        if (luma[i] == 0) continue;
        const float ratio = (float)tables_[1][turned] / tables_[channel][turned];
        const float from_luma = luma[i] * ratio, rest = scale * chroma[i] + kOffset * from_luma;
        const float one = (rest - nothing) / from_luma, other = (rest + nothing) / from_luma;
        const float low = std::max(0.0f, std::min(one, other)), high = std::min(255.0f, std::max(one, other));
        if (low > high) continue;
        gains[(int)std::ceil(low)]++;
        gains[(int)std::floor(high + 1)]--;
      }
    }
  }
  int best = 0, most = 0, unrelated = 0, zeros = 0;
  for (int factor = 0; factor < kFactors; factor++) {
    zeros += gains[factor];
    if (factor == kOffset) unrelated = zeros;
    if (zeros > most) {
      most = zeros;
      best = factor;
    }
  }
  return most > unrelated + 1 ? best - kOffset : 0;
}

void JpegFrame::keep_channel(size_t channel) {
  for (size_t group = 0; group < frame_.shared.frame_dim.num_groups; group++) keep_blocks(channel, group);
}

void JpegFrame::keep_blocks(size_t channel, size_t group) {
  const Rect blocks = frame_.shared.frame_dim.BlockGroupRect(group);
  const YCbCrChromaSubsampling &sampling = header_.chroma_subsampling;
  const size_t across = sampling.HShift(channel), down = sampling.VShift(channel);
  int32_t *to = coefficients_.samples(channel);
  size_t count = 0;
  for (size_t y = blocks.y0(); y < blocks.y1(); y++) {
    if ((y >> down) << down != y) continue;
    for (size_t x = blocks.x0(); x < blocks.x1(); x++) {
      if ((x >> across) << across != x) continue;
      keep_block(channel, x >> across, y >> down, to + count);
      count += kDCTBlockSize;
    }
  }
  coefficients_.keep(group, channel, count);
}

void JpegFrame::keep_block(size_t channel, size_t column, size_t row, int32_t *to) {
  const int16_t *const from = block(channel, column, row);
  const int table = tables_[channel][0];
  // Colors that are not YCbCr have no middle at zero.
  const int average = from[0] + (header_.color_transform == ColorTransform::kYCbCr ? 0 : 1024 / table);
  averages_[channel][std::min<uint32_t>(average + kMiddle, kAverages - 1)]++;
  dc_.PlaneRow(channel, row)[column] = average * (table / (255 * 8.0f));
  const ColorCorrelationMap &map = frame_.shared.cmap;
  int32_t factor = 0;
  if (channel != 1 && header_.chroma_subsampling.Is444()) {
    const ImageSB &factors = channel == 0 ? map.ytox_map : map.ytob_map;
    factor = factors.ConstRow(row / kColorTileDimInBlocks)[column / kColorTileDimInBlocks];
  }
  const int32_t scale = ColorCorrelation::RatioJPEG(factor);
  static constexpr int32_t kHalf = 1 << (kCFLFixedPointPrecision - 1);
  const int16_t *const luma = factor == 0 ? nullptr : block(1, column, row);
  for (size_t i = 0; i < kDCTBlockSize; i++) {
    const size_t turned = (i & 7) * 8 + i / 8;
    to[i] = from[turned];
    if (factor == 0) continue;
    // As decoders compute it: first the ratio of the tables, then luma.
    const int32_t ratio = (1 << kCFLFixedPointPrecision) * tables_[1][i] / tables_[channel][i];
    const int32_t coefficient = (scale * ratio + kHalf) >> kCFLFixedPointPrecision;
    to[i] -= (luma[turned] * coefficient + kHalf) >> kCFLFixedPointPrecision;
  }
}

// Tells contexts of blocks apart by their averages, in as many parts as the picture is large enough for.
void JpegFrame::set_contexts() {
  BlockCtxMap &map = frame_.shared.block_ctx_map;
  map.num_dc_ctxs = 1;
  for (size_t channel = 0; channel < 3; channel++) {
    std::vector<int> &thresholds = map.dc_thresholds[channel];
    thresholds.clear();
    size_t total = 0;
    for (const size_t count : averages_[channel]) total += count;
    const int most = std::min((int)CeilLog2Nonzero(std::max<size_t>(total, 1)) / 2 - 6, kMostThresholds);
    const size_t parts = std::max(most, 0) + 1;
    size_t sum = 0;
    for (int i = 0; i < kAverages && thresholds.size() + 1 < parts; i++) {
      sum += averages_[channel][i];
      if (sum > total * (thresholds.size() + 1) / parts) thresholds.push_back(i - kMiddle - 1);
    }
    map.num_dc_ctxs *= thresholds.size() + 1;
  }
  const size_t contexts = map.num_dc_ctxs, luma = map.dc_thresholds[1].size() + 1;
  map.ctx_map.assign(3 * kNumOrders * contexts, 0);
  for (size_t i = 0; i < contexts; i++) {
    // Up to nine contexts for luma, up to three for chroma.
    map.ctx_map[i] = i / luma;
    map.ctx_map[kNumOrders * contexts + i] = map.ctx_map[2 * kNumOrders * contexts + i] = contexts / luma + i % luma;
  }
  map.num_ctxs = *std::max_element(map.ctx_map.begin(), map.ctx_map.end()) + 1;
}
