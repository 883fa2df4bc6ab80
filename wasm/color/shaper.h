// Profiles of three curves and a matrix (Display P3, Adobe RGB and most others of cameras), as a kernel.
#pragma once
#include <lcms2.h>
#include <stdint.h>

struct shaper;

// Null when the profile is of another kind, or memory ran out.
struct shaper *shaper_new(cmsHPROFILE from);

// RGBA to RGBA in sRGB; alpha is kept. `in` and `out` may be the same.
void shaper_convert(const struct shaper *shaper, const uint8_t *in, uint8_t *out, uint32_t pixels);
