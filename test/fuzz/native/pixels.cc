// PNG rows and zlib streams read, pictures surveyed and written, rows resampled, and pointwise work on a few pixels.
#include "host.h"

struct Reader;
struct Inflater;
struct Survey;
struct Writer;
struct Near;
struct Resampler;
struct Deep;

extern "C" {
void png_close(Reader *);
Reader *png_open(int width, int height, int depth, int type, int interlaced, int form);
uint32_t *png_table(Reader *);
void png_set_key(Reader *, int red, int green, int blue);
void *png_levels(Reader *);
uint8_t *png_input(Reader *);
int png_room(Reader *);
void png_feed(Reader *, int count, int last);
uint8_t *png_band(const Reader *);
int png_exact(const Reader *);
int png_read(Reader *, int most);

void inflater_close(Inflater *);
Inflater *inflater_open(void);
uint8_t *inflater_input(Inflater *);
int inflater_room(Inflater *);
void inflater_feed(Inflater *, int count, int last);
int inflater_run(Inflater *);
const uint8_t *inflater_output(const Inflater *);

void survey_close(Survey *);
Survey *survey_open(int width, int opaque, int keyed);
uint8_t *survey_window(const Survey *);
int survey_commit(Survey *, int rows);
int survey_colors(const Survey *);
uint32_t *survey_palette(Survey *);
int survey_key(const Survey *, int gray, int exact);

void writer_close(Writer *);
Writer *writer_open(int width, int rows, int type, int depth, int input, int strategy, int level);
uint8_t *writer_window(const Writer *);
uint8_t *writer_output(const Writer *);
void writer_set_color(Writer *, uint32_t color, int index);
void writer_set_key(Writer *, uint32_t color);
int writer_commit(Writer *, int rows, int last);

void near_close(Near *);
Near *near_open(int width, int step, int rows, int passes);
uint8_t *near_window(const Near *);
void near_move(Near *, int rows);

Resampler *resampler_open(int source_width, int source_height, double x, double y, double width, double height,
                          double last_x, double last_y, int result_width, int result_height, int kernel, double sigma,
                          int channels, int linear);
void resampler_close(Resampler *);
uint8_t *resampler_window(const Resampler *);
uint8_t *resampler_band(const Resampler *);
int resampler_room(const Resampler *);
void resampler_commit(Resampler *, int count);
int resampler_read(Resampler *, int most);

Deep *deep_open(int source_width, int source_height, double x, double y, double width, double height, int result_width,
                int result_height, int kernel, int alpha, int linear);
void deep_close(Deep *);
uint16_t *deep_window(const Deep *);
uint16_t *deep_band(const Deep *);
int deep_room(const Deep *);
void deep_commit(Deep *, int count);
int deep_read(Deep *, int most);

void flip_rows(uint32_t *, int width, int rows);
void clear_hidden(uint32_t *, int count);
void flatten_pixels(uint8_t *, int count, int red, int green, int blue);
void apply_matrix(uint8_t *, int count, const float *);
void apply_tables(uint8_t *, int count, const uint8_t *);
void composite_pixels(uint8_t *, const uint8_t *, int count, int opacity);
void premultiply_pixels(uint8_t *, int count);
void unpremultiply_pixels(uint8_t *, int count);
void drop_alpha(uint8_t *, int count);
void add_alpha(uint8_t *, int count);
}

