// Rows of decoded pixels, which come in pieces and in any order, and are read from top to bottom.
#pragma once

#include <stddef.h>
#include <stdint.h>

class Strips {
 public:
  // False where memory does not suffice.
  bool Open(size_t width, size_t height, size_t pixel_bytes);
  ~Strips();

  // Begins with another picture of the same size.
  void Clear();

  // Where `count` pixels from (x, y) on are to be written; NULL where memory does not suffice or the place is none.
  uint8_t* Place(size_t x, size_t y, size_t count);

  // A row of which all pixels have come; NULL for others.
  uint8_t* Complete(size_t y);

  // How many rows from the first unread one on are complete and lie together; at most `most`.
  size_t Ready(size_t most) const;
  // The first unread row.
  const uint8_t* Rows() const;
  // Counts rows as read; what is no longer needed is freed with the next call.
  void Take(size_t rows);

 private:
  struct Strip {
    uint8_t* pixels;
    size_t missing;
  };

  size_t RowsOf(size_t strip) const;
  void FreeRead();

  size_t width_ = 0, height_ = 0, pixel_bytes_ = 0, count_ = 0;
  size_t read_ = 0, freed_ = 0;
  Strip* strips_ = nullptr;
};
