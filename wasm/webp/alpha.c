// libwebp codes the alpha channel of a lossy picture with its lossless coder at the same effort. That takes up to 60
// bytes per pixel and, at the highest effort, minutes for a few megapixels; the last steps win 2 percent. This file is
// compiled in place of alpha_enc.c, contains it, bounds the effort, and leaves large pictures to the lean coder.
#include "lean.h"
#include "src/enc/vp8li_enc.h"

// Above this many pixels memory counts more than the size of the alpha channel.
#define LEAN_PIXELS (2 << 20)

static int bounded_stream(const WebPConfig *config, const WebPPicture *picture, VP8LBitWriter *writer) {
  WebPConfig bounded = *config;
  if (bounded.method > 2) {
    bounded.method = 2;
    bounded.quality = 16.f;
  }
  return VP8LEncodeStream(&bounded, picture, writer);
}

#define VP8LEncodeStream bounded_stream
#define VP8EncStartAlpha bounded_start
#include "src/enc/alpha_enc.c"
#undef VP8EncStartAlpha

int VP8EncStartAlpha(VP8Encoder *const encoder) {
  const int large = encoder->pic->width * encoder->pic->height > LEAN_PIXELS;
  if (encoder->has_alpha && large && encoder->config->alpha_quality == 100) return lean_alpha(encoder);
  return bounded_start(encoder);
}
