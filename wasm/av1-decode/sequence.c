// Decodes AV1 pictures one after the other with dav1d, which keeps those that later ones are predicted from.
#include "sequence.h"

#include <errno.h>
#include <stdlib.h>

#include "../native.h"
#include "rows.h"

struct Sequence {
  Dav1dContext *context;
  int width, height, bits;
  int layer;  // spatial; -1: the last one of the operating point
  Rows rows;
};

void EXPORT(sequence_close)(Sequence *sequence) {
  rows_end(&sequence->rows);
  if (sequence->context != NULL) dav1d_close(&sequence->context);
  free(sequence);
}

Sequence *EXPORT(sequence_open)(int width, int height, int bits, unsigned most_pixels, int operating_point) {
  Dav1dSettings settings;
  dav1d_default_settings(&settings);
  settings.n_threads = 1;
  settings.max_frame_delay = 1;
  settings.all_layers = 0;
  settings.operating_point = operating_point;
  settings.frame_size_limit = most_pixels;
  Sequence *const sequence = calloc(1, sizeof *sequence);
  if (sequence == NULL) return NULL;
  settings.allocator = rows_allocator(&sequence->rows);
  if (dav1d_open(&sequence->context, &settings) < 0) {
    sequence->context = NULL;
    sequence_close(sequence);
    return NULL;
  }
  sequence->width = width;
  sequence->height = height;
  sequence->bits = bits;
  sequence->layer = -1;
  return sequence;
}

void sequence_select(Sequence *sequence, int layer) {
  sequence->layer = layer;
  // dav1d then gives the pictures of all layers, one after the other.
  sequence->context->all_layers = layer >= 0;
}

void sequence_by_rows(Sequence *sequence) { sequence->rows.asked = 1; }

void EXPORT(picture_close)(Picture *picture) {
  if (picture->decoded.data[0] != NULL) dav1d_picture_unref(&picture->decoded);
  if (picture->sequence != NULL) sequence_close(picture->sequence);
  free(picture);
}

// Decodes the rows from `y` to `y + rows`, 16 at most, if that was not done; rows above are not there any more. May
// pause.
void EXPORT(picture_reach)(Picture *picture, int y, int rows) {
  if (picture->sequence == NULL) return;
  if (!rows_reach(&picture->sequence->rows, &picture->planes, y, rows)) fail("the bitstream is damaged");
}

static void free_data(const uint8_t *data, void *cookie) {
  (void)cookie;
  free((void *)data);
}

// The first picture that is shown of `bytes`, which are freed, or the first of a spatial layer. Returns 0 or an error of dav1d's.
static int decode(Dav1dContext *context, int layer, uint8_t *bytes, size_t size, Dav1dPicture *picture) {
  Dav1dData data = {0};
  int result = dav1d_data_wrap(&data, bytes, size, free_data, NULL);
  if (result < 0) {
    free(bytes);
    return result;
  }
  do {
    result = dav1d_send_data(context, &data);
    if (result < 0 && result != DAV1D_ERR(EAGAIN)) break;
    result = dav1d_get_picture(context, picture);
    while (result == 0 && layer >= 0 && picture->frame_hdr->spatial_id != layer) {
      dav1d_picture_unref(picture);
      result = dav1d_get_picture(context, picture);
    }
  } while (result == DAV1D_ERR(EAGAIN) && data.sz > 0);
  // Nothing where all was taken: bytes of which there were none are not.
  dav1d_data_unref(&data);
  return result;
}

static void describe(Picture *picture) {
  static const int LAYOUTS[] = {PLANES_GRAY, PLANES_420, PLANES_422, PLANES_444};
  const Dav1dPicture *const decoded = &picture->decoded;
  const Dav1dSequenceHeader *const header = decoded->seq_hdr;
  Planes *const planes = &picture->planes;
  planes->width = decoded->p.w;
  planes->height = decoded->p.h;
  planes->bits = decoded->p.bpc;
  planes->layout = LAYOUTS[decoded->p.layout];
  planes->matrix = header->mtrx;
  planes->full_range = header->color_range;
  planes->left = header->chr == DAV1D_CHR_VERTICAL || header->chr == DAV1D_CHR_COLOCATED;
  for (int p = 0; p < 3; p++) {
    planes->plane[p] = decoded->data[p];
    planes->stride[p] = decoded->stride[p > 0] / (planes->bits > 8 ? 2 : 1);
  }
}

int sequence_decode(Sequence *sequence, uint8_t *bytes, size_t size, Picture **picture) {
  *picture = NULL;
  Picture *const next = calloc(1, sizeof *next);
  if (next == NULL) {
    free(bytes);
    return SEQUENCE_FULL;
  }
  const int result = decode(sequence->context, sequence->layer, bytes, size, &next->decoded);
  const Dav1dPictureParameters *const made = &next->decoded.p;
  if (result == 0 && made->w == sequence->width && made->h == sequence->height && made->bpc == sequence->bits) {
    describe(next);
    *picture = next;
    return SEQUENCE_DECODED;
  }
  picture_close(next);
  return result == DAV1D_ERR(ENOMEM) ? SEQUENCE_FULL : SEQUENCE_DAMAGED;
}

// The next picture of a sequence. Returns NULL where memory does not suffice.
Picture *EXPORT(sequence_next)(Sequence *sequence, uint8_t *bytes, size_t size) {
  Picture *picture;
  if (sequence_decode(sequence, bytes, size, &picture) == SEQUENCE_DAMAGED) fail("the bitstream is damaged");
  return picture;
}
