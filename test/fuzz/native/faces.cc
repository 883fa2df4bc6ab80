// Parts of a picture searched by every cascade.
#include "host.h"

struct Picture;

extern "C" {
Picture *picture_open(int width, int height);
void picture_close(Picture *);
uint8_t *picture_window(Picture *);
void picture_commit(Picture *, int rows);
int scan_part(const Picture *, int cascade, int mirrored, double x, double y, double width, double height, double smallest,
              double largest, double factor, int fine);
void *scan_hits(void);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  enum { WINDOW_ROWS = 16 };
  Input input(data, size);
  host::Account account;
  host::choose_limit(input);
  const int width = input.number(1, 120), height = input.number(1, 120);
  const int cascade = input.number(0, 2), mirrored = input.flag(), fine = input.flag();
  const double x = input.ConsumeFloatingPointInRange(-40.0, 120.0), y = input.ConsumeFloatingPointInRange(-40.0, 120.0);
  const double part_width = input.ConsumeFloatingPointInRange(0.0, 150.0);
  const double part_height = input.ConsumeFloatingPointInRange(0.0, 150.0);
  const double smallest = input.ConsumeFloatingPointInRange(20.0, 100.0);
  const double largest = smallest * input.ConsumeFloatingPointInRange(1.0, 3.0);
  const double factor = input.ConsumeFloatingPointInRange(1.05, 1.5);
  Picture *picture = picture_open(width, height);
  if (!picture) return 0;
  const Bytes bytes = input.ConsumeRemainingBytes<uint8_t>();
  for (int top = 0; top < height; top += WINDOW_ROWS) {
    const int rows = std::min<int>(WINDOW_ROWS, height - top);
    for (int i = 0; i < rows * width * 4; i++)
      picture_window(picture)[i] = bytes.empty() ? (uint8_t)(i * i >> 5) : bytes[(top * width * 4 + i) % bytes.size()];
    picture_commit(picture, rows);
  }
  const int hits = scan_part(picture, cascade, mirrored, x, y, part_width, part_height, smallest, largest, factor, fine);
  if (hits > 0) host::look_at(scan_hits(), hits * 12);
  picture_close(picture);
  return 0;
}
