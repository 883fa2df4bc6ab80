// Bitstream units of AV1: a still, or the samples of a sequence.
#include "stills.h"

struct Sequence;

extern "C" {
Picture *picture_decode(uint8_t *bytes, size_t size, int width, int height, int bits, unsigned most_pixels,
                        int operating_point, int by_rows, int layer);
void picture_reach(Picture *, int y, int rows);
Sequence *sequence_open(int width, int height, int bits, unsigned most_pixels, int operating_point);
Picture *sequence_next(Sequence *, uint8_t *bytes, size_t size);
void sequence_close(Sequence *);
}

static void read_still(Input &input) {
  static int layer, point;
  layer = input.number(-1, 3);
  point = input.number(0, 3);
  stills::read(input, [](uint8_t *bytes, size_t count, const stills::Claim &claim) {
    return picture_decode(bytes, count, claim.width, claim.height, claim.bits, claim.width * claim.height, point, 0,
                          layer);
  });
}

static Picture *decode(const Bytes &bytes, const stills::Claim &claim, int by_rows) {
  static Picture *picture;
  picture = nullptr;
  auto *const copy = (uint8_t *)__wrap_malloc(bytes.size());
  if (!copy) return nullptr;
  std::copy(bytes.begin(), bytes.end(), copy);
  const size_t size = bytes.size();
  host::run([&] {
    picture = picture_decode(copy, size, claim.width, claim.height, claim.bits, claim.width * claim.height, 0, by_rows,
                             -1);
  });
  return picture;
}

// Rows that are decoded as they are wanted, some of them left out, are those of the whole picture.
static void read_rows(Input &input) {
  enum { MOST_ROWS = 16 };
  const int most = input.number(1, (int)MOST_ROWS), first = input.number(0, 200), left_out = input.number(0, 40);
  const Bytes file = host::file(input);
  stills::Claim claim;
  if (!stills::claimed(file, claim)) return;
  const Bytes units = stills::units(file, claim);
  Picture *const whole = decode(units, claim, 0), *const by_rows = decode(units, claim, 1);
  if (whole && !by_rows) host::wrong("a picture is not decoded by rows");
  Canvas *const canvas = canvas_open(claim.width, MOST_ROWS, 0), *const other = canvas_open(claim.width, MOST_ROWS, 0);
  static bool good;
  good = by_rows;
  for (int y = first, rows; good && y < claim.height; y += rows + left_out) {
    rows = std::min(most, claim.height - y);
    good = host::run([&] { picture_reach(by_rows, y, rows); });
    if (!good && whole) host::wrong("the rows of a picture are not decoded");
    if (!good || !whole) continue;
    picture_draw(by_rows, canvas, 0, y, claim.width, rows, 0);
    picture_draw(whole, other, 0, y, claim.width, rows, 0);
    if (memcmp(canvas_band(canvas), canvas_band(other), (size_t)claim.width * rows * 4) != 0)
      host::wrong("the rows of a picture differ from the whole");
  }
  canvas_close(canvas);
  canvas_close(other);
  if (whole) picture_close(whole);
  if (by_rows) picture_close(by_rows);
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
  if (input.flag()) {
    read_rows(input);
    return 0;
  }
  host::choose_limit(input);
  if (input.flag()) {
    stills::read_unguarded(input, read_samples);
  } else {
    read_still(input);
  }
  return 0;
}
