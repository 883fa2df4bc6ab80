#include "store.h"
#include <stdlib.h>
#include <string.h>
#include "packed.h"

// A reduced picture may show more of its chroma, which is often stored at half the size. Above this size the highest
// frequencies of that are dropped, as many as it takes, down to what the scale needs of luma.
enum { LARGE_BYTES = 32 << 20 };

static int8_t slots[9][64];

static void make_slots(void) {
  if (slots[0][0]) return;
  for (int kept = 0; kept <= 8; kept++)
    for (int k = 0; k < 64; k++) {
      const int row = natural_position[k] >> 3, column = natural_position[k] & 7;
      slots[kept][k] = row < kept && column < kept ? row * kept + column : -1;
    }
}

static size_t row_bytes(uint32_t width, int kept) {
  return (size_t)width * (sizeof(uint64_t) + sizeof(int16_t) * kept * kept);
}

static size_t choose_kept(j_decompress_ptr jpeg, struct store *store, int most) {
  size_t bytes = 0;
  for (int c = 0; c < store->components; c++) {
    const jpeg_component_info *info = &jpeg->comp_info[c];
    struct store_component *component = &store->component[c];
    component->width = (info->width_in_blocks + info->h_samp_factor - 1) / info->h_samp_factor * info->h_samp_factor;
    component->height = (info->height_in_blocks + info->v_samp_factor - 1) / info->v_samp_factor * info->v_samp_factor;
    component->kept = info->DCT_scaled_size < most ? info->DCT_scaled_size : most;
    bytes += component->height * row_bytes(component->width, component->kept);
  }
  return bytes;
}

const int8_t *store_slots(const struct store_component *component, uint32_t row) {
  return slots[component->values[row] ? component->kept : 0];
}

void store_allocate(j_decompress_ptr jpeg, struct store *store) {
  make_slots();
  store->components = jpeg->num_components;
  int most = DCTSIZE;
  store->bytes = choose_kept(jpeg, store, most);
  while (store->bytes > LARGE_BYTES && most > jpeg->min_DCT_scaled_size) store->bytes = choose_kept(jpeg, store, --most);
  for (int c = 0; c < store->components; c++) {
    struct store_component *component = &store->component[c];
    component->maps = allocate(component->height * sizeof *component->maps);
    component->values = allocate(component->height * sizeof *component->values);
  }
}

void store_open_rows(j_decompress_ptr jpeg, struct store *store, int c, uint32_t unit) {
  struct store_component *component = &store->component[c];
  const uint32_t v = jpeg->comp_info[c].v_samp_factor;
  const int wanted = !store->window_end || (unit >= store->window_first && unit < store->window_end &&
                                            (unit - store->window_first) % store->window_step == 0);
  for (uint32_t row = unit * v; row < (unit + 1) * v && row < component->height; row++) {
    if (component->maps[row]) continue;
    component->maps[row] = allocate(row_bytes(component->width, wanted ? component->kept : 0));
    if (wanted) component->values[row] = (int16_t *)(component->maps[row] + component->width);
  }
}

size_t store_full_bytes(j_decompress_ptr jpeg) {
  size_t bytes = 0;
  for (int c = 0; c < jpeg->num_components; c++) {
    const jpeg_component_info *info = &jpeg->comp_info[c];
    bytes += (size_t)info->height_in_blocks * row_bytes(info->width_in_blocks, DCTSIZE);
  }
  return bytes;
}

void store_free_row(struct store_component *component, uint32_t row) {
  free(component->maps[row]);
  component->maps[row] = NULL;
}

void store_free(struct store *store) {
  for (int c = 0; c < store->components; c++) {
    struct store_component *component = &store->component[c];
    for (uint32_t row = 0; component->maps && row < component->height; row++) free(component->maps[row]);
    free(component->maps);
    free(component->values);
  }
  memset(store->component, 0, sizeof store->component);
}

void store_expand(const struct store_component *component, uint32_t row, uint32_t x, int16_t *block) {
  const int kept = component->kept;
  memset(block, 0, 64 * sizeof *block);
  if (!component->values[row]) return;
  const int16_t *values = component->values[row] + (size_t)x * kept * kept;
  for (int y = 0; y < kept; y++) memcpy(block + 8 * y, values + kept * y, kept * sizeof *values);
}
