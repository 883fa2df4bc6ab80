// LZW of frames read onto a canvas or in bands, canvases compared and cut, indices written and read again.
#include "host.h"

struct Reader;
struct Writer;

extern "C" {
void reader_close(Reader *);
Reader *reader_open(int width, int height, int band_rows);
uint32_t *reader_palette(Reader *);
uint8_t *reader_input(Reader *);
int reader_input_bytes(void);
uint32_t *reader_pixels(Reader *);
void reader_feed(Reader *, int bytes, int last);
void reader_start(Reader *, int x, int y, int width, int height, int interlaced, int transparent, int min_size);
int reader_draw(Reader *, int rows);
int reader_rows(Reader *, int max);
void reader_clear(Reader *, int x, int y, int width, int height);
int reader_save(Reader *, int x, int y, int width, int height);
void reader_restore(Reader *, int x, int y, int width, int height);
Writer *writer_open(int pixels, int choice);
void writer_close(Writer *);
uint8_t *writer_indices(Writer *);
uint8_t *writer_others(Writer *);
float *writer_colors(Writer *);
void writer_start(Writer *, int count, int min_size, float patience, int colors, int transparent, float tolerance);
int writer_encode(Writer *, int pixels);
uint32_t *canvas_open(int width, int height);
void canvas_sharpen(uint32_t *pixels, int count);
void canvas_compare(const uint32_t *, const uint32_t *, int width, int height, int tolerance, int *);
void canvas_settle(const uint32_t *, uint32_t *, int count, int tolerance);
void canvas_clear(uint32_t *, int width, int x, int y, int box_width, int box_height);
int canvas_colors(const uint32_t *, const uint32_t *, int width, int x, int y, int box_width, int box_height,
                  uint32_t *colors, int *unchanged);
int canvas_cut(const uint32_t *, const uint32_t *, int width, int x, int y, int box_width, int box_height,
               const uint32_t *palette, int colors, int transparent, int solid, uint8_t *indices, uint8_t *others);
void write_bytes(const uint8_t *bytes, int count);
}

