// Areas of a codestream (ITU-T T.800, annex A) as pixels. Every area is decoded on its own, from the bytes: what is
// held is in proportion to the area and not to the picture.
#include "codec.h"

enum { STREAM_BYTES = 1 << 16 };

struct reader {
  int source;
  uint32_t size, position;
  uint32_t reduce;
  struct layout layout;
  opj_stream_t *stream;
  opj_j2k_t *codec;
  opj_image_t *image;
  uint32_t *band;
  // Alpha of the band where its pixels have four inks; NULL otherwise.
  uint8_t *alpha;
};

static OPJ_SIZE_T read_bytes(void *to, OPJ_SIZE_T length, void *data) {
  struct reader *reader = data;
  if (reader->position >= reader->size) return (OPJ_SIZE_T)-1;
  const uint32_t read = pull(reader->source, reader->position, to, (uint32_t)length);
  reader->position += read;
  return read ? read : (OPJ_SIZE_T)-1;
}

static OPJ_OFF_T skip_bytes(OPJ_OFF_T count, void *data) {
  struct reader *reader = data;
  const uint32_t left = reader->size - reader->position;
  if (count < 0 || left == 0) return -1;
  if (count > left) count = left;
  reader->position += (uint32_t)count;
  return count;
}

static OPJ_BOOL seek_bytes(OPJ_OFF_T position, void *data) {
  struct reader *reader = data;
  if (position < 0 || position > reader->size) return OPJ_FALSE;
  reader->position = (uint32_t)position;
  return OPJ_TRUE;
}

static void leave_area(struct reader *reader) {
  if (reader->image) opj_image_destroy(reader->image);
  if (reader->codec) opj_j2k_destroy(reader->codec);
  if (reader->stream) opj_stream_destroy(reader->stream);
  reader->image = NULL;
  reader->codec = NULL;
  reader->stream = NULL;
}

static void enter(struct reader *reader) {
  reader->position = 0;
  reader->stream = opj_stream_create(STREAM_BYTES, OPJ_TRUE);
  reader->codec = opj_j2k_create_decompress();
  if (!reader->stream || !reader->codec) fail("out of memory");
  opj_stream_set_read_function(reader->stream, read_bytes);
  opj_stream_set_skip_function(reader->stream, skip_bytes);
  opj_stream_set_seek_function(reader->stream, seek_bytes);
  opj_stream_set_user_data(reader->stream, reader, NULL);
  opj_stream_set_user_data_length(reader->stream, reader->size);
  opj_dparameters_t parameters = {.cp_reduce = reader->reduce};
  opj_j2k_setup_decoder(reader->codec, &parameters);
  // A decoder is strict from its creation on. Asking it to be would end its correction of numbers of tile parts.
}

// Whether every component that the layout names has samples.
static int is_complete(const struct reader *reader) {
  const struct layout *layout = &reader->layout;
  for (uint32_t c = 0; c < layout->channels + (layout->alpha != ALPHA_NONE); c++) {
    const uint32_t component = layout->component[c];
    if (component >= reader->image->numcomps) return 0;
    const opj_image_comp_t *found = &reader->image->comps[component];
    if (!found->data || found->w == 0 || found->h == 0) return 0;
  }
  return 1;
}

struct reader *EXPORT(reader_new)(int source, uint32_t size, uint32_t reduce) {
  struct reader *reader = calloc(1, sizeof *reader);
  if (!reader) return NULL;
  reader->source = source;
  reader->size = size;
  reader->reduce = reduce;
  return reader;
}

// Where decoder.ts writes how components become pixels.
struct layout *EXPORT(reader_layout)(struct reader *reader) { return &reader->layout; }

// Room for `pixels` pixels, which the next areas are written to.
uint32_t *EXPORT(reader_band)(struct reader *reader, uint32_t pixels) {
  free(reader->band);
  free(reader->alpha);
  reader->alpha = NULL;
  reader->band = malloc((size_t)pixels * 4);
  if (!reader->band) fail("out of memory");
  if (has_alpha_apart(&reader->layout)) {
    reader->alpha = malloc(pixels);
    if (!reader->alpha) fail("out of memory");
  }
  return reader->band;
}

// Where the alpha of the band is, one byte a pixel, if the pixels are four inks.
uint8_t *EXPORT(reader_alpha)(struct reader *reader) { return reader->alpha; }

// Decodes what lies in x0, y0 to x1, y1 of the reference grid and writes the pixels from `left`, `top` to `right`,
// `bottom` to the band, from its pixel `at` on. Pauses.
void EXPORT(reader_area)(struct reader *reader, uint32_t x0, uint32_t y0, uint32_t x1, uint32_t y1, uint32_t left,
                         uint32_t top, uint32_t right, uint32_t bottom, uint32_t at, uint32_t stride) {
  enter(reader);
  opj_stream_private_t *stream = (opj_stream_private_t *)reader->stream;
  if (!opj_j2k_read_header(stream, reader->codec, &reader->image, &events)) fail("damaged header");
  if (!opj_j2k_set_decode_area(reader->codec, reader->image, (OPJ_INT32)x0, (OPJ_INT32)y0, (OPJ_INT32)x1, (OPJ_INT32)y1,
                               &events))
    fail("no such area");
  packet_was_missing();
  if (!opj_j2k_decode(reader->codec, stream, reader->image, &events)) fail("damaged codestream");
  if (packet_was_missing()) fail("missing packets");
  // Only the samples are needed from here on.
  opj_j2k_destroy(reader->codec);
  reader->codec = NULL;
  if (!is_complete(reader)) fail("missing components");
  convert_area(&reader->layout, reader->image, reader->reduce, (struct area){left, top, right, bottom}, reader->band + at,
               reader->alpha ? reader->alpha + at : NULL, stride);
  leave_area(reader);
}

void EXPORT(reader_close)(struct reader *reader) {
  leave_area(reader);
  free(reader->band);
  free(reader->alpha);
  free(reader);
}
