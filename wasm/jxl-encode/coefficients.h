// Quantized coefficients of a frame, kept by group until all are known: zeros as runs, so that a photograph takes half a
// byte a pixel where libjxl would hold 12.
#pragma once

#include <array>
#include <vector>

#include "lib/jxl/dct_util.h"
#include "lib/jxl/image.h"

// Samples of a group: 256 a side.
#define GROUP_SAMPLES (256 * 256)

class Coefficients final : public jxl::ACImage {
 public:
  jxl::Status open(JxlMemoryManager *manager, size_t groups);
  // Where the coefficients of a group are put before `keep`, block after block in the order of the frame.
  int32_t *samples(size_t channel) { return window_.PlaneRow(channel, 0); }
  // Keeps what lies in the window as a channel of `group`: so many samples.
  void keep(size_t group, size_t channel, size_t count);
  // Frees what is kept of a group.
  void drop(size_t group);

  const int32_t *row(size_t channel, size_t group) const { return PlaneRow(channel, group, 0).ptr32; }
  // What libjxl asks for: a row is a group. Valid until another group is asked for.
  jxl::ConstACPtr PlaneRow(size_t channel, size_t group, size_t from) const override;
  jxl::ACPtr PlaneRow(size_t channel, size_t, size_t from) override { return jxl::ACPtr(samples(channel) + from); }
  jxl::ACType Type() const override { return jxl::ACType::k32; }
  size_t PixelsPerRow() const override { return window_.PixelsPerRow(); }
  void ZeroFill() override { ZeroFillImage(&window_); }
  void ZeroFillPlane(size_t channel) override { ZeroFillImage(&window_.Plane(channel)); }
  bool IsEmpty() const override { return kept_.empty(); }

 private:
  void restore(size_t group) const;

  mutable jxl::Image3I window_;
  mutable size_t restored_ = ~(size_t)0;
  std::vector<std::array<std::vector<uint8_t>, 3>> kept_;
  std::vector<uint8_t> writing_;
};
