// Pictures compared with each other, or with a reference that was made before.
#include "host.h"

struct Reference;
struct Comparison;

extern "C" {
Reference *reference_open(int width, int height, float background, int tile_columns, int tile_rows, int in_step);
void reference_close(Reference *);
void reference_push(Reference *, const uint8_t *rgba, int rows);
Comparison *comparison_open(Reference *);
void comparison_close(Comparison *);
void comparison_push(Comparison *, const uint8_t *first, const uint8_t *second, int rows);
double comparison_result(const Comparison *);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  enum { LEAST_SIDE = 8, MAX_ROWS = 16 };
  Input input(data, size);
  host::choose_limit(input);
  const bool tiled = input.flag(), in_step = input.flag();
  const int tile = tiled ? 32 * input.number(1, 2) : 0;
  const int width = tiled ? tile * input.number(1, 3) : input.number<int>(LEAST_SIDE, 100);
  const int height = tiled ? tile * input.number(1, 3) : input.number<int>(LEAST_SIDE, 70);
  const float background = input.ConsumeFloatingPointInRange(0.0f, 1.0f);
  const int most = input.number<int>(1, MAX_ROWS), changed = input.ConsumeIntegral<uint8_t>();
  Bytes first((size_t)width * height * 4), second;
  host::fill(input, first.data(), first.size());
  second = first;
  for (size_t i = 0; i < second.size(); i += 3) second[i] ^= changed;
  static Reference *reference;
  static Comparison *comparison;
  reference = nullptr, comparison = nullptr;
  const size_t stride = (size_t)width * 4;
  // Rows lie in bands of their own, so that none before or after them is there.
  const auto band = [&](const Bytes &picture, int y, int rows) {
    auto *copy = (uint8_t *)malloc(rows * stride);
    memcpy(copy, &picture[y * stride], rows * stride);
    return copy;
  };
  const auto each = [&](auto push) {
    for (int y = 0; y < height; y += most) {
      const int rows = std::min(most, height - y);
      uint8_t *one = band(first, y, rows), *other = band(second, y, rows);
      push(one, other, rows);
      free(one), free(other);
    }
  };
  // Out of memory it ends itself: there is no account of what it held then.
  heap_limit(SIZE_MAX);
  host::run([&] {
    reference = reference_open(width, height, background, tile, tile, in_step);
    if (!in_step) each([&](uint8_t *one, uint8_t *, int rows) { reference_push(reference, one, rows); });
    comparison = comparison_open(reference);
    each([&](uint8_t *one, uint8_t *other, int rows) { comparison_push(comparison, in_step ? one : nullptr, other, rows); });
    const double score = comparison_result(comparison);
    if (!(score <= 100)) host::wrong("a score above 100");
    if (changed == 0 && score < 99.9) host::wrong("identical pictures that differ");
  });
  if (comparison) comparison_close(comparison);
  if (reference) reference_close(reference);
  if (heap_used() != 0) host::wrong("a comparison left memory behind");
  return 0;
}
