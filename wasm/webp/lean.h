// A lossless WebP coder that needs little memory beside the pixels. libwebp's own needs 25 to 60 bytes per pixel.
#ifndef LEAN_H_
#define LEAN_H_

#include "src/enc/vp8i_enc.h"
#include "src/webp/encode.h"

// Writes `picture`, which is ARGB, as a WebP file through `picture->writer`, and leaves residuals in place of its
// pixels. Returns 0, and sets the error of the picture, when memory does not suffice.
int lean_lossless(WebPPicture *picture);

// Codes the alpha channel of the picture that `encoder` works on, as libwebp's `VP8EncStartAlpha` does.
int lean_alpha(VP8Encoder *encoder);

#endif
