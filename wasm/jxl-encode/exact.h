// A frame without loss: every group is coded for itself, by libjxl's modular coder.
#pragma once

#include <memory>
#include <vector>

#include "frame.h"
#include "lib/jxl/enc_params.h"
#include "lib/jxl/frame_header.h"
#include "lib/jxl/modular/modular_image.h"
#include "sections.h"

class ExactFrame final : public Frame {
 public:
  ExactFrame(File *file, const jxl::CompressParams &params, const FrameOptions &options)
      : file_(file), params_(params), options_(options), header_(&file->metadata), sections_(&file->manager, false) {}
  jxl::Status open() override;
  size_t group_rows() const override { return size_.group_dim; }
  size_t border_rows() const override { return 0; }
  jxl::Status groups(const Rows &rows, size_t row) override;
  jxl::Status finish(bool last) override;

 private:
  jxl::Status take(const Rows &rows, const jxl::Rect &area, jxl::Image *image);
  jxl::Status compress(jxl::Image *image, jxl::BitWriter *writer);
  jxl::Status write_global(jxl::BitWriter *writer);

  File *file_;
  jxl::CompressParams params_;
  FrameOptions options_;
  jxl::FrameHeader header_;
  jxl::FrameDimensions size_;
  Sections sections_;
};