namespace {

Bytes written;

struct Box {
  int x, y, width, height;
};

Box box_within(Input &input, int width, int height) {
  Box box;
  box.x = input.number(0, width - 1);
  box.y = input.number(0, height - 1);
  box.width = input.number(1, width - box.x);
  box.height = input.number(1, height - box.y);
  return box;
}

// Gives the next piece of a stream; returns whether that was the last.
bool feed(Reader *reader, const Bytes &stream, size_t *at) {
  const size_t count = std::min(stream.size() - *at, (size_t)reader_input_bytes());
  std::copy_n(stream.data() + *at, count, reader_input(reader));
  *at += count;
  reader_feed(reader, (int)count, *at == stream.size());
  return *at == stream.size();
}

void start_frame(Input &input, Reader *reader, int width, int height, bool banded) {
  const bool wide = input.flag();
  const int x = input.number(0, wide ? 65535 : width), y = input.number(0, wide ? 65535 : height);
  const int frame_width = input.number(0, wide ? 65535 : width);
  const int frame_height = input.number(0, wide ? 500 : height);
  reader_start(reader, x, y, frame_width, frame_height, !banded && input.flag(), input.number(-1, 255),
               input.number(1, 11));
}

void draw(Reader *reader, const Bytes &stream, int rows) {
  size_t at = 0;
  for (;;) {
    const int state = reader_draw(reader, rows);
    if (state == 1 || state < 0) return;
    if (state == 0) feed(reader, stream, &at);
  }
}

void read_canvas(Input &input) {
  const int width = input.number(1, 200), height = input.number(1, 100);
  Reader *reader = reader_open(width, height, 0);
  if (!reader) return;
  memset(reader_palette(reader), 0x80, 1024);
  const int frames = input.number(1, 3);
  bool saved = false;
  for (int i = 0; i < frames; i++) {
    const Box box = box_within(input, width, height);
    const int disposal = input.number(0, 3);
    if (disposal == 2) saved = reader_save(reader, box.x, box.y, box.width, box.height);
    start_frame(input, reader, width, height, false);
    const int rows = input.number(1, 1000);
    const Bytes stream = input.ConsumeBytes<uint8_t>(i + 1 < frames ? input.number(0, 4096) : 1 << 20);
    draw(reader, stream, rows);
    if (disposal == 1) reader_clear(reader, box.x, box.y, box.width, box.height);
    if (disposal == 2 && saved) reader_restore(reader, box.x, box.y, box.width, box.height);
  }
  host::look_at(reader_pixels(reader), (size_t)width * height * 4);
  reader_close(reader);
}

void read_bands(Input &input) {
  const int width = input.number(1, 5000), height = input.number(1, 60);
  Reader *reader = reader_open(width, height, 16);
  if (!reader) return;
  start_frame(input, reader, width, height, true);
  const int most = input.number(1, 40);
  const Bytes stream = input.ConsumeRemainingBytes<uint8_t>();
  size_t at = 0;
  for (int y = 0; y < height;) {
    const int rows = reader_rows(reader, most);
    if (rows < 0) break;
    if (rows == 0) feed(reader, stream, &at);
    host::look_at(reader_pixels(reader), (size_t)width * rows * 4);
    y += rows;
  }
  reader_close(reader);
}

// What was written has to be read as the indices that the writer says it wrote.
void check(Writer *writer, int count, int min_size) {
  Bytes stream;
  for (size_t at = 1; at < written.size() && written[at];) {
    const size_t length = std::min<size_t>(written[at], written.size() - at - 1);
    stream.insert(stream.end(), written.begin() + at + 1, written.begin() + at + 1 + length);
    at += length + 1;
  }
  Reader *reader = reader_open(count, 1, 0);
  if (!reader) return;
  for (uint32_t i = 0; i < 256; i++) reader_palette(reader)[i] = i;
  reader_start(reader, 0, 0, count, 1, 0, -1, min_size);
  size_t at = 0;
  int state;
  while ((state = reader_draw(reader, 1)) == 0)
    if (feed(reader, stream, &at) && at == stream.size()) { state = reader_draw(reader, 1); break; }
  if (state != 1) host::wrong("what was written cannot be read");
  for (int i = 0; i < count; i++)
    if (reader_pixels(reader)[i] != writer_indices(writer)[i]) host::wrong("other indices were written");
  reader_close(reader);
}

void encode(Input &input, Writer *writer, int count, int min_size, int transparent) {
  const int patience = input.number(0, 4), colors = input.number(0, 1 << min_size);
  const float tolerance = input.flag() ? 0 : (float)input.number(0, 1000) / 10;
  for (int i = 0; i < 256 * 3; i++) writer_colors(writer)[i] = (float)((i * 37) & 255);
  written.clear();
  writer_start(writer, count, min_size, (float)patience / 4, colors, transparent, tolerance);
  const int pixels = input.number(1, 1 << 17);
  while (!writer_encode(writer, pixels)) {}
  check(writer, count, min_size);
}

void write(Input &input) {
  const int count = input.number(1, 6000), min_size = input.number(2, 8);
  const bool choice = input.flag();
  const int transparent = input.number(-1, (1 << min_size) - 1);
  Writer *writer = writer_open(count, choice);
  if (!writer) return;
  const uint32_t spread = input.number(1, 64);
  Bytes rest = input.ConsumeBytes<uint8_t>(8192);
  if (rest.empty()) rest.push_back(3);
  const int mask = (1 << min_size) - 1;
  for (int i = 0; i < count; i++) {
    writer_indices(writer)[i] = rest[i / spread % rest.size()] & mask;
    if (choice) writer_others(writer)[i] = i % 3 && transparent >= 0 ? transparent : writer_indices(writer)[i];
  }
  encode(input, writer, count, min_size, transparent);
  writer_close(writer);
}

void load(Input &input, uint32_t *canvas, int pixels) {
  const Bytes bytes = input.ConsumeBytes<uint8_t>(input.number(1, 4096));
  for (int i = 0; i < pixels * 4; i++) ((uint8_t *)canvas)[i] = bytes.empty() ? 255 : bytes[i % bytes.size()];
  canvas_sharpen(canvas, pixels);
}

void compare(Input &input) {
  const int width = input.number(1, 100), height = input.number(1, 40);
  uint32_t *before = canvas_open(width, height), *after = canvas_open(width, height);
  Writer *writer = writer_open(width * height, 1);
  if (before && after && writer) {
    load(input, before, width * height);
    if (input.flag()) load(input, after, width * height);
    int out[9], unchanged;
    uint32_t colors[256];
    const int tolerance = input.number(0, 5000);
    canvas_compare(before, after, width, height, tolerance, out);
    canvas_settle(before, after, width * height, tolerance);
    const Box box = box_within(input, width, height);
    const uint32_t *from = input.flag() ? before : nullptr;
    const int count = canvas_colors(from, after, width, box.x, box.y, box.width, box.height, colors, &unchanged);
    if (input.flag()) canvas_clear(before, width, box.x, box.y, box.width, box.height);
    if (count <= 256) {
      const int transparent = input.number(-1, std::max(0, count - 1));
      const int used = canvas_cut(before, after, width, box.x, box.y, box.width, box.height, colors, count, transparent,
                                  input.flag(), writer_indices(writer), writer_others(writer));
      if (used > 0) encode(input, writer, box.width * box.height, 8, transparent);
    }
  }
  __wrap_free(before);
  __wrap_free(after);
  if (writer) writer_close(writer);
}

}  // namespace

void write_bytes(const uint8_t *bytes, int count) { written.insert(written.end(), bytes, bytes + count); }

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  Input input(data, size);
  host::Account account;
  host::choose_limit(input);
  switch (input.number(0, 3)) {
    case 0: read_canvas(input); break;
    case 1: read_bands(input); break;
    case 2: write(input); break;
    default: compare(input);
  }
  return 0;
}
