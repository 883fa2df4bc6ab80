// Pictures doubled.
#include "stream.h"

extern "C" Stream *superres_open(int width, int height, int opaque, int kind, int forms, int slack,
                                 int strength);

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  Input input(data, size);
  host::Account account;
  host::choose_limit(input);
  const int width = input.number(1, 100), height = input.number(1, 60);
  const bool opaque = input.flag();
  const int kind = input.number(0, 2), forms = input.number(1, 2), slack = input.number(0, 8);
  const int strength = input.number(0, 256);
  stream::run(input, superres_open(width, height, opaque, kind, forms, slack, strength), width, 2 * width, 2 * height,
              opaque);
  return 0;
}
