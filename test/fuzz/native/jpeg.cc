// JPEG files decoded whole, in part, small and as planes; recompressed, turned, cut into tiles; pictures encoded.
#include "host.h"

struct decoder;
struct encoder;
struct recompressor;

extern "C" {
struct facts {
  uint32_t width, height, band, band_rows, row_bytes;
  struct { uint32_t address, stride, x, y, width, height, rows; } planes[3];
};
decoder *decoder_new(int source);
void decoder_close(decoder *);
const facts *decoder_facts(const decoder *);
void decoder_start(decoder *, int output, int numerator, uint32_t x, uint32_t y, uint32_t width, uint32_t height);
void decoder_start_planes(decoder *, int size0, int size1, int size2, uint32_t x, uint32_t y, uint32_t width, uint32_t height);
int decoder_prepare(decoder *, uint32_t blocks);
uint32_t decoder_read(decoder *, uint32_t most);
void decoder_skip(decoder *, uint32_t count);
double decoder_color_loss(const decoder *);
int decoder_read_planes(decoder *);

encoder *encoder_new(int sink);
void encoder_close(encoder *);
uint8_t *encoder_profile(encoder *, size_t length);
uint8_t *encoder_start(encoder *, uint32_t width, uint32_t height, float distance, int h, int v, int progressive, int gray,
                       int weighs, int input, uint32_t rows, size_t limit);
double encoder_color_loss(const encoder *);
void encoder_write(encoder *, uint32_t count);
void encoder_write_planes(encoder *);
int encoder_finish(encoder *, uint32_t blocks);

recompressor *recompressor_new(int sink);
void recompressor_close(recompressor *);
uint8_t *recompressor_profile(recompressor *, size_t length);
uint32_t *recompressor_tiles(recompressor *, uint32_t count, uint32_t across, uint32_t side);
uint32_t recompressor_read(recompressor *, int source, uint32_t pass, float distance, size_t most);
uint32_t recompressor_stream(recompressor *, int source, uint32_t pass, float distance, size_t most, int progressive);
int recompressor_step(recompressor *, uint32_t blocks);
int recompressor_turn(recompressor *, int transpose, int flip_x, int flip_y, uint32_t blocks);
int recompressor_write(recompressor *, int progressive, uint32_t blocks);

size_t pull(int source, uint8_t *to, size_t capacity);
void push(int sink, const uint8_t *from, size_t length);
}

