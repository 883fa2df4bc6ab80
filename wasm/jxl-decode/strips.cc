// Rows of decoded pixels. Memory is taken strip by strip when the first pixel comes, and freed when the last row is read.
#include "strips.h"

#include <stdlib.h>

#include "../native.h"

namespace {
constexpr size_t STRIP_ROWS = 16;
}  // namespace

bool Strips::Open(size_t width, size_t height, size_t pixel_bytes) {
  width_ = width;
  height_ = height;
  pixel_bytes_ = pixel_bytes;
  count_ = (height + STRIP_ROWS - 1) / STRIP_ROWS;
  strips_ = static_cast<Strip*>(calloc(count_, sizeof(Strip)));
  if (strips_ == nullptr) return false;
  Clear();
  return true;
}

Strips::~Strips() {
  if (strips_ == nullptr) return;
  for (size_t strip = 0; strip < count_; strip++) free(strips_[strip].pixels);
  free(strips_);
}

void Strips::Clear() {
  read_ = freed_ = 0;
  for (size_t strip = 0; strip < count_; strip++) {
    free(strips_[strip].pixels);
    strips_[strip].pixels = nullptr;
    strips_[strip].missing = width_ * RowsOf(strip);
  }
}

size_t Strips::RowsOf(size_t strip) const { return MIN(STRIP_ROWS, height_ - strip * STRIP_ROWS); }

uint8_t* Strips::Place(size_t x, size_t y, size_t count) {
  if (y >= height_ || count > width_ || x > width_ - count) return nullptr;
  Strip* const strip = &strips_[y / STRIP_ROWS];
  if (count > strip->missing) return nullptr;
  if (strip->pixels == nullptr) {
    // Cleared, for what a damaged file leaves out must not be what was there before.
    strip->pixels = static_cast<uint8_t*>(calloc(width_ * RowsOf(y / STRIP_ROWS), pixel_bytes_));
    if (strip->pixels == nullptr) return nullptr;
  }
  strip->missing -= count;
  return strip->pixels + ((y % STRIP_ROWS) * width_ + x) * pixel_bytes_;
}

uint8_t* Strips::Complete(size_t y) {
  const Strip& strip = strips_[y / STRIP_ROWS];
  return strip.missing > 0 ? nullptr : strip.pixels + (y % STRIP_ROWS) * width_ * pixel_bytes_;
}

size_t Strips::Ready(size_t most) const {
  if (read_ == height_ || strips_[read_ / STRIP_ROWS].missing > 0) return 0;
  return MIN(most, RowsOf(read_ / STRIP_ROWS) - read_ % STRIP_ROWS);
}

const uint8_t* Strips::Rows() const {
  return strips_[read_ / STRIP_ROWS].pixels + (read_ % STRIP_ROWS) * width_ * pixel_bytes_;
}

void Strips::Take(size_t rows) {
  FreeRead();
  read_ += rows;
}

void Strips::FreeRead() {
  for (; (freed_ + 1) * STRIP_ROWS <= read_; freed_++) {
    free(strips_[freed_].pixels);
    strips_[freed_].pixels = nullptr;
  }
}
