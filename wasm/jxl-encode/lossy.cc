// From pixels to coefficients, by what libjxl does with a piece of a frame that it has only a part of.
#include "lossy.h"

#include <math.h>
#include <string.h>

#include <limits>

#include "lib/jxl/enc_adaptive_quantization.h"
#include "lib/jxl/enc_group.h"
#include "lib/jxl/enc_heuristics.h"
#include "lib/jxl/enc_xyb.h"
#include "lib/jxl/image_ops.h"

namespace jxl {
// Not in a header of libjxl's.
void FindBestBlockEntropyModel(const CompressParams &params, const ImageI &quant_field, const AcStrategyImage &strategy,
                               BlockCtxMap *block_ctx_map);
}  // namespace jxl

using namespace jxl;

// libjxl's level of the scale of quantizers, with and without a field that follows the picture.
static constexpr float kAdaptiveScale = 0.39f, kConstantScale = 0.79f;

Status LossyFrame::open() {
  JXL_RETURN_IF_ERROR(VarDctFrame::open(nullptr));
  group_.cparams = params_;
  group_.shared.metadata = &file_->metadata;
  group_.streaming_mode = true;
  group_.initialize_global_state = false;
  group_.x_qm_multiplier = powf(1.25f, header_.x_qm_scale - 2.0f);
  group_.b_qm_multiplier = powf(1.25f, header_.b_qm_scale - 2.0f);
  const float distance = params_.butteraugli_distance;
  const float scale = params_.speed_tier > SpeedTier::kHare ? kConstantScale : kAdaptiveScale;
  frame_.shared.quantizer.ComputeGlobalScaleAndQuant(InitialQuantDC(distance), scale / distance, 0);
  JXL_ASSIGN_OR_RETURN(std::unique_ptr<ACImageT<int32_t>> window,
                       ACImageT<int32_t>::Make(&file_->manager, GROUP_SAMPLES, 1));
  group_.coeffs.emplace_back(std::move(window));
  return true;
}

Status LossyFrame::groups(const Rows &rows, size_t row) {
  const FrameDimensions &size = frame_.shared.frame_dim;
  for (size_t column = 0; column < size.xsize_groups; column++) {
    const size_t group = row * size.xsize_groups + column;
    const Rect area = size.GroupRect(group);
    JXL_RETURN_IF_ERROR(quantize(rows, area, group));
    if (options_.alpha) JXL_RETURN_IF_ERROR(alpha_.add(rows, area, group));
  }
  return true;
}

// Linear light of all levels of samples, by the curve of sRGB.
static std::vector<float> light_of_levels(uint32_t most) {
  const float part = 1.0f / most;
  std::vector<float> light(most + 1);
  for (uint32_t level = 0; level <= most; level++) {
    const float sample = level * part;
    light[level] = sample <= 0.04045f ? sample / 12.92f : powf((sample + 0.055f) / 1.055f, 2.4f);
  }
  return light;
}

static void take_levels(const Rows &rows, const Rect &area, Image3F *color) {
  constexpr float part = 1.0f / std::numeric_limits<uint16_t>::max();
  for (size_t y = 0; y < area.ysize(); y++) {
    const uint16_t *const from = rows.samples<uint16_t>(area.x0(), area.y0() + y);
    for (size_t channel = 0; channel < 3; channel++) {
      float *const to = color->PlaneRow(channel, y);
      for (size_t x = 0; x < area.xsize(); x++) to[x] = from[x * 4 + channel] * part;
    }
  }
}

// Linear light of levels of sRGB.
static void take_light(const Rows &rows, const Rect &area, const std::vector<float> &light, Image3F *color) {
  for (size_t y = 0; y < area.ysize(); y++) {
    const uint8_t *from = rows.samples<uint8_t>(area.x0(), area.y0() + y);
    float *const red = color->PlaneRow(0, y), *const green = color->PlaneRow(1, y), *const blue = color->PlaneRow(2, y);
    for (size_t x = 0; x < area.xsize(); x++, from += 4) {
      red[x] = light[from[0]], green[x] = light[from[1]], blue[x] = light[from[2]];
    }
  }
}

// Linear light of sRGB, beyond its range where a color is, from levels of Display P3 with the curve of sRGB.
template <typename Sample>
static void take_wide(const Rows &rows, const Rect &area, const std::vector<float> &light, Image3F *color) {
  static constexpr float kToSrgb[3][3] = {
      {1.2249402f, -0.2249402f, 0.0f},
      {-0.0420570f, 1.0420570f, 0.0f},
      {-0.0196376f, -0.0786361f, 1.0982735f},
  };
  for (size_t y = 0; y < area.ysize(); y++) {
    const Sample *from = rows.samples<Sample>(area.x0(), area.y0() + y);
    for (size_t x = 0; x < area.xsize(); x++, from += 4) {
      for (size_t channel = 0; channel < 3; channel++) {
        const float *const part = kToSrgb[channel];
        color->PlaneRow(channel, y)[x] = part[0] * light[from[0]] + part[1] * light[from[1]] + part[2] * light[from[2]];
      }
    }
  }
}

