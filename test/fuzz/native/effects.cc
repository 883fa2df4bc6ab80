// Every effect with all that its binding may ask of it.
#include "stream.h"

extern "C" {
Stream *gaussian_open(int width, int height, double sigma, int opaque);
Stream *box_open(int width, int height, int radius);
Stream *disc_open(int width, int height, double radius, int opaque);
Stream *taps_open(int width, int height, const int32_t *taps, int count, int opaque);
Stream *zoom_open(int width, int height, double ratio, int opaque);
Stream *median_open(int width, int height, int radius, int opaque);
Stream *sharpen_open(int width, int height, double sigma, double amount, int opaque);
Stream *pixellate_open(int width, int height, int cell);
Stream *rotate_open(int width, int height, int result_width, int result_height, double cosine, double sine, int opaque,
                    const float *background);
Stream *tone_open(int width, int height, const float *settings);
Stream *replace_open(int width, int height, const float *settings);
Stream *halftone_open(int width, int height, const float *settings);
Stream *eyes_open(int width, int height, const float *values, int count);
Stream *frame_open(int width, int height, const float *settings);
void overlay_rows(uint8_t *base, int width, int x, const uint8_t *over, int over_width, int rows, float opacity);
}

namespace {

struct Picture {
  int width, height;
  bool opaque;
};

double between(Input &input, double least, double most) { return input.ConsumeFloatingPointInRange(least, most); }

Stream *scattered(Input &input, const Picture &p) {
  int32_t taps[127 * 3];
  const int count = input.number(2, 127);
  int left = 32768;
  for (int i = 0; i < count; i++) {
    taps[i * 3] = input.number(-100, 100), taps[i * 3 + 1] = input.number(-100, 100);
    left -= taps[i * 3 + 2] = i + 1 < count ? 32768 / count : left;
  }
  return taps_open(p.width, p.height, taps, count, p.opaque);
}

Stream *rotation(Input &input, const Picture &p, int *result_width, int *result_height) {
  const double angle = between(input, -89.9, 89.9) * M_PI / 180, cosine = cos(angle), sine = sin(angle);
  // The binding asks for the whole turned picture, or for what lies within one of another size.
  *result_width = input.flag() ? (int)ceil(p.width * cosine + p.height * fabs(sine)) : input.number(1, 200);
  *result_height = input.flag() ? (int)ceil(p.width * fabs(sine) + p.height * cosine) : input.number(1, 200);
  const float background[4] = {0, 128, 255, (float)input.number(0, 255)};
  return rotate_open(p.width, p.height, *result_width, *result_height, cosine, sine, p.opaque, background);
}

Stream *tone(Input &input, const Picture &p) {
  std::vector<float> table(3 * 256 + 1025 + 12 + 2);
  for (size_t i = 0; i < 768; i++) table[i] = (float)(i % 256);
  for (size_t i = 768; i < 768 + 1025; i++) table[i] = (float)between(input, 0, 20);
  for (size_t i = 768 + 1025; i < 768 + 1025 + 12; i++) table[i] = (float)between(input, -300, 300);
  table[768 + 1025 + 12] = (float)between(input, -1, 1), table.back() = input.flag();
  return tone_open(p.width, p.height, table.data());
}

Stream *replacement(Input &input, const Picture &p) {
  std::vector<float> table(8 + 256);
  table[0] = (float)between(input, 0, 100);
  for (int i = 1; i < 3; i++) table[i] = (float)between(input, -128, 128);
  for (int i = 3; i < 7; i++) table[i] = (float)between(input, 0, 255);
  table[7] = (float)between(input, 0, 400);
  for (int i = 0; i < 256; i++) table[8 + i] = (float)i / 255;
  return replace_open(p.width, p.height, table.data());
}

Stream *halftone(Input &input, const Picture &p) {
  std::vector<float> table(4 + 1025);
  table[0] = (float)input.number(0, 4);
  table[1] = (float)between(input, 1, 300), table[2] = (float)between(input, -1, 1), table[3] = (float)between(input, 1, 50);
  for (int i = 0; i < 1025; i++) table[4 + i] = (float)i / 1024;
  return halftone_open(p.width, p.height, table.data());
}

Stream *eyes(Input &input, const Picture &p) {
  std::vector<float> table(3 * input.number(1, 6));
  for (float &value : table) value = (float)between(input, -50, 150);
  for (size_t i = 2; i < table.size(); i += 3) table[i] = fabsf(table[i]) + 0.1f;
  return eyes_open(p.width, p.height, table.data(), (int)table.size() / 3);
}

Stream *framed(Input &input, const Picture &p) {
  float table[6 + 6 + 4 + 4 + 1];
  for (int i = 0; i < 12; i++) table[i] = (float)between(input, -20, 150);
  for (int i : {4, 5, 10, 11}) table[i] = fabsf(table[i]);
  for (int i = 12; i < 20; i++) table[i] = (float)between(input, 0, 255);
  table[20] = input.flag();
  return frame_open(p.width, p.height, table);
}

void overlay(Input &input) {
  const int width = input.number(1, 60), rows = input.number(1, 16);
  const int over_width = input.number(1, width), x = input.number(0, width - over_width);
  const float opacity = (float)between(input, 0, 1);
  auto *base = (uint8_t *)__wrap_malloc(width * rows * 4), *over = (uint8_t *)__wrap_malloc(over_width * rows * 4);
  if (base && over) {
    host::fill(input, base, width * rows * 4);
    std::copy_n(base, over_width * rows * 4, over);
    overlay_rows(base, width, x, over, over_width, rows, opacity);
  }
  __wrap_free(base), __wrap_free(over);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  Input input(data, size);
  host::Account account;
  host::choose_limit(input);
  const Picture p = {input.number(1, 100), input.number(1, 60), input.flag()};
  const int w = p.width, h = p.height, opaque = p.opaque;
  int result_width = w, result_height = h;
  Stream *s = nullptr;
  switch (input.number(0, 14)) {
    case 0: s = gaussian_open(w, h, between(input, 0.1, 6), opaque); break;
    case 1: s = box_open(w, h, input.number(0, 127)); break;
    case 2: s = disc_open(w, h, between(input, 1, 32), opaque); break;
    case 3: s = scattered(input, p); break;
    case 4: s = zoom_open(w, h, between(input, 0.3, 1), opaque); break;
    case 5: s = median_open(w, h, input.number(1, 127), opaque); break;
    case 6: s = sharpen_open(w, h, between(input, 0.1, 10), between(input, 0, 10), opaque); break;
    case 7: s = pixellate_open(w, h, input.number(2, 256)); break;
    case 8: s = rotation(input, p, &result_width, &result_height); break;
    case 9: s = tone(input, p); break;
    case 10: s = replacement(input, p); break;
    case 11: s = halftone(input, p); break;
    case 12: s = eyes(input, p); break;
    case 13: s = framed(input, p); break;
    default: overlay(input); return 0;
  }
  stream::run(input, s, w, result_width, result_height, opaque);
  return 0;
}