namespace {

enum { WINDOW_ROWS = 16 };
// What rows are read as, and what is written of them.
enum { RGBA = 0, STORED = 1, DEEP = 2 };
enum { RGBA_PIXELS = 0, INDICES = 1, STORED_ROWS = 2, DEEP_PIXELS = 3 };

struct Layout {
  int type, depth, samples;
};
const Layout layouts[] = {{0, 1, 1}, {0, 2, 1}, {0, 4, 1}, {0, 8, 1}, {0, 16, 1}, {2, 8, 3}, {2, 16, 3}, {3, 1, 1},
                          {3, 2, 1}, {3, 4, 1}, {3, 8, 1}, {4, 8, 2}, {4, 16, 2}, {6, 8, 4}, {6, 16, 4}};

// Gives a reader's stream in pieces; negative or the rows that were read.
template <typename Take>
int read_all(Reader *reader, const uint8_t *stream, size_t size, int height, int most, Take take) {
  size_t at = 0;
  for (int y = 0; y < height;) {
    const int rows = png_read(reader, most);
    if (rows < 0 && rows != -4) return rows;
    if (rows > 0) take(y, rows), y += rows;
    if (rows != 0) continue;
    const size_t count = std::min<size_t>(size - at, png_room(reader));
    std::copy_n(stream + at, count, png_input(reader));
    at += count;
    png_feed(reader, (int)count, at == size);
  }
  return height;
}

void read_png(Input &input) {
  const Layout layout = input.PickValueInArray(layouts);
  const int width = input.number(1, 3000), height = input.number(1, 200);
  const int form = layout.depth == 16 ? input.number(0, 2) : RGBA;
  const int most = input.number(1, 20);
  Reader *reader = png_open(width, height, layout.depth, layout.type, input.flag(), form);
  if (!reader) return;
  const bool keyed = input.flag(), leveled = input.flag();
  memset(png_table(reader), 0x55, 1024);
  if (keyed) png_set_key(reader, 0, 0, input.ConsumeIntegral<uint16_t>());
  if (leveled)
    if (void *levels = png_levels(reader)) memset(levels, 77, (layout.depth == 16 ? 65536 : 256) * (form == DEEP ? 2 : 1));
  const Bytes stream = input.ConsumeRemainingBytes<uint8_t>();
  const size_t strides[] = {(size_t)width * 4, (size_t)width * layout.depth * layout.samples / 8, (size_t)width * 8};
  const size_t stride = strides[form];
  read_all(reader, stream.data(), stream.size(), height, most,
           [&](int, int rows) { host::look_at(png_band(reader), rows * stride); });
  png_exact(reader);
  png_close(reader);
}

void inflate(Input &input) {
  Inflater *inflater = inflater_open();
  if (!inflater) return;
  const Bytes stream = input.ConsumeRemainingBytes<uint8_t>();
  size_t at = 0, total = 0;
  for (;;) {
    const int made = inflater_run(inflater);
    if (made < 0 || total > 8 << 20) break;
    if (made > 0) host::look_at(inflater_output(inflater), made);
    total += made;
    if (made > 0) continue;
    const size_t count = std::min<size_t>(stream.size() - at, inflater_room(inflater));
    std::copy_n(stream.data() + at, count, inflater_input(inflater));
    at += count;
    inflater_feed(inflater, (int)count, at == stream.size());
  }
  inflater_close(inflater);
}

void survey(Input &input) {
  const int width = input.number(1, 600);
  const bool keyed = input.flag();
  Survey *survey = survey_open(width, input.flag(), keyed);
  if (!survey) return;
  const int calls = input.number(1, 3);
  const bool gray = input.flag(), exact = input.flag();
  for (int i = 0; i < calls; i++) {
    const int rows = input.number<int>(1, WINDOW_ROWS);
    host::fill(input, survey_window(survey), (size_t)width * rows * 4);
    if (survey_commit(survey, rows) <= 0) break;
  }
  if (survey_colors(survey) <= 256) host::look_at(survey_palette(survey), survey_colors(survey) * 4);
  if (keyed) survey_key(survey, gray, exact);
  survey_close(survey);
}

// Writes rows, and reads them again as they are stored.
void write_png(Input &input) {
  const Layout layout = input.PickValueInArray(layouts);
  const int kind = layout.depth == 16 ? input.number<int>(STORED_ROWS, DEEP_PIXELS)
                                      : layout.type == 3 ? input.number<int>(RGBA_PIXELS, STORED_ROWS)
                                      : input.flag()     ? STORED_ROWS
                                                         : RGBA_PIXELS;
  const int width = input.number(1, 800), height = input.number(1, 40);
  const int strategy = input.number(0, 7), level = input.number(1, 12);
  Writer *writer = writer_open(width, height, layout.type, layout.depth, kind, strategy, level);
  if (!writer) return;
  const int colors = layout.type == 3 ? input.number(1, 1 << layout.depth) : 0;
  for (int i = 0; i < colors; i++) writer_set_color(writer, input.ConsumeIntegral<uint32_t>(), i);
  if ((layout.type == 0 || layout.type == 2) && input.flag())
    writer_set_key(writer, input.ConsumeIntegral<uint32_t>() >> 8);
  const size_t row_bytes = ((size_t)width * layout.depth * layout.samples + 7) / 8;
  const size_t strides[] = {(size_t)width * 4, (size_t)width, row_bytes, (size_t)width * 8};
  const size_t stride = strides[kind];
  Bytes stream, pixels = input.ConsumeRemainingBytes<uint8_t>();
  if (pixels.empty()) pixels.push_back(5);
  bool whole = true;
  for (int y = 0, rows; whole && y < height; y += rows) {
    rows = std::min<int>(WINDOW_ROWS, height - y);
    for (size_t i = 0; i < rows * stride; i++) {
      const uint8_t value = pixels[(y * stride + i) % pixels.size()];
      writer_window(writer)[i] = kind == INDICES ? value & ((1 << layout.depth) - 1) : value;
    }
    const int made = writer_commit(writer, rows, y + rows == height);
    whole = made >= 0;
    if (made > 0) stream.insert(stream.end(), writer_output(writer), writer_output(writer) + made);
  }
  writer_close(writer);
  if (!whole) return;
  heap_limit(SIZE_MAX);
  const int form = kind == DEEP_PIXELS ? DEEP : layout.depth == 16 ? STORED : RGBA;
  Reader *reader = png_open(width, height, layout.depth, layout.type, 0, form);
  for (uint32_t i = 0; i < 256; i++) png_table(reader)[i] = i;
  const bool same = kind >= STORED_ROWS && layout.samples == 4;
  const int read = read_all(reader, stream.data(), stream.size(), height, WINDOW_ROWS, [&](int y, int rows) {
    for (size_t i = 0; same && i < rows * stride; i++)
      if (png_band(reader)[i] != pixels[(y * stride + i) % pixels.size()]) host::wrong("other rows were written");
  });
  if (read != height) host::wrong("what was written cannot be read");
  png_close(reader);
}

// A sample may move by half a step, and by what it was passed, a little more than half a step as well. Alpha stays.
void move_near(Input &input) {
  const int width = input.number(1, 700), step = input.number(2, 63);
  Near *near = near_open(width, step, WINDOW_ROWS, input.flag());
  if (!near) return;
  const Bytes bytes = input.ConsumeRemainingBytes<uint8_t>();
  const double most = step * 1.1 + 1;
  size_t at = 0;
  for (int i = 0; i < 3; i++) {
    const int rows = WINDOW_ROWS - i * (int)(bytes.size() % 5);
    Bytes before((size_t)width * rows * 4);
    for (uint8_t &value : before) value = host::repeated(bytes, at++);
    uint8_t *window = near_window(near);
    std::copy(before.begin(), before.end(), window);
    near_move(near, rows);
    for (size_t k = 0; k < before.size(); k += 4) {
      if (window[k + 3] != before[k + 3]) host::wrong("alpha was moved");
      for (size_t c = k; before[k + 3] && c < k + 3; c++)
        if (std::abs(window[c] - before[c]) > most) host::wrong("a sample was moved too far");
    }
  }
  near_close(near);
}

// A length of a source, now and then with a fraction.
double length_within(Input &input, double most) {
  const int whole = input.number(1, (int)most);
  return input.flag() ? whole : whole - input.ConsumeFloatingPointInRange(0.0, 0.999);
}

void resample(Input &input) {
  const bool large = input.number(0, 15) == 0;
  const int source_width = input.number(1, large ? 40000 : 300);
  const int source_height = input.number(1, large ? 3000 : 300);
  const double width = length_within(input, source_width), height = length_within(input, source_height);
  const double x = input.ConsumeFloatingPointInRange(0.0, source_width - width);
  const double y = input.ConsumeFloatingPointInRange(0.0, source_height - height);
  const int result_width = input.number(1, large ? 5000 : 300), result_height = input.number(1, 200);
  const double last_x = input.flag() ? HUGE_VAL : length_within(input, source_width) - 0.5;
  const double last_y = input.flag() ? HUGE_VAL : length_within(input, source_height) - 0.5;
  const int kernel = input.number(0, 5);
  const double sigma = kernel == 5 ? input.ConsumeFloatingPointInRange(0.3, 250.0) : 0;
  const int channels = (const int[]){1, 3, 4}[input.number(0, 2)];
  const bool linear = channels > 1 && input.flag();
  Resampler *r = resampler_open(source_width, source_height, x, y, width, height, last_x, last_y, result_width,
                                result_height, kernel, sigma, channels, linear);
  if (!r) return;
  const int most_in = input.number(1, 16), most_out = input.number(1, 20);
  const size_t pixel = channels == 1 ? 1 : 4;
  for (int made = 0; made < result_height;) {
    const int room = std::min(most_in, resampler_room(r));
    if (room > 0) {
      host::fill(input, resampler_window(r), (size_t)source_width * room * pixel);
      resampler_commit(r, room);
    }
    const int rows = resampler_read(r, most_out);
    host::look_at(resampler_band(r), (size_t)result_width * rows * pixel);
    if (room == 0 && rows == 0) host::wrong("the resampler neither takes nor gives rows");
    made += rows;
  }
  resampler_close(r);
}

void resample_deep(Input &input) {
  const int source_width = input.number(1, 300), source_height = input.number(1, 300);
  const double width = length_within(input, source_width), height = length_within(input, source_height);
  const double x = input.ConsumeFloatingPointInRange(0.0, source_width - width);
  const double y = input.ConsumeFloatingPointInRange(0.0, source_height - height);
  const int result_width = input.number(1, 300), result_height = input.number(1, 200);
  const int kernel = input.number(0, 4);
  const bool alpha = input.flag(), linear = input.flag();
  Deep *r = deep_open(source_width, source_height, x, y, width, height, result_width, result_height, kernel, alpha, linear);
  if (!r) return;
  const int most_in = input.number(1, 16), most_out = input.number(1, 20);
  for (int made = 0; made < result_height;) {
    const int room = std::min(most_in, deep_room(r));
    if (room > 0) {
      host::fill(input, (uint8_t *)deep_window(r), (size_t)source_width * room * 8);
      deep_commit(r, room);
    }
    const int rows = deep_read(r, most_out);
    host::look_at(deep_band(r), (size_t)result_width * rows * 8);
    if (room == 0 && rows == 0) host::wrong("the resampler neither takes nor gives rows");
    made += rows;
  }
  deep_close(r);
}

void change(Input &input) {
  const int width = input.number(1, 70), rows = input.number(1, 5), count = width * rows;
  uint8_t *pixels = (uint8_t *)__wrap_malloc(count * 4), *over = (uint8_t *)__wrap_malloc(count * 4);
  if (pixels && over) {
    const int opacity = input.ConsumeIntegral<uint8_t>();
    float matrix[12];
    for (float &factor : matrix) factor = input.ConsumeFloatingPointInRange(-300.0f, 300.0f);
    uint8_t tables[1024];
    host::fill(input, pixels, count * 4);
    for (int i = 0; i < count * 4; i++) over[i] = pixels[count * 4 - 1 - i], tables[i % 1024] = pixels[i];
    composite_pixels(pixels, over, count, opacity);
    flip_rows((uint32_t *)pixels, width, rows);
    apply_matrix(pixels, count, matrix);
    apply_tables(pixels, count, tables);
    clear_hidden((uint32_t *)over, count);
    premultiply_pixels(over, count);
    unpremultiply_pixels(over, count);
    flatten_pixels(over, count, opacity, 0, 255);
    drop_alpha(over, count);
    add_alpha(over, count);
  }
  __wrap_free(pixels);
  __wrap_free(over);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  Input input(data, size);
  host::Account account;
  host::choose_limit(input);
  switch (input.number(0, 7)) {
    case 0: read_png(input); break;
    case 1: inflate(input); break;
    case 2: survey(input); break;
    case 3: write_png(input); break;
    case 4: move_near(input); break;
    case 5: resample(input); break;
    case 6: resample_deep(input); break;
    default: change(input);
  }
  return 0;
}
