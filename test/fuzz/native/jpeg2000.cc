// Areas of codestreams, reduced or not, in all color models; pictures written as tiles.
#include "host.h"

struct reader;
struct writer;

extern "C" {
enum { MAX_CHANNELS = 4, MAX_PALETTE = 1024 };
struct layout {
  uint32_t model, inks, channels, alpha, component[MAX_CHANNELS + 1];
  int32_t column[MAX_CHANNELS + 1];
  uint32_t entries, step_x, step_y;
  uint8_t palette[MAX_CHANNELS + 1][MAX_PALETTE];
};
reader *reader_new(int source, uint32_t size, uint32_t reduce);
layout *reader_layout(reader *);
uint32_t *reader_band(reader *, uint32_t pixels);
uint8_t *reader_alpha(reader *);
void reader_area(reader *, uint32_t x0, uint32_t y0, uint32_t x1, uint32_t y1, uint32_t left, uint32_t top, uint32_t right,
                 uint32_t bottom, uint32_t at, uint32_t stride);
void reader_close(reader *);
writer *writer_new(int sink, uint32_t width, uint32_t height, uint32_t components, uint32_t tile_width, uint32_t tile_height);
uint32_t writer_levels(const writer *);
void writer_start(writer *, int lossless, int by_position, const float *steps);
uint8_t *writer_band(const writer *);
void writer_rows(writer *, uint32_t count);
void writer_finish(writer *);
void writer_close(writer *);
uint32_t pull(int source, uint32_t from, void *to, uint32_t length);
void write_piece(int sink, const void *from, uint32_t length);
}

