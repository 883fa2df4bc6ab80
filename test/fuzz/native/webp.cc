// VP8 and VP8L payloads decoded whole, cropped and scaled; pictures encoded by all methods; canvases.
#include "host.h"

struct Decoder;
struct Encoder;

extern "C" {
void decoder_close(Decoder *);
Decoder *decoder_open(uint8_t *bytes, size_t alpha_size, size_t size, int lossless, int opaque);
int decoder_headers(Decoder *);
int decoder_width(const Decoder *);
int decoder_height(const Decoder *);
int decoder_start(Decoder *, int left, int top, int width, int height, int scaled_width, int scaled_height);
int decoder_step(Decoder *);
const uint8_t *decoder_band(const Decoder *);
void encoder_close(Encoder *);
Encoder *encoder_open(int width, int height, int opaque, int lossless, float quality, int method, int alpha_quality,
                      int near_lossless, int exact, int sink);
uint8_t *encoder_band(Encoder *);
void encoder_rows(Encoder *, int rows);
int encoder_finish(Encoder *, size_t limit, int lean);
uint32_t *canvas_open(int width, int height);
void canvas_close(uint32_t *);
void canvas_draw(uint32_t *canvas, int canvas_width, int x, int y, int width, int rows, const uint32_t *from, int blend);
void canvas_clear(uint32_t *canvas, int canvas_width, int x, int y, int width, int height);
void canvas_difference(const uint32_t *, const uint32_t *, int width, int height, int *box);
int canvas_blendable(const uint32_t *, const uint32_t *, int width, int x, int y, int box_width, int box_height);
void canvas_copy(const uint32_t *, const uint32_t *, int width, int x, int y, int box_width, int rows,
                 uint32_t *to);
void write_bytes(int sink, const uint8_t *bytes, size_t size);
}

