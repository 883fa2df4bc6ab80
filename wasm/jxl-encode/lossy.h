// A frame with loss, made from pixels group by group: memory holds the rows of one row of groups, and of all groups
// what is small.
#pragma once

#include "frame.h"
#include "vardct.h"

class LossyFrame final : public Frame, private VarDctFrame {
 public:
  LossyFrame(File *file, const jxl::CompressParams &params, const FrameOptions &options)
      : VarDctFrame(file, params, options), group_(&file->manager) {}
  jxl::Status open() override;
  size_t group_rows() const override { return jxl::kGroupDim; }
  size_t border_rows() const override { return jxl::kBlockDim; }
  jxl::Status groups(const Rows &rows, size_t row) override;
  jxl::Status finish(bool last) override;

 private:
  // Colors are taken as linear light, by the level of a sample.
  bool takes_light() const { return file_->wide || !file_->deep(); }
  void take(const Rows &rows, const jxl::Rect &area, jxl::Image3F *color);
  jxl::Status quantize(const Rows &rows, const jxl::Rect &area, size_t group);
  jxl::Status keep(const jxl::Rect &blocks, size_t group);

  // The group that is being made, as a frame of its own: libjxl has it so for larger pieces when it streams.
  jxl::PassesEncoderState group_;
  // Of each level of samples.
  std::vector<float> light_;
};
