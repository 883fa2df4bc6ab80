// Pictures written as JPEG XL with and without loss, stills and animations; JPEG files packed.
#include "host.h"

struct Encoder;
struct Packer;

extern "C" {
Encoder *jxl_open(int width, int height, int alpha, float distance, int tier, int ticks, int loops, int wide,
                  int bits);
int jxl_frame(Encoder *, int duration);
int jxl_wanted(Encoder *);
uint8_t *jxl_band(Encoder *);
int jxl_rows(Encoder *, int count);
int jxl_finish(Encoder *, int last);
void jxl_close(Encoder *);
Packer *pack_open(int size, int width, int height);
uint8_t *pack_bytes(Packer *);
int pack_read(Packer *);
const uint8_t *pack_part(Packer *, int part);
int pack_part_size(Packer *, int part);
int pack_write(Packer *, int orientation);
void pack_close(Packer *);
void write_bytes(const uint8_t *bytes, size_t size);
size_t brotli(const uint8_t *bytes, size_t size, uint8_t *out, size_t capacity);
}

namespace {

// Groups have 256 or 512 pixels a side; of pictures that have several, one side is short.
constexpr int MOST_SIDE = 70, MOST_WIDE = 1100, MOST_ROWS = 24;
enum { THOROUGH = 5, FAST = 7, TICKS = 1000, PARTS = 3 };
// Tables that libjxl makes for the first jobs that need them, and keeps.
constexpr size_t MOST_TABLES = 16384;

struct Settings {
  int width, height, frames, loops, duration, tier, bits;
  bool alpha, lossless, wide;
  size_t pixel_bytes() const { return bits > 8 ? 8 : 4; }
  float distance;
  // Which bits of pixels are kept: of few colors palettes are made.
  uint32_t colors;
};

Settings settings_of(Input &input) {
  Settings s;
  const bool wide = input.number(0, 15) == 0, tall = input.flag();
  const int one = input.number(1, wide ? MOST_WIDE : MOST_SIDE), other = input.number(1, wide ? MOST_ROWS : MOST_SIDE);
  s.width = tall ? other : one, s.height = tall ? one : other;
  s.frames = input.flag() ? 1 : input.number(1, 3);
  s.loops = input.number(0, 3), s.duration = input.number(0, 1 << 20);
  s.tier = input.flag() ? THOROUGH : FAST;
  s.alpha = input.flag(), s.lossless = input.flag(), s.wide = input.flag();
  s.bits = input.flag() ? 8 : input.number(9, 16);
  s.distance = s.lossless ? 0 : input.ConsumeFloatingPointInRange(0.01f, 25.0f);
  s.colors = input.flag() ? 0xffffffff : input.ConsumeIntegral<uint32_t>();
  return s;
}

// Whether the rows of a frame could all be written.
bool write_frame(Encoder *encoder, const Settings &s, const Bytes &pixels, bool last) {
  if (!jxl_frame(encoder, s.frames > 1 ? s.duration : 0)) return false;
  size_t at = 0;
  for (int wanted; (wanted = jxl_wanted(encoder)) > 0;) {
    uint8_t *const band = jxl_band(encoder);
    const size_t bytes = (size_t)wanted * s.width * s.pixel_bytes();
    for (size_t i = 0; i < bytes; i++, at++) band[i] = host::repeated(pixels, at) & s.colors >> at % 4 * 8;
    if (!jxl_rows(encoder, wanted)) return false;
  }
  if (at != (size_t)s.width * s.height * s.pixel_bytes()) host::wrong("other rows were wanted than the picture has");
  return jxl_finish(encoder, last);
}

void encode(Input &input) {
  const Settings s = settings_of(input);
  const Bytes pixels = input.ConsumeRemainingBytes<uint8_t>();
  static Encoder *encoder;
  encoder = nullptr;
  host::run([&] {
    encoder = jxl_open(s.width, s.height, s.alpha, s.distance, s.tier, s.frames > 1 ? TICKS : 0, s.loops, s.wide, s.bits);
    if (!encoder) return;
    for (int left = s.frames; left > 0; left--) {
      if (!write_frame(encoder, s, pixels, left == 1)) break;
    }
  });
  // What libjxl held in the midst of work is lost, as the instance is.
  if (encoder && !host::trapped) jxl_close(encoder);
}

struct Size {
  int width, height;
};

// By the first header of a frame in a JPEG file, which is what the binding says of most files; none where there is none.
Size size_in(const Bytes &file) {
  for (size_t at = 2; at + 9 <= file.size() && file[at] == 0xff;) {
    const uint8_t kind = file[at + 1];
    if (kind >= 0xc0 && kind <= 0xc2) return {file[at + 7] << 8 | file[at + 8], file[at + 5] << 8 | file[at + 6]};
    at += 2 + (file[at + 2] << 8 | file[at + 3]);
  }
  return {0, 0};
}

void pack(Input &input) {
  const int orientation = input.number(1, 8);
  const Bytes file = host::file(input);
  const Size size = size_in(file);
  static Packer *packer;
  packer = nullptr;
  host::run([&] {
    packer = pack_open(file.size(), size.width, size.height);
    if (!packer) return;
    std::copy(file.begin(), file.end(), pack_bytes(packer));
    if (!pack_read(packer)) return;
    for (int part = 0; part < PARTS; part++) host::look_at(pack_part(packer, part), pack_part_size(packer, part));
    pack_write(packer, orientation);
  });
  if (packer && !host::trapped) pack_close(packer);
}

}  // namespace

void write_bytes(const uint8_t *bytes, size_t size) { host::look_at(bytes, size); }

// Compresses nothing: what was gathered is then stored.
size_t brotli(const uint8_t *bytes, size_t size, uint8_t *, size_t) {
  host::look_at(bytes, size);
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  Input input(data, size);
  host::Account account;
  const size_t before = heap_used();
  host::choose_limit(input);
  if (input.number(0, 3) == 0) encode(input);
  else pack(input);
  static size_t tables = 0;
  const size_t left = heap_used() - before;
  if (!host::trapped && left <= MOST_TABLES - tables) {
    tables += left;
    host::trapped = left > 0;
  }
  return 0;
}
