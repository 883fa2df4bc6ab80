// What frames are made from: rows of RGBA as they arrive, and how a frame lies in its file.
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
  const uint8_t *row(size_t y) const { return rgba + (y - top) * width * 4; }
};
