// Decodes AV1 stills with dav1d and draws them into a band of RGBA rows.
#include <stdlib.h>
#include <string.h>

#include "../native.h"
#include "dav1d/dav1d.h"
#include "planes.h"

typedef struct {
  int width, rows;
  uint8_t *band;
  void *scratch;
} Canvas;

typedef struct {
  Planes planes;
  Dav1dPicture decoded;
} Picture;

Canvas *EXPORT(canvas_open)(int width, int rows) {
  Canvas *const canvas = calloc(1, sizeof *canvas);
  if (canvas == NULL) return NULL;
  canvas->width = width;
  canvas->rows = rows;
  canvas->band = malloc((size_t)width * rows * 4);
  canvas->scratch = malloc(planes_scratch(width));
  if (canvas->band != NULL && canvas->scratch != NULL) return canvas;
  free(canvas->band);
  free(canvas->scratch);
  free(canvas);
  return NULL;
}

uint8_t *EXPORT(canvas_band)(Canvas *canvas) { return canvas->band; }

void EXPORT(canvas_close)(Canvas *canvas) {
  free(canvas->band);
  free(canvas->scratch);
  free(canvas);
}

void EXPORT(picture_close)(Picture *picture) {
  if (picture->decoded.data[0] != NULL) dav1d_picture_unref(&picture->decoded);
  free(picture);
}

static void free_data(const uint8_t *data, void *cookie) {
  (void)cookie;
  free((void *)data);
}

// The first picture of the sequence in `bytes`, which are freed. Returns 0 or an error of dav1d's.
static int decode(Dav1dContext *context, uint8_t *bytes, size_t size, Dav1dPicture *picture) {
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
  } while (result == DAV1D_ERR(EAGAIN) && data.sz > 0);
  if (data.sz > 0) dav1d_data_unref(&data);
  return result;
}

static void describe(Picture *picture) {
  static const int LAYOUTS[] = {PLANES_GRAY, PLANES_420, PLANES_422, PLANES_444};
  const Dav1dPicture *const decoded = &picture->decoded;
  const Dav1dSequenceHeader *const sequence = decoded->seq_hdr;
  Planes *const planes = &picture->planes;
  planes->width = decoded->p.w;
  planes->height = decoded->p.h;
  planes->bits = decoded->p.bpc;
  planes->layout = LAYOUTS[decoded->p.layout];
  planes->matrix = sequence->mtrx;
  planes->full_range = sequence->color_range;
  planes->left = sequence->chr == DAV1D_CHR_VERTICAL || sequence->chr == DAV1D_CHR_COLOCATED;
  for (int p = 0; p < 3; p++) {
    planes->plane[p] = decoded->data[p];
    planes->stride[p] = decoded->stride[p > 0] / (planes->bits > 8 ? 2 : 1);
  }
}

// Decodes the picture of `size` bytes from malloc, which are freed. It must have `width` x `height` pixels of `bits`.
// Returns NULL where memory does not suffice.
Picture *EXPORT(picture_decode)(uint8_t *bytes, size_t size, int width, int height, int bits, unsigned most_pixels,
                                int operating_point) {
  Dav1dSettings settings;
  dav1d_default_settings(&settings);
  settings.n_threads = 1;
  settings.max_frame_delay = 1;
  settings.all_layers = 0;
  settings.operating_point = operating_point;
  settings.frame_size_limit = most_pixels;
  Dav1dContext *context = NULL;
  Picture *const picture = calloc(1, sizeof *picture);
  if (picture == NULL || dav1d_open(&context, &settings) < 0) {
    free(bytes);
    free(picture);
    return NULL;
  }
  const int result = decode(context, bytes, size, &picture->decoded);
  dav1d_close(&context);
  const Dav1dPictureParameters *const made = &picture->decoded.p;
  if (result == 0 && made->w == width && made->h == height && made->bpc == bits) {
    describe(picture);
    return picture;
  }
  picture_close(picture);
  if (result == DAV1D_ERR(ENOMEM)) return NULL;
  fail("the bitstream is damaged");
}

// What the container says of the samples.
void EXPORT(picture_colors)(Picture *picture, int matrix, int full_range) {
  picture->planes.matrix = matrix;
  picture->planes.full_range = full_range;
}

void EXPORT(picture_draw)(Picture *picture, Canvas *canvas, int x, int y, int width, int rows, int to_x) {
  planes_draw(&picture->planes, x, y, width, rows, canvas->band + (size_t)to_x * 4, (size_t)canvas->width * 4,
              canvas->scratch);
}

void EXPORT(picture_draw_alpha)(Picture *picture, Canvas *canvas, int x, int y, int width, int rows, int to_x) {
  planes_draw_alpha(&picture->planes, x, y, width, rows, canvas->band + (size_t)to_x * 4, (size_t)canvas->width * 4);
}

void EXPORT(canvas_unpremultiply)(Canvas *canvas, int rows) {
  planes_unpremultiply(canvas->band, (size_t)canvas->width * rows);
}
