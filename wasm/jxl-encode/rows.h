// What frames are made from: rows of RGBA8 or RGBA16 as they arrive, and how a frame lies in its file.
#pragma once

#include <memory>
#include <vector>

#include <jxl/memory_manager.h>

#include "lib/jxl/base/rect.h"
#include "lib/jxl/image_metadata.h"

// What the frames of a file have in common.
struct File {
  JxlMemoryManager manager;
  jxl::CodecMetadata metadata;
  // Colors are those of Display P3, and not of sRGB.
  bool wide = false;
  // Bits of a sample, 8 to 16: of more than 8, rows are of RGBA16.
  uint32_t bits = 8;
  bool deep() const { return bits > 8; }
  size_t pixel_bytes() const { return deep() ? 8 : 4; }
};

struct FrameOptions {
  size_t width;
  size_t height;
  bool alpha;
  // Ticks that the frame of an animation is shown.
  uint32_t duration;
};

// A window of rows.
struct Rows {
  const uint8_t *rgba;
  // The row of the picture that the window begins with.
  size_t top;
  size_t width;
  size_t pixel_bytes;
  const uint8_t *row(size_t y) const { return rgba + (y - top) * width * pixel_bytes; }
  // The samples of a row of pixels of 8 or 16 bits, from one of them on.
  template <typename Sample>
  const Sample *samples(size_t x, size_t y) const {
    return reinterpret_cast<const Sample *>(row(y)) + x * 4;
  }
};
