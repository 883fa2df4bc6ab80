// The first picture of a TIFF file, or one at any place of it, from any row on.
#include "host.h"

struct reader;

extern "C" {
struct facts {
  uint32_t width, height, bits, samples, photometric, compression, orientation, alpha;
  uint32_t profile, profile_bytes, subsample_h, subsample_v, tables, tables_bytes, working_bytes;
  uint32_t deep_bits, band_rows;
};
reader *reader_new(int source, uint32_t size);
void reader_open(reader *, uint32_t most, uint32_t directory);
const facts *reader_facts(const reader *);
void reader_start(reader *, uint32_t first, uint32_t most, int output);
int32_t reader_read(reader *, uint32_t most);
const uint8_t *reader_rows(const reader *, uint32_t count);
const uint8_t *reader_alphas(const reader *, uint32_t count);
void reader_close(reader *);
__attribute__((noreturn)) void tiff_fail(const char *text);
uint32_t pull(int source, uint32_t from, void *to, uint32_t length);
}

namespace {

enum { RGBA = 0, CMYK = 1, DEEP = 2 };
enum { MOST_BYTES = 64 << 20, MOST_PIXELS = 1 << 20, PAUSED = -1 };

Bytes source;

}  // namespace

void tiff_fail(const char *text) { fail(text); }

uint32_t pull(int, uint32_t from, void *to, uint32_t length) {
  const uint32_t count = from < source.size() ? std::min<uint32_t>(length, source.size() - from) : 0;
  if (count) memcpy(to, &source[from], count);
  return count;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  Input input(data, size);
  host::Account account;
  host::choose_limit(input);
  source = host::file(input);
  const uint32_t place = input.ConsumeIntegral<uint32_t>(), most = input.number(1, 40);
  const bool cmyk = input.flag(), deep = input.flag();
  const uint32_t directory = input.number(0, 3) ? 0 : input.number(8, 4096);
  static reader *r;
  r = reader_new(1, source.size());
  if (!r) return 0;
  host::run([&] {
    reader_open(r, MOST_BYTES, directory);
    const facts *f = reader_facts(r);
    host::look_at((void *)f->profile, f->profile_bytes);
    host::look_at((void *)f->tables, f->tables_bytes);
    // What the binding refuses before rows are asked for.
    if (f->working_bytes > MOST_BYTES || (uint64_t)f->width * f->height > MOST_PIXELS) return;
    const int output = cmyk && f->photometric == 5 ? CMYK : deep && f->deep_bits > 0 ? DEEP : RGBA;
    reader_start(r, place % 3 ? 0 : place % f->height, MOST_BYTES, output);
    for (;;) {
      const int32_t rows = reader_read(r, most);
      if (rows == PAUSED) continue;
      if (rows <= 0) break;
      host::look_at(reader_rows(r, rows), (size_t)rows * f->width * (output == DEEP ? 8 : 4));
      const uint8_t *alphas = reader_alphas(r, rows);
      if (alphas) host::look_at(alphas, (size_t)rows * f->width);
      else if (output == CMYK && f->alpha) host::wrong("inks whose alpha is lost");
    }
  });
  reader_close(r);
  return 0;
}
