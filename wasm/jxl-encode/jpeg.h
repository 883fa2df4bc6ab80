// A JPEG file as a frame of its own coefficients, and what else the file is made of: all that is needed to write the
// same file again.
#pragma once

#include "lib/jxl/jpeg/jpeg_data.h"
#include "vardct.h"

class JpegFrame : private VarDctFrame {
 public:
  // What is read of `jpeg` is freed as soon as it is not needed any more.
  JpegFrame(File *file, const jxl::CompressParams &params, const FrameOptions &options, jxl::jpeg::JPEGData *jpeg)
      : VarDctFrame(file, params, options), jpeg_(jpeg) {}
  // Writes the frame.
  jxl::Status write();

 private:
  jxl::Status set_tables();
  void relate_chroma(size_t channel);
  int8_t chroma_factor(size_t channel, const jxl::Rect &blocks) const;
  void keep_channel(size_t channel);
  void keep_blocks(size_t channel, size_t group);
  void keep_block(size_t channel, size_t column, size_t row, int32_t *to);
  void set_contexts();
  const jxl::jpeg::JPEGComponent &component(size_t channel) const { return jpeg_->components[order_[channel]]; }
  const int16_t *block(size_t channel, size_t column, size_t row) const;

  jxl::jpeg::JPEGData *jpeg_;
  // The component that is a channel of ours.
  std::array<int, 3> order_;
  // The tables of quantization, transposed as coefficients are.
  int tables_[3][64];
  // How often a block's average is so much, from -1024 on.
  std::vector<size_t> averages_[3];
};
