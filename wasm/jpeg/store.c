#include "store.h"
#include <stdlib.h>
#include <string.h>
#include "packed.h"

// Above this size chroma, too, keeps no more than the scale needs of luma.
enum { LARGE_BYTES = 40 << 20 };

static int8_t slots[9][64];

static void make_slots(void) {
  if (slots[1][1]) return;
  for (int kept = 1; kept <= 8; kept++)
    for (int k = 0; k < 64; k++) {
      const int row = natural_position[k] >> 3, column = natural_position[k] & 7;
      slots[kept][k] = row < kept && column < kept ? row * kept + column : -1;
    }
}

static size_t row_bytes(uint32_t width, int kept) {
  return (size_t)width * (sizeof(uint64_t) + sizeof(int16_t) * kept * kept);
}

static size_t choose_kept(j_decompress_ptr jpeg, struct store *store, int least) {
  size_t bytes = 0;
  for (int c = 0; c < store->components; c++) {
    const jpeg_component_info *info = &jpeg->comp_info[c];
    struct store_component *component = &store->component[c];
    component->width = (info->width_in_blocks + info->h_samp_factor - 1) / info->h_samp_factor * info->h_samp_factor;
    component->height = (info->height_in_blocks + info->v_samp_factor - 1) / info->v_samp_factor * info->v_samp_factor;
    component->kept = least ? jpeg->min_DCT_scaled_size : info->DCT_scaled_size;
    if (component->kept > 8) component->kept = 8;
    component->slot = slots[component->kept];
    bytes += component->height * row_bytes(component->width, component->kept);
  }
  return bytes;
}

void store_allocate(j_decompress_ptr jpeg, struct store *store) {
  make_slots();
  store->components = jpeg->num_components;
  store->bytes = choose_kept(jpeg, store, 0);
  if (store->bytes > LARGE_BYTES) store->bytes = choose_kept(jpeg, store, 1);
  for (int c = 0; c < store->components; c++) {
    struct store_component *component = &store->component[c];
    component->maps = allocate(component->height * sizeof *component->maps);
    component->values = allocate(component->height * sizeof *component->values);
    for (uint32_t row = 0; row < component->height; row++) {
      component->maps[row] = allocate(row_bytes(component->width, component->kept));
      component->values[row] = (int16_t *)(component->maps[row] + component->width);
    }
  }
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
}

void store_expand(const struct store_component *component, uint32_t row, uint32_t x, int16_t *block) {
  const int kept = component->kept;
  const int16_t *values = component->values[row] + (size_t)x * kept * kept;
  memset(block, 0, 64 * sizeof *block);
  for (int y = 0; y < kept; y++) memcpy(block + 8 * y, values + kept * y, kept * sizeof *values);
}
