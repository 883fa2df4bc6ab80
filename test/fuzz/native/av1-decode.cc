// Bitstream units of AV1 stills.
#include "stills.h"

extern "C" Picture *picture_decode(uint8_t *bytes, size_t size, int width, int height, int bits, unsigned most_pixels,
                                   int operating_point);

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  Input input(data, size);
  host::Account account;
  host::choose_limit(input);
  stills::read(input, [](uint8_t *bytes, size_t count, const stills::Claim &claim) {
    return picture_decode(bytes, count, claim.width, claim.height, claim.bits, claim.width * claim.height, 0);
  });
  return 0;
}
