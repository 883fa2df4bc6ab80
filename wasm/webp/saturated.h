// Edges of saturated colors in planes whose chroma is halved both ways, as VP8 has it.
//
// A sample of chroma stands for four pixels, and decoders interpolate between samples. Beside a saturated letter on white, pixels
// of the letter lose color, white ones gain some, and levels beyond 0 to 255 are cut off: letters get dark or pale, and their edges
// dirty. The cells in which that happens get the luma and the chroma with which the pixels that are shown are closest to those that
// were there, in turns: luma by what is missing of each pixel's brightness, chroma by what is missing of the mean color of four. It
// is the idea of libwebp's sharpyuv, for those cells only: in all others the planes stay as they are, for in photographs it takes
// bytes and wins nothing.
#ifndef SATURATED_H_
#define SATURATED_H_

#include "src/webp/encode.h"

// Rows before those that come, which are needed again: two rows of chroma.
enum { SATURATED_KEPT_ROWS = 4 };

typedef struct Saturated Saturated;

// Before anything else; further calls do nothing.
void saturated_init(void);

// For pictures of this width that come in bands of at most so many rows. NULL when memory does not suffice.
Saturated *saturated_open(int width, int band_rows);
void saturated_close(Saturated *saturated);

// Corrects the planes of `picture` once its rows `y` to `y + rows` are imported. `rgba` holds these rows, straight alpha, and the
// SATURATED_KEPT_ROWS before them lie in memory before it. Bands follow each other, and have an even number of rows, of at least
// SATURATED_KEPT_ROWS, but for the last one. What is seen through stays as it is.
void saturated_take(Saturated *saturated, WebPPicture *picture, const uint8_t *rgba, int y, int rows);

#endif
