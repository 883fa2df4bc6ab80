// Each group has transforms, a tree of contexts and codes of its own, so that nothing must be known of all groups.
#include "exact.h"

#include <math.h>

#include <limits>

#include "lib/jxl/enc_aux_out.h"
#include "lib/jxl/enc_fields.h"
#include "lib/jxl/enc_frame.h"
#include "lib/jxl/enc_quant_weights.h"
#include "lib/jxl/fields.h"
#include "lib/jxl/modular/encoding/enc_encoding.h"
#include "lib/jxl/modular/encoding/encoding.h"
#include "lib/jxl/modular/transform/enc_transform.h"
#include "lib/jxl/modular/transform/transform.h"
#include "lib/jxl/pack_signed.h"

using namespace jxl;

// Groups are 128 << shift a side: larger ones take more memory, smaller ones more bytes.
static constexpr uint32_t kGroupShift = 2;
// Colors up to which a group becomes a palette and places in it.
static constexpr uint32_t kPaletteColors = 1024;

Status ExactFrame::open() {
  header_.encoding = FrameEncoding::kModular;
  header_.color_transform = ColorTransform::kNone;
  header_.loop_filter.gab = false;
  header_.loop_filter.epf_iters = 0;
  header_.group_size_shift = kGroupShift;
  header_.frame_size.xsize = options_.width;
  header_.frame_size.ysize = options_.height;
  header_.animation_frame.duration = options_.duration;
  header_.extra_channel_upsampling.assign(options_.alpha ? 1 : 0, 1);
  size_ = header_.ToFrameDimensions();
  sections_ = Sections(&file_->manager, size_.num_groups == 1);
  if (size_.num_groups == 1) return true;
  JXL_RETURN_IF_ERROR(write_global(sections_.writer()));
  // No channel is small enough to be in the stream of all groups: it has a header only.
  GroupHeader header;
  Bundle::Init(&header);
  JXL_RETURN_IF_ERROR(Bundle::Write(header, sections_.writer(), LayerType::ModularGlobal, nullptr));
  JXL_RETURN_IF_ERROR(sections_.close());
  // Neither groups of groups nor what is common to groups has anything.
  for (size_t i = 0; i < size_.num_dc_groups + 1; i++) JXL_RETURN_IF_ERROR(sections_.close());
  return true;
}

// What a frame of any kind begins with: the usual weights, and no tree that groups share.
Status ExactFrame::write_global(BitWriter *writer) {
  JXL_RETURN_IF_ERROR(DequantMatricesEncodeDC(DequantMatrices(), writer, LayerType::Quant, nullptr));
  return writer->WithMaxBits(1, LayerType::ModularTree, nullptr, [&]() -> Status {
    writer->Write(1, 0);
    return true;
  });
}

Status ExactFrame::groups(const Rows &rows, size_t row) {
  for (size_t column = 0; column < size_.xsize_groups; column++) {
    const Rect area = size_.GroupRect(row * size_.xsize_groups + column);
    if (size_.num_groups == 1) JXL_RETURN_IF_ERROR(write_global(sections_.writer()));
    JXL_ASSIGN_OR_RETURN(Image image, Image::Create(&file_->manager, area.xsize(), area.ysize(), file_->bits,
                                                    options_.alpha ? 4 : 3));
    JXL_RETURN_IF_ERROR(take(rows, area, &image));
    JXL_RETURN_IF_ERROR(compress(&image, sections_.writer()));
    JXL_RETURN_IF_ERROR(sections_.close());
  }
  return true;
}

// Takes samples, of which `most` in a file is what `full` is in rows.
template <typename Sample>
static void take_samples(const Rows &rows, const Rect &area, uint32_t most, Image *image) {
  constexpr uint32_t full = std::numeric_limits<Sample>::max();
  for (size_t channel = 0; channel < image->channel.size(); channel++) {
    for (size_t y = 0; y < area.ysize(); y++) {
      const Sample *const from = rows.samples<Sample>(area.x0(), area.y0() + y) + channel;
      pixel_type *const to = image->channel[channel].Row(y);
      for (size_t x = 0; x < area.xsize(); x++) to[x] = (pixel_type)((from[x * 4] * most + full / 2) / full);
    }
  }
}

