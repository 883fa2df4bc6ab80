// Bitstream units of AV1: a still, or the samples of a sequence.
#include "stills.h"

struct Sequence;

extern "C" {
Picture *picture_decode(uint8_t *bytes, size_t size, int width, int height, int bits, unsigned most_pixels,
                        int operating_point);
Sequence *sequence_open(int width, int height, int bits, unsigned most_pixels, int operating_point);
Picture *sequence_next(Sequence *, uint8_t *bytes, size_t size);
void sequence_close(Sequence *);
}

static void read_still(Input &input) {
  stills::read(input, [](uint8_t *bytes, size_t count, const stills::Claim &claim) {
    return picture_decode(bytes, count, claim.width, claim.height, claim.bits, claim.width * claim.height, 0);
  });
}

// The units as samples: each begins with a temporal delimiter. What is drawn is the last picture that there was.
static Picture *read_samples(uint8_t *bytes, size_t count, const stills::Claim &claim) {
  static const uint8_t DELIMITER[] = {0x12, 0x00};
  static Picture *picture;
  static Sequence *sequence;
  picture = nullptr;
  sequence = sequence_open(claim.width, claim.height, claim.bits, claim.width * claim.height, 0);
  const uint8_t *const end = bytes + count;
  bool good = sequence != nullptr;
  for (const uint8_t *from = bytes; from < end && good;) {
    const uint8_t *const next = std::search(std::min(from + 1, end), end, DELIMITER, DELIMITER + 2);
    auto *const sample = (uint8_t *)__wrap_malloc(next - from);
    if (!sample) break;
    std::copy(from, next, sample);
    static Picture *decoded;
    decoded = nullptr;
    const size_t size = next - from;
    good = host::run([&] { decoded = sequence_next(sequence, sample, size); }) && decoded;
    if (decoded && picture) picture_close(picture);
    if (decoded) picture = decoded;
    from = next;
  }
  if (sequence) sequence_close(sequence);
  __wrap_free(bytes);
  return picture;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  Input input(data, size);
  host::Account account;
  host::choose_limit(input);
  if (input.flag()) {
    stills::read_unguarded(input, read_samples);
  } else {
    read_still(input);
  }
  return 0;
}
