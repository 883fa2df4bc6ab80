// The sections of a frame, written one after the other in the order of its table of contents.
#pragma once

#include <memory>
#include <vector>

#include "lib/jxl/enc_bit_writer.h"
#include "lib/jxl/frame_header.h"

class Sections {
 public:
  // A frame of one group has one section for all.
  Sections(JxlMemoryManager *manager, bool one) : manager_(manager), one_(one) {}
  // Where the section is written that is under way.
  jxl::BitWriter *writer();
  // The section is complete; the next one begins.
  jxl::Status close();
  // Writes the frame: its header, how long its sections are, the sections.
  jxl::Status write(const jxl::FrameHeader &header);

 private:
  JxlMemoryManager *manager_;
  bool one_;
  std::unique_ptr<jxl::BitWriter> writer_;
  std::vector<std::vector<uint8_t>> closed_;
};
