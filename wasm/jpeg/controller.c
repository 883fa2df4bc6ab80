// libjpeg's coefficient controller for files of several scans, over the compact store; single scans are libjpeg's own.
#define JPEG_INTERNALS
#include "jinclude.h"
#include "native.h"
#include "jerror.h"
#include "packed.h"
#include "reader.h"
#include "store.h"

// libjpeg-turbo's own controllers; the recipe renames them.
void turbo_d_coef_controller(j_decompress_ptr jpeg, boolean need_full_buffer);
void turbo12_d_coef_controller(j_decompress_ptr jpeg, boolean need_full_buffer);

struct controller {
  struct jpeg_d_coef_controller pub;
  JBLOCK blocks[D_MAX_BLOCKS_IN_MCU];
  JBLOCKROW pointers[D_MAX_BLOCKS_IN_MCU];
  JBLOCKARRAY bands[MAX_COMPONENTS];  // one row of interleaved MCUs, when rows are taken rather than stored
};

static void start_input(j_decompress_ptr jpeg) { jpeg->input_iMCU_row = 0; }
static void start_output(j_decompress_ptr jpeg) { jpeg->output_iMCU_row = 0; }

// Rows of MCUs of this scan that make up one row of interleaved MCUs.
static uint32_t unit_rows(j_decompress_ptr jpeg) {
  if (jpeg->comps_in_scan > 1) return 1;
  const jpeg_component_info *component = jpeg->cur_comp_info[0];
  return jpeg->input_iMCU_row + 1 < jpeg->total_iMCU_rows ? component->v_samp_factor : component->last_row_height;
}

// Coefficients that were dropped are only known not to be zero, which is all that later scans ask of them.
static void load_block(const struct store_component *component, uint32_t row, uint32_t x, JCOEF *block) {
  const int8_t *slots = store_slots(component, row);
  store_expand(component, row, x, block);
  for (uint64_t left = component->maps[row][x]; left; left &= left - 1) {
    const int k = __builtin_ctzll(left);
    if (slots[k] < 0) block[natural_position[k]] = 1;
  }
}

static void save_block(struct store_component *component, uint32_t row, uint32_t x, const JCOEF *block) {
  int16_t *values = component->values[row] + (size_t)x * component->kept * component->kept;
  const int8_t *slots = store_slots(component, row);
  uint64_t map = 0;
  for (int k = 0; k < DCTSIZE2; k++) {
    const int value = block[natural_position[k]];
    map |= (uint64_t)(value != 0) << k;
    if (slots[k] >= 0) values[slots[k]] = value;
  }
  component->maps[row][x] = map;
}

// One MCU by any of libjpeg's entropy decoders: arithmetic coding, or sequential scans of single components.
static void decode_unit(j_decompress_ptr jpeg, uint32_t column, uint32_t row_in_unit) {
  struct controller *controller = (struct controller *)jpeg->coef;
  for (int pass = 0; pass < 2; pass++) {
    int block = 0;
    for (int i = 0; i < jpeg->comps_in_scan; i++) {
      const jpeg_component_info *info = jpeg->cur_comp_info[i];
      struct store_component *component = &store_of(jpeg)->component[info->component_index];
      for (int v = 0; v < info->MCU_height; v++)
        for (int h = 0; h < info->MCU_width; h++, block++) {
          const uint32_t row = jpeg->input_iMCU_row * info->v_samp_factor + row_in_unit + v;
          const uint32_t x = column * info->MCU_width + h;
          if (pass == 0) load_block(component, row, x, controller->blocks[block]);
          else save_block(component, row, x, controller->blocks[block]);
        }
    }
    if (pass == 0) jpeg->entropy->decode_mcu(jpeg, controller->pointers);
  }
}

// One row of interleaved MCUs of a single scan, handed on row of blocks by row of blocks.
static void take_rows(j_decompress_ptr jpeg, uint32_t rows) {
  struct controller *controller = (struct controller *)jpeg->coef;
  const struct store *store = store_of(jpeg);
  for (uint32_t row = 0; row < rows; row++)
    for (uint32_t x = 0; x < jpeg->MCUs_per_row; x++) {
      int block = 0;
      for (int i = 0; i < jpeg->comps_in_scan; i++) {
        const jpeg_component_info *info = jpeg->cur_comp_info[i];
        for (int v = 0; v < info->MCU_height; v++)
          for (int h = 0; h < info->MCU_width; h++, block++) {
            controller->pointers[block] = &controller->bands[info->component_index][row + v][x * info->MCU_width + h];
            memset(controller->pointers[block], 0, sizeof(JBLOCK));
          }
      }
      jpeg->entropy->decode_mcu(jpeg, controller->pointers);
    }
  for (int c = 0; c < jpeg->num_components; c++) {
    const jpeg_component_info *info = &jpeg->comp_info[c];
    for (int v = 0; v < info->v_samp_factor; v++) {
      const uint32_t row = jpeg->input_iMCU_row * info->v_samp_factor + v;
      if (row < info->height_in_blocks) store->take_row(store->taker, c, row, controller->bands[c][v][0]);
    }
  }
  store->end_unit(store->taker, jpeg->input_iMCU_row);
}

