// Codes alpha by libjxl's modular coder, with a tree of contexts by gradients.
#include "alpha.h"

#include <limits>

#include "lib/jxl/enc_aux_out.h"
#include "lib/jxl/fields.h"
#include "lib/jxl/modular/encoding/enc_encoding.h"
#include "lib/jxl/modular/encoding/encoding.h"
#include "lib/jxl/modular/modular_image.h"

using namespace jxl;

Status AlphaGroups::open(JxlMemoryManager *manager, const CompressParams &params, size_t groups) {
  manager_ = manager;
  histograms_ = HistogramParams::ForModular(params, {}, false);
  streams_.resize(groups);
  return true;
}

template <typename Sample>
static void take(const Rows &rows, const Rect &area, Channel *channel) {
  constexpr uint32_t full = std::numeric_limits<Sample>::max();
  for (size_t y = 0; y < area.ysize(); y++) {
    const Sample *const from = rows.samples<Sample>(area.x0(), area.y0() + y) + 3;
    pixel_type *const to = channel->Row(y);
    for (size_t x = 0; x < area.xsize(); x++) to[x] = (pixel_type)((from[x * 4] * 255u + full / 2) / full);
  }
}

Status AlphaGroups::add(const Rows &rows, const Rect &area, size_t group) {
  JXL_ASSIGN_OR_RETURN(Image image, Image::Create(manager_, area.xsize(), area.ysize(), 8, 1));
  if (rows.pixel_bytes == 8) take<uint16_t>(rows, area, &image.channel[0]);
  else take<uint8_t>(rows, area, &image.channel[0]);
  ModularOptions options;
  options.predictor = Predictor::Gradient;
  options.tree_kind = ModularOptions::TreeKind::kGradientFixedDC;
  options.histogram_params = histograms_;
  BitWriter writer(manager_);
  JXL_RETURN_IF_ERROR(ModularGenericCompress(image, options, &writer, nullptr, LayerType::ModularAcGroup));
  streams_[group].reset(new BitWriter(manager_));
  return streams_[group]->AppendUnaligned(writer);
}

Status AlphaGroups::write_global(BitWriter *writer, const FrameDimensions &dimensions) {
  if (streams_.empty()) return true;
  if (dimensions.xsize <= dimensions.group_dim && dimensions.ysize <= dimensions.group_dim) return write(writer, 0);
  // No channel is small enough to be in this stream: it has a header only.
  GroupHeader header;
  Bundle::Init(&header);
  return Bundle::Write(header, writer, LayerType::ModularGlobal, nullptr);
}

Status AlphaGroups::write(BitWriter *writer, size_t group) {
  if (streams_.empty() || !streams_[group]) return true;
  JXL_RETURN_IF_ERROR(writer->AppendUnaligned(*streams_[group]));
  streams_[group].reset();
  return true;
}
