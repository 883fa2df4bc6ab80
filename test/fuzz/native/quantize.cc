// Colors counted, sorted and chosen; pixels mapped to them.
#include "host.h"

struct Histogram;
struct Chooser;
struct Remapper;
struct Sample {
  uint32_t pixel;
  float weight;
};
struct Cut {
  uint32_t words[3];
};

extern "C" {
Histogram *histogram_open(int width, int sharp);
void histogram_close(Histogram *);
uint32_t *histogram_window(Histogram *);
int histogram_transparent(const Histogram *);
int histogram_colors(const Histogram *);
int histogram_samples(const Histogram *);
void histogram_add(Histogram *, int rows);
int make_cuts(const Histogram *, int most, Sample *, Cut *);
Chooser *chooser_open(const Sample *, int count, const Cut *, int cells);
void chooser_close(Chooser *);
double chooser_refine(Chooser *);
uint32_t *chooser_settle(Chooser *, int exact);
Remapper *remapper_open(int width, int height, int sharp, float strength, float coherence);
void remapper_close(Remapper *);
uint32_t *remapper_window(Remapper *);
uint8_t *remapper_indices(Remapper *);
uint32_t *remapper_palette(Remapper *);
void remapper_set(Remapper *, int count);
void remapper_restart(Remapper *);
void remapper_map(Remapper *, int rows);
void remapper_paint(Remapper *, int rows);
void coordinates(const uint32_t *pixels, int count, float *to);
}

namespace {

enum { WINDOW_ROWS = 16 };

// A palette of at most `most` colors, as paletteOf makes it.
std::vector<uint32_t> palette_of(const Histogram *histogram, int most) {
  const bool exact = histogram_colors(histogram) >= 0;
  const int transparent = histogram_transparent(histogram), count = histogram_samples(histogram);
  std::vector<Sample> samples(count);
  std::vector<Cut> cuts(std::max(1, most - 1));
  const int cells = make_cuts(histogram, std::max(1, most - transparent), samples.data(), cuts.data());
  std::vector<uint32_t> palette;
  if (cells < 0) return palette;
  const int solid = most - transparent;
  if (transparent || count == 0 || solid < 1) palette.push_back(0);
  if (count == 0 || solid < 1) return palette;
  if (exact && count <= solid) {
    for (const Sample &sample : samples) palette.push_back(sample.pixel);
    return palette;
  }
  const int wanted = std::min(cells, solid);
  samples.shrink_to_fit();
  cuts.resize(std::max(0, cells - 1));
  cuts.shrink_to_fit();
  Chooser *chooser = chooser_open(samples.data(), count, cuts.data(), wanted);
  if (!chooser) return {};
  for (int round = 0; round < 3; round++) chooser_refine(chooser);
  const uint32_t *colors = chooser_settle(chooser, exact);
  palette.insert(palette.end(), colors, colors + wanted);
  chooser_close(chooser);
  return palette;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  Input input(data, size);
  host::Account account;
  host::choose_limit(input);
  const int width = input.number(1, 200), bands = input.number(1, 3);
  const bool sharp = input.flag(), animated = input.flag();
  const int most = input.number(1, 256), rows = input.number<int>(1, WINDOW_ROWS);
  const float strength = input.ConsumeFloatingPointInRange(0.0f, 1.0f);
  const float coherence = input.ConsumeFloatingPointInRange(0.0f, 1.0f);
  const uint32_t mixed = input.flag() ? 2654435761u : 0;
  const Bytes bytes = input.ConsumeRemainingBytes<uint8_t>();
  const auto fill = [&](uint32_t *window, int band) {
    for (int i = 0; i < width * rows; i++) {
      const uint32_t at = band * width * rows + i;
      window[i] = bytes.size() < 4 ? at * 2654435761u : (at * mixed) & 0x3f3f3f3f;
      for (int k = 0; bytes.size() >= 4 && k < 4; k++) window[i] ^= (uint32_t)bytes[(at * 4 + k) % bytes.size()] << 8 * k;
    }
  };
  Histogram *histogram = histogram_open(width, sharp);
  if (!histogram) return 0;
  for (int band = 0; band < bands; band++) {
    fill(histogram_window(histogram), band);
    histogram_add(histogram, rows);
  }
  const std::vector<uint32_t> palette = palette_of(histogram, most);
  histogram_close(histogram);
  if (palette.empty() || palette.size() > 256) return 0;
  std::vector<float> places(palette.size() * 3);
  coordinates(palette.data(), (int)palette.size(), places.data());
  Remapper *remapper = remapper_open(width, animated ? rows * bands : 0, sharp, strength, coherence);
  if (!remapper) return 0;
  std::copy(palette.begin(), palette.end(), remapper_palette(remapper));
  remapper_set(remapper, (int)palette.size());
  for (int frame = 0; frame < (animated ? 2 : 1); frame++) {
    if (frame > 0) remapper_restart(remapper);
    for (int band = 0; band < bands; band++) {
      fill(remapper_window(remapper), band + frame);
      remapper_map(remapper, rows);
      for (int i = 0; i < width * rows; i++)
        if (remapper_indices(remapper)[i] >= palette.size()) host::wrong("an index without a color");
      remapper_paint(remapper, rows);
    }
  }
  remapper_close(remapper);
  return 0;
}
