// Where libwebp's encoders let others have the thread. The linker sends calls between files of libwebp here (--wrap).
// Work is declared in pixels.
#include "breathe.h"
#include "src/enc/vp8i_enc.h"

// The lossless coder codes a pixel of an alpha channel in about this many times that of a pass of the lossy one.
#define ALPHA_WEIGHT 2

int __real_VP8IteratorNext(VP8EncIterator *iterator);
int __real_WebPReportProgress(const WebPPicture *picture, int percent, int *told);

// Once for every row of macroblocks, in every pass over a lossy picture.
int __wrap_VP8IteratorNext(VP8EncIterator *const iterator) {
  const int more = __real_VP8IteratorNext(iterator);
  if (iterator->x == 0) breathe(16 * 16 * iterator->enc->mb_w);
  return more;
}

// The lossless coder tells which part of its work is done. An alpha channel comes as a picture of its own, without
// anybody to write it to.
int __wrap_WebPReportProgress(const WebPPicture *const picture, int percent, int *const told) {
  if (picture->use_argb && told != NULL && percent > *told) {
    const int pixels = picture->width * picture->height / 100;
    breathe((percent - *told) * pixels * (picture->custom_ptr == NULL ? ALPHA_WEIGHT : 1));
  }
  return __real_WebPReportProgress(picture, percent, told);
}
