// Input for libjpeg: the host copies the next piece of the file into a small buffer whenever it runs dry, so neither
// suspension nor the whole file in linear memory is needed.
#define JPEG_INTERNALS
#include "jinclude.h"
#include "native.h"
#include "jerror.h"

static void begin(j_decompress_ptr jpeg) { (void)jpeg; }

static boolean fill(j_decompress_ptr jpeg) {
  struct input *input = (struct input *)jpeg->src;
  size_t length = input->ended ? 0 : pull(input->source, input->buffer, INPUT_BYTES);
  if (length == 0) {
    // libjpeg's convention for a missing end. Entropy decoders complain if they needed more data.
    input->ended = 1;
    input->buffer[0] = 0xFF;
    input->buffer[1] = JPEG_EOI;
    length = 2;
  }
  input->manager.next_input_byte = input->buffer;
  input->manager.bytes_in_buffer = length;
  return TRUE;
}

static void skip(j_decompress_ptr jpeg, long count) {
  struct jpeg_source_mgr *manager = jpeg->src;
  while (count > (long)manager->bytes_in_buffer) {
    count -= (long)manager->bytes_in_buffer;
    fill(jpeg);
    if (((struct input *)manager)->ended) return;
  }
  if (count > 0) {
    manager->next_input_byte += count;
    manager->bytes_in_buffer -= count;
  }
}

void input_attach(j_decompress_ptr jpeg, struct input *input, int source) {
  input->source = source;
  input->manager.init_source = begin;
  input->manager.fill_input_buffer = fill;
  input->manager.skip_input_data = skip;
  input->manager.resync_to_restart = jpeg_resync_to_restart;
  input->manager.term_source = begin;
  jpeg->src = &input->manager;
}

void input_require_complete(j_decompress_ptr jpeg, const struct input *input) {
  if (!input->ended) return;
  // Arithmetic data may end early by rule: only the missing marker tells.
  if (jpeg->arith_code) ERREXIT(jpeg, JERR_INPUT_EOF);
  if (!jpeg->coef_bits) return;
  for (int c = 0; c < jpeg->num_components; c++)
    for (int k = 0; k < DCTSIZE2; k++)
      if (jpeg->coef_bits[c][k] != 0) ERREXIT(jpeg, JERR_INPUT_EOF);
}

void require_components(j_decompress_ptr jpeg) {
  if (jpeg->master->lossless) return;
  for (int c = 0; c < jpeg->num_components; c++)
    if (!jpeg->comp_info[c].quant_table) fail("a component is missing");
}