void LossyFrame::take(const Rows &rows, const Rect &area, Image3F *color) {
  if (takes_light() && light_.empty()) light_ = light_of_levels(file_->deep() ? 65535 : 255);
  if (file_->wide && file_->deep()) take_wide<uint16_t>(rows, area, light_, color);
  else if (file_->wide) take_wide<uint8_t>(rows, area, light_, color);
  else if (file_->deep()) take_levels(rows, area, color);
  else take_light(rows, area, light_, color);
}

Status LossyFrame::quantize(const Rows &rows, const Rect &area, size_t group) {
  const FrameDimensions &size = frame_.shared.frame_dim;
  // Filters look at a block around the group.
  const Rect around = area.Extend(kBlockDim, Rect(0, 0, size.xsize, size.ysize));
  JXL_ASSIGN_OR_RETURN(Image3F color, Image3F::Create(&file_->manager, RoundUpToBlockDim(around.xsize()),
                                                      RoundUpToBlockDim(around.ysize())));
  JXL_RETURN_IF_ERROR(color.ShrinkTo(around.xsize(), around.ysize()));
  take(rows, around, &color);
  const ColorEncoding &taken = takes_light() ? ColorEncoding::LinearSRGB() : file_->metadata.m.color_encoding;
  JXL_RETURN_IF_ERROR(ToXYB(taken, file_->metadata.m.IntensityTarget(), nullptr, nullptr, &color, params_.cms, nullptr));
  JXL_RETURN_IF_ERROR(PadImageToBlockMultipleInPlace(&color));
  const Rect inner(area.x0() - around.x0(), area.y0() - around.y0(), RoundUpToBlockDim(area.xsize()),
                   RoundUpToBlockDim(area.ysize()));
  FrameDimensions &part = group_.shared.frame_dim;
  part.Set(area.xsize(), area.ysize(), header_.group_size_shift, 0, 0, false, 1);
  JXL_RETURN_IF_ERROR(allocate_blocks(&group_));
  JXL_RETURN_IF_ERROR(LossyFrameHeuristics(header_, &group_, modular_.get(), nullptr, &color, inner, params_.cms,
                                           nullptr, nullptr));
  JXL_ASSIGN_OR_RETURN(Image3F dc, Image3F::Create(&file_->manager, part.xsize_blocks, part.ysize_blocks));
  JXL_RETURN_IF_ERROR(ComputeCoefficients(0, &group_, color, inner, &dc));
  const Rect blocks = size.BlockGroupRect(group);
  JXL_RETURN_IF_ERROR(CopyImageTo(Rect(dc), dc, blocks, &dc_));
  return keep(blocks, group);
}

// Puts what is known of the group where the frame has it.
Status LossyFrame::keep(const Rect &blocks, size_t group) {
  PassesSharedState &from = group_.shared, &to = frame_.shared;
  for (size_t y = 0; y < blocks.ysize(); y++) {
    const AcStrategyRow row = from.ac_strategy.ConstRow(y);
    for (size_t x = 0; x < blocks.xsize(); x++) {
      if (!row[x].IsFirstBlock()) continue;
      JXL_RETURN_IF_ERROR(to.ac_strategy.Set(blocks.x0() + x, blocks.y0() + y, row[x].Strategy()));
    }
  }
  JXL_RETURN_IF_ERROR(CopyImageTo(Rect(from.raw_quant_field), from.raw_quant_field, blocks, &to.raw_quant_field));
  const Rect tiles(blocks.x0() / kColorTileDimInBlocks, blocks.y0() / kColorTileDimInBlocks,
                   from.cmap.ytox_map.xsize(), from.cmap.ytox_map.ysize());
  JXL_RETURN_IF_ERROR(CopyImageTo(Rect(from.cmap.ytox_map), from.cmap.ytox_map, tiles, &to.cmap.ytox_map));
  JXL_RETURN_IF_ERROR(CopyImageTo(Rect(from.cmap.ytob_map), from.cmap.ytob_map, tiles, &to.cmap.ytob_map));
  const size_t samples = blocks.xsize() * blocks.ysize() * kDCTBlockSize;
  for (size_t channel = 0; channel < 3; channel++) {
    memcpy(coefficients_.samples(channel), group_.coeffs[0]->PlaneRow(channel, 0, 0).ptr32, samples * sizeof(int32_t));
    coefficients_.keep(group, channel, samples);
  }
  return true;
}

Status LossyFrame::finish(bool last) {
  header_.is_last = last;
  FindBestBlockEntropyModel(params_, frame_.shared.raw_quant_field, frame_.shared.ac_strategy,
                            &frame_.shared.block_ctx_map);
  return write(false);
}
