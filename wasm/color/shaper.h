// Profiles of three curves and a matrix (Display P3, Adobe RGB and most others of cameras), as a kernel.
#pragma once
#include <lcms2.h>
#include <stdint.h>

struct shaper;

// Whether the colors of a profile are those of a matrix that cannot be undone: they are no space, and the profile is damaged.
int shaper_is_singular(cmsHPROFILE profile);

// To a target with the curve of sRGB; null for sRGB itself. Returns null when one of the profiles is of another kind, or
// memory ran out; the curve of the target is not looked at.
struct shaper *shaper_new(cmsHPROFILE from, cmsHPROFILE target);

// RGBA to RGBA in the target; alpha is kept. `in` and `out` may be the same.
void shaper_convert(const struct shaper *shaper, const uint8_t *in, uint8_t *out, uint32_t pixels);
