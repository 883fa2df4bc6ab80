// Parameter sets and slices of HEVC stills, each behind its length and before a zero.
#define STILLS_OF_8_BITS
#include "stills.h"

extern "C" Picture *picture_decode(uint8_t *bytes, size_t size, int width, int height, int bits, unsigned coded_pixels,
                                   int alpha_range);

extern "C" int de265_free(void);

// An instance that trapped is given up, with what libde265 keeps for all decoders: here it is freed by hand.
static void forget_instance() {
  while (de265_free() == 0) continue;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  Input input(data, size);
  host::Account account;
  host::choose_limit(input);
  stills::read(input, [&](uint8_t *bytes, size_t count, const stills::Claim &claim) {
    // Whole blocks are at most 64 pixels wide and high.
    const unsigned coded = (unsigned)((claim.width + 63) & ~63) * (unsigned)((claim.height + 63) & ~63);
    return picture_decode(bytes, count, claim.width, claim.height, claim.bits, coded, input.number(0, 2));
  });
  if (host::trapped) forget_instance();
  return 0;
}