// Suspended between two rows of MCUs, reading goes on as if it had not been.
static int consume_data(j_decompress_ptr jpeg) {
  const uint32_t rows = unit_rows(jpeg);
  if (store_of(jpeg)->blocks_left <= 0) return JPEG_SUSPENDED;
  store_of(jpeg)->blocks_left -= rows * jpeg->MCUs_per_row * jpeg->blocks_in_MCU;
  const int taking = ((struct controller *)jpeg->coef)->bands[0] != NULL;
  for (int i = 0; !taking && i < jpeg->comps_in_scan; i++)
    store_open_rows(jpeg, store_of(jpeg), jpeg->cur_comp_info[i]->component_index, jpeg->input_iMCU_row);
  if (taking) {
    take_rows(jpeg, rows);
  } else if (jpeg->progressive_mode && !jpeg->arith_code) {
    progressive_decode_row(jpeg, rows);
  } else {
    for (uint32_t row = 0; row < rows; row++)
      for (uint32_t x = 0; x < jpeg->MCUs_per_row; x++) decode_unit(jpeg, x, row);
  }
  if (++jpeg->input_iMCU_row < jpeg->total_iMCU_rows) return JPEG_ROW_COMPLETED;
  if (!jpeg->arith_code) reader_tell_discarded(jpeg);
  jpeg->inputctl->finish_input_pass(jpeg);
  return JPEG_SCAN_COMPLETED;
}

static void transform_row(j_decompress_ptr jpeg, int c, uint32_t row, void *output_rows) {
  jpeg_component_info *info = &jpeg->comp_info[c];
  const struct store_component *component = &store_of(jpeg)->component[c];
  JBLOCK expanded;
  uint32_t column = 0;
  const int missing = !component->values[row];
  if (missing && !store_of(jpeg)->shows_missing) fail("rows of a component are missing");
  for (uint32_t x = jpeg->master->first_MCU_col[c]; x <= jpeg->master->last_MCU_col[c]; x++) {
    JCOEF *block = expanded;
    if (component->kept == DCTSIZE && !missing) block = component->values[row] + (size_t)x * DCTSIZE2;
    else store_expand(component, row, x, expanded);
    if (jpeg->data_precision == 12) jpeg->idct->inverse_DCT_12[c](jpeg, info, block, output_rows, column);
    else jpeg->idct->inverse_DCT[c](jpeg, info, block, output_rows, column);
    column += info->DCT_scaled_size;
  }
}

// One row of interleaved MCUs from the store to samples; `planes` are of 8 or of 12 bits alike.
static int decompress_data(j_decompress_ptr jpeg, void ***planes) {
  for (int c = 0; c < jpeg->num_components; c++) {
    const jpeg_component_info *info = &jpeg->comp_info[c];
    if (!info->component_needed) continue;
    for (int v = 0; v < info->v_samp_factor; v++) {
      const uint32_t row = jpeg->output_iMCU_row * info->v_samp_factor + v;
      if (row < info->height_in_blocks) transform_row(jpeg, c, row, planes[c] + v * info->DCT_scaled_size);
    }
  }
  return ++jpeg->output_iMCU_row < jpeg->total_iMCU_rows ? JPEG_ROW_COMPLETED : JPEG_SCAN_COMPLETED;
}

static int decompress_data_8(j_decompress_ptr jpeg, JSAMPIMAGE planes) {
  return decompress_data(jpeg, (void ***)planes);
}

static int decompress_data_12(j_decompress_ptr jpeg, J12SAMPIMAGE planes) {
  return decompress_data(jpeg, (void ***)planes);
}

static void allocate_bands(j_decompress_ptr jpeg, struct controller *controller) {
  for (int c = 0; c < jpeg->num_components; c++) {
    const jpeg_component_info *info = &jpeg->comp_info[c];
    const JDIMENSION width = (info->width_in_blocks + info->h_samp_factor - 1) / info->h_samp_factor * info->h_samp_factor;
    controller->bands[c] = jpeg->mem->alloc_barray((j_common_ptr)jpeg, JPOOL_IMAGE, width, info->v_samp_factor);
  }
}

static void make_controller(j_decompress_ptr jpeg) {
  struct controller *controller = jpeg->mem->alloc_small((j_common_ptr)jpeg, JPOOL_IMAGE, sizeof *controller);
  memset(controller, 0, sizeof *controller);
  for (int i = 0; i < D_MAX_BLOCKS_IN_MCU; i++) controller->pointers[i] = &controller->blocks[i];
  controller->pub.start_input_pass = start_input;
  controller->pub.consume_data = consume_data;
  controller->pub.start_output_pass = start_output;
  controller->pub.decompress_data = decompress_data_8;
  controller->pub.decompress_data_12 = decompress_data_12;
  jpeg->coef = &controller->pub;
  if (store_of(jpeg)->take_row && !jpeg->inputctl->has_multiple_scans) allocate_bands(jpeg, controller);
  else store_allocate(jpeg, store_of(jpeg));
}

// libjpeg scales all components to one size, at which they make pixels. Planes have sizes of their own.
static void choose_sizes(j_decompress_ptr jpeg) {
  for (int c = 0; c < jpeg->num_components; c++) {
    const int size = store_of(jpeg)->scaled_size[c];
    jpeg_component_info *info = &jpeg->comp_info[c];
    if (!size) continue;
    info->DCT_scaled_size = size;
    info->downsampled_width = jdiv_round_up((long)jpeg->image_width * info->h_samp_factor * size,
                                            jpeg->max_h_samp_factor * DCTSIZE);
    info->downsampled_height = jdiv_round_up((long)jpeg->image_height * info->v_samp_factor * size,
                                             jpeg->max_v_samp_factor * DCTSIZE);
  }
}

void jinit_d_coef_controller(j_decompress_ptr jpeg, boolean need_full_buffer) {
  choose_sizes(jpeg);
  if (need_full_buffer) make_controller(jpeg);
  else turbo_d_coef_controller(jpeg, FALSE);
}

void j12init_d_coef_controller(j_decompress_ptr jpeg, boolean need_full_buffer) {
  if (need_full_buffer) make_controller(jpeg);
  else turbo12_d_coef_controller(jpeg, FALSE);
}