namespace {

enum { BAND_ROWS = 32, MOST_PIXELS = 1 << 19 };

Bytes written;

struct Region {
  int x, y, width, height, scaled_width, scaled_height;
};

Region region_within(Input &input, int width, int height, bool lossless) {
  Region r = {0, 0, width, height, width, height};
  if (input.flag()) {
    r.x = input.number(0, width - 1), r.y = input.number(0, height - 1);
    if (!lossless) r.x &= ~1, r.y &= ~1;
    r.width = input.number(1, width - r.x), r.height = input.number(1, height - r.y);
  }
  r.scaled_width = r.width, r.scaled_height = r.height;
  if (input.flag()) {
    r.scaled_width = input.number(1, r.width);
    r.scaled_height = input.number(1, r.height);
  }
  return r;
}

// The rows that a decoder made, or a negative number where it refused.
int decode(Input &input, Decoder *decoder, bool lossless) {
  if (decoder_headers(decoder) != 0) return -1;
  const int width = decoder_width(decoder), height = decoder_height(decoder);
  if (width < 1 || height < 1 || width * height > MOST_PIXELS) return -1;
  const Region r = region_within(input, width, height, lossless);
  if (decoder_start(decoder, r.x, r.y, r.width, r.height, r.scaled_width, r.scaled_height) != 0) return -1;
  int made = 0;
  while (made < r.scaled_height) {
    const int rows = decoder_step(decoder);
    if (rows < 0) return -1;
    if (rows > BAND_ROWS) host::wrong("more rows than the band holds");
    host::look_at(decoder_band(decoder), (size_t)rows * r.scaled_width * 4);
    made += rows;
  }
  return made;
}

// The payloads of the first picture in a RIFF file, or the bytes as they are.
void read(Input &input) {
  const bool bare = input.number(0, 7) == 0;
  bool lossless = input.flag();
  const size_t alpha_size = bare ? input.number(0, 200) : 0;
  const Bytes file = host::file(input);
  Bytes alpha, data;
  if (bare) {
    const size_t cut = std::min(alpha_size, file.size());
    alpha.assign(file.begin(), file.begin() + cut);
    data.assign(file.begin() + cut, file.end());
  }
  for (size_t at = 12; !bare && at + 8 <= file.size();) {
    uint32_t length;
    memcpy(&length, &file[at + 4], 4);
    const size_t from = at + 8, size = std::min<size_t>(length, file.size() - from);
    if (!memcmp(&file[at], "ANMF", 4) && data.empty()) {
      at += 8 + 16;
      continue;
    }
    if (!memcmp(&file[at], "ALPH", 4)) alpha.assign(file.begin() + from, file.begin() + from + size);
    if (!memcmp(&file[at], "VP8", 3) && file[at + 3] != 'X' && data.empty()) {
      lossless = file[at + 3] == 'L';
      data.assign(file.begin() + from, file.begin() + from + size);
    }
    at = from + size + (size & 1);
  }
  if (lossless) alpha.clear();
  auto *bytes = (uint8_t *)__wrap_malloc(alpha.size() + data.size());
  if (!bytes) return;
  std::copy(alpha.begin(), alpha.end(), bytes);
  std::copy(data.begin(), data.end(), bytes + alpha.size());
  Decoder *decoder = decoder_open(bytes, alpha.size(), data.size(), lossless, data.size() & 1);
  if (!decoder) return;
  decode(input, decoder, lossless);
  decoder_close(decoder);
}

// A file that was written without loss has to be read as the same pixels.
void check(const std::vector<uint32_t> &pixels, int width, int height) {
  heap_limit(SIZE_MAX);
  auto *bytes = (uint8_t *)__wrap_malloc(written.size() - 20);
  std::copy(written.begin() + 20, written.end(), bytes);
  Decoder *decoder = decoder_open(bytes, 0, written.size() - 20, 1, 0);
  if (decoder_headers(decoder) != 0 || decoder_width(decoder) != width || decoder_height(decoder) != height ||
      decoder_start(decoder, 0, 0, width, height, width, height) != 0)
    host::wrong("what was written cannot be read");
  for (int y = 0; y < height;) {
    const int rows = decoder_step(decoder);
    if (rows < 0) host::wrong("what was written cannot be decoded");
    if (memcmp(decoder_band(decoder), &pixels[(size_t)y * width], (size_t)rows * width * 4))
      host::wrong("other pixels were written");
    y += rows;
  }
  decoder_close(decoder);
}

void write(Input &input) {
  const bool wide = input.number(0, 30) == 0, lossless = input.flag(), lean = input.flag();
  const int width = input.number(1, wide ? 16383 : 90), height = input.number(1, wide ? 20 : 90);
  const bool opaque = input.flag(), exact = input.flag();
  const float quality = input.ConsumeFloatingPointInRange(0.0f, 100.0f);
  const int method = input.number(0, lossless ? 2 : 6);
  const int alpha_quality = input.flag() ? 100 : input.number(0, 100);
  const int near_lossless = input.flag() ? 100 : input.number(0, 100);
  const uint32_t limit = input.flag() ? 100 << 20 : input.number(0, 4 << 20);
  const uint32_t colors = input.flag() ? 0xffffffff : input.ConsumeIntegral<uint32_t>();
  written.clear();
  Encoder *encoder = encoder_open(width, height, opaque, lossless, quality, method, alpha_quality, near_lossless, exact, 1);
  if (!encoder) return;
  std::vector<uint32_t> pixels((size_t)width * height);
  host::fill(input, (uint8_t *)pixels.data(), pixels.size() * 4);
  for (uint32_t &pixel : pixels) pixel = (pixel & colors) | (opaque ? 0xff000000 : 0);
  for (int y = 0; y < height; y += BAND_ROWS) {
    const int rows = std::min<int>(BAND_ROWS, height - y);
    memcpy(encoder_band(encoder), &pixels[(size_t)y * width], (size_t)rows * width * 4);
    encoder_rows(encoder, rows);
  }
  const int error = encoder_finish(encoder, heap_used() + limit, lean);
  encoder_close(encoder);
  if (error == 0 && lossless && exact && (lean || near_lossless == 100)) check(pixels, width, height);
}

// Rows whose chroma is halved, of colors that lie far apart, without the file that they become.
void halve(Input &input) {
  const bool wide = input.number(0, 30) == 0;
  const int width = input.number(1, wide ? 16383 : 200), height = input.number(1, wide ? 70 : 200);
  const bool opaque = input.flag(), saturated = input.flag();
  Encoder *encoder = encoder_open(width, height, opaque, 0, 75, 4, 100, 100, 0, 1);
  if (!encoder) return;
  const Bytes bytes = input.ConsumeRemainingBytes<uint8_t>();
  const size_t stride = (size_t)width * 4;
  for (int y = 0; y < height; y += BAND_ROWS) {
    const int rows = std::min<int>(BAND_ROWS, height - y);
    for (size_t i = 0; i < rows * stride; i++) {
      const uint8_t value = host::repeated(bytes, y * stride + i);
      encoder_band(encoder)[i] = opaque && i % 4 == 3 ? 255 : saturated ? value > 127 ? 255 : 0 : value;
    }
    encoder_rows(encoder, rows);
  }
  encoder_close(encoder);
}

void compose(Input &input) {
  const int width = input.number(1, 120), height = input.number(1, 60);
  uint32_t *before = canvas_open(width, height), *after = canvas_open(width, height), *to = canvas_open(width, height);
  if (before && after && to) {
    const int x = input.number(0, width - 1), y = input.number(0, height - 1);
    const int box_width = input.number(1, width - x), box_height = input.number(1, height - y);
    const bool blend = input.flag();
    host::fill(input, (uint8_t *)to, (size_t)width * height * 4);
    canvas_draw(after, width, x, y, box_width, box_height, to, 0);
    canvas_draw(before, width, x, y, box_width, box_height, to, blend);
    canvas_clear(before, width, x / 2, y / 2, box_width, box_height);
    int box[4];
    canvas_difference(before, after, width, height, box);
    canvas_blendable(before, after, width, x, y, box_width, box_height);
    canvas_copy(blend ? before : nullptr, after, width, x, y, box_width, box_height, to);
  }
  canvas_close(before), canvas_close(after), canvas_close(to);
}

}  // namespace

void write_bytes(int, const uint8_t *bytes, size_t size) {
  if (size) written.insert(written.end(), bytes, bytes + size);
  else written.clear();
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  Input input(data, size);
  host::Account account;
  host::choose_limit(input);
  switch (input.number(0, 5)) {
    case 0: write(input); break;
    case 1: compose(input); break;
    case 2: halve(input); break;
    default: read(input);
  }
  return 0;
}
