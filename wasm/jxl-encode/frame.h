// A frame that is made from rows, a row of groups at a time.
#pragma once

#include "rows.h"

class Frame {
 public:
  virtual ~Frame() = default;
  virtual jxl::Status open() = 0;
  // Rows of a group, and how many above and below a group it looks at.
  virtual size_t group_rows() const = 0;
  virtual size_t border_rows() const = 0;
  // Takes a row of groups, all of whose rows are there.
  virtual jxl::Status groups(const Rows &rows, size_t row) = 0;
  // Writes the frame. May be called once.
  virtual jxl::Status finish(bool last) = 0;
};
