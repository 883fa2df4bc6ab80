// Decoded pictures as planes of luma and chroma, and their way to RGBA.
#ifndef PLANES_H
#define PLANES_H
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { PLANES_GRAY, PLANES_420, PLANES_422, PLANES_444 };

typedef struct {
  int width, height;
  // Per sample, of luma and chroma; samples of more than 8 bits have 16.
  int bits;
  int layout;
  const void *plane[3];
  // In samples.
  ptrdiff_t stride[3];
  // ISO/IEC 23091-2, MatrixCoefficients.
  int matrix;
  int full_range;
  // Chroma samples lie on even columns of luma, not between them.
  int left;
} Planes;

// The rows `y` to `y + rows` of the columns `x` to `x + width` as RGBA8, alpha 255. `scratch` holds
// `planes_scratch(width)` bytes.
void planes_draw(const Planes *planes, int x, int y, int width, int rows, uint8_t *to, size_t to_stride, void *scratch);
size_t planes_scratch(int width);

// The same as RGBA16, of which 65,535 is full; strides are in samples.
void planes_draw_deep(const Planes *planes, int x, int y, int width, int rows, uint16_t *to, size_t to_stride,
                      void *scratch);

// Luma becomes the alpha of pixels that are there; that of limited range is widened.
void planes_draw_alpha(const Planes *planes, int x, int y, int width, int rows, uint8_t *to, size_t to_stride);
void planes_draw_alpha_deep(const Planes *planes, int x, int y, int width, int rows, uint16_t *to, size_t to_stride);

// Divides colors by their alpha.
void planes_unpremultiply(uint8_t *rgba, size_t pixels);

#ifdef __cplusplus
}
#endif
#endif
