// Decodes still pictures with libde265 and draws them into a band of RGBA rows.
#include <cstdlib>

#include "../native.h"
#include "libde265/de265.h"
#include "libde265/image.h"
#include "planes.h"

extern "C" {
#include "breathe.h"

void heap_limit(size_t bytes);
}

namespace {

struct Canvas {
  int width, rows;
  uint8_t *band;
  void *scratch;
};

// A decoded picture: what stays of libde265's are the planes.
struct Picture {
  Planes planes;
  bool full_alpha;  // samples of alpha have the whole range
  de265_image memory;
};

constexpr int MAX_ROUNDS = 1 << 20;

// What a message beside the pictures says of the levels of alpha. The numbers are shared with decoder.ts.
enum { ALPHA_UNSAID, ALPHA_FULL, ALPHA_LIMITED };

// Takes the planes from a picture of libde265's.
void keep(Picture *picture, de265_image *image) {
  static const int LAYOUTS[] = {PLANES_GRAY, PLANES_420, PLANES_422, PLANES_444};
  const seq_parameter_set& sequence = image->get_sps();
  const video_usability_information& vui = sequence.vui;
  Planes *const planes = &picture->planes;
  planes->width = de265_get_image_width(image, 0);
  planes->height = de265_get_image_height(image, 0);
  planes->bits = de265_get_bits_per_pixel(image, 0);
  planes->layout = LAYOUTS[de265_get_chroma_format(image)];
  planes->matrix = vui.colour_description_present_flag ? vui.matrix_coeffs : 2;
  planes->full_range = vui.video_signal_type_present_flag && vui.video_full_range_flag;
  // Encoders that say nothing of the range write all levels of alpha.
  picture->full_alpha = !vui.video_signal_type_present_flag || vui.video_full_range_flag;
  // Types 0 and 2 of H.265, figure E.1. Encoders that say nothing put chroma in the middle.
  planes->left = vui.chroma_loc_info_present_flag && !(vui.chroma_sample_loc_type_top_field & 1);
  for (int channel = 0; channel < 3; channel++) {
    // The conformance window is counted in samples of chroma.
    const bool luma = channel == 0;
    const ptrdiff_t left = sequence.conf_win_left_offset * (luma ? sequence.SubWidthC : 1);
    const ptrdiff_t top = sequence.conf_win_top_offset * (luma ? sequence.SubHeightC : 1);
    const ptrdiff_t stride = image->get_image_stride(channel);
    const uint8_t *const plane = image->get_image_plane(channel);
    planes->plane[channel] = plane == nullptr ? nullptr : plane + (top * stride + left) * (planes->bits > 8 ? 2 : 1);
    planes->stride[channel] = stride;
  }
  picture->memory.exchange_pixel_data_with(*image);
}

// What copying a byte of data takes, as a share of what reading the data of a pixel takes.
constexpr int COPY_SHARE = 4;
// The last type of unit that is a slice (ITU-T H.265, table 7-1).
constexpr int LAST_SLICE = 31;

// Units of the bitstream, each after its length in four bytes and before a zero. Slices are passed on with their zero:
// if decoding takes it, data is missing.
bool push(de265_decoder_context *decoder, const uint8_t *units, size_t size) {
  while (size > 5) {
    const size_t length = (size_t)units[0] << 24 | units[1] << 16 | units[2] << 8 | units[3];
    if (length > size - 5) return false;
    const bool slice = (units[4] >> 1 & 63) <= LAST_SLICE;
    if (de265_push_NAL(decoder, units + 4, (int)length + (slice ? 1 : 0), 0, nullptr) != DE265_OK) return false;
    breathe((int)length / COPY_SHARE);
    units += 5 + length;
    size -= 5 + length;
  }
  return size == 0 && de265_flush_data(decoder) == DE265_OK;
}

de265_image *first_picture(de265_decoder_context *decoder) {
  int more = 1;
  for (int round = 0; more != 0 && round < MAX_ROUNDS; round++) {
    const de265_error error = de265_decode(decoder, &more);
    while (de265_get_warning(decoder) != DE265_OK) {
    }
    const de265_image *const image = de265_get_next_picture(decoder);
    if (image != nullptr) return const_cast<de265_image *>(image);
    if (error != DE265_OK) return nullptr;
  }
  return nullptr;
}

bool is_whole(const de265_image *image, int width, int height, int bits) {
  const bool gray = de265_get_chroma_format(image) == de265_chroma_mono;
  return de265_get_image_width(image, 0) == width && de265_get_image_height(image, 0) == height &&
         de265_get_bits_per_pixel(image, 0) == bits && (gray || de265_get_bits_per_pixel(image, 1) == bits) &&
         image->integrity == INTEGRITY_CORRECT &&
         image->decoded_ctbs == (uint32_t)image->get_sps().PicSizeInCtbsY;
}

}  // namespace

extern "C" {

Canvas *EXPORT(canvas_open)(int width, int rows) {
  Canvas *const canvas = (Canvas *)calloc(1, sizeof(Canvas));
  if (canvas == nullptr) return nullptr;
  canvas->width = width;
  canvas->rows = rows;
  canvas->band = (uint8_t *)malloc((size_t)width * rows * 4);
  canvas->scratch = malloc(planes_scratch(width));
  if (canvas->band != nullptr && canvas->scratch != nullptr) return canvas;
  free(canvas->band);
  free(canvas->scratch);
  free(canvas);
  return nullptr;
}

uint8_t *EXPORT(canvas_band)(Canvas *canvas) { return canvas->band; }

void EXPORT(canvas_close)(Canvas *canvas) {
  free(canvas->band);
  free(canvas->scratch);
  free(canvas);
}

void EXPORT(picture_close)(Picture *picture) { delete picture; }

// Decodes the first picture of the units in `bytes`, which are freed. It must have `width` x `height` pixels within the
// conformance window. `coded_pixels` bounds what libde265 allocates for. `alpha_range` is one of ALPHA_*, for pictures of
// alpha. Returns NULL where memory does not suffice.
Picture *EXPORT(picture_decode)(uint8_t *bytes, size_t size, int width, int height, int bits, unsigned coded_pixels,
                                int alpha_range) {
  de265_decoder_context *const decoder = de265_new_decoder();
  if (decoder == nullptr) {
    free(bytes);
    return nullptr;
  }
  de265_get_security_limits(decoder)->max_image_size_pixels = coded_pixels;
  const bool pushed = push(decoder, bytes, size);
  free(bytes);
  de265_image *const image = pushed ? first_picture(decoder) : nullptr;
  Picture *picture = nullptr;
  if (image != nullptr && is_whole(image, width, height, bits)) {
    picture = new Picture();
    keep(picture, image);
    if (alpha_range != ALPHA_UNSAID) picture->full_alpha = alpha_range == ALPHA_FULL;
  }
  de265_free_decoder(decoder);
  if (picture == nullptr) fail("the bitstream is damaged");
  return picture;
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
  Planes planes = picture->planes;
  planes.full_range = picture->full_alpha;
  planes_draw_alpha(&planes, x, y, width, rows, canvas->band + (size_t)to_x * 4, (size_t)canvas->width * 4);
}

void EXPORT(canvas_unpremultiply)(Canvas *canvas, int rows) {
  planes_unpremultiply(canvas->band, (size_t)canvas->width * rows);
}

}  // extern "C"
