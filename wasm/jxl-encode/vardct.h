// A frame of coefficients, whatever they were made from: the state that libjxl has for a frame, but for its pixels and
// coefficients, and how it is written.
#pragma once

#include <memory>
#include <vector>

#include "alpha.h"
#include "coefficients.h"
#include "lib/jxl/enc_cache.h"
#include "lib/jxl/enc_modular.h"
#include "lib/jxl/enc_params.h"
#include "lib/jxl/frame_header.h"
#include "rows.h"
#include "sections.h"

namespace jxl {
namespace jpeg {
struct JPEGData;
}
}  // namespace jxl

class VarDctFrame {
 protected:
  VarDctFrame(File *file, const jxl::CompressParams &params, const FrameOptions &options);
  // Makes the header, of which all sizes follow.
  jxl::Status open(const jxl::jpeg::JPEGData *jpeg);
  // Writes the frame. `dc_`, the coefficients and all that the state holds for blocks must be there.
  jxl::Status write(bool from_jpeg);

  File *file_;
  FrameOptions options_;
  jxl::CompressParams params_;
  jxl::FrameHeader header_;
  jxl::PassesEncoderState frame_;
  std::unique_ptr<jxl::ModularFrameEncoder> modular_;
  jxl::Image3F dc_;
  Coefficients coefficients_;
  AlphaGroups alpha_;

 private:
  jxl::Status prepare_dc(bool from_jpeg);
  jxl::Status write_dc();
  jxl::Status write_ac();
  jxl::Status choose_orders();
  jxl::Status tokens(size_t group, std::vector<jxl::Token> *list);

  std::unique_ptr<Sections> sections_;
  jxl::Image3I nonzeros_;
};

// Sets aside what a state holds for each block of the frame that it is told the size of.
jxl::Status allocate_blocks(jxl::PassesEncoderState *state);