namespace {

enum { MOST_PIXELS = 1 << 17, BAND_ROWS = 32, MAX_COMPONENTS = 5 };

Bytes source, written;

uint32_t number(size_t at, int bytes) {
  uint32_t value = 0;
  for (int i = 0; i < bytes; i++) value = value << 8 | source[at + i];
  return value;
}

// What the binding knows of a codestream before C sees it (codestream.ts, layout.ts): the picture on its grid, and the
// components. Depths are 1 to 38, subsampling divides that of the others.
struct Header {
  uint32_t x0, y0, x1, y1, components, step_x = 255, step_y = 255, most_x = 1, most_y = 1;
};

bool read_header(Header *header) {
  if (source.size() < 45 || number(0, 4) != 0xff4fff51) return false;
  header->x1 = number(8, 4), header->y1 = number(12, 4), header->x0 = number(16, 4), header->y0 = number(20, 4);
  header->components = number(40, 2);
  if (header->x0 >= header->x1 || header->y0 >= header->y1 || header->x1 > 1 << 20 || header->y1 > 1 << 20) return false;
  if ((uint64_t)(header->x1 - header->x0) * (header->y1 - header->y0) > MOST_PIXELS) return false;
  const uint32_t tile_width = number(24, 4), tile_height = number(28, 4);
  if (!tile_width || !tile_height) return false;
  const uint64_t tiles = (uint64_t)(header->x1 / tile_width + 1) * (header->y1 / tile_height + 1);
  if (tiles > 512 || header->components < 1 || header->components > MAX_COMPONENTS) return false;
  if (source.size() < 42 + 3 * header->components) return false;
  for (uint32_t c = 0; c < header->components; c++) {
    const uint32_t depth = (source[42 + 3 * c] & 127) + 1, x = source[43 + 3 * c], y = source[44 + 3 * c];
    if (depth > 16 || !x || !y) return false;
    header->step_x = std::min(header->step_x, x), header->step_y = std::min(header->step_y, y);
    header->most_x = std::max(header->most_x, x), header->most_y = std::max(header->most_y, y);
  }
  for (uint32_t c = 0; c < header->components; c++)
    if (source[43 + 3 * c] % header->step_x || source[44 + 3 * c] % header->step_y) return false;
  return true;
}

void choose_layout(Input &input, const Header &header, layout *to) {
  static const uint32_t channels[] = {1, 3, 3, 4};
  to->model = input.number(0, 3);
  if (channels[to->model] > header.components) to->model = 0;
  to->inks = to->model == 3 && input.flag();
  to->channels = channels[to->model];
  to->alpha = header.components > to->channels ? input.number(0, 2) : 0;
  to->entries = input.number(0, 3) ? 0 : input.number<uint32_t>(1, MAX_PALETTE);
  for (int c = 0; c <= MAX_CHANNELS; c++) {
    to->component[c] = std::min<uint32_t>(c, header.components - 1);
    to->column[c] = to->entries && input.flag() ? c : -1;
  }
  to->step_x = header.step_x, to->step_y = header.step_y;
}

uint32_t start(uint32_t from, uint32_t step, uint32_t most, uint32_t reduce, uint32_t origin) {
  return std::max(origin, from * step / most * most << reduce);
}

void read(Input &input) {
  source = host::file(input);
  Header header;
  if (!read_header(&header)) return;
  if (source[source.size() - 2] != 0xff || source.back() != 0xd9) source.insert(source.end(), {0xff, 0xd9});
  const uint32_t reduce = input.number(0, 5), scale = 1 << reduce;
  const auto reduced = [&](uint32_t place, uint32_t step) { return ((place + step - 1) / step + scale - 1) / scale; };
  const uint32_t x0 = reduced(header.x0, header.step_x), x1 = reduced(header.x1, header.step_x);
  const uint32_t y0 = reduced(header.y0, header.step_y), y1 = reduced(header.y1, header.step_y);
  if (x1 <= x0 || y1 <= y0) return;
  static reader *r;
  r = reader_new(1, source.size(), reduce);
  if (!r) return;
  choose_layout(input, header, reader_layout(r));
  host::run([&] {
    for (int areas = input.number(1, 2); areas > 0; areas--) {
      const uint32_t left = input.number(x0, x1 - 1), right = input.number(left + 1, x1);
      const uint32_t top = input.number(y0, y1 - 1), bottom = input.number(top + 1, y1);
      const uint32_t stride = right - left;
      uint32_t *band = reader_band(r, stride * (bottom - top));
      reader_area(r, start(left, header.step_x, header.most_x, reduce, header.x0),
                  start(top, header.step_y, header.most_y, reduce, header.y0),
                  std::min(header.x1, right * header.step_x << reduce),
                  std::min(header.y1, bottom * header.step_y << reduce), left, top, right, bottom, 0, stride);
      host::look_at(band, stride * (bottom - top) * 4);
      if (reader_alpha(r)) host::look_at(reader_alpha(r), stride * (bottom - top));
    }
  });
  reader_close(r);
}

// What was written without loss has to be read as the same pixels.
void check(const Bytes &pixels, uint32_t width, uint32_t height, uint32_t components, bool exact) {
  source = written;
  heap_limit(SIZE_MAX);
  static reader *r;
  r = reader_new(1, source.size(), 0);
  layout *to = reader_layout(r);
  to->model = 1, to->channels = 3, to->alpha = components == 4, to->step_x = to->step_y = 1;
  for (int c = 0; c <= MAX_CHANNELS; c++) to->component[c] = c, to->column[c] = -1;
  const bool good = host::run([&] {
    uint32_t *band = reader_band(r, width * height);
    reader_area(r, 0, 0, width, height, 0, 0, width, height, 0, width);
    if (exact && memcmp(band, pixels.data(), pixels.size())) host::wrong("other pixels were written");
  });
  reader_close(r);
  if (!good) host::wrong("what was written cannot be read");
}

void write(Input &input) {
  const uint32_t width = input.number(1, 150), height = input.number(1, 100);
  const uint32_t components = input.number(3, 4);
  const uint32_t tile_width = input.flag() ? width : input.number(std::min(8u, width), width);
  const uint32_t tile_height = input.flag() ? height : input.number(std::min(8u, height), height);
  const bool lossless = input.flag(), by_position = input.flag();
  float steps[2 * 16];
  for (float &step : steps) step = input.ConsumeFloatingPointInRange(1.0f / 4096, 300.0f);
  Bytes pixels(width * height * 4);
  host::fill(input, pixels.data(), pixels.size());
  if (components == 3)
    for (size_t i = 3; i < pixels.size(); i += 4) pixels[i] = 255;
  static writer *w;
  w = writer_new(1, width, height, components, tile_width, tile_height);
  if (!w) return;
  const bool done = host::run([&] {
    writer_start(w, lossless, by_position, steps);
    for (uint32_t y = 0; y < height; y += BAND_ROWS) {
      const uint32_t rows = std::min<uint32_t>(BAND_ROWS, height - y);
      std::copy_n(&pixels[y * width * 4], rows * width * 4, writer_band(w));
      writer_rows(w, rows);
    }
    writer_finish(w);
  });
  writer_close(w);
  if (done) check(pixels, width, height, components, lossless);
}

}  // namespace

uint32_t pull(int, uint32_t from, void *to, uint32_t length) {
  const uint32_t count = from < source.size() ? std::min<uint32_t>(length, source.size() - from) : 0;
  if (count) memcpy(to, &source[from], count);
  return count;
}

void write_piece(int, const void *from, uint32_t length) {
  const auto *bytes = static_cast<const uint8_t *>(from);
  written.insert(written.end(), bytes, bytes + length);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  Input input(data, size);
  host::Account account;
  host::choose_limit(input);
  written.clear();
  if (input.number(0, 4) == 0) write(input);
  else read(input);
  return 0;
}
