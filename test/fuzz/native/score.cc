// Pictures compared with each other, and what is seen of them in their worst places.
#include "host.h"
#include "visible.h"

struct Reference;
struct Comparison;
struct Visible;

extern "C" {
Reference *reference_open(int width, int height, float background, int tile_columns, int tile_rows);
void reference_close(Reference *);
Comparison *comparison_open(Reference *);
void comparison_close(Comparison *);
void comparison_push(Comparison *, const uint8_t *first, const uint8_t *second, int rows);
double comparison_result(const Comparison *);
Visible *visible_open(int width, int height, int is_opaque, int is_small, int may_stripe, int tile_columns, int tile_rows);
void visible_close(Visible *);
void visible_push(Visible *, const uint8_t *first, const uint8_t *second, int rows);
double visible_result(Visible *);
}

namespace {

enum { MAX_ROWS = 16 };

// Rows of a picture in memory of their own, so that none before or after them is there.
uint8_t *band_of(const Bytes &picture, size_t stride, int y, int rows) {
  auto *copy = (uint8_t *)malloc(rows * stride);
  memcpy(copy, &picture[y * stride], rows * stride);
  return copy;
}

// The side of tiles, or 0.
int tile_of(Input &input) { return input.flag() ? 4 * input.number(1, 16) : 0; }

// What differs between two pictures: levels in a rectangle.
struct Change {
  int left, top, right, bottom, by, each;

  Change(Input &input, int width, int height) {
    left = input.number(0, width - 1), right = input.number(left, width);
    top = input.number(0, height - 1), bottom = input.number(top, height);
    by = input.ConsumeIntegral<uint8_t>(), each = input.number(1, 5);
  }

  Bytes of(Bytes picture, int width) const {
    for (int y = top; y < bottom; y++)
      for (int at = left * 4; at < right * 4; at += each) picture[(size_t)y * width * 4 + at] ^= by;
    return picture;
  }
};

// What is seen is what the plain way finds: nothing where nothing differs, and something where any cell that counts does.
void look(Input &input) {
  enum { LONG_FROM = 250, FEW = 5, MANY = 100, LONGEST = 65'536 };
  const uint8_t shape = input.ConsumeIntegral<uint8_t>();
  const bool is_long = shape >= LONG_FROM, is_wide = is_long && (shape & 1);
  const int width = input.number<int>(1, is_wide ? LONGEST : is_long ? FEW : MANY);
  const int height = input.number<int>(1, is_wide ? FEW : is_long ? LONGEST : MANY);
  const bool is_opaque = input.flag(), is_flat = input.flag(), is_small = input.flag(), may_stripe = input.flag();
  const int columns = tile_of(input), rows_of_tile = tile_of(input), most = input.number<int>(1, MAX_ROWS);
  const uint32_t color = input.ConsumeIntegral<uint32_t>();
  const Change change(input, width, height);
  Bytes first((size_t)width * height * 4);
  // Flat pictures are of two colors in turns, which may become one.
  const uint32_t other = input.flag() ? color : color ^ (input.ConsumeIntegral<uint32_t>() & 0x00ffffff);
  const int apart = input.number(1, 20);
  const bool merges = input.flag();
  const auto paint = [&](Bytes &picture, uint32_t one, uint32_t next) {
    for (size_t i = 0; i < picture.size(); i++) picture[i] = (i / 4 / width / apart % 2 ? next : one) >> i % 4 * 8;
  };
  if (is_flat) paint(first, color, other);
  else host::fill(input, first.data(), first.size());
  Bytes second = change.of(first, width);
  if (is_flat && merges) paint(second, color, color);
  Visible *visible = visible_open(width, height, is_opaque, is_small, may_stripe, columns, rows_of_tile);
  if (!visible) return;
  const size_t stride = (size_t)width * 4;
  for (int y = 0; y < height; y += most) {
    const int rows = std::min(most, height - y);
    uint8_t *one = band_of(first, stride, y, rows), *other = band_of(second, stride, y, rows);
    visible_push(visible, one, other, rows);
    free(one), free(other);
  }
  const double found = visible_result(visible);
  visible_close(visible);
  const plain::Picture original{first.data(), width, height, is_opaque}, rendition{second.data(), width, height, is_opaque};
  const double expected = plain::difference(original, rendition, is_small, may_stripe, columns, rows_of_tile);
  // Errors are counted in 32 bins for each power of two and in one below 1/64, and part of a bin counts as the mean of all of it.
  const double least_bin = 0.0162, bin = 1.0 / 32, rounding = 1e-3;
  if (!(found <= expected * (1 + rounding) + rounding)) host::wrong("more is seen than there is");
  if (!(found >= expected * (1 - bin - rounding) - least_bin)) host::wrong("less is seen than there is");
  if (first == second && found != 0) host::wrong("identical pictures that look different");
}

// The score of two pictures is none that cannot be, and the highest where they are the same.
void score(Input &input) {
  enum { LEAST_SIDE = 8 };
  const bool tiled = input.flag();
  const int tile = tiled ? 32 * input.number(1, 2) : 0;
  const int width = tiled ? tile * input.number(1, 3) : input.number<int>(LEAST_SIDE, 100);
  const int height = tiled ? tile * input.number(1, 3) : input.number<int>(LEAST_SIDE, 70);
  const float background = input.ConsumeFloatingPointInRange(0.0f, 1.0f);
  const int most = input.number<int>(1, MAX_ROWS), change = input.ConsumeIntegral<uint8_t>();
  Bytes first((size_t)width * height * 4), second;
  host::fill(input, first.data(), first.size());
  second = first;
  for (size_t i = 0; i < second.size(); i += 3) second[i] ^= change;
  static Reference *reference;
  static Comparison *comparison;
  reference = nullptr, comparison = nullptr;
  const size_t stride = (size_t)width * 4;
  const auto each = [&](auto push) {
    for (int y = 0; y < height; y += most) {
      const int rows = std::min(most, height - y);
      uint8_t *one = band_of(first, stride, y, rows), *other = band_of(second, stride, y, rows);
      push(one, other, rows);
      free(one), free(other);
    }
  };
  // Out of memory it ends itself: there is no account of what it held then.
  heap_limit(SIZE_MAX);
  host::run([&] {
    reference = reference_open(width, height, background, tile, tile);
    comparison = comparison_open(reference);
    each([&](uint8_t *one, uint8_t *other, int rows) { comparison_push(comparison, one, other, rows); });
    const double points = comparison_result(comparison);
    if (!(points <= 100)) host::wrong("a score above 100");
    if (change == 0 && points < 99.9) host::wrong("identical pictures that differ");
  });
  if (comparison) comparison_close(comparison);
  if (reference) reference_close(reference);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  Input input(data, size);
  host::choose_limit(input);
  if (input.flag()) look(input);
  else score(input);
  if (heap_used() != 0) host::wrong("a comparison left memory behind");
  return 0;
}