Status ExactFrame::take(const Rows &rows, const Rect &area, Image *image) {
  const uint32_t most = (1u << file_->bits) - 1;
  if (file_->deep()) take_samples<uint16_t>(rows, area, most, image);
  else take_samples<uint8_t>(rows, area, most, image);
  return true;
}

// About the bits that the colors of a picture take: what is left of them by gradients, every fourth row.
static double color_bits(const Image &image) {
  double bits = 0;
  for (size_t channel = 0; channel < 3; channel++) {
    uint32_t counts[64] = {}, total = 0;
    const Channel &plane = image.channel[channel];
    for (size_t y = 1; y < plane.h; y += 4) {
      const pixel_type *const row = plane.Row(y), *const above = plane.Row(y - 1);
      for (size_t x = 1; x < plane.w; x++) {
        const int left = row[x - 1], top = above[x], corner = above[x - 1];
        const int low = left < top ? left : top, high = left < top ? top : left;
        const int gradient = left + top - corner;
        const uint32_t rest = PackSigned(row[x] - (gradient < low ? low : gradient > high ? high : gradient));
        const int size = rest < 32 ? (int)rest : 32 + (31 - __builtin_clz(rest));
        if (rest >= 32) bits += 31 - __builtin_clz(rest);
        counts[size]++;
        total++;
      }
    }
    for (const uint32_t count : counts) {
      if (count > 0) bits += count * log2((double)total / count);
    }
  }
  return bits;
}

// The transforms of colors that are tried, by libjxl's numbers: none, YCoCg, and what is left of red and blue by green.
static constexpr uint32_t kColorTransforms[] = {0, 6, 10};

static Status transform_colors(Image *image) {
  uint32_t best = 0;
  double least = INFINITY;
  for (const uint32_t type : kColorTransforms) {
    Transform transform(TransformId::kRCT);
    transform.begin_c = 0;
    transform.rct_type = type;
    if (type != 0) JXL_RETURN_IF_ERROR(TransformForward(transform, *image, weighted::Header(), nullptr));
    const double bits = color_bits(*image);
    if (bits < least) {
      least = bits;
      best = type;
    }
    if (type != 0) JXL_RETURN_IF_ERROR(transform.Inverse(*image, weighted::Header(), nullptr));
  }
  if (best == 0) return true;
  Transform transform(TransformId::kRCT);
  transform.begin_c = 0;
  transform.rct_type = best;
  JXL_RETURN_IF_ERROR(TransformForward(transform, *image, weighted::Header(), nullptr));
  image->transform.push_back(transform);
  return true;
}

Status ExactFrame::compress(Image *image, BitWriter *writer) {
  Transform palette(TransformId::kPalette);
  palette.begin_c = 0;
  palette.num_c = image->channel.size();
  palette.nb_colors = kPaletteColors;
  palette.ordered_palette = true;
  const bool few_colors = TransformForward(palette, *image, weighted::Header(), nullptr);
  if (few_colors) {
    image->transform.push_back(palette);
  } else {
    JXL_RETURN_IF_ERROR(transform_colors(image));
  }
  ModularOptions options;
  options.histogram_params = HistogramParams::ForModular(params_, {}, false);
  if (few_colors) options.histogram_params.lz77_method = HistogramParams::LZ77Method::kLZ77;
  if (params_.speed_tier >= SpeedTier::kFalcon) {
    options.predictor = Predictor::Weighted;
    options.wp_tree_mode = ModularOptions::TreeMode::kWPOnly;
    options.tree_kind = ModularOptions::TreeKind::kWPFixedDC;
  } else {
    options.predictor = few_colors ? Predictor::Variable : Predictor::Best;
    options.tree_kind = ModularOptions::TreeKind::kLearn;
    options.splitting_heuristics_properties = {0, 15, 9, 10, 11, 12, 13};
    options.max_property_values = 32;
    options.splitting_heuristics_node_threshold = 82 + 14 * (int)params_.speed_tier;
    options.nb_repeats = params_.options.nb_repeats;
  }
  return ModularGenericCompress(*image, options, writer, nullptr, LayerType::ModularAcGroup);
}

Status ExactFrame::finish(bool last) {
  header_.is_last = last;
  return sections_.write(header_);
}
