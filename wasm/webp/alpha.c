// libwebp codes the alpha channel of a lossy picture with its lossless coder at the same effort. That takes up to 60
// bytes per pixel and, at the highest effort, minutes for a few megapixels; the last steps win 2 percent. This file is
// compiled in place of alpha_enc.c, contains it, and bounds the effort.
#include "src/enc/vp8li_enc.h"

// Above this many pixels memory counts more than the size of the alpha channel.
#define LEAN_PIXELS (2 << 20)

static int bounded_stream(const WebPConfig* config, const WebPPicture* picture, VP8LBitWriter* writer) {
  WebPConfig bounded = *config;
  if (picture->width * picture->height > LEAN_PIXELS) {
    bounded.method = 0;
    bounded.quality = 0.f;
  } else if (bounded.method > 2) {
    bounded.method = 2;
    bounded.quality = 16.f;
  }
  return VP8LEncodeStream(&bounded, picture, writer);
}

#define VP8LEncodeStream bounded_stream
#include "src/enc/alpha_enc.c"
