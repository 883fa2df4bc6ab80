// Puts bands of RGBA rows into the planes of a picture that libwebp is to encode.
#ifndef IMPORT_H_
#define IMPORT_H_

#include "src/webp/encode.h"

// Prepares the tables and functions of `import_rows`.
void import_init(void);

// Converts `rows` rows of straight RGBA at row `y` into `picture`: into ARGB when `picture->use_argb`, otherwise into
// 4:2:0, with the same result as libwebp's own import of the whole picture. In 4:2:0 `y` is even, and `rows` is even
// except at the bottom. `scratch` holds 4 * ((width + 1) / 2) values. Returns whether any alpha is below 255.
int import_rows(WebPPicture *picture, const uint8_t *rgba, int y, int rows, uint16_t *scratch);

#endif
