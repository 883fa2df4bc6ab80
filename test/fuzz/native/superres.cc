// Pictures doubled.
#include "stream.h"

extern "C" Stream *superres_open(int width, int height, int doubling, int opaque);

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  Input input(data, size);
  host::Account account;
  host::choose_limit(input);
  const int width = input.ConsumeIntegralInRange(1, 100), height = input.ConsumeIntegralInRange(1, 60);
  const bool opaque = input.ConsumeBool();
  stream::run(input, superres_open(width, height, input.ConsumeBool(), opaque), width, 2 * width, 2 * height, opaque);
  return 0;
}
