// Files of JPEG XL: what they say, their frames as rows, and the JPEG files that were packed in them.
#include "host.h"

struct Facts;
struct Decoder;
struct Original;

extern "C" {
Facts *facts_open(int source, size_t size, size_t most_frames);
const double *facts_numbers(const Facts *facts);
void facts_close(Facts *facts);
Decoder *decoder_open(int source, size_t size, int output, int is_gray, size_t width, size_t height, int black,
                      int is_deep);
int decoder_next(Decoder *decoder);
int decoder_ready(Decoder *decoder, int most);
const uint8_t *decoder_rows(Decoder *decoder, int rows);
void decoder_close(Decoder *decoder);
Original *original_open(void);
size_t original_read(Original *original, int source, size_t size);
const uint8_t *original_bytes(const Original *original);
void original_close(Original *original);
void pull(int source, size_t from, uint8_t *to, size_t length);
}

// By their places in facts.h.
enum { WIDTH = 0, HEIGHT = 1, GRAY = 8, BLACK = 9 };
// As the binding asks for.
constexpr size_t MOST_FRAMES = 1500;
// Larger pictures make slow runs.
constexpr double MOST_PIXELS = 1 << 18;
constexpr int END = 3;
// Tables that libjxl makes for the first jobs that need them, and keeps: of the two color spaces that it knows by name.
constexpr size_t MOST_TABLES = 4096;
constexpr int OUTPUTS = 5, FROM_LINEAR = 2;

static Bytes bytes;

void pull(int, size_t from, uint8_t *to, size_t length) {
  if (from > bytes.size() || length > bytes.size() - from) host::wrong("bytes beyond the file");
  memcpy(to, bytes.data() + from, length);
}

static void decode(Input &input, const double *facts) {
  const size_t width = (size_t)facts[WIDTH], height = (size_t)facts[HEIGHT];
  const int black = (int)facts[BLACK];
  const int output = input.number(0, black < 0 ? FROM_LINEAR : OUTPUTS - 1);
  // Those of inks have 8 bits.
  const bool is_deep = output <= FROM_LINEAR && input.flag();
  const int most = input.number(1, 64);
  static Decoder *decoder;
  decoder = nullptr;
  host::run([&] { decoder = decoder_open(0, bytes.size(), output, facts[GRAY] != 0, width, height, black, is_deep); });
  if (decoder == nullptr) return;
  host::run([&] {
    for (int step = 0; step != END;) {
      step = decoder_next(decoder);
      for (int rows; (rows = decoder_ready(decoder, most)) > 0;) {
        host::look_at(decoder_rows(decoder, rows), rows * width * (is_deep ? 8 : 4));
      }
    }
  });
  decoder_close(decoder);
}

static void read_original() {
  static Original *original;
  original = nullptr;
  host::run([] { original = original_open(); });
  if (original == nullptr) return;
  host::run([&] {
    const size_t length = original_read(original, 0, bytes.size());
    host::look_at(original_bytes(original), length);
  });
  original_close(original);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  Input input(data, size);
  host::Account account;
  const size_t before = heap_used();
  host::choose_limit(input);
  const bool is_original = input.number(0, 3) == 0;
  bytes = host::file(input);
  if (is_original) {
    read_original();
  } else {
    static Facts *facts;
    facts = nullptr;
    host::run([&] { facts = facts_open(0, bytes.size(), MOST_FRAMES); });
    if (facts != nullptr) {
      const double *numbers = facts_numbers(facts);
      if (numbers[WIDTH] * numbers[HEIGHT] <= MOST_PIXELS) decode(input, numbers);
      facts_close(facts);
    }
  }
  Bytes().swap(bytes);
  static size_t tables = 0;
  const size_t left = heap_used() - before;
  if (!host::trapped && left <= MOST_TABLES - tables) {
    tables += left;
    host::trapped = left > 0;
  }
  return 0;
}
