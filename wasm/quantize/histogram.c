// Counts the colors of a picture while its rows pass, in bounded memory: exactly while they are few, then with ever
// fewer bits of each channel, every bin keeping the mean of what fell into it.
#include "histogram.h"

enum { SLOTS = 1 << 17 };

struct Histogram {
  Bin bin[MOST_BINS];
  int bins, shift;
  int sharp;        // alpha is all or nothing
  int transparent;  // some pixel is fully transparent
  uint32_t slot[SLOTS];  // 1 + the bin
  int width;
  uint32_t *window;
};

enum { WINDOW_ROWS = 16 };

void EXPORT(histogram_close)(Histogram *h) {
  if (!h) return;
  free(h->window);
  free(h);
}

// For rows of `width` pixels. `sharp`: alpha counts as all or nothing. 0 when memory does not suffice.
Histogram *EXPORT(histogram_open)(int width, int sharp) {
  space_init();
  Histogram *const h = calloc(1, sizeof *h);
  if (!h) return NULL;
  h->width = width;
  h->sharp = sharp;
  h->window = malloc((size_t)width * 4 * WINDOW_ROWS);
  if (h->window) return h;
  histogram_close(h);
  return NULL;
}

uint32_t *EXPORT(histogram_window)(Histogram *h) { return h->window; }
int EXPORT(histogram_transparent)(const Histogram *h) { return h->transparent; }
// How many colors there are besides full transparency, or -1 when they were too many to be told apart.
int EXPORT(histogram_colors)(const Histogram *h) { return h->shift == 0 ? h->bins : -1; }

int histogram_bins(const Histogram *h, Bin const **bin) {
  *bin = h->bin;
  return h->bins;
}

static uint32_t slot_of(const Histogram *h, uint32_t key) {
  uint32_t at = key * 2654435761u >> 15;
  while (h->slot[at] && h->bin[h->slot[at] - 1].key != key) at = (at + 1) & (SLOTS - 1);
  return at;
}

static uint32_t key_of(const Histogram *h, uint32_t pixel) {
  const uint32_t mask = (0xffu >> h->shift) * 0x01010101u;
  return pixel >> h->shift & mask;
}

// One bit less of every channel.
static void coarsen(Histogram *h) {
  const int bins = h->bins;
  h->shift++;
  h->bins = 0;
  memset(h->slot, 0, sizeof h->slot);
  for (int i = 0; i < bins; i++) {
    const Bin old = h->bin[i];
    const uint32_t key = old.key >> 1 & (0xffu >> h->shift) * 0x01010101u;
    const uint32_t at = slot_of(h, key);
    if (!h->slot[at]) {
      h->bin[h->bins] = (Bin){.key = key};
      h->slot[at] = (uint32_t)++h->bins;
    }
    Bin *const bin = &h->bin[h->slot[at] - 1];
    for (int c = 0; c < 4; c++) bin->sum[c] += old.sum[c];
    bin->weight += old.weight;
  }
}

static void count_pixel(Histogram *h, uint32_t pixel, float weight) {
  uint32_t at = slot_of(h, key_of(h, pixel));
  if (!h->slot[at]) {
    while (h->bins == MOST_BINS) coarsen(h);
    at = slot_of(h, key_of(h, pixel));
    if (!h->slot[at]) {
      h->bin[h->bins] = (Bin){.key = key_of(h, pixel)};
      h->slot[at] = (uint32_t)++h->bins;
    }
  }
  Bin *const bin = &h->bin[h->slot[at] - 1];
  for (int c = 0; c < 4; c++) bin->sum[c] += weight * (float)(pixel >> 8 * c & 255);
  bin->weight += weight;
}

// Counts the first rows of the window.
void EXPORT(histogram_add)(Histogram *h, int rows) {
  const size_t count = (size_t)rows * h->width;
  uint32_t *const pixel = h->window;
  for (size_t i = 0; h->sharp && i < count; i++) pixel[i] = pixel[i] >> 31 ? pixel[i] | 0xff000000u : 0;
  for (size_t i = 0, run = 1; i < count; i += run, run = 1) {
    while (i + run < count && pixel[i + run] == pixel[i]) run++;
    if (pixel[i] >> 24 == 0) h->transparent = 1;
    else count_pixel(h, pixel[i], (float)run);
  }
}