namespace {

enum { MOST_PIXELS = 1 << 19, ROWS = 32, SINKS = 21 };

Bytes source;
size_t source_at;
Bytes written;

// What the binding knows of a file before C sees it (header.ts): its size, and whether it is one that is read.
struct Header {
  uint32_t width = 0, height = 0, unit_x = 8, unit_y = 8;
  bool alone = false;
};

bool read_header(const Bytes &file, Header *header) {
  if (file.size() < 4 || file[0] != 0xff || file[1] != 0xd8) return false;
  for (size_t at = 2;;) {
    while (at < file.size() && file[at] != 0xff) at++;
    while (at < file.size() && file[at] == 0xff) at++;
    if (at + 3 >= file.size()) return false;
    const int code = file[at++];
    if (code == 0xd9 || code == 0xda) return false;
    if (code == 0 || code == 1 || (code >= 0xd0 && code <= 0xd8)) continue;
    const size_t length = std::max(2, file[at] << 8 | file[at + 1]);
    const bool frame = code >= 0xc0 && code <= 0xcf && code != 0xc4 && code != 0xc8 && code != 0xcc;
    if (frame && at + 8 <= file.size()) {
      const int count = file[at + 7];
      if (at + 8 + 3 * count > file.size()) return false;
      header->height = file[at + 3] << 8 | file[at + 4], header->width = file[at + 5] << 8 | file[at + 6];
      header->alone = count == 1;
      for (int c = 0; c < count; c++) {
        const int h = file[at + 9 + 3 * c] >> 4, v = file[at + 9 + 3 * c] & 15;
        if (h < 1 || h > 4 || v < 1 || v > 4) return false;
        if (count > 1) header->unit_x = std::max(header->unit_x, 8u * h), header->unit_y = std::max(header->unit_y, 8u * v);
      }
      return header->width > 0 && header->height > 0 && header->width * header->height <= MOST_PIXELS &&
             (count == 1 || count == 3 || count == 4);
    }
    at += length;
  }
}

void rewind(const Bytes &file) {
  source = file;
  source_at = 0;
}

struct Region {
  uint32_t x = 0, y = 0, width = 0, height = 0;
};

Region region_within(Input &input, uint32_t width, uint32_t height) {
  Region r;
  if (input.flag()) return r;
  r.x = input.number(0u, width - 1), r.y = input.number(0u, height - 1);
  r.width = input.number(1u, width - r.x), r.height = input.number(1u, height - r.y);
  return r;
}

uint32_t piece(Input &input) { return input.flag() ? 30000 : input.number(1, 2000); }

void decode(Input &input, const Bytes &file, const Header &header) {
  const bool planes = input.flag();
  const int output = input.number(0, 3) == 0;
  const int eighths = planes ? 1 << input.number(0, 3) : input.number(1, 8);
  const int cb = 1 << input.number(0, 3), cr = input.flag() ? cb : 1 << input.number(0, 3);
  const auto scaled = [&](uint32_t size) { return planes ? size : (size * eighths + 7) / 8; };
  const Region r = region_within(input, scaled(header.width), scaled(header.height));
  const uint32_t blocks = piece(input), most = input.number(1, 70), skipped = input.number(0, 40);
  rewind(file);
  static decoder *d;
  d = nullptr;
  host::run([&] {
    d = decoder_new(1);
    if (planes) decoder_start_planes(d, eighths, cb, cr, r.x, r.y, r.width, r.height);
    else decoder_start(d, output, eighths, r.x, r.y, r.width, r.height);
    while (decoder_prepare(d, blocks)) {}
    const facts *f = decoder_facts(d);
    if (planes) {
      while (decoder_read_planes(d))
        for (const auto &plane : f->planes) host::look_at((void *)plane.address, plane.stride * plane.rows);
      decoder_color_loss(d);
      return;
    }
    for (uint32_t rows, call = 0;; call++) {
      if (skipped && call % 3 == 1) decoder_skip(d, skipped);
      if (!(rows = decoder_read(d, most))) break;
      host::look_at((void *)f->band, rows * f->row_bytes);
    }
  });
  if (d) decoder_close(d);
}

bool can_turn(const Header &header, bool transpose, bool flip_x, bool flip_y) {
  const bool whole_x = header.width % header.unit_x == 0, whole_y = header.height % header.unit_y == 0;
  return (whole_x || !(transpose ? flip_y : flip_x)) && (whole_y || !(transpose ? flip_x : flip_y));
}

void place_tiles(Input &input, recompressor *r, const Header &header) {
  const uint32_t side = 32 * input.number(1, 3);
  if (header.width < side || header.height < side) return;
  const uint32_t across = input.number(1, 3), count = across * input.number(1, 2);
  uint32_t *places = recompressor_tiles(r, count, across, side);
  for (uint32_t i = 0; i < count; i++) {
    places[2 * i] = input.number(0u, (header.width - side) / 32) * 32;
    places[2 * i + 1] = input.number(0u, (header.height - side) / 32) * 32;
  }
}

float distance_of(Input &input) { return input.flag() ? 0 : input.ConsumeFloatingPointInRange(0.01f, 30.0f); }

// The file that is written has to be one that can be read.
void check() {
  Header header;
  if (!read_header(written, &header)) return;
  heap_limit(SIZE_MAX);
  rewind(written);
  static decoder *d;
  d = nullptr;
  const bool good = host::run([] {
    d = decoder_new(1);
    decoder_start(d, 0, 8, 0, 0, 0, 0);
    while (decoder_prepare(d, 30000)) {}
    while (decoder_read(d, 64)) {}
  });
  if (d) decoder_close(d);
  if (!good) host::wrong("what was written cannot be read");
}

void recompress(Input &input, const Bytes &file, const Header &header) {
  const bool streamed = input.flag(), progressive = input.flag(), turned = input.flag();
  const bool tiled = input.flag(), profiled = input.flag();
  const float distance = distance_of(input);
  const size_t window = input.flag() ? 48 << 20 : input.number(1000, 300000);
  const uint32_t blocks = piece(input);
  const bool transpose = input.flag(), flip_x = input.flag(), flip_y = input.flag();
  static recompressor *r;
  r = nullptr;
  const bool done = host::run([&] {
    r = recompressor_new(0);
    if (profiled) memset(recompressor_profile(r, 70000), 1, 70000);
    if (tiled && !streamed) place_tiles(input, r, header);
    for (uint32_t pass = 0, passes = 1; pass < passes; pass++) {
      rewind(file);
      passes = streamed ? recompressor_stream(r, 1, pass, distance, window, progressive)
                        : recompressor_read(r, 1, pass, distance, window);
      while (recompressor_step(r, blocks)) {}
    }
    if (streamed) return;
    if (turned && !tiled && can_turn(header, transpose, flip_x, flip_y))
      while (recompressor_turn(r, transpose, flip_x, flip_y, blocks)) {}
    while (recompressor_write(r, progressive, blocks)) {}
  });
  if (r) recompressor_close(r);
  if (done && !streamed) check();
}

void encode(Input &input) {
  const bool wide = input.number(0, 30) == 0;
  const uint32_t width = input.number(1, wide ? 65500 : 130), height = input.number(1, wide ? 20 : 130);
  const float distance = input.ConsumeFloatingPointInRange(0.01f, 30.0f);
  const int sampling = input.number(0, 2);
  const bool gray = input.flag(), planes = input.flag(), progressive = input.flag(), weighs = input.flag();
  const uint32_t h = !gray && sampling > 0 ? 2 : 1, v = !gray && sampling > 1 ? 2 : 1;
  const size_t limit = input.flag() ? 60 << 20 : input.number(0, 100000);
  const uint32_t blocks = piece(input);
  static encoder *e;
  e = nullptr;
  const bool done = host::run([&] {
    e = encoder_new(0);
    uint8_t *rows = encoder_start(e, width, height, distance, sampling > 0 ? 2 : 1, sampling > 1 ? 2 : 1, progressive, gray,
                                  weighs, planes, ROWS, limit);
    if (planes) {
      const auto blocks_of = [](uint32_t samples) { return (samples + 7) / 8 * 8; };
      const size_t luma = (size_t)blocks_of(width) * v * 8, chroma = (size_t)blocks_of((width + h - 1) / h) * 8;
      for (uint32_t y = 0; y < height; y += 8 * v) {
        host::fill(input, rows, luma + (gray ? 0 : 2 * chroma));
        encoder_write_planes(e);
      }
    } else {
      const uint32_t most = width > 16384 ? 16 : ROWS;
      for (uint32_t y = 0; y < height; y += most) {
        const uint32_t count = std::min(most, height - y);
        host::fill(input, rows, (size_t)count * width * 4);
        encoder_write(e, count);
      }
      encoder_color_loss(e);
    }
    while (encoder_finish(e, blocks)) {}
  });
  if (e) encoder_close(e);
  if (done) check();
}

}  // namespace

size_t pull(int, uint8_t *to, size_t capacity) {
  const size_t count = std::min(capacity, source.size() - source_at);
  std::copy_n(source.data() + source_at, count, to);
  source_at += count;
  return count;
}

void push(int sink, const uint8_t *from, size_t length) {
  if (sink == 0) written.insert(written.end(), from, from + length);
  else host::look_at(from, length);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  Input input(data, size);
  host::Account account;
  host::choose_limit(input);
  written.clear();
  const int choice = input.number(0, 4);
  if (choice == 0) {
    encode(input);
    return 0;
  }
  const Bytes file = host::file(input);
  Header header;
  if (!read_header(file, &header)) return 0;
  if (choice < 3) decode(input, file, header);
  else recompress(input, file, header);
  return 0;
}
