// The alpha channel of a frame with loss: 8 bits of it without loss, one modular stream for each group.
#pragma once

#include <memory>
#include <vector>

#include "lib/jxl/enc_bit_writer.h"
#include "lib/jxl/enc_params.h"
#include "lib/jxl/frame_dimensions.h"
#include "rows.h"

class AlphaGroups {
 public:
  jxl::Status open(JxlMemoryManager *manager, const jxl::CompressParams &params, size_t groups);
  // Codes the alpha of a group.
  jxl::Status add(const Rows &rows, const jxl::Rect &area, size_t group);
  // Writes the stream of all channels together. Where there is one group it is in that stream.
  jxl::Status write_global(jxl::BitWriter *writer, const jxl::FrameDimensions &dimensions);
  jxl::Status write(jxl::BitWriter *writer, size_t group);

 private:
  JxlMemoryManager *manager_ = nullptr;
  jxl::HistogramParams histograms_;
  std::vector<std::unique_ptr<jxl::BitWriter>> streams_;
};
