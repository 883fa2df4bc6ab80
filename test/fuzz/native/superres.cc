// Pictures doubled.
#include "stream.h"

extern "C" Stream *superres_open(int width, int height, int doubling, int opaque, int network);

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  Input input(data, size);
  host::Account account;
  host::choose_limit(input);
  const int width = input.number(1, 100), height = input.number(1, 60);
  const bool opaque = input.flag();
  const int doubling = input.flag(), network = input.number(0, 2);
  stream::run(input, superres_open(width, height, doubling, opaque, network), width, 2 * width, 2 * height, opaque);
  return 0;
}
