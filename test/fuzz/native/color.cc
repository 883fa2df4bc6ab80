// ICC profiles opened, and runs of pixels converted by them.
#include "host.h"

struct transform;

extern "C" {
void *color_open(const void *profile, uint32_t length, int layout, const void *target, uint32_t target_length,
                 int deep);
void color_convert(const transform *, const void *in, void *out, uint32_t pixels);
void color_close(transform *);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  Input input(data, size);
  host::Account account;
  host::choose_limit(input);
  const int layout = input.number(0, 3);
  // Gray and colors come with 16 bits as well.
  const bool deep = layout < 2 && input.flag();
  uint8_t pixels[67 * 8];
  const uint32_t count = input.number(1, 67);
  // Where colors are brought to: sRGB, or the profile, from sRGB or from itself.
  enum { TO_SRGB, FROM_SRGB, TO_ITSELF };
  const int way = input.number(0, 2);
  const Bytes profile = host::file(input);
  host::fill(input, pixels, count * (deep ? 8 : 4));
  const size_t from = way == FROM_SRGB ? 0 : profile.size(), to = way == TO_SRGB ? 0 : profile.size();
  auto *opened = (transform *)color_open(profile.data(), from, layout, profile.data(), to, deep);
  if ((uintptr_t)opened <= 1) return 0;
  color_convert(opened, pixels, pixels, count);
  color_close(opened);
  return 0;
}
